/** The understanding of plain sentences: requests beside their right commands, and questions that must stay questions. */
import { readSchedule, scheduleProblem } from "../src/features/subscriptions/schedule.ts";
import { readSpan } from "../src/features/span.ts";
import { type LearnedModel, model } from "../src/features/talk/model.ts";
import { type Wish, readWish } from "../src/features/talk/wish.ts";
import { type Phrase, linesOf, phrasesIn, talkFiles } from "./talk-data.ts";

/** Rows of the table: recall and wrong parts of each set of wishes, and misfires of each set of questions. */
export function talkRows(more: string[] = []): string[][] {
  return rowsOf([...talkFiles().map(({ pathname }) => pathname), ...more], model);
}

export function rowsOf(files: string[], learned: LearnedModel): string[][] {
  const wishes = files.filter((file) => file.endsWith(".jsonl")).map((file) => wishRow(file, learned));
  const questions = files.filter((file) => file.endsWith(".txt"));
  return [...wishes, ...questions.map((file) => questionRow(file, learned))];
}

function wishRow(path: string, learned: LearnedModel): string[] {
  const phrases = phrasesIn(path);
  const read = phrases.map((phrase) => ({ phrase, got: phraseOf(phrase.say, true, learned) }));
  const missed = read.filter(({ got }) => got === undefined);
  const wrong = read.filter(({ phrase, got }) => got !== undefined && !isSame(phrase, got));
  if (process.env["SHOW"]) {
    for (const { phrase } of missed) console.log("missed", JSON.stringify(phrase));
    for (const { phrase, got } of wrong) console.log("wrong ", JSON.stringify(phrase), "\n    as", JSON.stringify(got));
  }
  const right = read.length - missed.length - wrong.length;
  return [
    nameOf(path),
    String(read.length),
    share(right, read.length),
    share(missed.length, read.length),
    share(wrong.length, read.length),
    share(wrong.filter(({ phrase, got }) => got !== undefined && !isSeen(phrase, got)).length, read.length),
  ];
}

function questionRow(path: string, learned: LearnedModel): string[] {
  const lines = linesOf(path);
  const taken = lines.filter((line) => phraseOf(line, false, learned) !== undefined);
  if (process.env["SHOW"])
    for (const line of taken) console.log("taken ", line, JSON.stringify(phraseOf(line, false, learned)));
  return [nameOf(path), String(lines.length), "", "", share(taken.length, lines.length)];
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? "";
}

function share(part: number, all: number): string {
  return `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
}

/**
 * The request in a sentence. Some words are a request only about a name that the bot knows: in the sets of requests all
 * names are known, in those of questions none.
 */
function phraseOf(say: string, isKnown: boolean, learned: LearnedModel): Phrase | undefined {
  const wish = readWish(say, learned);
  return !wish || (wish.needsKnown && !isKnown) ? undefined : { say, ...partsOf(wish) };
}

function partsOf(wish: Wish): Omit<Phrase, "say"> {
  const subject = "subject" in wish ? wish.subject : undefined;
  const thing = "thing" in wish ? wish.thing : undefined;
  const names = subject?.names ?? ("names" in wish ? wish.names : undefined);
  const name = thing?.name ?? ("name" in wish && wish.act !== "watchlist" ? wish.name : undefined);
  // A watchlist that is followed is identified by its name alone.
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
    ...(wish.span !== undefined && { span: wish.span }),
    ...("since" in wish && wish.since !== undefined && { span: wish.since }),
    ...("question" in wish && { question: wish.question }),
    ...(wish.act === "watchlist" && { list: wish.name }),
    ...(list !== undefined && { list }),
    ...(wish.unread && { unread: wish.unread }),
  };
}

/** Whether two requests are the same: by the times that result, names without case, and the usual place as none. */
function isSame(wanted: Phrase, got: Phrase): boolean {
  const fields = ["act", "names", "max", "language", "only", "not", "number", "question", "list"] as const;
  const isEqual = (one: unknown, other: unknown) => plain(one) === plain(other);
  // The bot first looks for a watchlist of that name.
  const own =
    wanted.list !== undefined && got.list === undefined && wanted.act !== "watchlist"
      ? { ...wanted, list: undefined, names: [wanted.list] }
      : wanted;
  if (!fields.every((field) => isEqual(own[field], got[field]))) return false;
  if (wanted.noun !== undefined && !isEqual(wanted.noun, got.noun)) return false;
  const place = (typed = "here") => (typed === "me" ? "here" : typed);
  return (
    place(wanted.place) === place(got.place) &&
    timeOf(wanted.when) === timeOf(got.when) &&
    spanOf(wanted.span) === spanOf(got.span)
  );
}

/** Whether the card of a wrong reading shows something that nobody said, or names words that it did without. */
function isSeen(wanted: Phrase, got: Phrase): boolean {
  if (got.unread) return true;
  const kept = Object.keys(got).filter((key) => key !== "place" || (got.place ?? "me") !== "me");
  return !isSame({ ...got, ...Object.fromEntries(Object.entries(wanted).filter(([key]) => kept.includes(key))) }, got);
}

function plain(value: unknown): string {
  return JSON.stringify(value ?? "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/ (?:and|the)(?= )/g, "")
    .trim();
}

/** The words of a schedule, or the original text if it is none. */
function timeOf(when = ""): string {
  const said = when.toLowerCase().replace(/^(?:on|in) /, "");
  const read = [said, when.toLowerCase(), `at ${said}`].find((each) => scheduleProblem(each) === undefined);
  return read ? readSchedule(read, "UTC").words : said.replace(/\b(?:at|the|only|[,.])(?: |$)/g, "").trim();
}

function spanOf(span = ""): string {
  const said = span
    .toLowerCase()
    .replace(/^(?:since|from|for|during|over|in|the|this|last|past|next| )+\b/, "")
    .replace(/^until (?:the |next )/, "until ")
    .replace(/(?<=\d) (?=[ap]m\b)|:00$/g, "")
    .replace(/^(?:an? )?few /, "3 ")
    .replace(/^an? /, "1 ")
    .replace(/^(?:two|three|four|five|six)\b/, (word) =>
      String(["two", "three", "four", "five", "six"].indexOf(word) + 2),
    );
  return said && JSON.stringify([readSpan(`it ${said}`).span, /^\d/.test(said) ? "" : said]);
}
