import { UsageError } from "../../apis/errors.ts";
import type { Log } from "../../log.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask, Command, Feature, Message } from "../feature.ts";
import { entityNames, findListed, keepListIfPossible, listReference, soughtIn } from "../list.ts";
import { parseOptions, queryOf } from "../options.ts";
import { findSource, readSource, sourceTitle } from "../sources/index.ts";
import type { SourceDependencies, WantedSource } from "../sources/source.ts";
import { wantedIn } from "../sources/typed.ts";
import { channels, channelsView } from "./channels.ts";
import type { Lists } from "./store.ts";
import {
  type ArticleList,
  articlePage,
  emptySourceView,
  listView,
  newestFirst,
  nothingFoundView,
  sharedArticle,
} from "./view.ts";

/** Articles of one search: a search costs the same whatever it brings, and its pages can be turned. */
const wanted = 25;

/** What searches, saved channels and their lists are made with. */
export interface NewsDependencies extends SourceDependencies {
  lists: Lists;
  log: Log;
  now: () => number;
}

export const news: Command<NewsDependencies> = {
  verb: "news",
  group: "find",
  usage: "QUERY | KIND NAME",
  summary: "Search the news, or read a source such as an entity or a news channel",
  examples: ["news chip export", 'news channel "Central banks"'],
  needs: ["gateway", "intelligence"],
  isSlash: true,
  working: "Searching the news…",
  notes: [
    "Read any source by its kind and name: `entity BASF`, `channel Central banks`, `collection Gold desk`, `insight Chip policy`, `jurisdiction France` or `agency FCA`. To search for words that begin like that, put them in quotation marks.",
  ],
  run: async (ask, needs) => {
    const { rest } = parseOptions(ask.text, {}, { usage: "`/news QUERY`, for example `/news chip export`" });
    if (/^channels?$/i.test(rest)) return listChannels(ask, needs);
    const named = wantedIn(rest);
    return named ? readNamed(named, ask, needs) : searchNews(ask, needs);
  },
};

/** Turns the pages of a list that was shown. */
export const list: Command<NewsDependencies> = {
  verb: "list",
  usage: "LIST PAGE [DIGEST]",
  summary: "Another page of a list of articles",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Turning the page…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}( \d+){0,2}$/.test(text),
  async run({ text, signal, channel }, needs) {
    const [key = "", typedPage, digest] = text.trim().split(/\s+/);
    const page = Number(typedPage) || 1;
    const kept = await needs.lists.get(key);
    if (!kept) throw new UsageError("Lists are kept for a week, and this one is gone. Run its command again.");
    const found = await entityNames(articlePage(kept.articles, page).shown, signal, needs);
    // Turning a page costs nothing, and what was left when the list was made may be gone.
    const turned = { ...kept, names: { ...kept.names, ...found }, credits: undefined };
    return listView(turned, {
      key,
      page,
      canAsk: needs.configured.intelligence,
      ...(digest && { digest: { number: Number(digest), isOwn: isAlone(channel) } }),
      now: needs.now(),
    });
  },
};

/** Whether nobody else reads along. */
const isAlone = (channel: string) => !/^[CG]/.test(channel);

/** Shows an article of a list alone, so that it can be shared. */
export const share: Command<Pick<NewsDependencies, "lists" | "now">> = {
  verb: "share",
  usage: "LIST:NUMBER",
  summary: "Share one article of a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => listReference.test(text),
  async run({ text, channel }, { lists, now }) {
    const found = await findListed(text.trim(), lists);
    if (!found) throw new UsageError("Lists are kept for a week, and this one is gone. Run its command again.");
    return sharedArticle(found.article, { now: now(), isAlone: isAlone(channel) });
  },
};

async function searchNews(ask: Ask, needs: NewsDependencies): Promise<Message> {
  const query = queryOf(ask.text, { usage: "/news QUERY", example: "/news chip export" });
  const { articles, total, credits } = await needs.gateway.search(query, { limit: wanted, signal: ask.signal });
  if (articles.length === 0) return nothingFoundView(query, credits);
  const title = `News: ${shorten(query, 80)}`;
  const source = { kind: "search", query } as const;
  return showFirstPage({ title, articles: newestFirst(articles), total, credits, source }, ask, needs);
}

async function listChannels({ signal }: Ask, { intelligence }: NewsDependencies): Promise<Message> {
  return channelsView(soughtIn("", await intelligence.channels(signal), ({ name }) => name));
}

/** What a source has now. Nothing is searched for in its place: that could cost a credit that nobody wanted to spend. */
async function readNamed(named: WantedSource, ask: Ask, needs: NewsDependencies): Promise<Message> {
  const source = await findSource(named, needs, ask).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nTo search for these words, type \`/news "${inCode(ask.text)}"\`.`);
  });
  const { articles, credits } = await readSource(source, needs, ask.signal);
  const title = sourceTitle(source);
  if (articles.length === 0) return emptySourceView(title, credits);
  const found = { title: shorten(title, 80), articles: newestFirst(articles), total: articles.length, credits };
  return showFirstPage({ ...found, ...(source.kind !== "trending" && { source }) }, ask, needs);
}

/** The first page of a list, with the names of what its articles are about, kept so that it can be turned. */
async function showFirstPage(found: ArticleList, { signal }: Ask, needs: NewsDependencies): Promise<Message> {
  const named = { ...found, names: await entityNames(articlePage(found.articles, 1).shown, signal, needs) };
  const key = await keepListIfPossible(named, needs);
  return listView(named, { key, page: 1, canAsk: needs.configured.intelligence, now: needs.now() });
}

/** Articles: searched, or from a saved channel. */
export const newsFeature: Feature<NewsDependencies> = { name: "news", commands: [news, channels, list, share] };
