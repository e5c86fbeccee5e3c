import { UsageError } from "../../apis/errors.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { BaseContext } from "../base.ts";
import type { Ask, Command, Feature, Message } from "../feature.ts";
import { type OptionValues, choiceOption, numberOption, parseOptions, queryOf, wordsOfOptions } from "../options.ts";
import { findSource, rankingWords, readSource, sourceTitle } from "../sources/index.ts";
import type { SourceDependencies, SourceQuery } from "../sources/source.ts";
import { askOptions, isWithin, readScope, scopeWords } from "../question/scope.ts";
import { wantedIfKnown } from "../sources/typed.ts";
import {
  articleOptions,
  checkFilter,
  filterOf,
  isFiltering,
  selectArticles,
  tierEntities,
} from "../articles/filter.ts";
import { channels } from "./channels.ts";
import { type Lists, keepListIfPossible, listGone, listReference, findListed } from "../articles/store.ts";
import {
  listedArticles,
  emptySourceView,
  limitedNote,
  listView,
  nothingFoundView,
  nothingLeftView,
  sharedArticle,
} from "../articles/view.ts";
import type { Interest } from "../articles/interest.ts";
import { type ArticleList, mostListed } from "../articles/list.ts";
import { articlesOf, storiesOf } from "../articles/stories.ts";
import { entityNames } from "../sources/directory.ts";

/** Articles of one search, which costs the same however many it finds. */
const searched = 25;

/** The choice and order of articles. */
const newsOptions = {
  since: askOptions.since,
  until: askOptions.until,
  sort: choiceOption({
    name: "sort",
    choices: ["newest", "relevance"],
    help: "Newest first (default), or most relevant first",
    example: "--sort relevance",
    words: (sort) => (sort === "relevance" ? "by relevance" : undefined),
  }),
  limit: numberOption({
    name: "limit",
    least: 1,
    most: mostListed,
    isWhole: true,
    help: `At most N articles; a search shows ${searched} by default`,
    example: `--limit ${mostListed}`,
  }),
  ...articleOptions,
};
type NewsValues = OptionValues<typeof newsOptions>;

/** The parts that searches, news channels and their lists are made with. */
export interface NewsDependencies extends SourceDependencies, Pick<BaseContext, "timeZone" | "now"> {
  lists: Lists;
  interest: Pick<Interest, "note">;
  people: Pick<People, "timeZone">;
}

export const news: Command<NewsDependencies> = {
  verb: "news",
  group: "find",
  usage: "QUERY | KIND NAME [--since 7d] [--source OUTLET]",
  summary: "Search the news, or read everything about a company",
  examples: ["news chip export", 'news channel "Central banks"', "news company Novalith --since 7d --tier primary"],
  pressable: ["news chip export"],
  credits: 1,
  options: newsOptions,
  needs: ["gateway", "intelligence"],
  isSlash: true,
  working: "Searching the news…",
  notes: [
    "Read any source by its kind and name: `company Novalith`, `person`, `topic` or `region`, `channel Central banks`, `collection Gold desk`, `insight Chip policy`, `jurisdiction France` or `agency FCA`. To search for words that begin like that, put them in quotation marks.",
    "A search costs 1 credit; companies, people, topics and news channels cost nothing.",
  ],
  run: async (ask, deps) => {
    const { rest, values } = parseOptions(ask.text, newsOptions, {
      usage: "`/news QUERY`, for example `/news chip export`",
    });
    if (/^channels?$/i.test(rest)) return channels.run({ ...ask, text: "" }, deps);
    const wanted = wantedIfKnown(rest, deps.directory);
    if (wanted?.kind === "trending") throw new UsageError(`${rankingWords}\n${searchHint(rest)}`);
    if (wanted && wanted.kind !== "search") return readNamed({ wanted, values, typed: rest }, ask, deps);
    const query = queryOf(rest, { usage: "/news QUERY", example: "/news chip export" });
    return searchNews({ query: wanted?.what ?? query, values }, ask, deps);
  },
};

/** Turns the pages of a list that was shown. */
export const list: Command<NewsDependencies> = {
  verb: "list",
  usage: "LIST PAGE [DIGEST [own]]",
  summary: "Another page of a list of articles",
  isHidden: true,
  working: "Turning the page…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}( \d+( \d+( own)?)?)?$/.test(text),
  async run(ask, deps) {
    const { text, team } = ask;
    const [key = "", typedPage, digest, own] = text.trim().split(/\s+/);
    const page = Number(typedPage) || 1;
    const kept = await deps.lists.get(key, team);
    if (!kept) throw new UsageError(listGone);
    deps.interest.note(ask, "opened", kept);
    // Turning a page costs nothing, and what was left when the list was made may be gone.
    const view = listView(
      { ...kept, credits: undefined },
      {
        key,
        page,
        canAsk: deps.configured.intelligence,
        ...(digest && { digest: { number: Number(digest), isOwn: own !== undefined } }),
        now: deps.now(),
      },
    );
    return inWindow(view, ask);
  },
};

/** A list that a button asks for, which opens over the message with the button. */
function inWindow(view: Message, { surface }: Ask): Message {
  return surface === "button" ? { ...view, window: { title: "Articles" } } : view;
}

/** True if nobody else reads along. */
const isAlone = (channel: string) => !/^[CG]/.test(channel);

