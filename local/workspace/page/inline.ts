import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Emoji, withEmoji } from "./emoji.ts";
import { fieldsOf, stringOf, textOf } from "./fields.ts";
import { nameOf, useLookup, userOf } from "./lookup.ts";
import { type InlineNode, type MrkdwnPiece, parseMrkdwn } from "./mrkdwn.ts";
import { hashOf } from "./store.ts";

/** The address if it is one that a person may follow safely. */
export function safeUrl(value: unknown): string | undefined {
  const address = stringOf(value);
  return /^(https?:\/\/|mailto:)/i.test(address) ? address : undefined;
}

/** The addresses of sample articles: those of outlets, which do not exist, and of the news platform, whose port changes. */
const sampleArticle =
  /^(?:https:\/\/www\.[a-z0-9.-]+\.example\/[^\s?#]*-|http:\/\/127\.0\.0\.1:\d+\/articles\/)(\d{1,15})$/;

/** The target of a link on this page: sample articles open here, so that links to them work. */
export function hrefOf(address: string): string {
  const id = sampleArticle.exec(address)?.[1];
  return id === undefined ? address : `/articles/${id}`;
}

/** A link that opens in another tab; an address that is not safe to follow stays plain text. */
export function Link({ url, children }: { url: string; children: ComponentChildren }): VNode {
  const href = safeUrl(url);
  const { conversations, appUser } = useLookup();
  if (!href) return html`<span>${children}</span>`;
  // Slack's address for a direct message with an app.
  const direct = href.startsWith("https://slack.com/app_redirect?")
    ? conversations.find(({ kind, members }) => kind === "im" && members.includes(appUser))
    : undefined;
  if (direct) return html`<a href=${hashOf(direct.id)}>${children}</a>`;
  return html`<a href=${hrefOf(href)} target="_blank" rel="noopener noreferrer">${children}</a>`;
}

/** A person by name; a mention of the reader stands out. */
function UserMention({ id, label }: { id: string; label: string }): VNode {
  const lookup = useLookup();
  const name = userOf(lookup, id) ? nameOf(lookup, id) : label || id;
  return html`<span class=${`mention${id === lookup.me ? " mention-me" : ""}`}>@${name}</span>`;
}

/** A channel by name, as a link if the reader can see it. */
function ChannelMention({ id, label }: { id: string; label: string }): VNode {
  const known = useLookup().conversations.find((conversation) => conversation.id === id);
  if (!known) return html`<span class="mention">#${label || "private channel"}</span>`;
  return html`<a class="mention" href=${hashOf(id)}>#${known.name}</a>`;
}

/** A moment in the reader's zone, or the sender's own words if it is not valid. */
function Moment({ seconds, pattern, fallback, url }: InlineNode & { kind: "date" }): VNode {
  const { times } = useLookup();
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return html`<span>${fallback}</span>`;
  const written = times.write(pattern, date, times.now());
  const time = html`<time datetime=${date.toISOString()} title=${times.full(date)}>${written}</time>`;
  return url ? html`<${Link} url=${url}>${time}<//>` : time;
}

function renderInline(node: InlineNode): ComponentChildren {
  switch (node.kind) {
    case "text":
      return withEmoji(node.text);
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
      return html`<${UserMention} ...${node} />`;
    case "channel":
      return html`<${ChannelMention} ...${node} />`;
    case "group":
      return html`<span class="mention mention-me">@${node.label.replace(/^@/, "") || node.id}</span>`;
    case "broadcast":
      return html`<span class="mention mention-me">@${node.range.replace(/^@/, "")}</span>`;
    case "date":
      return html`<${Moment} ...${node} />`;
    default:
      return html`<${Emoji} name=${node.name} />`;
  }
}

/** Inline nodes one after the other. */
export function Inlines({ nodes }: { nodes: InlineNode[] }): VNode {
  return html`<span>${nodes.map(renderInline)}</span>`;
}

function renderPiece(piece: MrkdwnPiece): VNode {
  switch (piece.kind) {
    case "lines":
      return html`<p>
        ${piece.lines.flatMap((line, at) => [at > 0 ? html`<br />` : null, ...line.map(renderInline)])}
      </p>`;
    case "bullet":
      return html`<p class=${`bullet${piece.isDeep ? " deep" : ""}`}>
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

/** Text without markup: line breaks stay, emoji names become pictures. */
export function PlainText({ text }: { text: string }): VNode {
  const parts = text.split(/:([a-z0-9_+'-]+):/);
  return html`<span class="plain"
    >${parts.map((part, index) => (index % 2 === 1 ? html`<${Emoji} name=${part} />` : withEmoji(part)))}</span
  >`;
}

/** A text object of Block Kit, of either kind. */
export function TextObject({ value }: { value: unknown }): VNode {
  const isMrkdwn = fieldsOf(value)["type"] === "mrkdwn";
  return isMrkdwn ? html`<${Mrkdwn} text=${textOf(value)} />` : html`<${PlainText} text=${textOf(value)} />`;
}
