import { UsageError } from "../../../apis/errors.ts";
import { type Schedule, readSchedule, typedWords } from "../../subscriptions/schedule.ts";
import { type Manner, mannerIn, mannerWords } from "./manner.ts";
import { type Names, namesIn, namesLine } from "../ranked/names.ts";

export const kinds = ["channel", "search", "collection", "jurisdiction", "trending"] as const;
export type Kind = (typeof kinds)[number];

/** What somebody wants to follow, as they said it. */
export interface Wanted {
  kind: Kind;
  /** Number, name or query; the type of a ranking. */
  what: string;
  /** Those that a ranking is kept to, or is without. */
  names?: Names;
}

/** When it comes, where, and how it looks, as far as somebody said so. */
export interface Terms {
  /** Nothing where they did not say when. */
  schedule?: Schedule;
  /** They named no time zone: theirs is meant. */
  isZoneless?: true;
  /** A channel of Slack, or `me`. */
  place?: string;
  manner: Manner;
}

/** What follows `digests add`. */
export interface Added extends Wanted, Terms {}

/** How a digest is asked for in one line. */
export const usage =
  '`/digests add channel 501 weekdays at 9:00`, `/digests add search "bank of england" Mondays 08:30` or `/digests add collection "Gold desk" daily at 7:30`';

/** Longer than any query with its time; what is longer was pasted by mistake. */
const longest = 700;

/** Takes a line apart: `channel "Gold wire" weekdays at 9:00 Europe/London compact --in C024BE7LR`. */
export function readAdd(text: string): Added {
  if (text.length > longest) throw new UsageError(`That is too long to be followed. Type ${usage}.`);
  const { words: all, place, manner: flags } = mannerIn(tokensOf(text));
  const [first = "", ...said] = all;
  const kind = kinds.find((each) => each === first.toLowerCase());
  const { words: plain, names } = kind === "trending" ? namesIn(said) : { words: said, names: undefined };
  const rest = kind === "trending" && isTypeless(plain) ? ["all", ...plain] : plain;
  if (!kind || rest.length === 0) throw new UsageError(`What should I follow, and when? Type ${usage}.`);
  const { words, manner } = bareManner(rest, flags);
  const { what, when } = words[0]?.startsWith('"') ? split(words, 1) : split(words, whenBegins(words));
  if (!what) throw new UsageError(`Which ${kind}? Type ${usage}.`);
  return { kind, what, ...(names && { names }), ...(when && scheduleIn(when)), ...(place && { place }), manner };
}

/** What is trending may go without a type. */
function isTypeless(words: string[]): boolean {
  const [first = ""] = words;
  return (
    words.length === 0 ||
    first.toLowerCase() in bareWords ||
    isSchedule(
      bareManner(["all", ...words], {})
        .words.slice(1)
        .join(" "),
    )
  );
}

/** Takes apart what follows the number of a digest that is changed: `Mondays 8:30 compact --empty line`. */
export function readEdit(text: string): Terms {
  const { words, place, manner: flags } = mannerIn(tokensOf(text));
  const last = words.at(-1)?.toLowerCase() ?? "";
  const word = last in bareWords ? last : undefined;
  const when = (word ? words.slice(0, -1) : words).join(" ");
  return { ...(when && scheduleIn(when)), ...(place && { place }), manner: { ...(word && bareWords[word]), ...flags } };
}

const bareWords: Record<string, Manner> = { compact: { isCompact: true }, full: { isCompact: false } };

/** `compact` after a time says how it looks; without one it is a word like any other. */
function bareManner(words: string[], flags: Manner): { words: string[]; manner: Manner } {
  const last = words.at(-1)?.toLowerCase() ?? "";
  const before = words.slice(0, -1);
  const isBare = last in bareWords && before.length > 0;
  const hasTime = before[0]?.startsWith('"') ? before.length > 1 : whenBegins(before) < before.length;
  if (!isBare || !(hasTime || before[0]?.startsWith('"'))) return { words, manner: flags };
  return { words: before, manner: { ...bareWords[last], ...flags } };
}

/** Stands for the reader's own zone until that is asked for. */
const ownZone = "";

function scheduleIn(when: string): Pick<Terms, "schedule" | "isZoneless"> {
  const schedule = readSchedule(when, ownZone);
  return { schedule, ...(schedule.zone === ownZone && { isZoneless: true as const }) };
}

/** The same words to be typed again. */
export function wantedLine({ kind, what, names }: Wanted): string {
  if (names) return [wantedLine({ kind, what }), ...namesLine(names)].join(" ");
  const straight = what.replace(curled, '"');
  return /^\d+$/.test(what) ? `${kind} ${what}` : `${kind} "${straight.replace(/[\\"]/g, "\\$&")}"`;
}

/** All that was said, to be typed again. */
export function addedLine({ schedule, isZoneless, place, manner, ...wanted }: Added): string {
  const when = schedule ? [whenTyped(schedule, isZoneless)] : [];
  return [wantedLine(wanted), ...when, ...mannerWords(manner), ...(place ? [`--in ${place}`] : [])].join(" ");
}

/** When it comes, as it would be typed. */
export function whenTyped({ words, zone }: Schedule, isZoneless: boolean | undefined): string {
  const typed = typedWords(words);
  return isZoneless ? typed : `${typed} ${zone}`;
}

const curled = /[“”„«»]/g;

/** Words, and what is quoted as one; a backslash takes the meaning of the quotation mark behind it. */
function tokensOf(text: string): string[] {
  return text.replace(curled, '"').match(/"(?:\\.|[^"\\])*"|[^\s"]+/g) ?? [];
}

function split(words: string[], at: number): { what: string; when: string } {
  const what = words.slice(0, at).map((word) => word.replace(/^"(.*)"$/s, "$1").replace(/\\(.)/g, "$1"));
  return { what: what.join(" ").trim(), when: words.slice(at).join(" ") };
}

/** Where the words about when begin, which nobody has to quote the others for; after the last word where there are none. */
function whenBegins(words: string[]): number {
  const start = words.findIndex((_, at) => at > 0 && isSchedule(words.slice(at).join(" ")));
  if (start > 0) return start;
  // What was meant for a time and is none should be said, instead of being searched for.
  const meant = words.findIndex(
    (word, at) => at > 0 && /^(every|hourly|daily|weekdays?|cron|\d{1,2}:\d\d)$/i.test(word),
  );
  return meant < 0 ? words.length : meant;
}

function isSchedule(text: string): boolean {
  try {
    readSchedule(text, ownZone);
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with words about when, for the field that holds them. */
export function problemWith(when: string): string | undefined {
  try {
    readSchedule(when, ownZone);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
