import { html } from "htm/preact";
import { Marked, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { entryOf } from "./fields.ts";
import { Inlines, Link } from "./inline.ts";
import { type InlineNode, parseControl } from "./mrkdwn.ts";

/** A parser that does not take a line with one of Slack's `<!…>` controls at its start for an HTML declaration. */
const parser = new Marked({
  gfm: true,
  tokenizer: { html: (source) => (/^ {0,3}<![a-z]/i.test(source) ? undefined : false) },
});

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
};

function codePoint(value: number): string {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}

/** Decodes HTML's character references, which the lexer leaves to the browser. */
function decodeEntities(text: string): string {
  const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name = "") => {
    if (decimal) return codePoint(Number(decimal));
    if (hex) return codePoint(Number.parseInt(hex, 16));
    return entryOf(entities, String(name)) ?? whole;
  });
}

/** Plain Markdown text in which Slack still reads mentions, dates and emoji names. */
function parseLeaf(text: string): InlineNode[] {
  return text.split(/(<[@#!][^<>\s]*(?:\s[^<>]*)?>|:[a-z0-9_+-]+:)/).flatMap((part): InlineNode[] => {
    if (/^<[@#!]/.test(part)) return [parseControl(part.slice(1, -1))];
    if (/^:[a-z0-9_+-]+:$/.test(part)) return [{ kind: "emoji", name: part.slice(1, -1) }];
    return part ? [{ kind: "text", text: decodeEntities(part) }] : [];
  });
}

const known = new Set(
  "blockquote br code codespan def del em escape heading hr html image link list paragraph space strong table text".split(
    " ",
  ),
);

function isKnown(token: Token): token is MarkedToken {
  return known.has(token.type);
}

function renderAll(tokens: Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map((token) => (isKnown(token) ? render(token) : token.raw));
}

function render(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "heading":
      // The page's own headings end at level 2. Most answers use a single level of headings, of any depth; a skipped
      // level would confuse readers who move from heading to heading.
      return html`<div
        role="heading"
        aria-level=${token.depth > 3 ? 4 : 3}
        class=${`md-h${token.depth === 1 ? " md-h1" : ""}`}
      >
        ${renderAll(token.tokens)}
      </div>`;
    case "paragraph":
      return html`<p>${renderAll(token.tokens)}</p>`;
    case "text":
      if ("tokens" in token && token.tokens) return renderAll(token.tokens);
      return html`<${Inlines} nodes=${parseLeaf(token.text)} />`;
    case "html":
      return html`<${Inlines} nodes=${parseLeaf(token.text)} />`;
    case "strong":
      return html`<strong>${renderAll(token.tokens)}</strong>`;
    case "em":
      return html`<em>${renderAll(token.tokens)}</em>`;
    case "del":
      return html`<s>${renderAll(token.tokens)}</s>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "code":
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case "blockquote":
      return html`<blockquote>${renderAll(token.tokens)}</blockquote>`;
    case "list":
      return renderList(token);
    case "table":
      return renderTable(token);
    case "link":
      return html`<${Link} url=${token.href}>${renderAll(token.tokens)}<//>`;
    case "image":
      return html`<${Link} url=${token.href}>${token.text || token.href}<//>`;
    case "hr":
      return html`<hr />`;
    case "br":
      return html`<br />`;
    case "escape":
      return token.text;
    case "space":
    case "def":
      return null;
    default:
      return token.raw;
  }
}

function renderList({ items, ordered, start }: Tokens.List): VNode {
  const rows = items.map(({ tokens }) => html`<li>${renderAll(tokens)}</li>`);
  if (!ordered)
    return html`<ul>
      ${rows}
    </ul>`;
  return html`<ol start=${start === "" ? 1 : start}>
    ${rows}
  </ol>`;
}

function renderTable({ header, rows }: Tokens.Table): VNode {
  const cells = (tag: "th" | "td", row: Tokens.TableCell[]) =>
    row.map(({ align, tokens }) => {
      // An empty corner is not a heading.
      const name = tokens.length > 0 ? tag : "td";
      return html`<${name} class=${align ? `align-${align}` : ""}>${renderAll(tokens)}<//>`;
    });
  return html`<${Grid} head=${cells("th", header)} rows=${rows.map((row) => cells("td", row))} />`;
}

interface GridProps {
  head: ComponentChildren;
  rows: ComponentChildren[];
}

/** Whether a box has content beyond its left or right edge. */
function useOverflow() {
  const box = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ before: false, after: false });
  const look = useCallback(() => {
    if (!box.current) return;
    const { scrollLeft, scrollWidth, clientWidth } = box.current;
    const now = { before: scrollLeft > 1, after: scrollLeft + clientWidth < scrollWidth - 1 };
    setHidden((last) => (last.before === now.before && last.after === now.after ? last : now));
  }, []);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(look);
  return { box, look, ...hidden };
}

/** A table in a box of its own; if it is wider than the box, a shadow shows on which side it continues. */
export function Grid({ head, rows }: GridProps): VNode {
  const { box, look, before, after } = useOverflow();
  const sides = `${before ? " more-before" : ""}${after ? " more-after" : ""}`;
  const scrolls = before || after ? { tabindex: 0, role: "group", "aria-label": "Table, scrolls sideways" } : {};
  return html`<div class=${`table-box${sides}`}>
    <div class="scroll-x" ref=${box} onScroll=${look} ...${scrolls}>
      <table class="grid">
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </div>`;
}

/** Standard Markdown, as a `markdown` block carries it; HTML in it shows as text. */
export function Markdown({ text }: { text: string }): VNode {
  const tokens = useMemo(() => parser.lexer(text), [text]);
  return html`<div class="prose markdown">${renderAll(tokens)}</div>`;
}
