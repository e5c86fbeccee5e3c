import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { shorten } from "../../slack/mrkdwn.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import { namesIn, soughtIn } from "../list.ts";
import { queryOf, wordsOf } from "../options.ts";
import { channelNamed } from "./channels/find.ts";
import { channelsView, emptyChannelView } from "./channels/view.ts";
import { type ArticleList, listView, nothingFoundView, pageOf } from "./view.ts";

/** Articles of one search: a search costs the same whatever it brings, and its pages can be turned. */
const wanted = 25;

export const news: Command = {
  verb: "news",
  usage: "QUERY | channel NAME",
  summary: "Search the news, or read one of your saved channels",
  examples: ["news chip export", 'news channel "Central banks"'],
  needs: ["gateway", "intelligence"],
  isSlash: true,
  working: "Searching the news…",
  run: async (ask, services) => {
    const channel = /^channels?(?:\s+([\s\S]*))?$/i.exec(ask.text);
    return channel ? readChannel(channel[1] ?? "", ask, services) : search(ask, services);
  },
};

/** Turns the pages of a list that was shown. */
export const list: Command = {
  verb: "list",
  usage: "LIST PAGE",
  summary: "Another page of a list of articles",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Turning the page…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}( \d+)?$/.test(text),
  async run({ text, signal }, services) {
    const [key = "", page = "1"] = text.trim().split(/\s+/);
    const kept = await services.lists.get(key);
    if (!kept) throw new UsageError("I keep lists for a week, and this one is gone. Run its command again.");
    const found = await namesIn(pageOf(kept, Number(page)).articles, signal, services);
    // Turning a page costs nothing, and what was left when the list was made may be gone.
    const turned = { ...kept, names: { ...kept.names, ...found }, credits: undefined };
    return listView(turned, { key, page: Number(page), canAsk: services.configured.intelligence });
  },
};

async function search(ask: Ask, services: Services): Promise<Message> {
  const query = queryOf(ask.text, { usage: "/news QUERY", example: "/news chip export" });
  const { articles, total, credits } = await services.gateway.search(query, { limit: wanted, signal: ask.signal });
  if (articles.length === 0) return nothingFoundView(query, credits);
  const title = `News: ${shorten(query, 80)}`;
  const source = { kind: "search", query } as const;
  return shown({ title, articles: newestFirst(articles), total, credits, source }, ask, services);
}

async function readChannel(text: string, ask: Ask, services: Services): Promise<Message> {
  const { intelligence } = services;
  const name = wordsOf(text, { usage: "/news channel NAME", example: '/news channel "Central banks"' });
  const channels = await intelligence.channels(ask.signal);
  if (!name) return channelsView(soughtIn("", channels, (each) => each.name));
  const channel = await channelNamed(name, channels, { intelligence, signal: ask.signal });
  const articles = await intelligence.articles(channel.stages, ask.signal);
  if (articles.length === 0) return emptyChannelView(channel.name);
  const source = { kind: "channel", id: channel.id, name: channel.name } as const;
  const title = shorten(channel.name, 80);
  return shown({ title, articles: newestFirst(articles), total: articles.length, source }, ask, services);
}

/** The first page of a list, with the names of what its articles are about, kept so that it can be turned. */
async function shown(found: ArticleList, { signal }: Ask, services: Services): Promise<Message> {
  const named = { ...found, names: await namesIn(pageOf(found, 1).articles, signal, services) };
  const canAsk = services.configured.intelligence;
  return listView(named, { key: await keep(named, services), page: 1, canAsk });
}

/** Nothing where it cannot be kept: the list is shown without what needs it. */
async function keep(found: ArticleList, { lists, log }: Services): Promise<string | undefined> {
  try {
    return await lists.keep(found);
  } catch (error) {
    log.warn("news.unkept", { error: describe(error) });
    return undefined;
  }
}

function newestFirst<T extends { published?: number | undefined }>(articles: T[]): T[] {
  return articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
}
