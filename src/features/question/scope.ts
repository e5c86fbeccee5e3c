import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Article } from "../../apis/article.ts";
import { type GenerativeMessage, userMessage } from "../../apis/intelligence/generate.ts";
import { stageSchema } from "../../apis/intelligence/schema.ts";
import { dayOf, nextMidnight } from "../../schedule/zone.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { escape, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { type Option, type OptionValues, quote, storedOptions, switchOption, wordsOfOptions } from "../options.ts";
import { type Length, lengthMs, lengthSchema, readLength, units } from "../span.ts";
import { plural, sentence } from "../text.ts";
import { answerChanges, answerOptions } from "./answer-options.ts";
import { articleSourceSchema, findArticleSource, sourceTitle, stagesOf } from "../sources/index.ts";
import type { SourceAsker, SourceDependencies, SourceQuery } from "../sources/source.ts";
import { namedKind, sourceTokens, wantedIn } from "../sources/typed.ts";

/** The scope of a question or a summary: the options of `/ask`, and what they become in its thread. */

const hourMs = 60 * 60_000;
/** No news is searched for by its age that is older than this. */
const longestHours = 10 * 366 * 24;

/** The value of `--since`: a length, a day, or no limit. */
type TypedTime = Length | { day: string } | "all";

const sinceExamples =
  "`--since 7d`, `--since 24h`, `--since 2w`, `--since 2026-11-01` or, without a limit, `--since all`";

/** A length before each question, or a day with the moment that it stands for. */
const momentSchema = z.union([lengthSchema, z.object({ day: z.string(), at: z.number() })]);
type Moment = z.infer<typeof momentSchema>;

const since: Option<TypedTime> = {
  name: "since",
  value: "7d",
  help: "Only articles since then: `24h`, `7d`, `2w`, a day, or `all`",
  example: "--since 7d",
  schema: z.union([lengthSchema, z.object({ day: z.string() }), z.literal("all")]),
  read: (typed) => readTime(typed, { name: "since", isUnlimited: /^(all|any|ever)$/i, examples: sinceExamples }),
  write: (value) => (value === "all" ? value : "day" in value ? value.day : `${value.count}${value.unit}`),
};

const untilExamples = "`--until 2026-11-15`, `--until 2d` or, without a limit, `--until now`";

/** The same lengths and days as for `--since`; a day counts to its end. */
const until: Option<TypedTime> = {
  ...since,
  name: "until",
  value: "DAY|AGE",
  help: "Only articles until then: a day (included), `2d` ago, or `now`",
  example: "--until 2026-11-15",
  read: (typed) => readTime(typed, { name: "until", isUnlimited: /^(now|today|all|any)$/i, examples: untilExamples }),
  write: (value) => (value === "all" ? "now" : since.write(value)),
};

/** A source as it is typed, or no limit to one. */
type TypedSource = SourceQuery | "all";

const wantedSchema = z.custom<TypedSource>();

const sourceExample = '--in-source channel "Central banks"';

const inSource: Option<TypedSource> = {
  name: "in-source",
  value: "KIND NAME",
  help: "Search only one source, such as `company Novalith` or a news channel; `all` searches everything again",
  example: sourceExample,
  schema: wantedSchema,
  takes: sourceTokens,
  read(typed) {
    // One quotation may hold both: "channel Central banks".
    const line = typed.trim().replace(/^["“”„«](.*)["“”»]$/s, "$1");
    if (isAll(line)) return "all";
    const wanted = wantedIn(line, namedKind);
    if (wanted) return wanted;
    throw new UsageError(`Which source? Type for example \`${sourceExample}\` or \`--in-source company Novalith\`.`);
  },
  write: (value) => (value === "all" ? value : `${value.kind} ${quote(value.what)}`),
};

const channelExample = '--channel "Central banks"';

const channel: Option<TypedSource> = {
  ...inSource,
  name: "channel",
  value: "NAME",
  help: "Search only one of your news channels; short for `--in-source channel NAME`",
  example: channelExample,
  takes: () => 1,
  read(typed) {
    const what = typed.replace(/^\s*["“”„«](.*)["“”»]\s*$/s, "$1").trim();
    if (what === "") throw new UsageError(`Which news channel? Type for example \`${channelExample}\`.`);
    return isAll(what) ? "all" : { kind: "channel", what };
  },
};

function isAll(typed: string): boolean {
  return /^(all|any)$/i.test(typed);
}

const isOnly = switchOption({
  name: "only",
  off: "more",
  help: "Answer only from this thread’s articles; `--more` searches again",
  example: "--only",
});

/** The options of a question. */
export const askOptions = { since, until, inSource, channel, isOnly, ...answerOptions };

