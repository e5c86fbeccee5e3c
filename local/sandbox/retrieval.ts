import { passes } from "./channels.ts";
import type { SampleConversation } from "./conversation.ts";
import { entitiesIn, type SampleEntity } from "./entities.ts";
import { articleById, isAbout, recentArticles, type SampleArticle } from "./news.ts";
import { fingerprint } from "./random.ts";
import { countMentions, keywordsOf, rankByKeywords, relevance } from "./search.ts";
import { trending } from "./trending.ts";

/** A search that the model made for an answer, as the API shows it. */
export interface NewsSearch {
  call: { id: string; name: "search_news"; args: Record<string, unknown>; type: "tool_call" };
  articles: SampleArticle[];
}

/** The material of an answer: its articles, the entities that matched them, and the searches that found them. */
export interface Grounds {
  articles: SampleArticle[];
  subjects: SampleEntity[];
  keywords: string[];
  searches: NewsSearch[];
  /** Whether the question named nothing, so that the articles are those of whoever stands out. */
  isTop: boolean;
}

/** What a question asks about. */
interface Topic {
  subjects: SampleEntity[];
  keywords: string[];
  /** Whether the subjects come from earlier questions alone. */
  isInherited: boolean;
}

const followUp =
  /^(and|but|so|ok|okay|why|how|who|when|where|what about|how about|what next|more|go on|then|also)\b|\b(it|its|they|them|their|that|this|those|these|he|she|him|her)\b/i;

/** Finds what a question can be answered with: in the conversation where that is enough, else by searching the news. */
export function findGrounds(conversation: SampleConversation, now: number): Grounds {
  const { subjects, keywords, isInherited } = topicOf(conversation);
  const { start = 0, end = now } = conversation.window;
  const news = recentArticles(now).filter(
    (article) => article.published >= start && article.published <= end && passes(article, conversation.stages),
  );
  const given = fittingArticles(conversation, { subjects, keywords, isInherited }, { news, now });
  if (given.length > 0) return { articles: given, subjects, keywords, searches: [], isTop: false };
  if (subjects.length === 0 && keywords.length === 0) return topGrounds(conversation, news, now);
  const searches = searchesFor(conversation, { subjects, keywords }, news);
  return { articles: interleave(searches), subjects, keywords, searches, isTop: false };
}

function topicOf({ question, earlier }: SampleConversation): Topic {
  const { found: named, rest } = entitiesIn(question);
  // The industry of a company that is named as well adds nothing: "Volkerath cars" is about Volkerath.
  const sectors = new Set(named.flatMap((entity) => entity.metadata["sector"] ?? []));
  const found = named.filter((entity) => !sectors.has(entity.name));
  const keywords = keywordsOf(rest);
  const before = earlier.map((text) => entitiesIn(text).found).find(({ length }) => length > 0) ?? [];
  const isFollowUp = followUp.test(question.trim());
  if (found.length > 0) {
    const leansOnEarlier = isFollowUp && !found.some(isNamed);
    const subjects = leansOnEarlier ? [...new Set([...before.slice(0, 3).filter(isNamed), ...found])] : found;
    return { subjects: subjects.slice(0, 4), keywords, isInherited: false };
  }
  const isInherited = before.length > 0 && (isFollowUp || keywords.length === 0);
  return { subjects: isInherited ? before.slice(0, 3) : [], keywords, isInherited };
}

function isNamed({ kind }: SampleEntity): boolean {
  return kind === "company" || kind === "person";
}

/** The articles in the conversation that answer the question; none where it goes beyond them. */
function fittingArticles(
  { injected, question }: SampleConversation,
  { subjects, keywords, isInherited }: Topic,
  { news, now }: { news: SampleArticle[]; now: number },
): SampleArticle[] {
  const given = injected.flatMap((id) => articleById(id, now) ?? []);
  if (given.length === 0 || isInherited) return given;
  if (subjects.length > 0) {
    const isCovered = subjects.every((subject) => given.some((article) => isAbout(article, subject.id)));
    return isCovered ? given.filter((article) => subjects.some((subject) => isAbout(article, subject.id))) : [];
  }
  if (keywords.length === 0 || followUp.test(question)) return given;
  const hasUnknownName = /\s\p{Lu}\p{Ll}{2,}/u.test(question);
  const isElsewhere = hasUnknownName || news.some((article) => relevance(article, keywords) > 0);
  return isElsewhere ? rankByKeywords(given, keywords) : given;
}

