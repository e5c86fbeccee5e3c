import { context, markdown } from "../../slack/blocks.ts";
import type { Block, Message } from "../../slack/message.ts";
import { escape, legible, safeMarkdown, shorten, spokenMarkdown } from "../../slack/mrkdwn.ts";
import { plural, sourcesLine } from "../words.ts";
import type { Answer } from "./conversation.ts";

interface AnswerView {
  answer: Answer;
  /** Who asked, where the question does not stand above the answer. */
  asker?: string | undefined;
  isFinished: boolean;
}

/** An answer as far as it is written: the question where it is not to be seen, the words, and what they stand on. */
export function answerView({ answer, asker, isFinished }: AnswerView): Message {
  const { question, text, activity } = answer;
  const body = safeMarkdown(legible(text));
  const lead = asker ? [context(`<@${asker}> asked: ${escape(shorten(question, 300))}`)] : [];
  const working = escape(shorten(activity ?? "Thinking…", 150));
  const isWorking = activity !== undefined || !body;
  const doing = isWorking ? [context(activity ? `:mag: ${working}` : working)] : [];
  return {
    text: spokenMarkdown(text) || working,
    blocks: [...lead, ...(body ? [markdown(body)] : []), ...doing, ...(isFinished ? sourcesOf(answer) : [])],
    ...(!body && { progress: true }),
  };
}

/** The articles that an answer links to, as links, and how many it read. */
function sourcesOf({ text, articleIds }: Answer): Block[] {
  const sources = sourcesLine(linksOf(text), "more above");
  const read = articleIds.length > 0 ? `${plural(articleIds.length, "article")} read` : undefined;
  const parts = [sources, read].filter((part) => part !== undefined);
  return parts.length > 0 ? [context(parts.join(" · "))] : [];
}

/** Links of a Markdown text, each address once. */
export function linksOf(markdownText: string): { url: string; label: string }[] {
  const found = markdownText.matchAll(/(?<!!)\[((?:[^[\]\\]|\\.)+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/g);
  const byUrl = new Map<string, string>();
  for (const [, label, url] of found) {
    if (!label || !url || byUrl.has(url)) continue;
    const plain = label.replace(/\\(.)/g, "$1").replace(/[*_`]/g, "").trim();
    byUrl.set(url, plain || (URL.parse(url)?.hostname ?? url));
  }
  return [...byUrl].map(([url, label]) => ({ url, label }));
}
