import type { InsightChannel } from "../../apis/gateway/schema.ts";
import { menu, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { runAction } from "../../slack/incoming/request.ts";
import { type Sought, missedTopic, namesScreen, pageButtons, pageOf, pageOfSought, soughtCount } from "../paging.ts";
import { quote } from "../options.ts";
import { plural } from "../text.ts";

/** Topics of one screen. */
const pageSize = 6;

/** The topics that the gateway itself keeps, a screen at a time, each with a way to its news. */
export function insightsView(sought: Sought<InsightChannel>): Message {
  const nothing = noInsightsWords(sought);
  if (nothing) return { text: spoken(nothing), blocks: [section(nothing)] };
  const { shown, at, last } = pageOf(sought.found, sought.page, pageSize);
  const choices = shown.map(({ id, name }) => ({
    label: shorten(name, limits.option),
    value: `news insight ${quote(id)}`,
  }));
  return namesScreen({
    title: "Insight channels",
    count: soughtCount(sought, "insight channel"),
    lines: shown.map(insightLines),
    at,
    last,
    rows: [
      row(
        menu({ action: `${runAction}:search`, placeholder: "Read one (1 credit)", choices }),
        ...pageButtons({ at, last, line: (page) => `insights ${pageOfSought(sought, page)}` }),
      ),
    ],
  });
}

function noInsightsWords(sought: Sought<InsightChannel>): string | undefined {
  if (sought.total === 0) return "There are no insight channels at the moment. Search the news instead: `/news QUERY`.";
  if (sought.found.length > 0) return undefined;
  return missedTopic(sought, "I couldn’t find an insight channel called", "/bellwether insights");
}

function insightLines({ name, description, articleCount }: InsightChannel): string {
  const count = articleCount === undefined ? "" : ` · ${plural(articleCount, "article")}`;
  const about = description ? `\n${escape(shorten(description, 140))}` : "";
  return `${bold(shorten(name, 80))}${count}${about}`;
}
