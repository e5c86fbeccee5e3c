import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { button, context, header, moreMenu, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { ago, escape, link, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { actionOn, belowAction } from "../../slack/incoming/request.ts";
import { followButtons, typedSource } from "../sources/follow.ts";
import { pageButtons, pageOf, rowOf } from "../paging.ts";
import { plural, sentence } from "../text.ts";
import { type ArticleList, mostListed, billOf } from "./list.ts";

/** Articles of one screen. */
const pageSize = 5;
/** Characters of a summary: a line on a desk, three on a phone. */
const summaryRoom = 90;

interface ArticlePage extends Pick<ArticleActs, "canAsk" | "digest"> {
  /** What the list is kept under; missing where it could not be kept, and then nothing can be done with it. */
  key?: string | undefined;
  /** Counted from 1; one that the list does not have becomes the nearest. */
  page: number;
  now: number;
}

/** What can be done with an article, beside a list of others. */
interface ArticleActs {
  /** The kept list that it is in, and its number there, counted from 1. */
  key: string;
  at: number;
  /** Whether there is a service that answers questions. */
  canAsk: boolean;
  /** The digest that has posted it, where it has: whoever reads that can hide the story from its channel. */
  digest?: { number: number; isOwn?: boolean } | undefined;
}

/** The ⋯ menu beside an article. */
export function articleMenu({ key, at, canAsk, digest }: ArticleActs): ReturnType<typeof moreMenu> {
  return moreMenu({
    action: actionOn(`${belowAction}:article`, `${key}:${at}`),
    choices: [
      { label: "Summarise", value: "sum" },
      ...(canAsk ? [{ label: "Ask about it", value: "about" }] : []),
      { label: "Share", value: "share" },
      ...(digest
        ? [{ label: digest.isOwn ? "Not for me" : "Not for us", value: `digests hide ${digest.number}` }]
        : []),
    ],
  });
}

/** A list of articles a page at a time, with what can be done with it. */
export function listView(list: ArticleList, { key, page, canAsk, digest, now }: ArticlePage): Message {
  const { total, note, credits, names } = list;
  const title = shorten(list.title, 80) || "News";
  const { shown: articles, at, last, first } = articlePage(list.articles, page);
  const count = articleCount(list, { first, shown: articles.length });
  const bill = billOf(credits);
  const facts = [...(articles.length > 0 ? [count] : []), ...bill, ...furtherHint(list, at === last)];
  const place = key !== undefined && last > 1 ? [`page ${at} of ${last}`] : [];
  return {
    text: [
      [escape(title), ...place, ...(total > 0 ? [count] : [])].join(", "),
      ...(note ? [spoken(note)] : []),
      ...(articles.length > 0 ? articles.map((article) => spokenArticle(article, names, now)) : [nothing]),
      ...bill,
    ].join("\n"),
    blocks: [
      header(title),
      ...(note ? [section(note)] : []),
      ...(articles.length > 0
        ? articles.flatMap((article, index) =>
            articleBlocks(article, {
              names,
              now,
              menu: key === undefined ? undefined : articleMenu({ key, at: first + index, canAsk, digest }),
            }),
          )
        : [section(nothing)]),
      ...(facts.length > 0 ? [context(facts.join(" · "))] : []),
      ...(key === undefined || articles.length === 0
        ? []
        : [
            ...rowOf(...pageButtons({ at, last, line: (to) => listLine(key, to, digest), labels: turnLabels(list) })),
            listButtons(list, { key, canAsk }),
          ]),
    ],
    shareable: true,
  };
}

/** The line that shows a page of a kept list. */
export function listLine(key: string, page: number, digest?: ArticleActs["digest"]): string {
  return `list ${key} ${page}${digest ? ` ${digest.number}` : ""}`;
}

/** An article alone, with a button that shows it to the channel; in a direct message, how else to share it. */
export function sharedArticle(article: Article, { now, isAlone }: { now: number; isAlone: boolean }): Message {
  const words = [articleLine(article, { now }), ...(article.summary ? [escape(shorten(article.summary, 300))] : [])];
  const hint =
    "Only you read our direct message. To share this, copy the headline’s link, or run the command in a channel.";
  return {
    text: [...words.map(spoken), ...(isAlone ? [hint] : [])].join("\n"),
    blocks: [section(words.join("\n")), ...(isAlone ? [context(hint)] : [])],
    private: true,
    ...(!isAlone && { shareable: true }),
  };
}

/** How one gets further than the end of a search. */
function furtherHint({ source, articles, total }: ArticleList, isEnd: boolean): string[] {
  const isMore = source?.kind === "search" && total > articles.length && articles.length < mostListed;
  return isMore && isEnd && articles.length > pageSize ? [`\`--limit ${mostListed}\` lists more`] : [];
}

function turnLabels({ isRanked }: ArticleList): [string, string] {
  return isRanked ? ["Previous", "Next"] : ["Newer", "Older"];
}

const nothing = "There are no articles at the moment.";

/** The articles of one page, which page that is, and how many there are. */
export function articlePage(articles: Article[], page: number) {
  return pageOf(articles.slice(0, mostListed), page, pageSize);
}

/** `1–5 of 23 articles`; with how many there are besides, where they are more than can be turned to. */
function articleCount({ articles, total }: ArticleList, { first, shown }: { first: number; shown: number }): string {
  const reachable = Math.min(articles.length, mostListed);
  const all = Math.max(total, articles.length);
  const place = shown > 1 ? `${first}–${first + shown - 1}` : first;
  const range = reachable > shown ? `${place} of ${plural(reachable, "article")}` : undefined;
  const more = all > reachable ? [`${all.toLocaleString("en")} in all`] : [];
  return [range ?? plural(shown, "article"), ...more].join(", ");
}

function listButtons({ source, title }: ArticleList, { key, canAsk }: { key: string; canAsk: boolean }): Block {
  return row(
    button({ action: `${belowAction}:sum`, label: "Summarise these", value: `sum ${key}` }),
    ...(canAsk ? [button({ action: belowAction, label: "Ask about these", value: `about ${key}` })] : []),
    ...(source ? followButtons({ source: typedSource(source), name: title, digest: `follow ${key}` }) : []),
  );
}

/** What a reader sees when nothing was found, with what to try. */
export function nothingFoundView(query: string, credits?: Credits): Message {
  const text = `No articles match “${escape(shorten(query, 100))}”.`;
  const hint = "Try fewer words, a company’s full name or its ticker symbol.";
  return {
    text: `${text} ${hint}`,
    blocks: [section(`${text}\n${hint}`), ...billOf(credits).map((line) => context(line))],
  };
}

/** What a list was limited to, and how many articles that was chosen from, as mrkdwn. */
interface Limited {
  words: string[];
  read: number;
  /** Also of those that the service did not give. */
  total: number;
}

/** Says above a list what it is limited to. */
export function limitedNote({ words, read, total }: Limited): string {
  return sentence([...words, `${readWords({ read, total })} read`].join(" · "));
}

/** `34 articles`, or `100 of 312 articles` where the service gave no more. */
function readWords({ read, total }: Omit<Limited, "words">): string {
  return total > read ? `${read} of ${plural(total, "article")}` : plural(read, "article");
}

/** What a reader sees where a source has articles and none of them is wanted. */
export function nothingLeftView({
  title,
  words,
  credits,
  ...counts
}: Limited & Pick<ArticleList, "title" | "credits">): Message {
  const text = `None of ${counts.total > counts.read ? "the first " : "the "}${readWords(counts)} in “${escape(shorten(title, 100))}” fits: ${words.join(" · ")}.`;
  return { text: spoken(text), blocks: [section(text), ...billOf(credits).map((line) => context(line))] };
}

/** What a reader sees of a source without articles. */
export function emptySourceView(title: string, credits?: Credits): Message {
  const text = `“${escape(shorten(title, 100))}” has no articles at the moment.`;
  return { text, blocks: [section(text), ...billOf(credits).map((line) => context(line))] };
}

/** A linked headline in bold, with its outlet and when it was published. */
export function articleLine(article: Article, { now }: { now: number }): string {
  return [`*${headlineOf(article)}*`, ...articleOrigin(article, now)].join(" · ");
}

function headlineOf({ title, url }: Article): string {
  return link(url, shorten(title, 160) || "Untitled");
}

function articleOrigin({ source, published }: Article, now: number): string[] {
  return [
    ...(source ? [escape(shorten(source, 40))].filter(Boolean) : []),
    ...(published === undefined ? [] : [ago(published, now)]),
  ];
}

interface ShownArticle {
  names: ArticleList["names"];
  now: number;
  /** Missing where nothing can be done with it. */
  menu: ReturnType<typeof moreMenu> | undefined;
}

function articleBlocks(article: Article, { names, now, menu }: ShownArticle): Block[] {
  const summary = article.summary ? `\n${escape(shorten(article.summary, summaryRoom))}` : "";
  const { main, further } = aboutOf(article, names);
  const also = further.length > 0 ? `also ${escape(further.join(", "))}` : "";
  const about = [escape(main.join(", ")), also].filter(Boolean).join(" · ");
  const words = articleLine(article, { now }) + summary;
  return [menu ? sectionWith(words, menu) : section(words), ...(about ? [context(about)] : [])];
}

/** An article in one sentence: headline, source, time and what it is about. */
function spokenArticle(article: Article, names: ArticleList["names"], now: number): string {
  const { main } = aboutOf(article, names);
  const about = main.length > 0 ? [`about ${escape(main.join(", "))}`] : [];
  return spoken([headlineOf(article), ...articleOrigin(article, now), ...about].join(", "));
}

/** Characters of the names under an article: with what stands between them, a line on a phone. */
const namesRoom = 40;
/** Names of what an article mentions besides what it is mainly about. */
const furtherShown = 3;

/** Each name once, where it matters most, as many as have room. */
function aboutOf({ entities }: Article, names: ArticleList["names"] = {}): { main: string[]; further: string[] } {
  const named = (ids: number[]) => ids.map((id) => shorten(names[id] ?? "", 36)).filter(Boolean);
  const main = thatFit(namesRoom, new Set(named(entities.primary)));
  const others = new Set(named([...entities.secondary, ...entities.tertiary]).filter((name) => !main.includes(name)));
  return { main, further: thatFit(namesRoom - main.join("").length, others).slice(0, furtherShown) };
}

/** The first of these texts that have room together. */
function thatFit(room: number, texts: Iterable<string>): string[] {
  let left = room;
  return [...texts].filter((text) => (left -= text.length) >= 0);
}
