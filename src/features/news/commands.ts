import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Log } from "../../log.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask, Command, Configured, Feature, Message } from "../feature.ts";
import { entityNames, keepListIfPossible, soughtIn } from "../list.ts";
import { queryOf, queryWords } from "../options.ts";
import { channelNamed, channels, channelsView, emptyChannelView } from "./channels.ts";
import type { Lists } from "./store.ts";
import { type ArticleList, articlePage, listView, newestFirst, nothingFoundView } from "./view.ts";

/** Articles of one search: a search costs the same whatever it brings, and its pages can be turned. */
const wanted = 25;

/** What searches, saved channels and their lists are made with. */
export interface NewsDependencies {
  gateway: Gateway;
  intelligence: Intelligence;
  configured: Configured;
  lists: Lists;
  log: Log;
  now: () => number;
}

export const news: Command<NewsDependencies> = {
  verb: "news",
  group: "find",
  usage: "QUERY | channel NAME",
  summary: "Search the news, or read one of your news channels",
  examples: ["news chip export", 'news channel "Central banks"'],
  needs: ["gateway", "intelligence"],
  isSlash: true,
  working: "Searching the news…",
  run: async (ask, needs) => {
    const channel = /^channels?(?:\s+([\s\S]*))?$/i.exec(ask.text);
    return channel ? readChannel(channel[1] ?? "", ask, needs) : searchNews(ask, needs);
  },
};

/** Turns the pages of a list that was shown. */
export const list: Command<NewsDependencies> = {
  verb: "list",
  usage: "LIST PAGE",
  summary: "Another page of a list of articles",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Turning the page…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}( \d+)?$/.test(text),
  async run({ text, signal }, needs) {
    const [key = "", typedPage] = text.trim().split(/\s+/);
    const page = Number(typedPage) || 1;
    const kept = await needs.lists.get(key);
    if (!kept) throw new UsageError("Lists are kept for a week, and this one is gone. Run its command again.");
    const found = await entityNames(articlePage(kept.articles, page).shown, signal, needs);
    // Turning a page costs nothing, and what was left when the list was made may be gone.
    const turned = { ...kept, names: { ...kept.names, ...found }, credits: undefined };
    return listView(turned, { key, page, canAsk: needs.configured.intelligence, now: needs.now() });
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

async function readChannel(text: string, ask: Ask, needs: NewsDependencies): Promise<Message> {
  const { intelligence } = needs;
  const name = queryWords(text, { usage: "/news channel NAME", example: '/news channel "Central banks"' });
  const all = await intelligence.channels(ask.signal);
  if (!name) return channelsView(soughtIn("", all, (each) => each.name));
  const channel = await channelNamed(name, all, { intelligence, signal: ask.signal });
  const articles = await intelligence.articles(channel.stages, ask.signal);
  if (articles.length === 0) return emptyChannelView(channel.name);
  const source = { kind: "channel", id: channel.id, name: channel.name } as const;
  const title = shorten(channel.name, 80);
  return showFirstPage({ title, articles: newestFirst(articles), total: articles.length, source }, ask, needs);
}

/** The first page of a list, with the names of what its articles are about, kept so that it can be turned. */
async function showFirstPage(found: ArticleList, { signal }: Ask, needs: NewsDependencies): Promise<Message> {
  const named = { ...found, names: await entityNames(articlePage(found.articles, 1).shown, signal, needs) };
  const key = await keepListIfPossible(named, needs);
  return listView(named, { key, page: 1, canAsk: needs.configured.intelligence, now: needs.now() });
}

/** Articles: searched, or from a saved channel. */
export const newsFeature: Feature<NewsDependencies> = { name: "news", commands: [news, channels, list] };
