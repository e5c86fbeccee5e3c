import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { nextRuns } from "../../schedule/runs.ts";
import {
  type Option,
  type OptionValues,
  type Token,
  choiceOption,
  namesOption,
  numberOption,
  parseOptions,
  switchOption,
  tokenize,
  writeOptions,
} from "../options.ts";
import { alike, foldName } from "../names.ts";
import { sourceKindNamed, sourceKinds } from "../sources/index.ts";
import { type AnswerSettings, answerOptions } from "../question/answer-options.ts";
import { askOptions } from "../question/scope.ts";
import { namedKind } from "../sources/typed.ts";
import { articleOptions } from "../articles/filter.ts";
import { placeOption } from "../subscriptions/destination.ts";
import {
  type ReadSchedule,
  type Schedule,
  ownZone,
  readNewSchedule,
  readSchedule,
  refuseUnusedTimes,
  scheduleStart,
} from "../subscriptions/schedule.ts";
import { plural } from "../text.ts";
import {
  type DigestSubject,
  type WantedBriefing,
  type WantedQuestion,
  type WantedSubject,
  longestQuestion,
} from "./question.ts";
import type { Digest } from "./digest.ts";

/** Quiet runs after which a digest warns by default, and the most that can be chosen. */
const usualRuns = 5;
const runsMost = 1_000;

/** A list of two choices for a switch that is usually off. */
function switchField(label: string, { off, on }: { off: string; on: string }) {
  const choices = [
    { label: off, value: "off" },
    { label: on, value: "on" },
  ];
  return { label, choices, initial: "off" };
}

const countOption = numberOption({
  name: "max",
  least: 1,
  most: 20,
  isWhole: true,
  help: "Most stories in one digest",
  example: "digests edit 2 --max 5",
});

/** Options of the model that writes an answer or an intro paragraph. */
const writingOptions = {
  model: optionFor("answers and AI intros", answerOptions.model),
  language: {
    ...optionFor("answers and AI intros", answerOptions.language),
    help: "Language of an answer or of the AI intro; `auto` is that of the question or the articles",
  },
};

/** Options of what the model of an answer is given. In an edit, `--full` says how stories are shown. */
const readingOptions = {
  isFull: switchOption({
    name: "full-text",
    help: `${answerOptions.isFull.help} (answers)`,
    example: "digests edit 3 --full-text",
    words: (isFull) => (isFull ? "full texts" : undefined),
  }),
  sort: optionFor("answers", answerOptions.sort),
  limit: optionFor("answers", answerOptions.limit),
  links: optionFor("answers", answerOptions.links),
};

function optionFor<T>(use: string, option: Option<T>): Option<T> {
  return { ...option, help: `${option.help} (${use})`, example: `digests edit 3 ${option.example}` };
}

function orderWords(order: string): string | undefined {
  if (order === "default") return undefined;
  return order === "top" ? "most reported first" : "newest first";
}

