/** Slack's mrkdwn as a tree of plain values, independent of the page, the people and the clock. */

export type InlineNode =
  | { kind: "text"; text: string }
  | { kind: "bold" | "italic" | "strike"; children: InlineNode[] }
  | { kind: "code"; text: string }
  | { kind: "link"; url: string; children: InlineNode[] }
  | { kind: "user" | "channel" | "group"; id: string; label: string }
  | { kind: "broadcast"; range: string }
  | { kind: "date"; seconds: number; pattern: string; url: string; fallback: string }
  | { kind: "emoji"; name: string };

export type MrkdwnPiece =
  | { kind: "lines"; lines: InlineNode[][] }
  | { kind: "bullet"; marker: string; isDeep: boolean; children: InlineNode[] }
  | { kind: "quote"; pieces: MrkdwnPiece[] }
  | { kind: "pre"; text: string };

const styles = { "*": "bold", _: "italic", "~": "strike" } as const;
const word = /[\p{L}\p{N}]/u;

/** Decodes the three escapes of Slack's text. */
function decode(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === "amp" ? "&" : name === "lt" ? "<" : ">"));
}

function dateControl(body: string, fallback: string): InlineNode {
  const [, written = "", pattern = "", url = ""] = body.split("^");
  const seconds = /^-?\d+$/.test(written) ? Number(written) : Number.NaN;
  return { kind: "date", seconds, pattern: decode(pattern), url: decode(url), fallback };
}

/** Parses one `<…>` sequence, without its brackets. */
export function parseControl(inside: string): InlineNode {
  const bar = inside.indexOf("|");
  const body = bar < 0 ? inside : inside.slice(0, bar);
  const raw = bar < 0 ? "" : inside.slice(bar + 1);
  const label = decode(raw);
  if (body.startsWith("@")) return { kind: "user", id: body.slice(1), label };
  if (body.startsWith("#")) return { kind: "channel", id: body.slice(1), label };
  if (body.startsWith("!subteam^")) return { kind: "group", id: body.slice(9), label };
  if (body.startsWith("!date^")) return dateControl(body, label);
  if (body.startsWith("!")) return { kind: "broadcast", range: label || body.slice(1) };
  const url = decode(body);
  return {
    kind: "link",
    url,
    children: raw ? parseLabel(raw) : [{ kind: "text", text: url.replace(/^mailto:/i, "") }],
  };
}

/** The label of a link. It has styles of its own, but nothing in it is a link or a mention. */
function parseLabel(label: string): InlineNode[] {
  return /^https?:/.test(label) ? [{ kind: "text", text: decode(label) }] : parseInline(label, labelFinders);
}

interface Found {
  node: InlineNode;
  end: number;
}

/** Parses the node at a place in the text, if it is of this kind; `finders` parse its content. */
type Finder = (text: string, at: number, finders: Finder[]) => Found | undefined;

// A bracket inside ends the search: a lone `<` in a text must not swallow the link after it.
const controlPattern = /<([^<>]+)>/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function closing(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "<") {
      at += Math.max(0, (matchAt(controlPattern, text, at)?.[0].length ?? 0) - 1);
    } else if (char === mark && text[at - 1] !== " " && at > from && !word.test(text[at + 1] ?? "")) {
      return at;
    }
  }
  return -1;
}

function styled(text: string, at: number, finders: Finder[]): Found | undefined {
  const mark = text[at];
  if (mark !== "*" && mark !== "_" && mark !== "~") return undefined;
  const [before = "", after = " "] = [text[at - 1], text[at + 1]];
  // Two marks in a row are no style: Slack shows the asterisks of Markdown's `**bold**`.
  const opens = !word.test(before) && before !== mark && !/\s/.test(after) && after !== mark;
  const end = opens ? closing(text, at + 1, mark) : -1;
  if (end < 0) return undefined;
  return { node: { kind: styles[mark], children: parseInline(text.slice(at + 1, end), finders) }, end: end + 1 };
}

