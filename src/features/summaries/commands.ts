import { type Api, Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { SummaryEvent } from "../../apis/gateway/client.ts";
import { stalledMs, withSilences } from "../../apis/silence.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { later } from "../../slack/text/message.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { writtenSoFar, refuseEndless, withinReach } from "../text.ts";
import type { Memory } from "../ask/memory.ts";
import { readSource } from "../sources/index.ts";
import type { SourceDependencies } from "../sources/source.ts";
import { wantedIfKnown } from "../sources/typed.ts";
import { articleOptions, filterOf, selectArticles, tierEntities } from "../articles/filter.ts";
import { answerOptions } from "../question/answer-options.ts";
import { asWritten, usualLanguage } from "../question/language.ts";
import { type Scope, askOptions, isWithin, onlySource, readScope } from "../question/scope.ts";
import type { QuestionQueue } from "../ask/queue.ts";
import type { BaseContext } from "../base.ts";
import type { Ask, Command, Feature, Message } from "../feature.ts";
import { type Lists, keepListIfPossible, listReference, findList } from "../articles/store.ts";
import { type OptionValues, parseOptions, queryOf } from "../options.ts";
import { type Summary, withSummaryEvent, summaryOrder, threadMemoryOf, topicOf } from "./compose.ts";
import { type SummarySteps, growingSummaryView, nothingWithinView, summaryView } from "./view.ts";
import { foldName } from "../names.ts";
import type { Interest } from "../articles/interest.ts";
import type { ArticleList } from "../articles/list.ts";
import { writerOf } from "../articles/writer.ts";

/** The parts that summaries are written with. */
export interface SummaryDependencies
  extends SourceDependencies, Pick<BaseContext, "chatModel" | "timeZone" | "now" | "after"> {
  queue: QuestionQueue;
  memory: Memory;
  lists: Lists;
  interest: Pick<Interest, "note">;
  people: Pick<People, "timeZone" | "localeKnown">;
}

const summaryOptions = {
  since: askOptions.since,
  until: askOptions.until,
  inSource: askOptions.inSource,
  channel: askOptions.channel,
  ...articleOptions,
  ...answerOptions,
};

export const summary: Command<SummaryDependencies> = {
  verb: "summary",
  group: "find",
  usage: "QUERY | KIND NAME [--since 7d] [--until DAY] [--language NAME]",
  summary: "A summary of the latest news, with its sources",
  examples: ["summary data breach", "summary chip export --since 7d", 'summary channel "Central banks"'],
  pressable: ["summary data breach"],
  credits: 5,
  options: summaryOptions,
  notes: [
    "A summary of a search costs 5 credits, or 1 with an option such as `--since`; of a company or a news channel it costs nothing.",
  ],
  needs: ["gateway", "intelligence"],
  isSlash: true,
  working: "Reading the articles…",
  run(ask, deps) {
    const { rest, values: typed } = parseOptions(ask.text, summaryOptions, { usage: "`/summary QUERY`" });
    const whole = wantedIfKnown(rest, deps.directory);
    const source = onlySource(whole, typed.inSource, typed.channel);
    const values = whole ? { ...typed, inSource: whole } : typed;
    const isWhole = whole !== undefined || (source !== undefined && rest === "");
    const query = isWhole ? "" : queryOf(rest, { usage: "/summary QUERY", example: "/summary data breach" });
    // The search service summarises what it likes in its own way: whatever is to differ is gathered and written here.
    // It also writes English alone.
    const isLimited =
      Object.keys(values).length > 0 || (deps.configured.intelligence && usualLanguage(ask, deps.people) !== undefined);
    return deps.queue.answer(ask, () =>
      isLimited ? summariseWithin({ query, values }, ask, deps) : summariseSearch(query, ask, deps),
    );
  },
};

/** Sums up the articles of a list that was shown, and no others. */
export const sum: Command<SummaryDependencies> = {
  verb: "sum",
  usage: "LIST [SINCE]",
  summary: "A summary of the articles of a list",
  isHidden: true,
  working: "Reading the articles…",
  fits: (text) => listReference.test(text),
  async run(ask, deps) {
    const [reference = "", since = 0] = ask.text.trim().split(/\s+/);
    const { key, list: whole } = await findList(reference, deps.lists, ask);
    const recent = whole.articles.filter(({ published = Number.MAX_VALUE }) => published > Number(since));
    const list = recent.length > 0 ? { ...whole, articles: recent, total: recent.length } : whole;
    if (list.articles.length === 0) throw new UsageError("This list has no articles, so there is nothing to sum up.");
    deps.interest.note(ask, "opened", list);
    return deps.queue.answer(ask, () => summariseList({ key, list }, ask, deps));
  },
};

/** Refuses options that need the news service’s IDs, which articles of the search service don’t have. */
function refuseWithoutIds({ source: within, isFull, links }: Scope): void {
  const named = isFull ? "--full" : links === "platform" ? "--links platform" : undefined;
  if (!named || within?.stages) return;
  throw new UsageError(
    `\`${named}\` works on articles of the news service. Add \`--in-source entity NAME\` or \`--channel NAME\`, or use it with \`/ask\`.`,
  );
}

/**
 * The search service cannot be told where to look, so the articles are gathered first and then summed up. The query is
 * empty if all of a source is wanted.
 */
async function* summariseWithin(
  { query, values }: { query: string; values: OptionValues<typeof summaryOptions> },
  ask: Ask,
  deps: SummaryDependencies,
): AsyncGenerator<Message> {
  const scope = await readScope(values, ask, deps);
  refuseWithoutIds(scope);
  const filter = filterOf(values);
  const entities = await tierEntities(filter, scope.source?.source ?? { kind: "search", query }, deps, ask.signal);
  const { articles, source, credits } = await articlesFor(query, scope, ask, deps);
  const { sort, limit } = scope;
  const chosen = { ...filter, entities, isWithin: isWithin(scope, deps.now()), sort, limit };
  const sources = selectArticles(articles, chosen);
  const topic = query || scope.source?.title || "";
  const summed = { topic, credits, scope, filter };
  if (sources.length === 0) {
    yield nothingWithinView(summed);
    return;
  }
  const list = { title: `Summary: ${shorten(topic, 80)}`, articles: sources, total: sources.length, source, filter };
  yield* summariseList({ key: await keepListIfPossible(list, deps, ask), list, summed }, ask, deps);
}

/** Articles of one search: it costs the same whatever it brings. */
const searched = 50;

/** The articles of a source that have all the words, or else those that a search for them finds. */
async function articlesFor(query: string, scope: Scope, { signal }: Ask, deps: SummaryDependencies) {
  if (scope.source) {
    const { source } = scope.source;
    const words = foldName(query).split(" ");
    const { articles: all, credits } = await readSource(source, deps, signal);
    const articles = all.filter(({ title, summary: text }) => {
      const said = foldName(`${title} ${text}`);
      return words.every((word) => said.includes(word));
    });
    return { articles, credits, source };
  }
  const { articles, credits } = await deps.gateway.search(query, { limit: searched, signal });
  return { articles, credits, source: { kind: "search", query } as const };
}

function summariseSearch(query: string, ask: Ask, deps: SummaryDependencies): AsyncGenerator<Message> {
  const source = { kind: "search" as const, query };
  const writing: Writing = {
    first: { topic: query, text: "", sources: [] },
    service: { api: "gateway", operation: "summary" },
    open: (signal) => deps.gateway.streamSummary(query, signal),
    keyOf({ sources }) {
      const title = `Summary: ${shorten(query, 80)}`;
      return keepListIfPossible({ title, articles: sources, total: sources.length, source }, deps, ask);
    },
    next: { query, source },
  };
  return writeSummary(writing, ask, deps);
}

/** A summary that is to be written. */
interface Writing {
  first: Summary;
  service: { api: Api; operation: string };
  /** Has it written, until the signal aborts. */
  open: (signal: AbortSignal) => AsyncIterable<SummaryEvent>;
  /** The key of the kept list of its sources, asked for once the summary is complete. */
  keyOf: (state: Summary) => Promise<string | undefined>;
  /** The steps that it offers. */
  next: Omit<SummarySteps, "key" | "canAsk">;
}

/** The states of a summary that is written; its thread remembers what there is in the end, however it ends. */
async function* writeSummary(
  { first, service, open, keyOf, next: steps }: Writing,
  ask: Ask,
  { after, memory, configured }: SummaryDependencies,
): AsyncGenerator<Message> {
  const tooLong = () => new Unavailable({ ...service, reason: "timeout" });
  let state = first;
  let key: string | undefined;
  try {
    for await (const event of withSilences(open, { after, signal: ask.signal, tooLong })) {
      const isSilent = event.type === "silence";
      const next = isSilent ? state : withSummaryEvent(state, event);
      state = { ...next, text: withinReach(next.text) };
      refuseEndless(next.text);
      if (!state.text && !isSilent) continue;
      const shown = { stopKey: ask.stopKey, isStalled: isSilent && event.ms >= stalledMs };
      const written = state;
      // Rendered only if it is shown.
      const make = () => growingSummaryView(written, { ...shown, words: writtenSoFar(written.text) });
      yield later(make, written.text ? {} : { progress: true });
    }
  } catch (error) {
    if (state.text) yield summaryView(state, { words: writtenSoFar(state.text) });
    throw error;
  } finally {
    // A question in the thread of a summary is answered from its articles, with the summary as context.
    if (state.text) {
      key = await keyOf(state);
      await memory.remember(ask, threadMemoryOf(state, key));
    }
  }
  if (!state.text) throw new UnexpectedAnswer({ ...service, detail: "a summary without any words" });
  yield summaryView(state, { next: { ...steps, key, canAsk: configured.intelligence } });
}

interface KeptList {
  /** Missing if it could not be kept. */
  key: string | undefined;
  list: ArticleList;
  /** The parts of the summary that are known before it is written. */
  summed?: Omit<Summary, "text" | "sources">;
  /** Offers to show the articles, which the reader has not seen beside it. */
  canList?: boolean;
  /** The language of its one reader; if missing, the usual one of its place. */
  language?: string | undefined;
  /** A sentence on what to begin with. */
  begin?: string;
}

/** The states of a summary of the articles of a list, and of no others. */
export function summariseList(
  { key, list, summed = { topic: topicOf(list) }, canList = false, language, begin }: KeptList,
  ask: Ask,
  deps: SummaryDependencies,
): AsyncGenerator<Message> {
  const { scope } = summed;
  const settings = {
    ...scope,
    language: scope?.language ?? language ?? usualLanguage(ask, deps.people) ?? asWritten,
  };
  const { sources, ...writer } = writerOf(summaryOrder(list.articles, settings, begin), deps);
  const first = { ...summed, text: "", sources };
  return writeSummary({ first, ...writer, keyOf: async () => key, next: { canList, source: list.source } }, ask, deps);
}

/** Executive summaries that appear as they are written. */
export const summariesFeature: Feature<SummaryDependencies> = { name: "summaries", commands: [summary, sum] };