/** Options of how a digest is shown: each once, for the line, the window, the stored digest, the card and help. */
export const styleOptions = {
  isCompact: switchOption({
    name: "compact",
    off: "full",
    bare: { compact: "on", full: "off" },
    help: "One line per story, without its summary",
    example: "digests edit 2 --compact",
    words: (isCompact) => (isCompact ? "one line each" : undefined),
    field: switchField("Stories", { off: "Headline and summary", on: "One line each" }),
  }),
  max: {
    ...countOption,
    value: "N|default",
    schema: z.union([countOption.schema, z.literal("default")]),
    read: (typed) => (typed.toLowerCase() === "default" ? "default" : countOption.read(typed)),
    write: String,
    words(max) {
      if (max === "default") return undefined;
      return `at most ${max === 1 ? "one story" : `${max} stories`}`;
    },
    field: {
      label: "Most stories",
      placeholder: "8",
      problem: "Type a whole number from 1 to 20, or leave it empty.",
      emptied: "default",
    },
  } satisfies Option<number | "default">,
  isThreaded: switchOption({
    name: "thread",
    help: "One message in the channel, the stories in its thread",
    example: "digests edit 2 --thread",
    words: (isThreaded) => (isThreaded ? "stories in a thread" : undefined),
    field: switchField("In the channel", { off: "All of it", on: "One message, the rest in its thread" }),
  }),
  order: choiceOption({
    name: "order",
    choices: ["top", "newest", "default"],
    help: "`top`: most reported first (default for daily or rarer digests); `newest`: newest first",
    example: "digests edit 2 --order newest",
    words: orderWords,
    field: {
      label: "Order",
      choices: [
        { label: "As usual", value: "default" },
        { label: "What most outlets report first", value: "top" },
        { label: "Newest first", value: "newest" },
      ],
      initial: "default",
    },
  }),
  hasLead: switchOption({
    name: "lead",
    help: "Begin with a paragraph by AI, from these articles alone",
    example: "digests edit 2 --lead",
    words: (hasLead) => (hasLead ? "with an AI intro paragraph" : undefined),
    field: switchField("AI intro paragraph", { off: "Off", on: "On (uses only these articles)" }),
  }),
  /** The post if there's nothing new; a number is the count of quiet runs after which it warns. */
  empty: {
    name: "empty",
    value: "skip|line|warn N",
    takes: ([word, count]) => (word?.text.toLowerCase() === "warn" && /^\d+$/.test(count?.text ?? "") ? 2 : 1),
    help: "What to post if there’s nothing new: nothing, one line, or one warning after N quiet runs",
    example: "digests edit 2 --empty warn 5",
    schema: z.union([z.enum(["skip", "line"]), z.int().positive()]),
    read(typed: string): "skip" | "line" | number {
      const [, word = "", count] = /^(\w+)(?:\s+(\d+))?$/.exec(typed.trim().toLowerCase()) ?? [];
      if ((word === "skip" || word === "line") && count === undefined) return word;
      const runs = Number(count ?? usualRuns);
      if (word === "warn" && runs >= 1 && runs <= runsMost) return runs;
      throw new UsageError(
        "What should I post if there’s nothing new? Use `--empty skip`, `--empty line` or `--empty warn 5` (five quiet runs in a row).",
      );
    },
    write: (empty) => (typeof empty === "number" ? `warn ${empty}` : empty),
    words(empty) {
      if (empty === "skip") return undefined;
      return empty === "line" ? "says so if there’s nothing new" : `warns after ${plural(empty, "quiet run")}`;
    },
    field: {
      label: "If there’s nothing new",
      choices: [
        { label: "Stay silent", value: "skip" },
        { label: "Post one line", value: "line" },
        { label: `Warn once after ${plural(usualRuns, "quiet run")}`, value: `warn ${usualRuns}` },
      ],
      initial: "skip",
    },
  } satisfies Option<"skip" | "line" | number>,
  ...articleOptions,
  ...writingOptions,
  ...readingOptions,
};

/** The options that somebody chose; stored without defaults. */
export type Style = OptionValues<typeof styleOptions>;

/** The defaults, which aren't stored. */
export const defaultStyle = {
  isCompact: false,
  max: "default",
  isThreaded: false,
  order: "default",
  hasLead: false,
  empty: "skip",
  tier: "all",
  outlet: "all",
  model: "default",
  language: "auto",
  isFull: false,
  sort: "any",
  limit: 0,
  links: "direct",
} satisfies Required<Style>;

const weekMs = 7 * 24 * 60 * 60_000;

/** The order of a digest's stories: what matters first once a day or less often, else the newest first. */
export function orderOf({
  style,
  schedule,
  nextRun,
}: Pick<Digest, "style" | "schedule" | "nextRun">): "top" | "newest" {
  if (style?.order === "top" || style?.order === "newest") return style.order;
  const [eighth = Infinity] = nextRuns(schedule, nextRun, 8).slice(7);
  return eighth <= nextRun + weekMs ? "newest" : "top";
}

/** The part of a style that a model is told when it writes. */
export function answerSettings(style: Style = {}): AnswerSettings {
  return pick(style, { ...writingOptions, ...readingOptions });
}

