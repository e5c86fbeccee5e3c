import type { SampleConversation } from "./conversation.ts";
import { entityById, type SampleEntity } from "./entities.ts";
import type { SampleArticle } from "./news.ts";
import { createRandom } from "./random.ts";
import { findGrounds, type Grounds, type NewsSearch } from "./retrieval.ts";
import { trending } from "./trending.ts";

/** A generated answer: the searches that came before it, its text, and the articles it stands on. */
export interface GeneratedAnswer {
  searches: NewsSearch[];
  text: string;
  articles: SampleArticle[];
}

interface AnswerContext {
  question: string;
  now: number;
  /** The address at which the sandbox serves article pages. */
  origin: string;
  /** Whether articles are cited by their own address instead of the platform's. */
  directUrls: boolean;
}

/** Answers the latest question of a conversation, in Markdown. The question's own words choose the form. */
export function generateAnswer(
  conversation: SampleConversation,
  options: Omit<AnswerContext, "question">,
): GeneratedAnswer {
  const context = { ...options, question: conversation.question };
  const grounds = findGrounds(conversation, context.now);
  return { searches: grounds.searches, text: writeAnswer(grounds, context), articles: grounds.articles };
}

function writeAnswer(grounds: Grounds, context: AnswerContext): string {
  const { question } = context;
  if (grounds.articles.length === 0) return writeNothing(grounds, context);
  const parts = grounds.isTop ? writeTop(grounds, context) : writeReport(grounds, context);
  if (/\btable\b/i.test(question)) parts.push(writeTable(grounds.articles, context));
  return [...parts, writeClosing(grounds)].join("\n\n");
}

/** The kinds of question: each kind decides which sentence of an article is quoted, and how the answer begins. */
const intents = [
  {
    asks: /\bwhy\b|\breasons?\b|\bcaus(e|ed|es|ing)\b|\bbehind\b/i,
    tells: /\b(because|due to|citing|blame[sd]?|owing to|driven by|prompted|caused?|risk of|after|amid|on concern)\b/i,
    opening: "What the coverage gives as the reason, for",
  },
  {
    asks: /\bnext\b|\bexpect|\boutlook\b|\bwill\b|\bfuture\b|\brisks?\b/i,
    tells: /\b(will|would|expects?|expected|plans?|due|could|may|next|until|by the end|forecast|deadline)\b/i,
    opening: "What the reports expect next for",
  },
];
const anything = { tells: /./, opening: "Here is the state of play on" };

/** A lead that quotes the first article and says how much there is, then what the next ones say. */
function writeReport(grounds: Grounds, context: AnswerContext): string[] {
  const intent = intents.find(({ asks }) => asks.test(context.question)) ?? anything;
  const isTelling = ({ summary }: SampleArticle) => Number(intent.tells.test(summary));
  const articles = grounds.articles.toSorted((left, right) => isTelling(right) - isTelling(left));
  const [first, ...others] = articles;
  if (!first) return [];
  const quote = quoteFrom(intent.tells);
  const lead = `${intent.opening} ${subjectOf(grounds)}: ${quote(first)} ${cite(first, context)} — ${origin(first, context)}.`;
  const outlets = new Set(articles.map((article) => article.source)).size;
  const newest = ago(context.now - Math.max(...articles.map((article) => article.published)));
  const reach =
    others.length === 0
      ? `This rests on one report, from ${newest}.`
      : `${articles.length} reports from ${outlets === 1 ? "one outlet" : `${outlets} outlets`} cover this, the newest from ${newest}.`;
  const bullets = (others.length === 0 ? articles : others.slice(0, 4)).map((article) =>
    bullet(article, quote, context),
  );
  return [lead, reach, bullets.join("\n")];
}

/** For a question that names nothing: who stands out against what is usual, and what is written about them. */
function writeTop(grounds: Grounds, context: AnswerContext): string[] {
  const trends = trending({ now: context.now, kind: "company", limit: 20 });
  const named = grounds.subjects.flatMap((subject) => {
    const trend = trends.find(({ entity }) => entity === subject);
    if (!trend) return [];
    return `**${subject.name}** (${trend.count} articles in 24 hours, ${trend.average.toFixed(1)} on a usual day)`;
  });
  const quote = quoteFrom(anything.tells);
  const bullets = grounds.articles.slice(0, 4).map((article) => bullet(article, quote, context));
  return [`Standing out from their usual coverage right now: ${listed(named)}.`, bullets.join("\n")];
}

