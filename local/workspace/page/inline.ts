import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { glyphOf } from "./emoji.ts";
import { conversationOf, nameOf, useLookup, userOf } from "./lookup.ts";
import { parseMrkdwn } from "./mrkdwn.ts";
import type { Inline, Piece } from "./mrkdwn.ts";
import { fields, safeUrl, textOf } from "./read.ts";
import { fullTime, writeDate } from "./times.ts";

/** A link that opens beside the page; an address that is not safe to follow stays plain text. */
export function Link({ url, children }: { url: string; children: ComponentChildren }): VNode {
  const href = safeUrl(url);
  if (!href) return html`<span>${children}</span>`;
  return html`<a href=${href} target="_blank" rel="noopener noreferrer">${children}</a>`;
}

/** A person by name; a mention of the reader stands out. */
export function UserMention({ id, label }: { id: string; label?: string }): VNode {
  const lookup = useLookup();
  const known = userOf(lookup, id);
  const own = id === lookup.me ? " mention-me" : "";
  return html`<span class=${`mention${own}`}>@${known ? nameOf(lookup, id) : label || id}</span>`;
}

/** A channel by name, leading there where the reader can see it. */
export function ChannelMention({ id, label }: { id: string; label?: string }): VNode {
  const known = conversationOf(useLookup(), id);
  if (!known) return html`<span class="mention">#${label || "private channel"}</span>`;
  return html`<a class="mention" href=${`#${id}`}>#${known.name}</a>`;
}

/** A moment in the reader's zone, or the sender's own words where the moment makes no sense. */
export function Moment(props: { seconds: number; pattern: string; fallback: string; url?: string }): VNode {
  const date = new Date(props.seconds * 1000);
  if (Number.isNaN(date.getTime()) || !Number.isFinite(props.seconds)) return html`<span>${props.fallback}</span>`;
  const written = writeDate(props.pattern, date, new Date());
  const time = html`<time datetime=${date.toISOString()} title=${fullTime(date)}>${written}</time>`;
  return props.url ? html`<${Link} url=${props.url}>${time}<//>` : time;
}

/** An emoji by short name; a name that is not known stays as it was typed. */
export function Emoji({ name }: { name: string }): VNode {
  const glyph = glyphOf(name);
  if (!glyph) return html`<span>:${name}:</span>`;
  return html`<span class="emoji" role="img" aria-label=${name.replaceAll("_", " ")}>${glyph}</span>`;
}

/** A whole group that was called, as everyone in a channel. */
export function Ping({ name }: { name: string }): VNode {
  return html`<span class="mention mention-me">@${name}</span>`;
}

function renderInline(node: Inline): ComponentChildren {
  switch (node.kind) {
    case "text":
      return node.text;
    case "bold":
      return html`<strong>${node.children.map(renderInline)}</strong>`;
    case "italic":
      return html`<em>${node.children.map(renderInline)}</em>`;
    case "strike":
      return html`<s>${node.children.map(renderInline)}</s>`;
    case "code":
      return html`<code>${node.text}</code>`;
    case "link":
      return html`<${Link} url=${node.url}>${node.children.map(renderInline)}<//>`;
    case "user":
      return html`<${UserMention} id=${node.id} label=${node.label} />`;
    case "channel":
      return html`<${ChannelMention} id=${node.id} label=${node.label} />`;
    case "group":
      return html`<${Ping} name=${node.label.replace(/^@/, "") || node.id} />`;
    case "broadcast":
      return html`<${Ping} name=${node.range.replace(/^@/, "")} />`;
    case "date":
      return html`<${Moment} ...${node} />`;
    default:
      return html`<${Emoji} name=${node.name} />`;
  }
}

/** Inline nodes one after the other. */
export function Inlines({ nodes }: { nodes: Inline[] }): VNode {
  return html`<span>${nodes.map(renderInline)}</span>`;
}

function joinLines(lines: Inline[][]): ComponentChildren[] {
  return lines.flatMap((line, index) => [index > 0 ? html`<br />` : null, ...line.map(renderInline)]);
}

function renderPiece(piece: Piece): VNode {
  switch (piece.kind) {
    case "lines":
      return html`<p>${joinLines(piece.lines)}</p>`;
    case "bullet":
      return html`<p class=${`bullet depth-${piece.depth}`}>
        <span class="marker">${piece.marker === "-" ? "–" : piece.marker}</span>
        <span>${piece.children.map(renderInline)}</span>
      </p>`;
    case "quote":
      return html`<blockquote>${piece.pieces.map(renderPiece)}</blockquote>`;
    default:
      return html`<pre tabindex="0"><code>${piece.text}</code></pre>`;
  }
}

/** A text in Slack's mrkdwn. */
export function Mrkdwn({ text }: { text: string }): VNode {
  const pieces = useMemo(() => parseMrkdwn(text), [text]);
  return html`<div class="prose">${pieces.map(renderPiece)}</div>`;
}

/** Text without markup: line breaks stay, emoji names become pictures unless that is switched off. */
export function PlainText({ text, emoji = true }: { text: string; emoji?: boolean }): VNode {
  const parts = emoji ? text.split(/:([a-z0-9_+'-]+):/) : [text];
  return html`<span class="plain"
    >${parts.map((part, index) => (index % 2 === 1 ? html`<${Emoji} name=${part} />` : part))}</span
  >`;
}

/** A text object of Block Kit, of either kind. */
export function TextObject({ value }: { value: unknown }): VNode {
  const object = fields(value);
  if (object["type"] === "mrkdwn") return html`<${Mrkdwn} text=${textOf(value)} />`;
  return html`<${PlainText} text=${textOf(value)} emoji=${object["emoji"] !== false} />`;
}