function rankingNames(name: string, aliases: string[], help: string) {
  return namesOption({
    name,
    aliases,
    bare: Object.fromEntries([name, ...aliases].map((word) => [word, ""])),
    most: 50,
    longest: 200,
    help,
    example: `digests add trending company weekdays at 9:00 --${name} "Novalith","Paylantic"`,
  });
}

/** Names that a ranking is kept to, or is without. */
const namesOptions = {
  include: rankingNames("include", ["only"], "Only these names in the ranking"),
  exclude: rankingNames("exclude", ["without", "except"], "All but these names in the ranking"),
};

/** Options of what a question is asked of. */
const questionOptions = {
  inSource: {
    ...askOptions.inSource,
    help: "Ask a question of one source only, such as `company Novalith`; `all` asks everything again",
    example: "digests edit 3 --in-source company Novalith",
  },
};

const ownOptions = { ...styleOptions, place: placeOption("digest") };

/** The options of `digests edit`. */
const editOptions = { ...ownOptions, ...questionOptions };

/** The options of `digests add`; the names of a ranking are a part of what is followed. */
export const lineOptions = { ...ownOptions, ...namesOptions, ...questionOptions };
type LineValues = OptionValues<typeof lineOptions>;

/** Options that don't apply to a sort of post: a window leaves them out, and a line with one is refused. */
export const unfitOptions: Record<"answer" | "ranking" | "stories", (keyof LineValues)[]> = {
  answer: ["isCompact", "max", "hasLead", "tier", "outlet", "include", "exclude"],
  ranking: ["hasLead", "outlet", "model", "language", "isFull", "sort", "limit", "links", "inSource"],
  stories: ["isFull", "sort", "limit", "links", "inSource", "include", "exclude"],
};

/** The sort of post of a digest of this kind. */
export function postedBy(kind: DigestSubject["kind"]): keyof typeof unfitOptions {
  if (kind === "ask") return "answer";
  return kind === "trending" ? "ranking" : "stories";
}

const postedWords = { answer: "the answer to a question", ranking: "a ranking", stories: "a digest of stories" };

/** Throws a UsageError for options that say nothing about what is posted; a default is no choice. */
export function refuseUnfit(kind: DigestSubject["kind"], values: LineValues): void {
  const posted = postedBy(kind);
  const chosen = pick(values, styleAfter(undefined, values) ?? {});
  const unfit = unfitOptions[posted].filter((key) => key in chosen);
  const typed = writeOptions(lineOptions, pick(chosen, Object.fromEntries(unfit.map((key) => [key, true]))));
  if (typed) throw new UsageError(`\`${inCode(typed)}\` doesn’t go with ${postedWords[posted]}. Leave it out.`);
  const writing =
    posted === "stories" && !values.hasLead ? writeOptions(lineOptions, pick(chosen, writingOptions)) : "";
  if (!writing) return;
  throw new UsageError(`\`${inCode(writing)}\` is for an answer or an AI intro. Add \`--lead\`, or leave it out.`);
}

/** The schedule, place and style of a digest, as far as somebody said so. */
export interface DigestTerms {
  /** Without a zone if they named none: theirs is meant. */
  schedule?: ReadSchedule;
  /** A channel of Slack, or `me`. */
  place?: string | undefined;
  style: Style;
}

/** Examples of lines that add a digest. */
export const usage =
  '`/digests add Novalith weekdays at 9`, `/digests add search "chip export" Mondays 08:30` or `/digests add ask "What changed for Novalith?" weekdays at 8:00`';

/** Longer than any query with its time; what is longer was pasted by mistake. */
const longestLine = 700;
const longestQuestionLine = longestLine + 2 * longestQuestion;

/** Takes a line apart: `channel "Gold wire" weekdays at 9:00 Europe/London compact --in C024BE7LR`. */
export function readAdd(text: string): WantedSubject & DigestTerms {
  const first = firstWord(text);
  const briefing = /^trending$/i.test(first) ? undefined : readBriefing(text);
  if (briefing) return briefing;
  const kind = isAsking(first) ? "ask" : (sourceKindNamed(first)?.kind ?? namedKind(tokenize(first)[0]));
  if (!kind && mayBeName(first)) return readAdd(`company ${text}`);
  if (!kind) throw new UsageError(`What should I follow, and when? Type ${usage}.`);
  const { within, include, exclude, ...read } = readLine(kind, text);
  return kind === "ask"
    ? { kind, within, ...read }
    : { kind, ...(include && { include }), ...(exclude && { exclude }), ...read };
}