/** Shows an article of a list alone, so that it can be shared. */
export const share: Command<Pick<NewsDependencies, "lists" | "interest" | "now">> = {
  verb: "share",
  usage: "LIST:NUMBER",
  summary: "Share one article of a list",
  isHidden: true,
  fits: (text) => listReference.test(text),
  async run(ask, { lists, interest, now }) {
    const found = await findListed(ask.text.trim(), lists, ask);
    if (!found) throw new UsageError(listGone);
    interest.note(ask, "shared", { articles: [found.article] });
    return sharedArticle(found.article, { now: now(), isAlone: isAlone(ask.channel) });
  },
};

/** All reports on the story of a list's article, as a list of their own. */
export const reports: Command<NewsDependencies> = {
  verb: "reports",
  usage: "LIST:NUMBER",
  summary: "All reports on one story of a list",
  isHidden: true,
  fits: (text) => listReference.test(text),
  async run(ask, deps) {
    const found = await findListed(ask.text.trim(), deps.lists, ask);
    if (!found) throw new UsageError(listGone);
    const stories = storiesOf(found.list.articles.slice(0, mostListed)).map(articlesOf);
    const articles = stories.find((story) => story.includes(found.article)) ?? [found.article];
    const all = { title: found.article.title, articles, total: articles.length, isStory: true };
    deps.interest.note(ask, "opened", all);
    return inWindow(await showFirstPage(all, ask, deps), ask);
  },
};

async function searchNews(
  { query, values }: { query: string; values: NewsValues },
  ask: Ask,
  deps: NewsDependencies,
): Promise<Message> {
  const source = { kind: "search", query } as const;
  checkFilter(values, source);
  const within = await readWindow(values, ask, deps);
  const isLimited = within.words.length > 0 || isFiltering(values);
  // A filter leaves out some articles, so a limited search asks for as many as it can get.
  const asked = isLimited ? mostListed : (values.limit ?? searched);
  const found = await deps.gateway.search(query, { limit: asked, signal: ask.signal });
  if (found.articles.length === 0) return nothingFoundView(query, found.credits);
  const all = { title: `News: ${shorten(query, 80)}`, ...found, source };
  return showChosen({ all, name: query, values, within }, ask, deps);
}

interface ChosenNews {
  /** All that was read. */
  all: ArticleList;
  name: string;
  values: NewsValues;
  within: NewsWindow;
  /** Of whom the tier of an article is asked. */
  entities?: number[];
}

/** Shows those articles of what was read that are wanted. */
async function showChosen(
  { all, name, values, within, entities }: ChosenNews,
  ask: Ask,
  deps: NewsDependencies,
): Promise<Message> {
  const { total, credits } = all;
  const read = all.articles.length;
  const fits = selectArticles(all.articles, { ...values, ...within, entities, limit: undefined });
  const words = [...within.words, ...wordsOfOptions(articleOptions, values)];
  if (fits.length === 0) return nothingLeftView({ title: name, words, read, total, credits });
  const limited = words.length > 0 && { total: fits.length, note: limitedNote({ words, read, total }) };
  const shown = { ...all, articles: fits.slice(0, values.limit), ...limited };
  return showFirstPage({ ...shown, ...choiceOf(values) }, ask, deps);
}

/** The options that a list was made with, as far as it remembers them. */
function choiceOf(values: NewsValues): Pick<ArticleList, "filter" | "isRanked"> {
  const isRanked = values.sort === "relevance";
  return { ...(isFiltering(values) && { filter: filterOf(values) }), ...(isRanked && { isRanked }) };
}

/** The time that somebody wants articles of, in words and as a test. */
async function readWindow({ since, until }: NewsValues, ask: Ask, deps: NewsDependencies) {
  const times = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const scope = await readScope(times, ask, deps);
  return { words: scopeWords(scope), isWithin: isWithin(scope, deps.now()) };
}

type NewsWindow = Awaited<ReturnType<typeof readWindow>>;

/** A hint how to search for words that name a source. */
function searchHint(typed: string): string {
  return `To search for these words (1 credit), type \`/news "${inCode(typed.replace(/["“”„«»]/g, ""))}"\`.`;
}

/** Reads a source. Nothing is searched for in its place: that could cost a credit that nobody wanted to spend. */
async function readNamed(
  { wanted, values, typed }: { wanted: SourceQuery; values: NewsValues; typed: string },
  ask: Ask,
  deps: NewsDependencies,
): Promise<Message> {
  const within = await readWindow(values, ask, deps);
  const source = await findSource(wanted, deps, ask).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\n${searchHint(typed)}`);
  });
  const entities = await tierEntities(values, source, deps, ask.signal);
  const { articles, credits } = await readSource(source, deps, ask.signal);
  const name = sourceTitle(source);
  if (articles.length === 0) return emptySourceView(name, credits);
  const origin = source.kind !== "trending" && { source };
  const all = { title: shorten(name, 80), articles, total: articles.length, credits, ...origin };
  return showChosen({ all, name, values, within, entities }, ask, deps);
}

/** The first page of a list, with the names of what its articles are about, kept so that it can be turned. */
async function showFirstPage(found: ArticleList, { team, signal }: Ask, deps: NewsDependencies): Promise<Message> {
  const named = { ...found, names: await entityNames(listedArticles(found), signal, deps) };
  const key = await keepListIfPossible(named, deps, { team });
  return listView(named, { key, page: 1, canAsk: deps.configured.intelligence, now: deps.now() });
}

/** Articles of a search or a source. */
export const newsFeature: Feature<NewsDependencies> = {
  name: "news",
  commands: [news, channels, list, share, reports],
};
