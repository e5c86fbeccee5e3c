import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { context, header, markdown } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, legible, link, safeMarkdown, shorten, spokenMarkdown } from "../../slack/mrkdwn.ts";
import { creditsLine } from "../news/view.ts";

const sourcesShown = 6;

export interface Summary {
  query: string;
  text: string;
  sources: Article[];
  credits?: Credits | undefined;
}

/** A summary as far as it is written. */
export function summaryView({ query, text, sources, credits }: Summary): Message {
  const title = `Summary: ${shorten(query, 80)}`;
  const links = sources.slice(0, sourcesShown).map(({ url, title: label }) => link(url, shorten(label, 40)));
  const more = sources.length > sourcesShown ? [`${sources.length - sourcesShown} more`] : [];
  const body = safeMarkdown(legible(text));
  return {
    text: `${escape(title)}\n${spokenMarkdown(text)}`,
    blocks: [
      header(title),
      ...(body ? [markdown(body)] : []),
      ...(links.length > 0 ? [context(`*Sources* ${[...links, ...more].join(" · ")}`)] : []),
      ...(credits ? [context(creditsLine(credits))] : []),
    ],
    ...(!text && { progress: true }),
  };
}
