import type { Article } from "../../apis/article.ts";
import type { SummaryEvent } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { type GenerativeMessage, userMessage } from "../../apis/intelligence/generate.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { articleMessages, articlesTold, isInWords } from "../text.ts";
import type { Scope } from "../question/scope.ts";
import type { ArticleFilter } from "../articles/filter.ts";
import type { ArticleList } from "../articles/list.ts";
import type { WritingOrder } from "../articles/writer.ts";

/** A summary as far as it is written. */
export interface Summary {
  topic: string;
  text: string;
  sources: Article[];
  scope?: Scope | undefined;
  filter?: ArticleFilter | undefined;
  credits?: Credits | undefined;
}

const manner = [
  "Write for somebody who has a minute. Keep to the articles that you are given, and say nothing that they do not say.",
  "Begin with a lead of one or two sentences that says what happened and why it matters, without a heading.",
  "Then three to six bullet points of one short sentence, the most important first, each with a link to every article that it stands on.",
].join("\n");
const order = "Summarise these articles.";

/** The summary with what an event brings. */
export function withSummaryEvent(summary: Summary, event: SummaryEvent): Summary {
  if (event.type === "text") return { ...summary, text: summary.text + event.text };
  if (event.type === "sources") return { ...summary, sources: event.articles };
  return { ...summary, credits: withSpent(event.credits, summary.credits?.used) };
}

/** The sum spent if a search came before the summary. */
function withSpent(credits: Credits, before = 0): Credits {
  return credits.used === undefined ? credits : { ...credits, used: credits.used + before };
}

/** The topic of a list: the words that were searched for, or its name. */
export function topicOf({ title, source }: ArticleList): string {
  return source?.kind === "search" ? source.query : title;
}

/** The order to summarise these articles, and no others; `begin` is a sentence on what to begin with. */
export function summaryOrder(articles: Article[], settings: Scope, begin?: string): WritingOrder {
  return { articles, manner, order: begin ? `${order} ${begin}` : order, settings };
}

/** The memory of a summary's thread: its articles and its words. */
export function threadMemoryOf({ topic, text, sources, scope }: Summary, key?: string) {
  const title = `Summary: ${shorten(topic, 80)}`;
  const messages = articleMessages(sources);
  const chosen = { title, count: articlesTold(sources).length, messages, key };
  const changes = { ...scope, ...(isInWords(messages) && { isOnly: true }) };
  const summed: GenerativeMessage = { role: "assistant", content: { type: "text", text } };
  const turn = { messages: [userMessage(order), summed] };
  return { turn, ...(sources.length > 0 && { articles: chosen }), changes };
}
