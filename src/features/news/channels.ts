import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { NewsChannel } from "../../apis/intelligence/schema.ts";
import { button, context, header, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { runAction } from "../../slack/incoming/request.ts";
import {
  type Sought,
  canBeSought,
  soughtCount,
  missedTopic,
  pageButtons,
  pageOf,
  pageOfSought,
  rowOf,
  soughtIn,
} from "../list.ts";
import type { Command } from "../feature.ts";
import { plural } from "../text.ts";

export const channels: Command<{ intelligence: Pick<Intelligence, "channels"> }> = {
  verb: "channels",
  group: "find",
  usage: "[NAME]",
  summary: "Your news channels: saved filters of the news service",
  examples: ["channels", "channels bank"],
  options: {},
  needs: ["intelligence"],
  isSlash: false,
  working: "Looking up your news channels…",
  fits: canBeSought,
  async run({ text, signal }, { intelligence }) {
    return channelsView(soughtIn(text, await intelligence.channels(signal), ({ name }) => name));
  },
};

/** Channels of one screen. */
const pageSize = 8;

const title = "News channels";
const none =
  "There are no news channels yet. They are saved filters of the news service. Search with `/news QUERY` instead.";

/** The saved channels, a screen at a time, each with a button that reads it. */
export function channelsView(sought: Sought<NewsChannel>): Message {
  const nothing = noChannelsWords(sought);
  if (nothing) return { text: spoken(nothing), blocks: [section(nothing)] };
  const { shown, at, last } = pageOf(sought.found, sought.page, pageSize);
  const place = last > 1 ? [`page ${at} of ${last}`] : [];
  const count = soughtCount(sought, "news channel");
  const hint = "Saved filters of the news service; read one with `/news channel NAME`";
  return {
    text: [[title, ...place, count].join(", "), ...shown.map((channel) => spoken(channelLine(channel, ", ")))].join(
      "\n",
    ),
    blocks: [
      header(title),
      ...shown.map((channel) => sectionWith(channelLine(channel, "\n"), readButton(channel))),
      context([count, ...place, hint].join(" · ")),
      ...rowOf(...pageButtons({ at, last, line: (page) => `channels ${pageOfSought(sought, page)}` })),
    ],
    shareable: true,
  };
}

function noChannelsWords(sought: Sought<NewsChannel>): string | undefined {
  if (sought.total === 0) return none;
  if (sought.found.length > 0) return undefined;
  return missedTopic(sought, "I couldn’t find a news channel called", "/bellwether channels");
}

function channelLine({ name, stages }: NewsChannel, separator: string): string {
  const excluded = stages.filter(({ not }) => not).length;
  const filters = stages.length === 0 ? "no filters" : plural(stages.length, "filter");
  const facts = excluded > 0 ? `${filters}, ${excluded} excluded` : filters;
  return `${bold(shorten(name, 80) || "Unnamed")}${separator}${facts}`;
}

function readButton({ id, name }: NewsChannel) {
  return button({
    action: `${runAction}:channel-${id}`,
    label: "Read",
    value: `news channel ${id}`,
    spoken: `Read ${shorten(name, 60)}`,
  });
}