type AskValues = OptionValues<typeof askOptions>;

/** The one source that somebody names, in whichever way; throws a UsageError for two, of which one would go unread. */
export function onlySource(...typed: (TypedSource | undefined)[]): TypedSource | undefined {
  const [named, another] = typed.filter((each) => each !== undefined);
  if (another === undefined) return named;
  throw new UsageError(
    "Those are two sources, and I can search one at a time. Keep one of them. Several names go together with commas, as in `--in-source company NAME, NAME`, or on a watchlist.",
  );
}

/** The zone in which a day begins for the asker. Slack is asked only if a day is named, because that delays the answer. */
export async function zoneOf(
  { since: from, until: to }: Pick<AskValues, "since" | "until">,
  { team, user }: { team: string; user: string },
  { people, timeZone }: { people: Pick<People, "timeZone">; timeZone: string },
): Promise<string> {
  const namesDay = [from, to].some((typed) => typeof typed === "object" && "day" in typed);
  return (namesDay && (await people.timeZone(team, user))) || timeZone;
}

function readTime(typed: string, to: { name: string; isUnlimited: RegExp; examples: string }): TypedTime {
  // "What changed --since 7d?" ends with a question mark that belongs to the question.
  const value = typed.trim().replace(/[?!.,]+$/, "");
  if (to.isUnlimited.test(value)) return "all";
  const length = readLength(value);
  if (length) return { count: length.count, unit: length.unit };
  const noon = noonOf(value);
  if (!Number.isNaN(noon) && dayOf(noon, "UTC") === value) return { day: value };
  const lead = value === "" ? `${sentence(to.name)} when?` : `I can’t read \`--${to.name} ${inCode(value)}\`.`;
  throw new UsageError(`${lead} Type for example ${to.examples}.`);
}

function noonOf(day: string): number {
  return Date.parse(`${day}T12:00:00Z`);
}

function startOfDay(day: string, zone: string): number {
  let start = nextMidnight(noonOf(day) - 48 * hourMs, zone);
  while (dayOf(start, zone) < day) start = nextMidnight(start, zone);
  return start;
}

/** The limits of a thread's answers, until somebody changes them. */
export const scopeSchema = z.intersection(
  z.object({
    /** The oldest articles: a length before each question, or the beginning of a day. */
    since: momentSchema.optional(),
    /** The newest articles: a length before each question, or the end of a day. */
    until: momentSchema.optional(),
    /** A source whose filters hold, or whose articles were given. */
    source: z
      .object({ title: z.string(), source: articleSourceSchema, stages: z.array(stageSchema).optional() })
      .optional(),
    /** Answers use the articles that were chosen for the thread, and no others. */
    isOnly: z.boolean().optional(),
  }),
  storedOptions(answerOptions),
);
export type Scope = z.infer<typeof scopeSchema>;

/** Fields of the scope that a question sets anew; one that is there without a value is lifted. */
export type ScopeChanges = { [Key in keyof Scope]?: Scope[Key] | undefined };

interface AskedFrom {
  now: number;
  zone: string;
  /** Articles were chosen for the thread, which `--only` can mean. */
  hasArticles: boolean;
  ask: SourceAsker;
  deps: SourceDependencies;
}

/** The changes that the options of a question make in its thread; rejects with a UsageError if they cannot be made. */
export async function readScopeChanges(values: AskValues, from: AskedFrom): Promise<ScopeChanges> {
  const wanted = onlySource(values.inSource, values.channel);
  const isWider = [values.since, values.until, wanted].some((each) => each !== undefined);
  // To say where to search is to say that it may be searched.
  const { isOnly: only = isWider ? false : undefined } = values;
  if (only && !from.hasArticles) throw new UsageError(noArticles);
  return {
    ...answerChanges(values),
    ...(values.since !== undefined && { since: resolveTime("since", values.since, from) }),
    ...(values.until !== undefined && { until: resolveTime("until", values.until, from) }),
    ...(wanted !== undefined && { source: await resolveSource(wanted, from) }),
    ...(only !== undefined && { isOnly: only }),
  };
}

/** The scope of a list or a summary; rejects with a UsageError if there is none. */
export async function readScope(
  values: AskValues,
  ask: SourceAsker,
  deps: SourceDependencies & { people: Pick<People, "timeZone">; timeZone: string; now: () => number },
): Promise<Scope> {
  const now = deps.now();
  const from = { now, zone: await zoneOf(values, ask, deps), hasArticles: false, ask, deps };
  const scope = changeScope(undefined, await readScopeChanges(values, from)) ?? {};
  checkWindow(scope, now);
  return scope;
}

export const noArticles = "No articles were chosen for this thread. Press “Ask about these” under a list first.";

