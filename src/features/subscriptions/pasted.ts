import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/mrkdwn.ts";
import type { Entry } from "./entry.ts";

/** Characters that Slack, or whoever copies text, might change; JSON has another way to write them. */
const risky = /[<>&`\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Entries as JSON, each on a line of its own, in parts of at most `longest` characters that are each whole. */
export function partsOf(entries: Entry[], longest: number): { parts: string[]; tooLong: number[] } {
  const parts: string[][] = [];
  const tooLong: number[] = [];
  let room = 0;
  for (const [index, entry] of entries.entries()) {
    const line = lineOf(entry);
    const needed = line.length + 2;
    if (needed + 4 > longest) {
      tooLong.push(index);
      continue;
    }
    if (needed > room || parts.length === 0) {
      parts.push([]);
      room = longest - 4;
    }
    parts.at(-1)?.push(line);
    room -= needed;
  }
  return { parts: parts.map((lines) => `[\n${lines.join(",\n")}\n]`), tooLong };
}

function lineOf(entry: Entry): string {
  return JSON.stringify(entry).replace(
    risky,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What was pasted in the place of one entry: some JSON, or why it is none. */
export type Pasted = { json: unknown } | { problem: string };

/**
 * Entries that somebody typed or pasted; where one is broken that stands on a line of its own, the others are read all
 * the same. Throws a UsageError where there are none.
 */
export function readEntries(text: string, noun: string): Pasted[] {
  const bare = text.replace(/^\s*```(?:json)?|```\s*$/g, "").trim();
  const whole = jsonIn(bare) ?? jsonIn(betweenBrackets(bare));
  if (!whole) return readLines(bare) ?? refuse(`That is no JSON${whereIn(bare)}.`, noun);
  const { json } = whole;
  const entries = Array.isArray(json) ? json : [json];
  if (entries.length === 0) refuse("There is nothing in it.", noun);
  if (typeof json !== "object" || json === null) refuse(`That is no list of ${noun}s.`, noun);
  if ("bellwether" in json) {
    throw new UsageError(
      `That is an operator's export of everything: \`npm start -- import FILE\` takes it in. Here goes what \`/${noun}s export\` shows.`,
    );
  }
  return entries.map((entry: unknown) => ({ json: entry }));
}

function refuse(lead: string, noun: string): never {
  throw new UsageError(`${lead} Paste what \`/${noun}s export\` has shown, from the first \`[\` to the last \`]\`.`);
}

function jsonIn(text: string): { json: unknown } | undefined {
  for (const each of [text, text.replace(/[“”„]/g, '"')]) {
    try {
      return { json: JSON.parse(each) };
    } catch {
      // Phones curl quotation marks, and words are copied along.
    }
  }
  return undefined;
}

function betweenBrackets(text: string): string {
  return text.slice(Math.max(0, text.search(/[[{]/)), Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1);
}

/** An export shows fewer. */
const linesMost = 1_000;

/** One entry a line, as an export shows them; nothing where the lines are something else. */
function readLines(text: string): Pasted[] | undefined {
  const lines = text
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^\[|,$/g, "")
        .trim(),
    )
    .filter((line) => line !== "" && line !== "]");
  if (lines.length > linesMost || !lines.every((line) => line.startsWith("{"))) return undefined;
  const entries = lines.map((line): Pasted => {
    return jsonIn(line) ?? jsonIn(line.replace(/\]$/, "")) ?? { problem: `This is no JSON${whereIn(line)}.` };
  });
  return entries.some((entry) => "json" in entry) ? entries : undefined;
}

/** Where JSON goes wrong, as far as the engine says so. */
function whereIn(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const isCut = /end of JSON|Unterminated/.test(String(error));
    if (isCut) return text === "" ? "" : `: it breaks off after \`${inCode(text.slice(-30))}\``;
    const at = Math.max(0, Number(position ?? 0) - 10);
    return `: it goes wrong near \`${inCode(shorten(text.slice(at, at + 60), 40))}\``;
  }
}
