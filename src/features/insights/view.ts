import type { InsightChannel } from "../../apis/gateway/schema.ts";
import { menu } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { type ListQuery, listScreen } from "../paging.ts";
import { quote } from "../options.ts";
import { plural } from "../text.ts";

/** Topics of one screen. */
const pageSize = 6;

/** The topics that the gateway itself keeps, a screen at a time, each with a way to its news. */
export function insightsView(sought: ListQuery<InsightChannel>): Message {
  return listScreen({
    title: "Insight channels",
    sought,
    noun: "insight channel",
    verb: "insights",
    size: pageSize,
    none: "There are no insight channels at the moment. Search the news instead: `/news QUERY`.",
    line: insightLines,
    row: (shown) => [
      menu({
        action: `${postAction}:search`,
        placeholder: "Read one (1 credit)",
        choices: shown.map(({ id, name }) => ({
          label: shorten(name, limits.option),
          value: `news insight ${quote(id)}`,
        })),
      }),
    ],
    isTopic: true,
  });
}

function insightLines({ name, description, articleCount }: InsightChannel): string {
  const count = articleCount === undefined ? "" : ` · ${plural(articleCount, "article")}`;
  const about = description ? `\n${escape(shorten(description, 140))}` : "";
  return `${bold(shorten(name, 80))}${count}${about}`;
}
