import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { buttons, context, header, section } from "../../slack/blocks.ts";
import type { Block, Message } from "../../slack/message.ts";
import { escape, inCode, link, shorten, spoken, when } from "../../slack/mrkdwn.ts";
import { runAction } from "../../slack/request.ts";
import { plural } from "../words.ts";

/** Articles of one screen; more does not fit on a phone. */
export const pageSize = 5;

interface NewsView {
  title: string;
  articles: Article[];
  total: number;
  credits?: Credits;
  /** Names of the entities that the articles are about, by ID. */
  names?: Map<number, string>;
  /** A line to run for an AI summary of the same thing. */
  summary?: string;
}

/** A list of articles, newest or best first, on one screen. */
export function newsView({ title, articles, total, credits, names, summary }: NewsView): Message {
  const shown = articles.slice(0, pageSize);
  const count =
    total > shown.length ? `${shown.length} of ${plural(total, "article")}` : plural(shown.length, "article");
  const small = [count, ...(credits ? [creditsLine(credits)] : [])].join(" · ");
  return {
    text: [escape(title), ...shown.map((article) => spoken(articleLine(article)))].join("\n"),
    blocks: [
      header(title),
      ...shown.flatMap((article) => articleBlocks(article, names)),
      context(small),
      ...(summary ? [buttons({ action: `${runAction}:summary`, label: "Summarise this", value: summary })] : []),
    ],
    shareable: true,
  };
}

/** What a reader sees when nothing was found, with what to try. */
export function nothingFoundView(query: string, credits?: Credits): Message {
  const text = `No articles match “${escape(shorten(query, 100))}”.`;
  const hint = "Try fewer words, a company's full name, or its ticker symbol.";
  return {
    text: `${text} ${hint}`,
    blocks: [section(`${text}\n${hint}`), ...(credits ? [context(creditsLine(credits))] : [])],
  };
}

/** What a call cost and what is left. */
export function creditsLine({ used, remaining, test }: Credits): string {
  if (test) return "Test key: no credits used";
  const cost = used === undefined ? "Credits used: unknown" : `${plural(used, "credit")} used`;
  return remaining === undefined ? cost : `${cost}, ${remaining.toLocaleString("en")} left`;
}

/** A linked headline with source and time. */
export function articleLine({ title, url, source, published }: Article): string {
  const small = [source && escape(shorten(source, 40)), published !== undefined && when(published)].filter(Boolean);
  const headline = link(url, shorten(title || "Untitled", 160));
  return small.length > 0 ? `*${headline}*\n_${small.join(" · ")}_` : `*${headline}*`;
}

function articleBlocks(article: Article, names?: Map<number, string>): Block[] {
  const about = article.entities.primary.map((id) => names?.get(id)).filter((name) => name !== undefined);
  const summary = article.summary ? `\n${escape(shorten(article.summary, 220))}` : "";
  const chips =
    about.length > 0
      ? [
          context(
            about
              .slice(0, 4)
              .map((name) => `\`${inCode(shorten(name, 40))}\``)
              .join("  "),
          ),
        ]
      : [];
  return [section(articleLine(article) + summary), ...chips];
}
