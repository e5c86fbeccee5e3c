import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Entity, type NewsChannel, stageEntityIds } from "../../apis/intelligence/schema.ts";
import { button, context, header, messageOf, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { type ListQuery, listScreen, searchList } from "../paging.ts";
import type { Command } from "../feature.ts";
import { followButtons } from "../sources/follow.ts";
import { findSource } from "../sources/index.ts";
import type { SourceDependencies } from "../sources/source.ts";
import { plural } from "../text.ts";
import { contentOfStages, filtersBeyondEntries } from "../sources/stages.ts";
import { looksLikeQuery } from "../names.ts";
import { contentLines } from "../sources/watchlist.ts";

const showWords = /^show\s+(\S[\s\S]*)$/i;

export const channels: Command<SourceDependencies> = {
  verb: "channels",
  group: "find",
  usage: "[NAME] | show NAME",
  summary: "Your news channels: saved filters and what they hold",
  examples: ["channels", "channels bank", "channels show Central banks"],
  options: {},
  needs: ["intelligence"],
  working: "Looking up your news channels…",
  fits: (text) => looksLikeQuery(showWords.exec(text.trim())?.[1] ?? text),
  async run(ask, deps) {
    const { intelligence } = deps;
    const [, shown] = showWords.exec(ask.text.trim()) ?? [];
    if (shown === undefined) {
      return channelsView(searchList(ask.text, await intelligence.channels(ask.signal), ({ name }) => name));
    }
    const what = shown.replace(/["“”„«»]/g, "").trim();
    const source = await findSource({ kind: "channel", what }, deps, ask);
    const channel = await intelligence.channel(Number("id" in source ? source.id : what), ask.signal);
    return contentView(channel, await entitiesIn(channel, intelligence, ask.signal));
  },
};

/** The entities that a channel's filters name. */
async function entitiesIn(
  { stages }: NewsChannel,
  intelligence: Pick<Intelligence, "entities">,
  signal: AbortSignal,
): Promise<Map<number, Entity>> {
  const ids = stageEntityIds(stages);
  return ids.length > 0 ? intelligence.entities(ids, signal) : new Map<number, Entity>();
}

/** The content of a channel, shown like a watchlist’s, with the next steps. */
function contentView({ id, name, stages }: NewsChannel, known: Map<number, Entity>): Message {
  const title = shorten(name, 100) || "Unnamed";
  const held = contentOfStages(stages, known);
  const lines = contentLines(held);
  const beyond = filtersBeyondEntries(stages);
  const others = beyond > 0 ? [`${plural(beyond, "filter")} by something that I can’t name`] : [];
  const content = [...lines, ...others].join("\n") || "No filters: it has all news.";
  return {
    ...messageOf(
      header(title),
      section(content),
      context("News channel: a saved filter of the news service"),
      row(
        button({ action: `${postAction}:news`, label: "Read", value: `news channel ${id}` }),
        ...followButtons({ source: `channel ${id}`, name }),
        ...(held.groups.length > 0
          ? [button({ action: `${postAction}:copy`, label: "Copy to a watchlist", value: `watchlists copy ${id}` })]
          : []),
      ),
    ),
    shareable: true,
  };
}

/** Channels of one screen. */
const pageSize = 5;

/** The saved channels, a screen at a time, each with buttons that read it and show what it holds. */
function channelsView(sought: ListQuery<NewsChannel>): Message {
  return listScreen({
    title: "News channels",
    sought,
    noun: "news channel",
    verb: "channels",
    size: pageSize,
    none: "There are no news channels yet. They are saved filters of the news service. Search with `/news QUERY` instead.",
    line: channelLine,
    steps: channelSteps,
    hint: "Saved filters of the news service; read one with `/news channel NAME`",
    isTopic: true,
  });
}

function channelLine({ name, stages }: NewsChannel): string {
  const excluded = stages.filter(({ not }) => not).length;
  const filters = stages.length === 0 ? "no filters" : plural(stages.length, "filter");
  const facts = excluded > 0 ? `${filters}, ${excluded} excluded` : filters;
  return `${bold(shorten(name, 80) || "Unnamed")}\n${facts}`;
}

function channelSteps({ id, name }: NewsChannel) {
  const called = shorten(name, 50);
  return [
    button({
      action: `${postAction}:channel-${id}`,
      label: "Read",
      value: `news channel ${id}`,
      accessibleText: `Read ${called}`,
    }),
    button({
      action: `${postAction}:show-${id}`,
      label: "What’s in it",
      value: `channels show ${id}`,
      accessibleText: `What’s in it: ${called}`,
    }),
  ];
}
