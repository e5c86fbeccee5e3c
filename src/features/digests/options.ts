import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { type Schedule, readSchedule, typedWords } from "../subscriptions/schedule.ts";
import { type Names, namesIn, namesLine } from "./ranking.ts";
import { bold, escape, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { readPlace } from "../subscriptions/destination.ts";
import type { Followed } from "./compose.ts";
import { choiceField, section, textField } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { plural, sentence } from "../text.ts";
import { placeField } from "../subscriptions/view.ts";
import type { Form } from "../feature.ts";
import {
  type Option,
  type OptionValues,
  numberOption,
  optionFields,
  parseOptions,
  readFields,
  switchOption,
  writeOptions,
} from "../options.ts";

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
  look: Look;
}

/** What follows `digests add`. */
export interface Added extends Wanted, Terms {}

/** How a digest is asked for in one line. */
export const usage =
  '`/digests add channel 501 weekdays at 9:00`, `/digests add search "bank of england" Mondays 08:30` or `/digests add collection "Gold desk" daily at 7:30`';

/** Longer than any query with its time; what is longer was pasted by mistake. */
const longestLine = 700;

/** Takes a line apart: `channel "Gold wire" weekdays at 9:00 Europe/London compact --in C024BE7LR`. */
export function readAdd(text: string): Added {
  if (text.length > longestLine) throw new UsageError(`That is too long to be followed. Type ${usage}.`);
  const { words: all, place, look: flags } = flagsIn(text);
  const [first = "", ...said] = all;
  const kind = kinds.find((each) => each === first.toLowerCase());
  const { words: plain, names } = kind === "trending" ? namesIn(said) : { words: said, names: undefined };
  const rest = kind === "trending" && isTypeless(plain) ? ["all", ...plain] : plain;
  if (!kind || rest.length === 0) throw new UsageError(`What should I follow, and when? Type ${usage}.`);
  const { words, look } = bareLook(rest, flags);
  const { what, when } = words[0]?.startsWith('"') ? split(words, 1) : split(words, whenBegins(words));
  if (!what) throw new UsageError(`Which ${kind}? Type ${usage}.`);
  return { kind, what, ...(names && { names }), ...(when && scheduleIn(when)), ...(place && { place }), look };
}

/** What is trending may go without a type. */
function isTypeless(words: string[]): boolean {
  const [first = ""] = words;
  return (
    words.length === 0 ||
    first.toLowerCase() in bareWords ||
    isSchedule(
      bareLook(["all", ...words], {})
        .words.slice(1)
        .join(" "),
    )
  );
}

/** Takes apart what follows the number of a digest that is changed: `Mondays 8:30 compact --empty line`. */
export function readEdit(text: string): Terms {
  const { words, place, look: flags } = flagsIn(text);
  const last = words.at(-1)?.toLowerCase() ?? "";
  const word = last in bareWords ? last : undefined;
  const when = (word ? words.slice(0, -1) : words).join(" ");
  return { ...(when && scheduleIn(when)), ...(place && { place }), look: { ...(word && bareWords[word]), ...flags } };
}

const bareWords: Record<string, Look> = { compact: { isCompact: true }, full: { isCompact: false } };