/** Several entities are joined by AND; where nothing is about all of them, each is searched for on its own. */
function searchesFor(
  conversation: SampleConversation,
  { subjects, keywords }: Pick<Topic, "subjects" | "keywords">,
  news: SampleArticle[],
): NewsSearch[] {
  if (subjects.length === 0) return [keywordSearch(conversation, keywords.slice(0, 5), news)];
  const together = entitySearch(conversation, 0, subjects, news);
  if (together.articles.length > 0 || subjects.length === 1) return [together];
  return [together, ...subjects.map((subject, at) => entitySearch(conversation, at + 1, [subject], news))];
}

function keywordSearch(conversation: SampleConversation, keywords: string[], news: SampleArticle[]): NewsSearch {
  const filters = keywords.map((value) => ({ type: "keyword", value }));
  const call = toolCall(conversation, 0, { query: keywords.join(" AND "), filters });
  return { call, articles: rankByKeywords(news, keywords).slice(0, conversation.count) };
}

function entitySearch(
  conversation: SampleConversation,
  index: number,
  subjects: SampleEntity[],
  news: SampleArticle[],
): NewsSearch {
  const filters = subjects.map((subject) => ({ type: "entity", value: subject.id, name: subject.name }));
  const call = toolCall(conversation, index, { query: subjects.map(({ name }) => name).join(" AND "), filters });
  const words = keywordsOf(conversation.question);
  return { call, articles: articlesAbout(subjects, news, { ...conversation, words }).slice(0, conversation.count) };
}

/** Articles about all subjects: first those that hold the question's words or are mainly about them. */
function articlesAbout(
  subjects: SampleEntity[],
  articles: SampleArticle[],
  { words, byRelevance }: { words: string[]; byRelevance: boolean },
): SampleArticle[] {
  const closeness = (article: SampleArticle) =>
    subjects.reduce(
      (sum, { id }) => sum + (article.primary.includes(id) ? 2 : article.secondary.includes(id) ? 1 : 0),
      0,
    );
  return articles
    .filter((article) => subjects.every((subject) => isAbout(article, subject.id)))
    .map((article) => {
      const close = byRelevance ? closeness(article) : Math.min(1, closeness(article));
      return { article, weight: countMentions(article, words) + close };
    })
    .toSorted((left, right) => right.weight - left.weight)
    .map((hit) => hit.article);
}

/** A question that names nothing is taken to ask for the news of the day: of those who stand out most. */
function topGrounds(conversation: SampleConversation, news: SampleArticle[], now: number): Grounds {
  const shown = trending({ now, kind: "company", limit: 5 })
    .map(({ entity }) => {
      const articles = articlesAbout([entity], news, { words: [], byRelevance: true }).slice(0, 2);
      return { entity, articles };
    })
    .filter(({ articles }) => articles.length > 0)
    .slice(0, 3);
  const articles = [...new Set(shown.flatMap((one) => one.articles))].slice(0, conversation.count);
  const call = toolCall(conversation, 0, { query: "top stories", filters: [], order: "trending" });
  const subjects = shown.map(({ entity }) => entity);
  return { articles, subjects, keywords: [], searches: [{ call, articles }], isTop: true };
}

function toolCall(
  { question, length, window: { start, end }, stages, count }: SampleConversation,
  index: number,
  args: Record<string, unknown>,
): NewsSearch["call"] {
  const id = `call_${fingerprint(`${question}/${length}/${index}`).toString(36)}`;
  const limits = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
  return {
    id,
    name: "search_news",
    args: { ...args, ...limits, ...(stages.length > 0 && { stages }), count },
    type: "tool_call",
  };
}

/** The articles of several searches in turns, each once, so that every search has its say in the answer. */
function interleave(searches: NewsSearch[]): SampleArticle[] {
  const longest = Math.max(0, ...searches.map(({ articles }) => articles.length));
  const inTurns = Array.from({ length: longest }, (_, at) => searches.flatMap(({ articles }) => articles[at] ?? []));
  return [...new Map(inTurns.flat().map((article) => [article.id, article])).values()];
}
