import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { context, header, markdown } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, legible, safeMarkdown, shorten, spokenMarkdown } from "../../slack/mrkdwn.ts";
import { creditsLine } from "../news/view.ts";
import { sourcesLine } from "../words.ts";

export interface Summary {
  query: string;
  text: string;
  sources: Article[];
  credits?: Credits | undefined;
}

/** A summary as far as it is written. */
export function summaryView({ query, text, sources, credits }: Summary): Message {
  const title = `Summary: ${shorten(query, 80)}`;
  const line = sourcesLine(sources.map(({ url, title: label }) => ({ url, label })));
  const body = safeMarkdown(legible(text));
  return {
    text: `${escape(title)}\n${spokenMarkdown(text)}`,
    blocks: [
      header(title),
      ...(body ? [markdown(body)] : []),
      ...(line ? [context(line)] : []),
      ...(credits ? [context(creditsLine(credits))] : []),
    ],
    ...(!text && { progress: true }),
  };
}