function resolveTime(name: "since" | "until", typed: TypedTime, { now, zone }: AskedFrom): Moment | undefined {
  if (typed === "all") return undefined;
  const words = inCode(since.write(typed));
  const examples = name === "since" ? sinceExamples : untilExamples;
  const start = "day" in typed ? startOfDay(typed.day, zone) : momentOf(typed, now);
  if (start > now) throw new UsageError(`${words} is still to come. Type for example ${examples}.`);
  if (start < now - longestHours * hourMs) {
    throw new UsageError(`\`--${name} ${words}\` is too long ago. Type for example ${examples}.`);
  }
  if (!("day" in typed)) return typed;
  return { ...typed, at: name === "since" ? start : nextMidnight(start, zone) - 1 };
}

/** Rejects a window that ends before it begins, which an earlier question in the thread may have had a part in. */
export function checkWindow({ since: from, until: to }: Scope = {}, now: number): void {
  if (!from || !to || momentOf(from, now) < momentOf(to, now)) return;
  throw new UsageError(
    `“${sentence(sinceWords(from))}” and “${untilWords(to)}” don’t overlap. Give an earlier \`--since\` or a later \`--until\`; \`--since all\` and \`--until now\` lift them.`,
  );
}

/** Tells whether an article is within the time of a scope; one without a date is taken to be old. */
export function isWithin(
  { since: from, until: to }: Scope,
  now: number,
): (article: Pick<Article, "published">) => boolean {
  const start = from && momentOf(from, now);
  const end = to && momentOf(to, now);
  return ({ published = 0 }) => (start === undefined || published >= start) && (end === undefined || published <= end);
}

async function resolveSource(wanted: TypedSource, { ask, deps }: AskedFrom): Promise<Scope["source"]> {
  if (wanted === "all") return undefined;
  const source = await findArticleSource(wanted, deps, ask);
  const stages = await stagesOf(source, deps, ask.signal);
  return { title: sourceTitle(source), source, ...(stages && { stages }) };
}

/** The scope after a question that may have changed it; nothing if nothing is left of it. */
export function changeScope(scope: Scope = {}, changes: ScopeChanges): Scope | undefined {
  const set = Object.entries({ ...scope, ...changes }).filter(([, value]) => value !== undefined && value !== false);
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}

/** The context that limits what the service searches; undefined if it may search everything. */
export function newsContextOf(scope: Scope = {}, now: number) {
  // No parameter forbids a search; a window without room for an article comes closest, and injected articles
  // are taken not to be cut by it, because it is said to constrain retrieval.
  if (scope.isOnly) return { start: now - 1, end: now };
  const stages = scope.source?.stages;
  const context = {
    ...(scope.since && { start: momentOf(scope.since, now) }),
    ...(scope.until && { end: momentOf(scope.until, now) }),
    ...(stages && { stages }),
    ...(scope.sort && { sorting: scope.sort }),
    ...(scope.isFull && { useFullText: true }),
  };
  return Object.keys(context).length > 0 ? context : undefined;
}

export const onlyThese = "Answer from the articles that were given with this thread alone, and search for no others.";

/** The last message of a thread: what is asked, and where the service may search for it. */
export function askedWithin(text: string, scope: Scope | undefined, now: number): GenerativeMessage {
  const context = newsContextOf(scope, now);
  if (!context) return userMessage(text);
  return { role: "user", content: { type: "text", text, metadata: { news_context: context } } };
}

/** The beginning or end of a window, in epoch milliseconds. */
export function momentOf(moment: Moment, now: number): number {
  return "day" in moment ? moment.at : now - lengthMs(moment);
}

/** The scope in a few words each, as mrkdwn. */
export function scopeWords(scope: Scope = {}): string[] {
  const settings = wordsOfOptions(answerOptions, scope);
  const times = [...(scope.since ? [sinceWords(scope.since)] : []), ...(scope.until ? [untilWords(scope.until)] : [])];
  // Articles that were read for a question are those of its time; articles that somebody chose are of any.
  const isRead = scope.source !== undefined && !scope.source.stages;
  if (scope.isOnly) return ["only these articles", ...(isRead ? times : []), ...settings];
  return [
    ...times,
    ...(scope.source ? [`${scope.source.source.kind} ${escape(shorten(scope.source.title, 40))}`] : []),
    ...settings,
  ];
}

function sinceWords(from: Moment): string {
  if ("day" in from) return `since ${from.day}`;
  const { name } = units[from.unit];
  return from.count === 1 ? `last ${name}` : `last ${plural(from.count, name)}`;
}

function untilWords(to: Moment): string {
  return "day" in to ? `until ${to.day}` : `until ${plural(to.count, units[to.unit].name)} ago`;
}
