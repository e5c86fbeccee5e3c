import { UsageError } from "../../apis/errors.ts";
import { type Schedule, readSchedule, typedWords } from "../subscriptions/schedule.ts";
import { type Names, namesIn, namesLine } from "./ranking.ts";
import { bold, escape, inCode, shorten, spoken } from "../../slack/mrkdwn.ts";
import { readPlace } from "../subscriptions/destination.ts";
import type { Followed, Look } from "./compose.ts";
import { choiceField, section, textField } from "../../slack/blocks.ts";
import { limits } from "../../slack/limits.ts";
import type { Block, Message } from "../../slack/message.ts";
import { plural, sentence } from "../words.ts";
import { placeField } from "../subscriptions/view.ts";
import type { Form } from "../feature.ts";

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
const longestLine = 700;

/** Takes a line apart: `channel "Gold wire" weekdays at 9:00 Europe/London compact --in C024BE7LR`. */
export function readAdd(text: string): Added {
  if (text.length > longestLine) throw new UsageError(`That is too long to be followed. Type ${usage}.`);
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
function problemWith(when: string): string | undefined {
  try {
    readSchedule(when, ownZone);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** How somebody wants a digest to look; what is false or `skip` takes back what was said before. */
export interface Manner {
  isCompact?: boolean | undefined;
  isThreaded?: boolean | undefined;
  hasLead?: boolean | undefined;
  empty?: "skip" | "line" | number | undefined;
}

interface Flagged {
  /** The words that are no flags. */
  words: string[];
  place?: string;
  manner: Manner;
}

const switches: Record<string, Manner> = {
  compact: { isCompact: true },
  full: { isCompact: false },
  thread: { isThreaded: true },
  "no-thread": { isThreaded: false },
  lead: { hasLead: true },
  "no-lead": { hasLead: false },
};

const flag = /^(?:--|[—–])([a-z][a-z-]*)(?:=(.*))?$/i;

/** Takes the flags out of a line's words: `--thread`, `--empty warn 5`, `--in C024BE7LR`. */
function mannerIn(tokens: string[]): Flagged {
  const words: string[] = [];
  let manner: Manner = {};
  let place: string | undefined;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const [, typed, given] = flag.exec(token) ?? [];
    const name = typed?.toLowerCase();
    if (name === undefined) {
      words.push(token);
      continue;
    }
    const next = () => given ?? tokens[++at] ?? "";
    if (name === "in") place = readPlace(next());
    else if (name === "empty") {
      const word = next().toLowerCase();
      const count = word === "warn" && /^\d+$/.test(tokens[at + 1] ?? "") ? tokens[++at] : undefined;
      manner = { ...manner, empty: emptyIn(word, count) };
    } else manner = { ...manner, ...(switches[name] ?? refuse(name)) };
  }
  return { words, manner, ...(place !== undefined && { place }) };
}

function refuse(name: string): never {
  const known = [...Object.keys(switches).filter((each) => !each.startsWith("no-")), "empty line", "in me"];
  throw new UsageError(
    `\`--${inCode(name)}\` is not an option here. There are ${known.map((each) => `\`--${each}\``).join(", ")}.`,
  );
}

/** Runs without anything new after which a digest warns where nobody says how many, and how many can be said. */
const usualRuns = 5;
const runsMost = 1_000;

function emptyIn(word: string, count: string | undefined): NonNullable<Manner["empty"]> {
  if (word === "skip" || word === "line") return word;
  const runs = Number(count ?? usualRuns);
  if (word === "warn" && runs >= 1 && runs <= runsMost) return runs;
  throw new UsageError(
    "What should I do where nothing is new? Say `--empty skip`, `--empty line` or `--empty warn 5`, for five quiet runs in a row.",
  );
}

/** The same as flags, to be typed again. */
export function mannerWords({ isCompact, isThreaded, hasLead, empty }: Manner): string[] {
  return [
    ...(isCompact === undefined ? [] : [isCompact ? "--compact" : "--full"]),
    ...(isThreaded === undefined ? [] : [isThreaded ? "--thread" : "--no-thread"]),
    ...(hasLead === undefined ? [] : [hasLead ? "--lead" : "--no-lead"]),
    ...(empty === undefined ? [] : [`--empty ${typeof empty === "number" ? `warn ${empty}` : empty}`]),
  ];
}

/** The same look, where what is followed can have it; else a UsageError. */
export function fitting(look: Look | undefined, source: Followed): Look | undefined {
  if (source.kind !== "trending" || !look?.hasLead) return look;
  throw new UsageError("A ranking has no articles to write a lead paragraph from. Leave `--lead` out.");
}

/** A look after somebody has said how they want it. */
export function lookAfter(look: Look | undefined, manner: Manner): Look | undefined {
  const merged = { ...look, ...manner };
  const { isCompact, isThreaded, hasLead, empty } = merged;
  const next: Look = {
    ...(isCompact && { isCompact: true as const }),
    ...(isThreaded && { isThreaded: true as const }),
    ...(hasLead && { hasLead: true as const }),
    ...(empty !== undefined && empty !== "skip" && { empty }),
  };
  return Object.keys(next).length > 0 ? next : undefined;
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
  manner?: Manner | undefined;
}

/** Asks what is to be posted, where, when and how it should look. */
export function digestWindow({ number, wanted, readable, name, channel, when, manner = {} }: DigestWindow): Message {
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
      ...lookFields(manner),
    ],
    window: { title, form: { name: "digest", submit: "Next", state } },
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

function lookFields({ isCompact, isThreaded, hasLead, empty = "skip" }: Manner): Block[] {
  const runs = typeof empty === "number" ? empty : usualRuns;
  return [
    choiceField({
      name: "style",
      label: "Stories",
      choices: [
        { label: "Headline and summary", value: "full" },
        { label: "One line each", value: "compact" },
      ],
      chosen: isCompact ? "compact" : "full",
    }),
    choiceField({
      name: "spread",
      label: "In the channel",
      choices: [
        { label: "The whole digest", value: "no-thread" },
        { label: "One message, the stories in its thread", value: "thread" },
      ],
      chosen: isThreaded ? "thread" : "no-thread",
    }),
    choiceField({
      name: "lead",
      label: "Lead paragraph by a language model",
      choices: [
        { label: "None", value: "no-lead" },
        { label: "From exactly the articles of the digest", value: "lead" },
      ],
      chosen: hasLead ? "lead" : "no-lead",
    }),
    choiceField({
      name: "empty",
      label: "Where nothing is new",
      choices: [
        { label: "Say nothing", value: "skip" },
        { label: "Say so in a line", value: "line" },
        { label: `Warn once after ${plural(runs, "quiet run")}`, value: `warn ${runs}` },
      ],
      chosen: typeof empty === "number" ? `warn ${empty}` : empty,
    }),
  ];
}

/** What, where, when and how, as the line that shows what would come of it. */
export const digestForm: Form = {
  name: "digest",
  read({ fields, state }) {
    const kind = kinds.find((each) => each === fields["kind"]) ?? "search";
    const what = fields["what"]?.trim() ?? "";
    if (!state && !what) return { errors: { what: "Say what to look for." } };
    const when = fields["words"]?.trim() || (fields["when"] ?? "");
    const problem = problemWith(when);
    if (problem) return { errors: { words: spoken(problem) } };
    const place = `--in ${fields["place"] ?? "me"}`;
    if (/^edit \d+$/.test(state)) return { line: `digests preview ${state} ${when} ${flagsOf(fields)} ${place}` };
    // Behind a type, a field can name whom to leave out.
    const wanted = state || (kind === "trending" ? `trending ${what}` : wantedLine({ kind, what }));
    const flags = flagsOf(fields, unsaidFlags);
    return {
      line: ["digests preview add", wanted, when, flags, place].filter(Boolean).join(" "),
    };
  },
};

/** What a digest does that nobody has said anything of. */
const unsaidFlags = ["full", "no-thread", "no-lead", "empty skip"];

/** The choices as flags, without those that go without saying. */
function flagsOf(fields: Record<string, string>, unsaid: string[] = []): string {
  const { style = "full", spread = "no-thread", lead = "no-lead", empty = "skip" } = fields;
  const flags = [style, spread, lead, `empty ${empty}`].filter((flag) => !unsaid.includes(flag));
  return flags.map((flag) => `--${flag}`).join(" ");
}
