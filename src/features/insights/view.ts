import type { InsightChannel } from "../../apis/gateway/collections/schema.ts";
import { button, context, header, menu, row, section } from "../../slack/blocks.ts";
import { limits } from "../../slack/limits.ts";
import type { Message } from "../../slack/message.ts";
import { bold, escape, shorten, spoken } from "../../slack/mrkdwn.ts";
import { runAction, turnAction } from "../../slack/request.ts";
import { pageOf } from "../pages.ts";
import { plural } from "../words.ts";

/** Topics of one screen. */
const pageSize = 6;

/** The topics that the gateway itself keeps, a screen at a time, each with a way to its news. */
export function insightsView(channels: InsightChannel[], page: number): Message {
  if (channels.length === 0) {
    const none = "The gateway offers no insight channels at the moment. Search the news instead: `/news QUERY`.";
    return { text: none, blocks: [section(none)] };
  }
  const { shown, at, last } = pageOf(channels, page, pageSize);
  const lines = shown.map(channelLines);
  const small = [plural(channels.length, "insight channel"), last > 1 && `page ${at} of ${last}`].filter(Boolean);
  const choices = shown.map(({ name }) => ({
    label: shorten(name, limits.option),
    value: `news "${shorten(name.replaceAll('"', ""), 60)}"`,
  }));
  const turn = (label: string, to: number) =>
    button({ action: `${turnAction}:${label}`, label, value: `insights ${to}`, spoken: `${label}, page ${to}` });
  return {
    text: ["Insight channels", small.join(" · "), ...lines.map(spoken)].join("\n"),
    blocks: [
      header("Insight channels"),
      section(lines.join("\n")),
      context(small.join(" · ")),
      row(
        menu({ action: `${runAction}:search`, placeholder: "Search the news of one", choices }),
        ...(at > 1 ? [turn("Previous", at - 1)] : []),
        ...(at < last ? [turn("Next", at + 1)] : []),
      ),
    ],
    shareable: true,
  };
}

function channelLines({ name, description, articleCount }: InsightChannel): string {
  const count = articleCount === undefined ? "" : ` · ${plural(articleCount, "article")}`;
  const about = description ? `\n${escape(shorten(description, 140))}` : "";
  return `${bold(shorten(name, 80))}${count}${about}`;
}
