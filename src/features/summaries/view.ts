import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { context, header, markdown } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, link, safeMarkdown, shorten, spokenMarkdown } from "../../slack/mrkdwn.ts";
import { creditsLine } from "../news/view.ts";

export interface Summary {
  query: string;
  text: string;
  sources: Article[];
  credits?: Credits | undefined;
}

/** A summary as far as it is written. */
export function summaryView({ query, text, sources, credits }: Summary): Message {
  const title = `Summary: ${shorten(query, 80)}`;
  const links = sources.slice(0, 6).map(({ url, title: label }) => link(url, shorten(label, 60)));
  const body = safeMarkdown(text);
  return {
    text: `${escape(title)}\n${spokenMarkdown(text)}`,
    blocks: [
      header(title),
      ...(body ? [markdown(body)] : []),
      ...(links.length > 0 ? [context(`*Sources* ${links.join(" · ")}`)] : []),
      ...(credits ? [context(creditsLine(credits))] : []),
    ],
    ...(!text && { progress: true }),
  };
}
