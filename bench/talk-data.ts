/** Labelled sentences: the request in each, and the places of its names. */
import { readFileSync, readdirSync } from "node:fs";

import { type Act, type Part, acts } from "../src/features/talk/model.ts";

/** A sentence with the wish that it holds: `act`, and the parts that a reader would have to correct if they were wrong. */
export interface Phrase {
  say: string;
  act: string;
  names?: string[];
  when?: string;
  place?: string;
  max?: number;
  language?: string;
  only?: string[];
  not?: string[];
  number?: number;
  noun?: string;
  span?: string;
  question?: string;
  list?: string;
  unread?: string[];
}

/** A training sentence. */
export interface Example {
  text: string;
  act: Act;
  /** Undefined if it is unknown which words are the names. */
  spans?: Span[];
}

export interface Span {
  from: number;
  to: number;
  part: Part;
}

export const talkFolder = new URL("talk/", import.meta.url);

export function linesOf(path: URL | string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("//"));
}

export function phrasesIn(path: URL | string): Phrase[] {
  return linesOf(path).map((line) => JSON.parse(line) as Phrase);
}

/** All sentences of files: `.jsonl` holds phrases, `.marked` sentences with marks, `.txt` sentences without a request. */
export function examplesIn(paths: (URL | string)[]): Example[] {
  return paths.flatMap((path) => {
    const name = String(path);
    if (name.endsWith(".jsonl")) return phrasesIn(path).map(exampleOf);
    if (name.endsWith(".marked")) return linesOf(path).map(markedExample);
    return linesOf(path).map((text): Example => ({ text, act: "none", spans: [] }));
  });
}

export function talkFiles(): URL[] {
  return readdirSync(talkFolder)
    .filter(
      (file) =>
        /\.(?:jsonl|marked|txt)$/.test(file) &&
        !/^(?:classes|spellings|common|names|topics|chatter|templates|sayings)\.txt$/.test(file),
    )
    .toSorted()
    .map((file) => new URL(file, talkFolder));
}

const marks: Record<string, Part> = { "-": "not", "=": "only", "@": "list", "?": "question" };

/**
 * Reads a line with an act and marked names:
 * `alert: ping us if [Novalith] spikes, not [-Japan], only [=Reuters], the list [@Metals]: [?who sells]?`
 */
export function markedExample(line: string): Example {
  const [, act = "", marked = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
  if (!isAct(act)) throw new Error(`no act in “${line}”`);
  let text = "";
  const spans: Span[] = [];
  for (const [, plain, mark = "", inner] of marked.matchAll(/([^[\]]+)|\[([-=@?]?)([^\]]+)\]/g)) {
    if (inner !== undefined)
      spans.push({ from: text.length, to: text.length + inner.length, part: marks[mark] ?? "name" });
    text += plain ?? inner ?? "";
  }
  return { text, act, spans };
}

function isAct(text: string): text is Act {
  return acts.some((act) => act === text);
}

/** Looks for the names of a phrase in its sentence. */
function exampleOf({ say, act, names = [], only = [], not = [], list, question }: Phrase): Example {
  if (!isAct(act)) throw new Error(`no act in “${say}”`);
  const low = say.toLowerCase().replace(/[‘’]/g, "'");
  const wanted: { part: Part; text: string }[] = [
    ...(question === undefined ? [] : [{ part: "question" as const, text: question.replace(/\?$/, "") }]),
    ...(list === undefined ? [] : [{ part: "list" as const, text: list }]),
    ...names.map((text) =>
      text.startsWith("-") ? { part: "not" as const, text: text.slice(1) } : { part: "name" as const, text },
    ),
    ...only.map((text) => ({ part: "only" as const, text })),
    ...not.map((text) => ({ part: "not" as const, text })),
  ];
  const spans: Span[] = [];
  let isWhole = true;
  for (const { part, text } of wanted.toSorted((one, other) => other.text.length - one.text.length)) {
    const folded = text.toLowerCase().replace(/[‘’]/g, "'");
    let isFound = false;
    for (let from = low.indexOf(folded); from >= 0; from = low.indexOf(folded, from + 1)) {
      const to = from + folded.length;
      const isWord = !/[\p{L}\p{N}]/u.test(low[from - 1] ?? " ") && !/[\p{L}\p{N}]/u.test(low[to] ?? " ");
      const isFree = spans.every((span) => to <= span.from || from >= span.to);
      // Only a name may occur a second time.
      if (!isWord || !isFree || (isFound && part !== "name")) continue;
      spans.push({ from, to, part });
      isFound = true;
    }
    isWhole &&= isFound;
  }
  return { text: say, act, ...(isWhole && { spans: spans.toSorted((one, other) => one.from - other.from) }) };
}
