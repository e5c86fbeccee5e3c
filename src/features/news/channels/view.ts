import type { NewsChannel } from "../../../apis/intelligence/schema.ts";
import { button, buttons, context, header, section, sectionWith } from "../../../slack/text/blocks.ts";
import type { Block, Message } from "../../../slack/text/message.ts";
import { bold, escape, inCode, shorten, spoken } from "../../../slack/text/mrkdwn.ts";
import { runAction, turnAction } from "../../../slack/incoming/request.ts";
import { type Sought, alike, countOf, missedTopic, pageOf, pageOfSought } from "../../list.ts";
import { plural } from "../../text.ts";

/** Channels of one screen. */
const pageSize = 8;
/** Saved channels that a hint names; more does not fit on a phone. */
const listed = 8;

const title = "Saved channels";
const none = "You have no saved channels yet. Search with `/news QUERY` instead.";

/** The saved channels, a screen at a time, each with a button that reads it. */
export function channelsView(sought: Sought<NewsChannel>): Message {
  const nothing = nothingIn(sought);
  if (nothing) return { text: spoken(nothing), blocks: [section(nothing)] };
  const { shown, at, last } = pageOf(sought.found, sought.page, pageSize);
  const place = last > 1 ? [`page ${at} of ${last}`] : [];
  const count = countOf(sought, "channel");
  const hint = "Read any by its name: `/news channel NAME`";
  return {
    text: [[title, ...place, count].join(", "), ...shown.map((channel) => spoken(channelLine(channel, ", ")))].join(
      "\n",
    ),
    blocks: [
      header(title),
      ...shown.map((channel) => sectionWith(channelLine(channel, "\n"), readButton(channel))),
      context([count, ...place, hint].join(" · ")),
      ...turning(sought, at, last),
    ],
    shareable: true,
  };
}

function nothingIn(sought: Sought<NewsChannel>): string | undefined {
  if (sought.total === 0) return none;
  if (sought.found.length > 0) return undefined;
  return missedTopic(sought, "No saved channel is called", "/bellwether channels");
}

function channelLine({ id, name, stages }: NewsChannel, separator: string): string {
  const excluded = stages.filter(({ not }) => not).length;
  const filters = stages.length === 0 ? "no filters" : plural(stages.length, "filter");
  const facts = [excluded > 0 ? `${filters}, ${excluded} excluded` : filters, `ID ${id}`].join(" · ");
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

function turning(sought: Sought<NewsChannel>, at: number, last: number): Block[] {
  if (last === 1) return [];
  const to = (label: string, page: number) => ({
    action: `${turnAction}:${label.toLowerCase()}`,
    label,
    value: `channels ${pageOfSought(sought, page)}`,
    spoken: `${label}, page ${page} of ${last}`,
  });
  return [buttons(...(at > 1 ? [to("Previous", at - 1)] : []), ...(at < last ? [to("Next", at + 1)] : []))];
}

/** What a reader sees of a channel without articles. */
export function emptyChannelView(name: string): Message {
  const text = `The channel “${escape(shorten(name, 100))}” has no articles at the moment.`;
  return { text, blocks: [section(text)] };
}

/** What to type where no channel is meant clearly, as mrkdwn. */
export function channelHint(name: string, channels: NewsChannel[]): string {
  const isNumber = /^\d+$/.test(name);
  const unknown = isNumber
    ? `The news service shows us no channel with the number ${shorten(name, 20)}.`
    : `No saved channel is called “${escape(shorten(name, 60))}”.`;
  const quoted = inCode(`channel ${name}`);
  const instead = isNumber ? [] : [`To search for these words, type \`/news "${quoted}"\`.`];
  if (channels.length === 0) return [unknown, none, ...instead].join("\n");
  const near = isNumber ? [] : alike(name, channels, (channel) => channel.name);
  const [named, lead] =
    near.length > 0
      ? [near, "Did you mean one of these? Type `/news channel NAME`:"]
      : [channels, "Type `/news channel NAME` with one of these:"];
  const list = named.slice(0, listed).map((channel) => `• ${escape(shorten(channel.name, 60))} (${channel.id})`);
  const rest = channels.length - list.length;
  const more = rest > 0 ? [`and ${rest} more: \`/bellwether channels\``] : [];
  return [`${unknown} ${lead}`, ...list, ...more, ...instead].join("\n");
}
