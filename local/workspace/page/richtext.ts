import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { ChannelMention, Emoji, Link, Moment, Ping, UserMention } from "./inline.ts";
import { glyphOf } from "./emoji.ts";
import { fields, list, number, string } from "./read.ts";
import type { Fields } from "./read.ts";

const WRAPPERS: Record<string, (inside: ComponentChildren) => VNode> = {
  code: (inside) => html`<code>${inside}</code>`,
  strike: (inside) => html`<s>${inside}</s>`,
  underline: (inside) => html`<u>${inside}</u>`,
  highlight: (inside) => html`<mark>${inside}</mark>`,
  italic: (inside) => html`<em>${inside}</em>`,
  bold: (inside) => html`<strong>${inside}</strong>`,
};

function withStyle(style: Fields, inside: ComponentChildren): ComponentChildren {
  return Object.entries(WRAPPERS).reduce(
    (content, [name, wrap]) => (style[name] === true ? wrap(content) : content),
    inside,
  );
}

function withBreaks(text: string): ComponentChildren {
  return text.includes("\n")
    ? text.split("\n").flatMap((line, index) => (index > 0 ? [html`<br />`, line] : [line]))
    : text;
}

function EmojiLeaf({ leaf }: { leaf: Fields }): VNode {
  const name = string(leaf["name"]);
  const points = string(leaf["unicode"]);
  if (glyphOf(name) || !/^[\da-f]{2,6}(-[\da-f]{2,6})*$/i.test(points)) return html`<${Emoji} name=${name} />`;
  const glyph = points.split("-").map((point) => String.fromCodePoint(Math.min(Number.parseInt(point, 16), 0x10ffff)));
  return html`<span class="emoji" role="img" aria-label=${name}>${glyph.join("")}</span>`;
}

function Swatch({ value }: { value: string }): VNode {
  return html`<span class="swatch"><i style=${{ backgroundColor: value }}></i>${value}</span>`;
}

function leafContent(leaf: Fields): ComponentChildren {
  switch (leaf["type"]) {
    case "text":
      return withBreaks(string(leaf["text"]));
    case "link":
      return html`<${Link} url=${string(leaf["url"])}>${string(leaf["text"]) || string(leaf["url"])}<//>`;
    case "emoji":
      return html`<${EmojiLeaf} leaf=${leaf} />`;
    case "user":
      return html`<${UserMention} id=${string(leaf["user_id"])} />`;
    case "channel":
      return html`<${ChannelMention} id=${string(leaf["channel_id"])} />`;
    case "usergroup":
      return html`<${Ping} name=${string(leaf["usergroup_id"])} />`;
    case "team":
      return html`<${Ping} name=${string(leaf["team_id"])} />`;
    case "broadcast":
      return html`<${Ping} name=${string(leaf["range"])} />`;
    case "color":
      return html`<${Swatch} value=${string(leaf["value"])} />`;
    case "date":
      return html`<${Moment}
        seconds=${number(leaf["timestamp"]) ?? Number.NaN}
        pattern=${string(leaf["format"])}
        fallback=${string(leaf["fallback"])}
        url=${string(leaf["url"])}
      />`;
    default:
      return string(leaf["text"]);
  }
}

function leaves(element: Fields): ComponentChildren[] {
  return list(element["elements"]).map((leaf) => withStyle(fields(leaf["style"]), leafContent(leaf)));
}

function RichList({ element }: { element: Fields }): VNode {
  const items = list(element["elements"]).map((item) => html`<li>${leaves(item)}</li>`);
  const indent = `depth-${Math.min(4, number(element["indent"]) ?? 0)}`;
  if (element["style"] !== "ordered")
    return html`<ul class=${indent}>
      ${items}
    </ul>`;
  return html`<ol class=${indent} start=${(number(element["offset"]) ?? 0) + 1}>
    ${items}
  </ol>`;
}

function part(element: Fields): VNode {
  switch (element["type"]) {
    case "rich_text_list":
      return html`<${RichList} element=${element} />`;
    case "rich_text_quote":
      return html`<blockquote>${leaves(element)}</blockquote>`;
    case "rich_text_preformatted":
      return html`<pre tabindex="0"><code>${leaves(element)}</code></pre>`;
    default:
      return html`<p>${leaves(element)}</p>`;
  }
}

/** A `rich_text` block: sections, lists, quotes and preformatted text. */
export function RichText({ block }: { block: Fields }): VNode {
  return html`<div class="prose">${list(block["elements"]).map(part)}</div>`;
}