function control(text: string, at: number): Found | undefined {
  const match = text[at] === "<" ? matchAt(controlPattern, text, at) : null;
  return match?.[1] ? { node: parseControl(match[1]), end: at + match[0].length } : undefined;
}

function code(text: string, at: number): Found | undefined {
  const end = text[at] === "`" ? text.indexOf("`", at + 1) : -1;
  if (end < at + 2) return undefined;
  return { node: { kind: "code", text: decode(text.slice(at + 1, end)) }, end: end + 1 };
}

const emojiPattern = /:([a-z0-9_+'-]+):(?![\w])/y;
const addressPattern = /https?:\/\/[^\s<>|]+[^\s<>|.,;:!?)'"\]}*_~]/y;

function emoji(text: string, at: number): Found | undefined {
  const match = text[at] === ":" ? matchAt(emojiPattern, text, at) : null;
  return match?.[1] ? { node: { kind: "emoji", name: match[1] }, end: at + match[0].length } : undefined;
}

function address(text: string, at: number): Found | undefined {
  const match = text[at] === "h" && !word.test(text[at - 1] ?? "") ? matchAt(addressPattern, text, at) : null;
  if (!match) return undefined;
  const url = decode(match[0]);
  return { node: { kind: "link", url, children: [{ kind: "text", text: url }] }, end: at + match[0].length };
}

const allFinders: Finder[] = [control, code, styled, emoji, address];
const labelFinders: Finder[] = [code, styled, emoji];

/** One line of mrkdwn as inline nodes. */
function parseInline(text: string, finders = allFinders): InlineNode[] {
  const nodes: InlineNode[] = [];
  let plain = "";
  const flush = () => {
    if (plain) nodes.push({ kind: "text", text: decode(plain) });
    plain = "";
  };
  for (let at = 0; at < text.length;) {
    const here = at;
    const found = finders.reduce<Found | undefined>((hit, find) => hit ?? find(text, here, finders), undefined);
    if (found) {
      flush();
      nodes.push(found.node);
      at = found.end;
    } else {
      plain += text[at];
      at++;
    }
  }
  flush();
  return nodes;
}

const bulletPattern = /^(\s*)([•◦▪]|\d{1,3}\.|-)\s+(.*)$/s;
const quotePattern = /^(?:&gt;|>) ?/;

function addLine(pieces: MrkdwnPiece[], line: string): void {
  const bullet = bulletPattern.exec(line);
  if (bullet) {
    const [, space = "", marker = "", rest = ""] = bullet;
    pieces.push({ kind: "bullet", marker, isDeep: space.length > 1, children: parseInline(rest) });
    return;
  }
  const last = pieces.at(-1);
  if (last?.kind === "lines") last.lines.push(parseInline(line));
  else pieces.push({ kind: "lines", lines: [parseInline(line)] });
}

function addQuoted(pieces: MrkdwnPiece[], line: string): void {
  const last = pieces.at(-1);
  const inner = last?.kind === "quote" ? last.pieces : [];
  if (last?.kind !== "quote") pieces.push({ kind: "quote", pieces: inner });
  addLine(inner, line.replace(quotePattern, ""));
}

function addText(pieces: MrkdwnPiece[], text: string): void {
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (/^(&gt;|>){3}/.test(line)) {
      for (const rest of [line.replace(/^(&gt;|>){3} ?/, ""), ...lines.slice(index + 1)]) addQuoted(pieces, `>${rest}`);
      return;
    }
    if (quotePattern.test(line)) addQuoted(pieces, line);
    else addLine(pieces, line);
  }
}

/** A whole mrkdwn text: paragraphs, bullets, quotes and preformatted parts. */
export function parseMrkdwn(text: string): MrkdwnPiece[] {
  const pieces: MrkdwnPiece[] = [];
  for (const [index, part] of text.split(/```([\s\S]+?)```/).entries()) {
    if (index % 2 === 1) pieces.push({ kind: "pre", text: decode(part.replace(/^\n|\n$/g, "")) });
    else if (part && part !== "\n") addText(pieces, index > 0 ? part.replace(/^\n/, "") : part);
  }
  return pieces;
}
