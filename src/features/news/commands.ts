import type { Article } from "../../apis/article.ts";
import { UsageError } from "../../apis/errors.ts";
import type { NewsChannel } from "../../apis/intelligence/schema.ts";
import { describe } from "../../log.ts";
import { escape, inCode, shorten } from "../../slack/mrkdwn.ts";
import type { Ask, Command, Reply, Services } from "../feature.ts";
import { queryOf, wordsOf } from "../query.ts";
import { newsView, nothingFoundView, pageSize } from "./view.ts";

/** Saved channels that a hint names; more does not fit on a phone. */
const listed = 15;

export const news: Command = {
  verb: "news",
  usage: "QUERY | channel NAME",
  summary: "Search the news, or read one of your saved channels",
  examples: ["news chip export", 'news channel "Central banks"'],
  isSlash: true,
  working: "Searching the news…",
  run: async (ask, services) => {
    const channel = /^channels?\b\s*([\s\S]*)$/i.exec(ask.text);
    return channel ? readChannel(channel[1] ?? "", ask, services) : search(ask, services);
  },
};

async function search(ask: Ask, { gateway }: Services): Promise<Reply> {
  const query = queryOf(ask.text, { usage: "/news QUERY", example: "/news chip export" });
  const { articles, total, credits } = await gateway.search(query, { limit: pageSize, signal: ask.signal });
  if (articles.length === 0) return nothingFoundView(query, credits);
  const title = `News: ${shorten(query, 80)}`;
  return newsView({ title, articles, total, credits, summary: `summary ${query}` });
}

async function readChannel(text: string, ask: Ask, services: Services): Promise<Reply> {
  const { intelligence } = services;
  const channels = await intelligence.channels(ask.signal);
  const name = wordsOf(text, { usage: "/news channel NAME", example: '/news channel "Central banks"' });
  const channel = name && pick(channels, name);
  if (!channel) throw new UsageError(channelHint(name, channels));
  const articles = await intelligence.articles(channel.stages, ask.signal);
  if (articles.length === 0) return nothingFoundView(channel.name);
  const shown = newestFirst(articles).slice(0, pageSize);
  const names = await namesIn(shown, ask, services);
  return newsView({ title: shorten(channel.name, 80), articles: shown, total: articles.length, names });
}

/** Names of what the articles are about, by entity ID; none where they cannot be had: the articles are the answer. */
async function namesIn(
  articles: Article[],
  { signal }: Ask,
  { intelligence, log }: Services,
): Promise<Map<number, string>> {
  try {
    const entities = await intelligence.entities(
      articles.flatMap(({ entities: { primary } }) => primary),
      signal,
    );
    return new Map([...entities].map(([id, { name }]) => [id, name]));
  } catch (error) {
    log.warn("news.names", { error: describe(error) });
    return new Map();
  }
}

function pick(channels: NewsChannel[], name: string): NewsChannel | undefined {
  const wanted = name.toLowerCase();
  const exact = channels.find((channel) => String(channel.id) === name || channel.name.toLowerCase() === wanted);
  if (exact) return exact;
  const near = channels.filter((channel) => channel.name.toLowerCase().includes(wanted));
  return near.length === 1 ? near[0] : undefined;
}

function channelHint(name: string, channels: NewsChannel[]): string {
  if (channels.length === 0) return "You have no saved channels yet. Search with `/news QUERY` instead.";
  const list = channels.slice(0, listed).map((channel) => `• ${escape(shorten(channel.name, 60))} (${channel.id})`);
  const more = channels.length > listed ? [`and ${channels.length - listed} more`] : [];
  const lead = name ? `No saved channel is called “${escape(shorten(name, 60))}”.` : "Which saved channel?";
  const quoted = inCode(`channel ${name}`);
  const instead = name ? [`To search for these words, type \`/news "${quoted}"\`.`] : [];
  return [lead, "Type `/news channel NAME` with one of these:", ...list, ...more, ...instead].join("\n");
}

function newestFirst<T extends { published?: number | undefined }>(articles: T[]): T[] {
  return articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
}
