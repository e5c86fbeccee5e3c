/** Varies training sentences: other names, other spellings, words before and after. */
import type { Part } from "../src/features/talk/model.ts";
import { type Example, type Span, linesOf, talkFolder } from "./talk-data.ts";

/** A sentence as pieces; those with a part are names. */
interface Piece {
  text: string;
  part?: Part;
}

/** The same items in another order. */
export function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const mixed = [...all];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

export type Banks = Record<Part, string[]>;

/** Sentences that people say before a request and after it. */
const chatter = linesOf(new URL("chatter.txt", talkFolder));
const before = chatter.flatMap((line) => (line.startsWith("> ") ? [`${line.slice(2)} `] : []));
const after = chatter.flatMap((line) => (line.startsWith("< ") ? [line.slice(2)] : []));
const kindsOfTypos = 4;
/** The letters beside each other on a keyboard. */
const keys = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const signs = ["!", "!!", " 🙏", " 🚨", " lol", " haha", " :)", " @bellwether", " 🎉", "...", " ?!", " bot"];

/** One variation of a sentence; its labels stay correct. */
export function varied(example: Example, banks: Banks, random: () => number): Example {
  let pieces = piecesOf(example);
  const chance = (share: number) => random() < share;
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const isWish = example.act !== "none";
  if (isWish && chance(0.85)) {
    pieces = pieces.map(({ text, part }) =>
      part && (part !== "question" || chance(0.5))
        ? { part, text: renamed(text, part, one(banks[part]), random) }
        : { text, ...(part && { part }) },
    );
  }
  if (chance(isWish ? 0.35 : 0.12)) pieces = [{ text: one(before) }, ...pieces];
  if (chance(isWish ? 0.3 : 0.1)) {
    const last = pieces.at(-1);
    if (last && !last.part) last.text = last.text.replace(/[.!?]+$/, "");
    pieces = [...pieces, { text: one(after) }];
  }
  if (chance(isWish ? 0.25 : 0.15)) {
    for (let typos = 0; typos < 3 && chance(0.7); typos += 1)
      pieces = pieces.map((piece) =>
        piece.part
          ? { ...piece, text: chance(0.1) ? withTypo(piece.text, random) : piece.text }
          : { text: withTypo(piece.text, random) },
      );
  }
  if (isWish && chance(0.06)) pieces = [...pieces, { text: one(signs) }];
  if (chance(0.15))
    pieces = pieces.map((piece) => (piece.part ? piece : { text: piece.text.replace(/['’](?=t|s|m|re|d|ll)/g, "") }));
  if (chance(0.12))
    pieces = pieces.map((piece) =>
      piece.part
        ? piece
        : { text: piece.text.replace(/\b(?:the|a|an|for|please|to) /g, (word) => (chance(0.5) ? "" : word)) },
    );
  if (chance(0.2))
    pieces = pieces.map((piece) =>
      piece.part ? piece : { text: piece.text.replace(/(?<=[a-z]), /gi, " ").replace(/[.!]$/, "") },
    );
  if (chance(0.06))
    pieces = pieces.map((piece, at) =>
      piece.part === "name" && !pieces[at - 1]?.text.endsWith('"') ? { ...piece, text: `"${piece.text}"` } : piece,
    );
  if (chance(0.35)) pieces = pieces.map((piece) => ({ ...piece, text: piece.text.toLowerCase() }));
  else if (chance(0.34))
    pieces = pieces.map((piece, at) =>
      at === 0 && !piece.part ? { text: `${piece.text.charAt(0).toUpperCase()}${piece.text.slice(1)}` } : piece,
    );
  return exampleOf(pieces, example);
}

function renamed(text: string, part: Part, other: string, random: () => number): string {
  if (part === "question") return other.replace(/\?$/, "");
  const isLower = text === text.toLowerCase();
  return isLower && random() < 0.7 ? other.toLowerCase() : other;
}

function withTypo(text: string, random: () => number): string {
  const words = text.split(" ");
  const at = Math.floor(random() * words.length);
  const word = words[at] ?? "";
  if (!/^[a-z]{4,}$/.test(word)) return text;
  const from = 1 + Math.floor(random() * (word.length - 2));
  const kind = Math.floor(random() * kindsOfTypos);
  const row = keys.find((each) => each.includes(word[from] ?? "")) ?? "";
  const neighbour = row[row.indexOf(word[from] ?? "") + 1] ?? row.at(-2) ?? "";
  words[at] =
    kind === 0
      ? `${word.slice(0, from)}${word[from + 1] ?? ""}${word[from] ?? ""}${word.slice(from + 2)}`
      : kind === 1
        ? `${word.slice(0, from)}${word.slice(from + 1)}`
        : `${word.slice(0, from)}${kind === 2 ? (word[from] ?? "") : neighbour}${word.slice(kind === 2 ? from : from + 1)}`;
  return words.join(" ");
}

function piecesOf({ text, spans = [] }: Example): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { from, to, part } of spans) {
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ text: text.slice(from, to), part });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

function exampleOf(pieces: Piece[], { act, spans: known }: Example): Example {
  let text = "";
  const spans: Span[] = [];
  for (const piece of pieces) {
    if (piece.part) spans.push({ from: text.length, to: text.length + piece.text.length, part: piece.part });
    text += piece.text;
  }
  return { text, act, ...(known && { spans }) };
}
