/** How well plain sentences are understood: wishes beside what they should become, and questions that must stay questions. */
import { readFileSync, readdirSync } from "node:fs";

import { readSchedule } from "../src/features/subscriptions/schedule.ts";
import { readSpan } from "../src/features/span.ts";
import { type Wish, readWish } from "../src/features/talk/wish.ts";

/** A sentence with the wish that it holds: `act`, and the parts that a reader would have to correct if they were wrong. */
interface Phrase {
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
}

const folder = new URL("talk/", import.meta.url);

/** Rows of the table: recall and wrong parts of each set of wishes, and misfires of each set of questions. */
export function talkRows(more: string[] = []): string[][] {
  const files = readdirSync(folder);
  const wishes = files.filter((file) => file.endsWith(".jsonl")).map((file) => wishRow(file));
  const own = files.filter((file) => file.endsWith(".txt")).map((file) => questionRow(file, new URL(file, folder)));
  return [...wishes, ...own, ...more.map((path) => questionRow(path, path))];
}

function wishRow(file: string): string[] {
  const lines = readFileSync(new URL(file, folder), "utf8").trim().split("\n");
  const phrases = lines.map((line) => JSON.parse(line) as Phrase);
  const read = phrases.map((phrase) => ({ phrase, got: phraseOf(phrase.say, true) }));
  const missed = read.filter(({ got }) => got === undefined);
  const wrong = read.filter(({ phrase, got }) => got !== undefined && !isSame(phrase, got));
  if (process.env["SHOW"]) {
    for (const { phrase } of missed) console.log("missed", phrase.say);
    for (const { phrase, got } of wrong) console.log("wrong ", JSON.stringify(phrase), "\n    as", JSON.stringify(got));
  }
  const right = read.length - missed.length - wrong.length;
  return [
    file,
    String(read.length),
    share(right, read.length),
    share(missed.length, read.length),
    share(wrong.length, read.length),
  ];
}

function questionRow(name: string, path: URL | string): string[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const taken = lines.filter((line) => phraseOf(line, false) !== undefined);
  if (process.env["SHOW"]) for (const line of taken) console.log("taken ", line, JSON.stringify(phraseOf(line, false)));
  return [name.split("/").at(-1) ?? "", String(lines.length), "", "", share(taken.length, lines.length)];
}

function share(part: number, all: number): string {
  return `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
}

/** What a sentence is read as. Some words are a wish only about a name that the bot knows: in wishes all names are known, in questions none. */
function phraseOf(say: string, isKnown: boolean): Phrase | undefined {
  const said = readWish(say);
  if (!said || !("wish" in said) || (said.wish.needsKnown && !isKnown)) return undefined;
  return { say, ...partsOf(said.wish) };
}

function partsOf(wish: Wish): Omit<Phrase, "say"> {
  const subject = "subject" in wish ? wish.subject : undefined;
  const thing = "thing" in wish ? wish.thing : undefined;
  const names = subject?.names ?? ("names" in wish ? wish.names : undefined);
  const name = thing?.name ?? ("name" in wish && wish.act !== "watchlist" ? wish.name : undefined);
  // A watchlist that is followed is called by its name alone.
  const list = subject?.kind === "watchlist" ? subject.names[0] : undefined;
  const number = thing?.number ?? ("number" in wish ? wish.number : undefined);
  const noun = thing?.noun ?? ("noun" in wish ? wish.noun : undefined);
  return {
    act: wish.act,
    ...(list === undefined && (names ?? (name && [name])) && { names: names ?? [name ?? ""] }),
    ...(wish.when !== undefined && { when: wish.when }),
    ...(wish.place !== undefined && { place: wish.place }),
    ...(wish.max !== undefined && { max: wish.max }),
    ...(wish.language !== undefined && { language: wish.language }),
    ...(wish.outlets && { only: wish.outlets }),
    ...(wish.without && { not: wish.without }),
    ...(number !== undefined && { number }),
    ...(noun !== undefined && { noun }),
    ...("span" in wish && wish.span !== undefined && { span: wish.span }),
    ...("question" in wish && { question: wish.question }),
    ...(wish.act === "watchlist" && { list: wish.name }),
    ...(list !== undefined && { list }),
  };
}

/** Equal in what matters: times as they are reckoned, names without regard to case, a place that is the usual one as none. */
function isSame(wanted: Phrase, got: Phrase): boolean {
  const fields = ["act", "names", "max", "language", "only", "not", "number", "question", "list"] as const;
  const isEqual = (one: unknown, other: unknown) => plain(one) === plain(other);
  if (!fields.every((field) => isEqual(wanted[field], got[field]))) return false;
  if (wanted.noun !== undefined && !isEqual(wanted.noun, got.noun)) return false;
  const place = (typed = "here") => (typed === "me" ? "here" : typed);
  return (
    place(wanted.place) === place(got.place) &&
    timeOf(wanted.when) === timeOf(got.when) &&
    spanOf(wanted.span) === spanOf(got.span)
  );
}

function plain(value: unknown): string {
  return JSON.stringify(value ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function timeOf(when = ""): string {
  return when && readSchedule(when, "UTC").words;
}

function spanOf(span = ""): string {
  return span && JSON.stringify(readSpan(`it ${span}`).span);
}
