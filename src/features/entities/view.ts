import type { Article } from "../../apis/article.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { buttons, context, header, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { escape, inCode, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { belowAction, runAction } from "../../slack/incoming/request.ts";
import { articleLine } from "../news/view.ts";
import type { EntityMatch } from "./directory.ts";

/** Its newest articles that one screen has room for beside its facts. */
const lately = 3;

interface EntityView {
  entity: Entity;
  /** The newest first; missing where they could not be had. */
  articles: Article[] | undefined;
  /** Whether there is a service that searches and sums up. */
  canSearch: boolean;
  now: number;
}

/** One entity: what it is, what was written about it lately, and ways on. */
export function entityView({ entity, articles, canSearch, now }: EntityView): Message {
  const kind = [shorten(entity.typeName, 60), listing(entity)].filter(Boolean).map(escape).join(" · ");
  const news = latestNews(articles, now);
  const name = shorten(entity.name, 120);
  // "Channel Islands" is a name, and without quotation marks a saved channel.
  const quoted = `"${name.replaceAll('"', "")}"`;
  return {
    text: [`${escape(name)}, ${kind}`, spoken(news)].join("\n"),
    blocks: [
      header(name),
      context(kind),
      section(news),
      buttons(...(canSearch ? searches(quoted) : []), {
        action: belowAction,
        label: "Ask why it matters",
        value: `ask What is new about ${name}, and why does it matter?`,
      }),
    ],
    shareable: true,
  };
}

function searches(quoted: string) {
  return [
    { action: `${runAction}:news`, label: "All news", value: `news ${quoted}` },
    { action: `${runAction}:summary`, label: "Summarise", value: `summary ${quoted}` },
  ];
}

function latestNews(articles: Article[] | undefined, now: number): string {
  if (!articles) return "Its latest news isn’t available right now.";
  if (articles.length === 0) return "No recent articles about it.";
  const lines = articles.slice(0, lately).map((article) => articleLine(article, { now }));
  return lines.map((line) => `• ${line}`).join("\n");
}

/** No entity is meant clearly: the likeliest ones as buttons, or what to try. */
export function didYouMeanView(text: string, { near, isAmbiguous }: EntityMatch): Message {
  const wanted = escape(shorten(text, 80));
  if (near.length === 0) {
    const hint = `I couldn’t find “${wanted}”. Try the full name or the ticker symbol, or search the news: \`/news ${inCode(text)}\`.`;
    return { text: hint, blocks: [section(hint)] };
  }
  const lead = isAmbiguous
    ? `“${wanted}” can be one of these. Which one do you mean?`
    : `I couldn’t find “${wanted}”. Did you mean ${near.length === 1 ? "this" : "one of these"}?`;
  const labels = near.map(
    ({ name, typeName }) => shorten(name, 60) + (isAmbiguous ? ` (${shorten(typeName, 12)})` : ""),
  );
  const choices = near.map((entity, index) => ({
    action: `${runAction}:${index}`,
    label: labels[index] ?? "",
    value: `entity ${entity.id}`,
  }));
  return { text: `${lead} ${escape(labels.join(", "))}`, blocks: [section(lead), buttons(...choices)] };
}

function listing({ exchange, symbol }: Entity): string {
  return shorten([exchange, symbol].filter(Boolean).join(": "), 60);
}
