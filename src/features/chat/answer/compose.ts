import type { Article } from "../../../apis/article.ts";
import { shorten } from "../../../slack/mrkdwn.ts";
import { plain } from "../../alike.ts";
import type { ArticleList } from "../../news/view.ts";
import { linksOf } from "../../words.ts";
import type { Standing } from "../conversation.ts";
import type { Frame } from "../frame/rule.ts";

interface Grounds {
  question: string;
  /** What was asked in the thread before. */
  asked: string[];
  /** The answer's Markdown. */
  text: string;
  standing?: Standing | undefined;
  frame?: Frame | undefined;
}

/** Questions that fit into a menu of Slack with the verb that asks them. */
const longestFollowUp = 70;
const followUpsShown = 3;

/** What may be asked next, from what is at hand: subjects of the articles, a source of the answer, and what always helps. */
export function followUps({ question, asked, text, standing, frame }: Grounds): string[] {
  const [subject] = standing?.subjects ?? [];
  const source = linksOf(text).find(({ label }) => label.includes(" "));
  const always = frame?.isOnly
    ? ["Where do these articles disagree?", "What do they leave open?", "What do they agree on?"]
    : ["What changed since yesterday?", "Who else is affected?", "What is expected next?"];
  const all = [
    ...(subject ? [`What does this mean for ${shorten(subject, 40)}?`] : []),
    ...(source ? [`What is behind “${shorten(source.label, 45)}”?`] : []),
    ...always,
  ];
  const known = new Set([question, ...asked].map(wordsOf));
  const isNew = (each: string) => each.length <= longestFollowUp && !known.has(wordsOf(each));
  return all.filter(isNew).slice(0, followUpsShown);
}

/** A question without the message that it quotes, however it was typed. */
function wordsOf(question: string): string {
  return plain(question.replace(/^>.*$/gm, ""));
}

interface Sources {
  question: string;
  text: string;
  /** Articles that somebody chose for the answer to stand on. */
  given: Article[];
  /** How many articles the model read that are not among those. */
  read: number;
}

/** What an answer stands on as a list: the articles it links to, and those it was given; nothing where it names none. */
export function sourcesOf({ question, text, given, read }: Sources): ArticleList | undefined {
  const known = new Map(given.map((article) => [article.url, article]));
  const linked = linksOf(text).map(({ url, label }) => known.get(url) ?? articleAt(url, label));
  const urls = new Set(linked.map(({ url }) => url));
  const others = [...known.values()].filter(({ url }) => !urls.has(url));
  const articles = [...linked, ...others];
  if (articles.length === 0) return undefined;
  const unnamed = Math.max(0, read - linked.filter(({ url }) => !known.has(url)).length);
  // The service has no way to look up an article by its ID.
  const note =
    unnamed > 0 ? `The answer links to these; of ${unnamed} more that it read, only the number is known.` : undefined;
  return {
    title: `Sources: ${shorten(question, 60)}`,
    articles,
    total: articles.length,
    ...(note && { note }),
  };
}

/** Of which no more is known than the link: who published it is read from its address. */
function articleAt(url: string, title: string): Article {
  const source = URL.parse(url)?.hostname.replace(/^www\./, "");
  return { title, summary: "", url, ...(source && { source }), entities: { primary: [], secondary: [], tertiary: [] } };
}

/** Subjects that are kept with a thread. */
const subjectsKept = 3;

/** Names of what a list is about, the most frequent first, as far as they are known. */
export function subjectsOf({ articles, names = {} }: Pick<ArticleList, "articles" | "names">): string[] {
  const counts = new Map<string, number>();
  for (const { entities } of articles) {
    for (const id of new Set(entities.primary)) {
      const name = names[id]?.trim();
      if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const ranked = [...counts].toSorted(([, one], [, other]) => other - one);
  return ranked.map(([name]) => name).slice(0, subjectsKept);
}
