import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { button, context, header, messageOf, moreMenu, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { ago, escape, link, shorten } from "../../slack/text/mrkdwn.ts";
import { actionOn, threadAction } from "../../slack/incoming/request.ts";
import { followButtons, typedSource } from "../sources/follow.ts";
import { pageButtons, pageOf } from "../paging.ts";
import { plural, sentence } from "../text.ts";
import { type ArticleList, mostListed, billOf } from "./list.ts";
import { type Story, storiesInOrder } from "./stories.ts";

/** Articles of one screen. */
const pageSize = 5;
/** Characters of a summary: a line on a desk, three on a phone. */
const summaryRoom = 90;

interface ArticlePage extends Pick<ArticleActs, "canAsk" | "digest"> {
  /** The key of the kept list; without one, the list has no buttons. */
  key?: string | undefined;
  /** Counted from 1; one that the list does not have becomes the nearest. */
  page: number;
  now: number;
}

/** The choices of the menu beside an article of a list. */
interface ArticleActs {
  /** The kept list that it is in, and its number there, counted from 1. */
  key: string;
  at: number;
  /** A service is set up that answers questions. */
  canAsk: boolean;
  /** The digest that has posted it: its readers can hide the story from its channel. */
  digest?: { number: number; isOwn?: boolean } | undefined;
  /** More articles report the same than are linked beside it. */
  hasMore?: boolean;
}

/** The ⋯ menu beside an article. */
export function articleMenu({ key, at, canAsk, digest, hasMore }: ArticleActs): ReturnType<typeof moreMenu> {
  return moreMenu({
    action: actionOn(`${threadAction}:article`, `${key}:${at}`),
    choices: [
      { label: "Summarise", value: "sum" },
      ...(canAsk ? [{ label: "Ask about it", value: "about" }] : []),
      { label: "Share", value: "share" },
      ...(hasMore ? [{ label: "All reports", value: "reports" }] : []),
      ...(digest
        ? [{ label: digest.isOwn ? "Not for me" : "Not for us", value: `digests hide ${digest.number}` }]
        : []),
    ],
  });
}

/** A list of articles a page at a time, each story once, with what can be done with it. */
export function listView(list: ArticleList, { key, page, canAsk, digest, now }: ArticlePage): Message {
  const { note, credits, names } = list;
  const title = shorten(list.title, 80) || "News";
  const { shown: stories, count: storyCount, at, last, first } = storyPage(list, page);
  const count = articleCount(list, { first, shown: stories.length, stories: storyCount });
  return {
    ...messageOf(
      header(title),
      ...(note ? [section(note)] : []),
      ...stories.flatMap((story) => {
        const number = list.articles.indexOf(story.lead) + 1;
        const hasMore = story.others.length > othersLinked;
        const menu = key === undefined ? undefined : articleMenu({ key, at: number, canAsk, digest, hasMore });
        return storyBlocks(story, { names, now, menu });
      }),
      context([count, ...billOf(credits)].join(" · ")),
      ...(key === undefined
        ? []
        : [
            row(...pageButtons({ at, last, line: (to) => listLine(key, to, digest), labels: turnLabels(list) })),
            listButtons(list, { key, canAsk }),
          ]),
    ),
    shareable: true,
  };
}

/** The line that shows a page of a kept list. */
export function listLine(key: string, page: number, digest?: ArticleActs["digest"]): string {
  return `list ${key} ${page}${digest ? ` ${digest.number}${digest.isOwn ? " own" : ""}` : ""}`;
}

/** An article alone, with a button that shows it to the channel; in a direct message, how else to share it. */
export function sharedArticle(article: Article, { now, isAlone }: { now: number; isAlone: boolean }): Message {
  const words = [articleLine(article, { now }), ...(article.summary ? [escape(shorten(article.summary, 300))] : [])];
  const hint = "To share this, copy the headline’s link, or run the command in a channel.";
  return {
    ...messageOf(section(words.join("\n")), ...(isAlone ? [context(hint)] : [])),
    private: true,
    ...(!isAlone && { shareable: true }),
  };
}

function turnLabels({ isRanked }: ArticleList): [string, string] {
  return isRanked ? ["Previous", "Next"] : ["Newer", "Older"];
}

/** The stories of one page, which page that is, and how many there are. */
function storyPage(list: ArticleList, page: number) {
  const listed = listedArticles(list);
  const stories = list.isStory
    ? listed.map((lead) => ({ lead, others: [] }))
    : storiesInOrder(listed, { names: list.names });
  return { ...pageOf(stories, page, pageSize), count: stories.length };
}

/** The articles that the pages of a list show; the names in all of them tell its stories apart. */
export function listedArticles({ articles }: Pick<ArticleList, "articles">): Article[] {
  return articles.slice(0, mostListed);
}

/**
 * `1–5 of 23 articles`, or `1–5 of 18 stories, 23 articles` if several report the same; with how many there are besides, if
 * they are more than can be turned to.
 */
function articleCount(
  { articles, total }: ArticleList,
  { first, shown, stories }: { first: number; shown: number; stories: number },
): string {
  const reachable = Math.min(articles.length, mostListed);
  const all = Math.max(total, articles.length);
  const place = shown > 1 ? `${first}–${first + shown - 1}` : first;
  const isGrouped = stories < reachable;
  const noun = isGrouped ? "story" : "article";
  const range = stories > shown ? `${place} of ${plural(stories, noun)}` : plural(shown, noun);
  const grouped = isGrouped ? [plural(reachable, "article")] : [];
  const more = all > reachable ? [`${all.toLocaleString("en")} in all`] : [];
  return [range, ...grouped, ...more].join(", ");
}

function listButtons({ source, title }: ArticleList, { key, canAsk }: { key: string; canAsk: boolean }): Block {
  return row(
    button({ action: `${threadAction}:sum`, label: "Summarise these", value: `sum ${key}` }),
    ...(canAsk ? [button({ action: threadAction, label: "Ask about these", value: `about ${key}` })] : []),
    ...(source ? followButtons({ source: typedSource(source), name: title, digest: `follow ${key}` }) : []),
  );
}

/** The reply if no article was found. */
export function nothingFoundView(query: string, credits?: Credits): Message {
  const hint = "Try fewer words, a company’s full name or its ticker symbol.";
  return plainReply(`No articles match “${escape(shorten(query, 100))}”.\n${hint}`, credits);
}

function plainReply(words: string, credits: Credits | undefined): Message {
  return messageOf(section(words), ...billOf(credits).map((line) => context(line)));
}

/** The limits of a list, as mrkdwn, and how many articles it was chosen from. */
interface Limited {
  words: string[];
  read: number;
  /** Also of those that the service did not give. */
  total: number;
}

/** The line above a list that names its limits. */
export function limitedNote({ words, read, total }: Limited): string {
  return sentence([...words, `${readWords({ read, total })} read`].join(" · "));
}

/** `34 articles`, or `100 of 312 articles` if the service gave no more. */
function readWords({ read, total }: Omit<Limited, "words">): string {
  return total > read ? `${read} of ${plural(total, "article")}` : plural(read, "article");
}

/** The reply if a source has articles and none of them fits. */
export function nothingLeftView({
  title,
  words,
  credits,
  ...counts
}: Limited & Pick<ArticleList, "title" | "credits">): Message {
  const read = `${counts.total > counts.read ? "the first " : "the "}${readWords(counts)}`;
  return plainReply(`None of ${read} in “${escape(shorten(title, 100))}” fits: ${words.join(" · ")}.`, credits);
}

/** The reply if a source has no articles. */
export function emptySourceView(title: string, credits?: Credits): Message {
  return plainReply(`“${escape(shorten(title, 100))}” has no articles at the moment.`, credits);
}

/** A linked headline in bold, with its outlet and when it was published. */
export function articleLine(article: Article, { now }: { now: number }): string {
  const { title, url, source, published } = article;
  const outlet = source && escape(shorten(source, 40));
  const age = published === undefined ? undefined : ago(published, now);
  return [`*${link(url, shorten(title, 160) || "Untitled")}*`, outlet, age].filter(Boolean).join(" · ");
}

interface ShownArticle {
  names: ArticleList["names"];
  now: number;
  /** Missing if the list is not kept. */
  menu: ReturnType<typeof moreMenu> | undefined;
}

function storyBlocks(story: Story, { names, now, menu }: ShownArticle): Block[] {
  const { lead: article } = story;
  const summary = article.summary ? `\n${escape(shorten(article.summary, summaryRoom))}` : "";
  const { main, further } = aboutOf(article, names);
  const also = further.length > 0 ? `also ${escape(further.join(", "))}` : "";
  const about = [escape(main.join(", ")), also].filter(Boolean).join(" · ");
  const words = [articleLine(article, { now }), ...othersLine(story, othersLinked)].join(" · ") + summary;
  return [menu ? sectionWith(words, menu) : section(words), ...(about ? [context(about)] : [])];
}

/** Links to what else reports a story of a list. */
const othersLinked = 3;

/** `also in Freight Dispatch`, with links to the others; nothing if there are none. */
export function othersLine({ lead, others }: Story, most: number): string[] {
  const isElsewhere = ({ source }: Article) => source === undefined || source !== lead.source;
  const elsewhere = others.filter(isElsewhere).slice(0, most);
  const again = others.filter((each) => !isElsewhere(each)).slice(0, most - elsewhere.length);
  const links = elsewhere.map(({ url, source, title }) => link(url, shorten(source ?? title, 30)));
  const more = others.length - elsewhere.length - again.length;
  return [
    ...(links.length > 0 ? [`also in ${links.join(", ")}`] : []),
    ...again.map(({ url }) => link(url, "another report")),
    ...(more > 0 ? [`${more} more`] : []),
  ];
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