/** A word that is no kind of source, however it is spelt: what follows is a name. */
function mayBeName(word: string): boolean {
  const kinds = ["ask", ...sourceKinds.map(({ kind }) => kind)];
  return foldName(word) !== "" && alike(word, kinds, String).length === 0;
}

/** Takes apart a line that names several sources: `Novalith, search "chip export", regulators France weekdays at 8`. */
function readBriefing(text: string): (WantedSubject & DigestTerms) | undefined {
  const { rest, values } = parseOptions(text, lineOptions, { allowsBare: false });
  const tokens = tokenize(rest);
  const at = whenBegins(rest, tokens, 1);
  const what = wordsBetween(rest, tokens.slice(0, at));
  const of = membersIn(what);
  if (!of) return undefined;
  refuseUnfit("several", values);
  const { place, inSource: _within, include: _include, exclude: _exclude, ...style } = values;
  const when = wordsBetween(rest, tokens.slice(at));
  return { kind: "several", what, of, ...(when && { schedule: readSchedule(when, ownZone) }), place, style };
}

/**
 * The parts of a briefing, with commas between them; undefined if a line names one source, whose names or words have
 * commas: `entity BASF, Bayer`, `search oil, gas`.
 */
function membersIn(what: string): WantedBriefing["of"] | undefined {
  const parts: { kind?: WantedSubject["kind"]; text: string }[] = [];
  for (const typed of what.match(/(?:["“”„«»][^"“”„«»]*["“”„«»]|[^,])+/g) ?? []) {
    const text = typed.trim();
    const [first, ...others] = tokenize(text);
    const kind = others.length > 0 && first ? kindTyped(first) : undefined;
    const before = parts.at(-1);
    const goesOn = !kind && before?.kind !== undefined && !/["“”„«»]$/.test(before.text);
    if (goesOn) before.text += `, ${text}`;
    else if (text) parts.push({ ...(kind && { kind }), text: kind ? text.slice(others[0]?.start) : text });
  }
  if (parts.length < 2) return undefined;
  return parts.map(({ kind = "entity", text }) => {
    const named = text.replace(/["“”„«»]/g, "").trim();
    if (kind === "several") throw new UsageError(`What should I follow, and when? Type ${usage}.`);
    return kind === "ask" ? { kind, what: readQuestion(named) } : { kind, what: named };
  });
}

function kindTyped(token: Token): WantedSubject["kind"] | undefined {
  if (token.isQuoted) return undefined;
  if (isAsking(token.text)) return "ask";
  return namedKind(token) ?? sourceKindNamed(token.text)?.kind;
}

function readLine(kind: Exclude<WantedSubject["kind"], "several">, text: string) {
  // A query may hold any word; a ranking has none.
  const { rest, values } = parseOptions(text, lineOptions, { allowsBare: kind === "trending" });
  refuseUnfit(kind, values);
  const { place, inSource: within, include, exclude, ...style } = values;
  const { what, when, bare } = splitLine(kind, rest);
  const schedule = when ? { schedule: readSchedule(when, ownZone) } : {};
  return { what, within, include, exclude, ...schedule, place, style: { ...bare, ...style } };
}

/** Takes apart what is followed and when it posts; after a quotation, no schedule is needed to end the query. */
function splitLine(
  kind: Exclude<WantedSubject["kind"], "several">,
  line: string,
): { what: string; when: string; bare?: Style | undefined } {
  const [, ...all] = tokenize(line);
  const [first] = all;
  const isAsked = kind === "ask";
  // A question may quote somebody, and phones curl every quotation mark.
  const isAlone = first?.isQuoted === true && !(isAsked && all.slice(1).some(({ isQuoted }) => isQuoted));
  // A ranking may go without a type of names.
  const least = kind === "trending" ? 0 : 1;
  // `compact` after a time says how it looks; without one it is a word like any other.
  const before = all.slice(0, -1);
  const last = isAsked || before.length === 0 ? undefined : bareStyle(all.at(-1));
  const bare = isAlone || whenBegins(line, before, least) < before.length ? last : undefined;
  const tokens = bare ? before : all;
  const at = isAlone ? 1 : whenBegins(line, tokens, least);
  const words = at === 1 && first ? first.text : wordsBetween(line, tokens.slice(0, at)).trim();
  const when = wordsBetween(line, tokens.slice(at));
  const what = isAsked ? readQuestion(words.replace(/^["“”„«]([^]*)["“”»]$/, "$1")) : words.trim();
  // A question may speak of times; only its last word can have been meant for the schedule.
  if (when && !isAlone) refuseUnusedTimes(what.split(/\s+/).slice(isAsked ? -1 : 0));
  if (what || kind === "trending") return { what: what || "all", when, bare };
  throw new UsageError(
    all.length === 0 ? `What should I follow, and when? Type ${usage}.` : `Which ${kind}? Type ${usage}.`,
  );
}

/** The word that a line begins with; throws a UsageError if the line is too long. */
function firstWord(text: string): string {
  const [first = ""] = text.trim().split(/\s/, 1);
  if (text.length <= (isAsking(first) ? longestQuestionLine : longestLine)) return first;
  throw new UsageError(`That’s too long for a digest. Type ${usage}.`);
}

function isAsking(word: string): boolean {
  return word.toLowerCase() === "ask";
}

const questionUsage = '`/digests add ask "What changed for Novalith?" weekdays at 8:00`';

/** A question as it is kept; throws a UsageError if it's empty or too long. */
function readQuestion(typed: string): string {
  const question = typed.replace(/\s+/g, " ").trim();
  if (!question) throw new UsageError(`What should I ask, and when? Type ${questionUsage}.`);
  if (question.length <= longestQuestion) return question;
  throw new UsageError(
    `Your question is ${question.length.toLocaleString("en")} characters long, and ${longestQuestion.toLocaleString("en")} fit.`,
  );
}

/** Takes apart what follows the number of a digest that is changed: `Mondays 8:30 compact --empty line`. */
export function readEdit(
  text: string,
  standing: Schedule,
): DigestTerms & { question?: string | undefined; within?: WantedQuestion["within"] } {
  if (isAsking(firstWord(text))) {
    const { what: question, ...terms } = readLine("ask", text);
    return { question, ...terms };
  }
  const { rest, values } = parseOptions(text, editOptions, { allowsBare: true });
  const { place, inSource: within, ...style } = values;
  return { ...(rest && { schedule: readNewSchedule(rest, ownZone, standing) }), place, style, within };
}

function bareStyle(token: Token | undefined): Style | undefined {
  const word = token?.isQuoted ? "" : token?.text.toLowerCase();
  return word === "compact" || word === "full" ? { isCompact: word === "compact" } : undefined;
}

/** The text of a line from the first of these words to the last. */
function wordsBetween(line: string, tokens: Token[]): string {
  return line.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
}

/** The index of the first word about when; nobody has to quote the words before it. */
function whenBegins(line: string, tokens: Token[], least: number): number {
  const words = tokens.map(({ text }) => text);
  return scheduleStart(words, (at) => wordsBetween(line, tokens.slice(at)), least);
}

/** A style as it is typed. */
export function styleLine(style: Style): string {
  return writeOptions(styleOptions, style);
}

/** The values whose keys another object has too. */
function pick<Values extends object>(values: Values, keys: object): Values {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of these values may be missing
  return Object.fromEntries(Object.entries(values).filter(([key]) => key in keys)) as Values;
}

/** A style after a change; defaults aren't kept. */
export function styleAfter(style: Style | undefined, wanted: LineValues): Style | undefined {
  const usual: unknown[] = Object.values(defaultStyle);
  const next = Object.entries({ ...style, ...wanted }).filter(([, value]) => !usual.includes(value));
  return next.length > 0 ? Object.fromEntries(next) : undefined;
}