function bullet(article: SampleArticle, quote: (article: SampleArticle) => string, context: AnswerContext): string {
  return `- ${quote(article)} ${cite(article, context)} — ${origin(article, context)}`;
}

/** Quotes the sentence of an article that fits best and was not quoted before; the headline where all were. */
function quoteFrom(tells: RegExp): (article: SampleArticle) => string {
  const used = new Set<string>();
  return ({ summary, title }) => {
    // A full stop inside a figure or after an initial ends no sentence.
    const sentences = summary.split(/(?<=[.!?]["”’]?)\s+(?=[\p{Lu}\p{N}"“‘])/u).map((sentence) => sentence.trim());
    const free = sentences.filter((sentence) => sentence !== "" && !used.has(sentence));
    const chosen = free.find((sentence) => tells.test(sentence)) ?? free[0] ?? `${title}.`;
    used.add(chosen);
    return chosen;
  };
}

function writeTable(articles: SampleArticle[], context: AnswerContext): string {
  const rows = articles.slice(0, 8).map((article) => {
    const time = new Date(article.published).toISOString().slice(0, 16).replace("T", " ");
    return `| ${time} | ${article.source} | ${cite(article, context).replaceAll("|", "\\|")} |`;
  });
  return ["| Published (UTC) | Source | Article |", "| --- | --- | --- |", ...rows].join("\n");
}

function writeClosing(grounds: Grounds): string {
  const further = entitiesOf(grounds.articles).filter(
    (entity) => entity.kind === "company" && !grounds.subjects.includes(entity),
  );
  const outlets = [...new Set(grounds.articles.slice(0, 5).map((article) => article.source))];
  const also = further.length > 0 ? ` Also named: ${bold(further.slice(0, 2))}.` : "";
  return `Quoted: ${listed(outlets)}.${also}`;
}

function writeNothing(grounds: Grounds, { now }: AnswerContext): string {
  const names = trending({ now, kind: "company", limit: 3 }).map(({ entity }) => entity);
  return (
    `I found nothing about ${subjectOf(grounds)} in the news of the past ten days.\n\n` +
    "- Try the full name of a company or person, or a ticker symbol.\n" +
    "- Try fewer words: every one of them has to appear.\n" +
    `- Or ask about what moves right now, such as ${bold(names)}.`
  );
}

function entitiesOf(articles: SampleArticle[]): SampleEntity[] {
  const ids = new Set(articles.flatMap((article) => [...article.primary, ...article.secondary]));
  return [...ids].flatMap((id) => entityById(id) ?? []);
}

function subjectOf({ subjects, keywords }: Grounds): string {
  if (subjects.length > 0) return bold(subjects);
  return keywords.length > 0 ? `“${keywords.join(" ")}”` : "these articles";
}

function cite(article: SampleArticle, { directUrls, origin: sandbox }: AnswerContext): string {
  const address = directUrls ? article.url : `${sandbox}/articles/${article.id}`;
  return `[${article.title.replaceAll(/[[\]]/g, "\\$&")}](${address})`;
}

/** "*Meridian Wire*, 3 hours ago". */
function origin(article: SampleArticle, { now }: AnswerContext): string {
  return `*${article.source}*, ${ago(now - article.published)}`;
}

function bold(named: { name: string }[]): string {
  return listed(named.map(({ name }) => `**${name}**`));
}

/** "a, b and c". */
function listed(items: string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** "40 minutes ago", "3 hours ago", "2 days ago". */
function ago(ms: number): string {
  const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return counted(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 36 ? counted(hours, "hour") : counted(Math.round(hours / 24), "day");
}

/** Cuts a text into the parts of a stream: one to three words, or a piece of one, as models do. Joined, they are the text. */
export function splitIntoParts(text: string): string[] {
  const random = createRandom(text);
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
  const parts: string[] = [];
  for (let at = 0; at < words.length;) {
    const size = 1 + random.below(3);
    // Cut between code points: half of an emoji would not survive the encoding.
    const points = Array.from(words.slice(at, at + size).join(""));
    at += size;
    const middle = random.next() < 0.2 ? 1 + random.below(Math.max(1, points.length - 1)) : points.length;
    const halves = [points.slice(0, middle).join(""), points.slice(middle).join("")];
    parts.push(...halves.filter((half) => half !== ""));
  }
  return parts;
}