/** `compact` after a time says how it looks; without one it is a word like any other. */
function bareLook(words: string[], flags: Look): { words: string[]; look: Look } {
  const last = words.at(-1)?.toLowerCase() ?? "";
  const before = words.slice(0, -1);
  const isBare = last in bareWords && before.length > 0;
  const hasTime = before[0]?.startsWith('"') ? before.length > 1 : whenBegins(before) < before.length;
  if (!isBare || !(hasTime || before[0]?.startsWith('"'))) return { words, look: flags };
  return { words: before, look: { ...bareWords[last], ...flags } };
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
function problemWith(when: string): string | undefined {
  try {
    readSchedule(when, ownZone);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Runs without anything new after which a digest warns where nobody says how many, and how many can be said. */
const usualRuns = 5;
const runsMost = 1_000;

/** How a digest is shown: each option once, for the line, the window, the stored digest, the card and help. */
export const lookOptions = {
  isCompact: switchOption({
    name: "compact",
    off: "full",
    help: "One line a story, without its summary",
    example: "digests edit 2 --compact",
    words: (isCompact) => (isCompact ? "one line each" : undefined),
    field: {
      label: "Stories",
      choices: [
        { label: "Headline and summary", value: "off" },
        { label: "One line each", value: "on" },
      ],
      initial: "off",
    },
  }),
  max: numberOption({
    name: "max",
    least: 1,
    most: 20,
    isWhole: true,
    help: "Most stories of one digest",
    example: "digests edit 2 --max 5",
    words: (max) => `at most ${max === 1 ? "one story" : `${max} stories`}`,
    field: { label: "Most stories", placeholder: "8" },
  }),
  isThreaded: switchOption({
    name: "thread",
    help: "One message in the channel, the stories in its thread",
    example: "digests edit 2 --thread",
    words: (isThreaded) => (isThreaded ? "stories in a thread" : undefined),
    field: {
      label: "In the channel",
      choices: [
        { label: "The whole digest", value: "off" },
        { label: "One message, the stories in its thread", value: "on" },
      ],
      initial: "off",
    },
  }),
  hasLead: switchOption({
    name: "lead",
    help: "Begins with a paragraph that a language model writes from these articles",
    example: "digests edit 2 --lead",
    words: (hasLead) => (hasLead ? "with an AI intro paragraph" : undefined),
    field: {
      label: "AI intro paragraph",
      choices: [
        { label: "Off", value: "off" },
        { label: "On (uses only these articles)", value: "on" },
      ],
      initial: "off",
    },
  }),
  empty: emptyOption(),
};

/** How a digest is shown, as far as that is not as usual. */
export type Look = OptionValues<typeof lookOptions>;

/** The options of `digests add` and `digests edit`. */
const digestOptions = {
  ...lookOptions,
  place: {
    name: "in",
    value: "CHANNEL|me",
    help: "Where it is posted",
    example: "digests edit 2 --in me",
    schema: z.string(),
    read: readPlace,
    write: String,
  } satisfies Option<string>,
};

/** What is said where nothing is new. */
function emptyOption(): Option<"skip" | "line" | number> {
  return {
    name: "empty",
    value: "skip|line|warn N",
    takes: ([word, count]) => (word?.text.toLowerCase() === "warn" && /^\d+$/.test(count?.text ?? "") ? 2 : 1),
    help: "What to do where nothing is new: nothing, a line, or one warning after so many quiet runs",
    example: "digests edit 2 --empty warn 5",
    schema: z.union([z.enum(["skip", "line"]), z.int().positive()]),
    read(typed) {
      const [, word = "", count] = /^(\w+)(?:\s+(\d+))?$/.exec(typed.trim().toLowerCase()) ?? [];
      if ((word === "skip" || word === "line") && count === undefined) return word;
      const runs = Number(count ?? usualRuns);
      if (word === "warn" && runs >= 1 && runs <= runsMost) return runs;
      throw new UsageError(
        "What should I do where nothing is new? Say `--empty skip`, `--empty line` or `--empty warn 5`, for five quiet runs in a row.",
      );
    },
    write: (empty) => (typeof empty === "number" ? `warn ${empty}` : empty),
    words(empty) {
      if (empty === "skip") return undefined;
      return empty === "line" ? "says so where nothing is new" : `warns after ${plural(empty, "quiet run")}`;
    },
    field: {
      label: "Where nothing is new",
      choices: [
        { label: "Say nothing", value: "skip" },
        { label: "Say so in a line", value: "line" },
        { label: `Warn once after ${plural(usualRuns, "quiet run")}`, value: `warn ${usualRuns}` },
      ],
      initial: "skip",
    },
  };
}

interface Flagged {
  /** The words that are no options. */
  words: string[];
  place?: string | undefined;
  look: Look;
}

/** Takes the options out of a line: `--thread`, `--empty warn 5`, `--in C024BE7LR`. */
function flagsIn(text: string): Flagged {
  const { rest, values } = parseOptions(text, digestOptions);
  const { place, ...look } = values;
  return { words: tokensOf(rest), place, look };
}

/** The same look, to be typed again. */
export function lookLine(look: Look): string[] {
  const line = writeOptions(lookOptions, look);
  return line ? [line] : [];
}

/** The same look, where what is followed can have it; else a UsageError. */
export function fitting(look: Look | undefined, source: Followed): Look | undefined {
  if (source.kind !== "trending" || !look?.hasLead) return look;
  throw new UsageError("A ranking has no articles to write a lead paragraph from. Leave `--lead` out.");
}

/** A look after somebody has said how they want it; what is as usual is not kept. */
export function lookAfter(look: Look | undefined, wanted: Look): Look | undefined {
  const next = Object.entries({ ...look, ...wanted }).filter(([, value]) => value !== false && value !== "skip");
  return next.length > 0 ? Object.fromEntries(next) : undefined;
}

/** In the order in which they are offered; `name` is what is missing where they cannot be read. */
const kindChoices: { value: Kind; label: string; name: string }[] = [
  { value: "search", label: "A search (1 credit each time)", name: "searches" },
  { value: "channel", label: "A saved channel, by name or number", name: "saved channels" },
  { value: "collection", label: "A collection (1 credit each time)", name: "collections" },
  { value: "jurisdiction", label: "A jurisdiction, by name", name: "jurisdictions" },
  { value: "trending", label: "What is trending: a type, or all", name: "what is trending" },
];

const usualWhen = "weekdays at 9:00";
const whenChoices = ["every 15 minutes", "hourly", "daily at 9:00", usualWhen, "Mondays at 9:00"];

interface DigestWindow {
  /** The number of the digest that is changed; missing where a new one is made. */
  number?: number;
  /** What is followed, where that is known already. */
  wanted?: Wanted;
  /** Kinds of sources to choose from, where what is followed may still be changed. */
  readable?: Kind[];
  /** What people call it. */
  name?: string;
  /** Where it was asked for, where that is a channel of Slack. */
  channel?: string | undefined;
  /** When it comes, as it would be typed. */
  when?: string | undefined;
  look?: Look | undefined;
}

/** Asks what is to be posted, where, when and how it should look. */
export function digestWindow({ number, wanted, readable, name, channel, when, look = {} }: DigestWindow): Message {
  const title = number === undefined ? "New digest" : `Change digest ${number}`;
  const known = readable ? undefined : wanted;
  const what = known && (name ?? plainName(known));
  const lead = what ? `I post what is new in ${bold(shorten(what, 100))}.` : "I post what is new, when you say.";
  const state = number === undefined ? (known ? wantedLine(known) : "") : `edit ${number}`;
  return {
    text: [`${title}.`, ...(what ? [escape(shorten(what, 100))] : [])].join(" "),
    blocks: [
      section(lead),
      ...(readable ? whatFields(readable, wanted) : []),
      placeField(channel),
      ...whenFields(when),
      ...optionFields(lookOptions, look),
    ],
    window: { title, form: { name: "digest", submit: "Save", state } },
  };
}

function plainName({ kind, what }: Wanted): string {
  if (kind === "trending") return /^all$/i.test(what) ? "what is trending" : `what is trending: ${what}`;
  return kind === "channel" && /^\d+$/.test(what) ? `saved channel ${what}` : what;
}

function whatFields(readable: Kind[], wanted: Wanted | undefined): Block[] {
  const choices = kindChoices.filter(({ value }) => readable.includes(value));
  const missing = kindChoices.filter(({ value }) => !readable.includes(value)).map(({ name }) => name);
  const chosen = choices.find(({ value }) => value === wanted?.kind) ?? choices[0];
  const names = new Intl.ListFormat("en").format(missing);
  return [
    choiceField({
      name: "kind",
      label: "What",
      choices,
      chosen: chosen?.value,
      ...(names && { hint: `Not set up here: ${names}. /bellwether status says what is missing.` }),
    }),
    textField({
      name: "what",
      label: "Query, name or number",
      placeholder: "bank of england",
      most: 500,
      ...(wanted && { value: [wanted.what, ...namesLine(wanted.names ?? {})].join(" ") }),
    }),
  ];
}

function whenFields(when: string | undefined): Block[] {
  const isListed = when === undefined || whenChoices.includes(when) || when.length > limits.option;
  const offered = [...whenChoices, ...(isListed ? [] : [when])];
  return [
    choiceField({
      name: "when",
      label: "When",
      choices: offered.map((words) => ({ label: sentence(words), value: words })),
      chosen: when ?? usualWhen,
    }),
    textField({
      name: "words",
      label: "Or say when in your own words",
      placeholder: "Mondays 08:30 Europe/London",
      hint: "It counts instead of the choice above. Without a time zone, yours is meant.",
      isOptional: true,
      most: 100,
      ...(when !== undefined && when.length > limits.option && { value: when }),
    }),
  ];
}

/** What, where, when and how, as the line that saves it. */
export const digestForm: Form = {
  name: "digest",
  read({ fields, state }) {
    const kind = kinds.find((each) => each === fields["kind"]) ?? "search";
    const what = fields["what"]?.trim() ?? "";
    if (!state && !what) return { errors: { what: "Say what to look for." } };
    const when = fields["words"]?.trim() || (fields["when"] ?? "");
    const problem = problemWith(when);
    if (problem) return { errors: { words: spoken(problem) } };
    const isEdit = /^edit \d+$/.test(state);
    // An edit also takes back what was set before.
    const look = readFields(lookOptions, fields, { keepsInitial: isEdit });
    if ("errors" in look) return look;
    // Behind a type, a field can name whom to leave out.
    const wanted = state || (kind === "trending" ? `trending ${what}` : wantedLine({ kind, what }));
    const place = `--in ${fields["place"] ?? "me"}`;
    return {
      line: [isEdit ? "digests" : "digests add", wanted, when, look.line, place].filter(Boolean).join(" "),
    };
  },
};
