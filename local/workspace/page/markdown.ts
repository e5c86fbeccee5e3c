import { html } from "htm/preact";
import { Marked } from "marked";
import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Inlines, Link } from "./inline.ts";
import { parseControl } from "./mrkdwn.ts";
import type { Inline } from "./mrkdwn.ts";
import { entry, imageUrl } from "./read.ts";

/** Where a line begins with one of Slack's `<!…>` controls, HTML's rules would take the whole line for a declaration. */
const parser = new Marked({
  gfm: true,
  tokenizer: { html: (source) => (/^ {0,3}<![a-z]/i.test(source) ? undefined : false) },
});

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};

function codePoint(value: number): string {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}

/** Undoes HTML's character references, which the lexer leaves to the browser. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal) return codePoint(Number(decimal));
      if (hex) return codePoint(Number.parseInt(hex, 16));
      return entry(ENTITIES, name ?? "") ?? whole;
    },
  );
}

/** Plain Markdown text in which Slack still reads mentions, dates and emoji names. */
function parseLeaf(text: string): Inline[] {
  return text.split(/(<[@#!][^<>\s]*(?:\s[^<>]*)?>|:[a-z0-9_+-]+:)/).flatMap((part): Inline[] => {
    if (/^<[@#!]/.test(part)) return [parseControl(part.slice(1, -1))];
    if (/^:[a-z0-9_+-]+:$/.test(part)) return [{ kind: "emoji", name: part.slice(1, -1) }];
    return part ? [{ kind: "text", text: decodeEntities(part) }] : [];
  });
}

function Leaf({ text }: { text: string }): VNode {
  return html`<${Inlines} nodes=${parseLeaf(text)} />`;
}

function many(tokens: Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map((token) => (isMarked(token) ? render(token) : token.raw));
}

const KINDS = new Set(
  "blockquote br checkbox code codespan def del em escape heading hr html image link list list_item paragraph space strong table text".split(
    " ",
  ),
);

function isMarked(token: Token): token is MarkedToken {
  return KINDS.has(token.type);
}

function Heading({ token }: { token: Tokens.Heading }): VNode {
  // The page's own headings end at level 3, so those of a message start below them.
  const level = Math.min(6, token.depth + 3);
  return html`<div role="heading" aria-level=${level} class=${`md-h md-h${token.depth}`}>${many(token.tokens)}</div>`;
}

function Item({ token }: { token: Tokens.ListItem }): VNode {
  return html`<li class=${token.task ? "task" : ""}>${many(token.tokens)}</li>`;
}

function List({ token }: { token: Tokens.List }): VNode {
  const items = token.items.map((item) => html`<${Item} token=${item} />`);
  if (!token.ordered)
    return html`<ul>
      ${items}
    </ul>`;
  return html`<ol start=${token.start === "" ? 1 : token.start}>
    ${items}
  </ol>`;
}

function alignClass(cell: Tokens.TableCell): string {
  return cell.align ? `align-${cell.align}` : "";
}

function Table({ token }: { token: Tokens.Table }): VNode {
  return html`<div class="scroll-x" tabindex="0" role="region" aria-label="Table">
    <table class="grid">
      <thead>
        <tr>
          ${token.header.map((cell) => html`<th scope="col" class=${alignClass(cell)}>${many(cell.tokens)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${token.rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td class=${alignClass(cell)}>${many(cell.tokens)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function Picture({ token }: { token: Tokens.Image }): VNode {
  const url = imageUrl(token.href);
  if (!url) return html`<${Link} url=${token.href}>${token.text || token.href}<//>`;
  return html`<img class="picture" src=${url} alt=${token.text} loading="lazy" />`;
}

function render(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "heading":
      return html`<${Heading} token=${token} />`;
    case "paragraph":
      return html`<p>${many(token.tokens)}</p>`;
    case "text":
      return "tokens" in token && token.tokens ? many(token.tokens) : html`<${Leaf} text=${token.text} />`;
    case "strong":
      return html`<strong>${many(token.tokens)}</strong>`;
    case "em":
      return html`<em>${many(token.tokens)}</em>`;
    case "del":
      return html`<s>${many(token.tokens)}</s>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "code":
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case "blockquote":
      return html`<blockquote>${many(token.tokens)}</blockquote>`;
    case "list":
      return html`<${List} token=${token} />`;
    case "checkbox":
      return html`<input
        type="checkbox"
        checked=${token.checked}
        disabled
        aria-label=${token.checked ? "Done" : "Open"}
      />`;
    case "table":
      return html`<${Table} token=${token} />`;
    case "link":
      return html`<${Link} url=${token.href}>${many(token.tokens)}<//>`;
    case "image":
      return html`<${Picture} token=${token} />`;
    case "hr":
      return html`<hr />`;
    case "br":
      return html`<br />`;
    case "escape":
      return token.text;
    case "html":
      return html`<${Leaf} text=${token.text} />`;
    case "space":
    case "def":
      return null;
    default:
      return token.raw;
  }
}

/** Standard Markdown, as a `markdown` block carries it; HTML in it shows as text. */
export function Markdown({ text }: { text: string }): VNode {
  const tokens = useMemo(() => parser.lexer(text), [text]);
  return html`<div class="prose markdown">${many(tokens)}</div>`;
}
