import { passes } from "./channels.ts";
import { type Entity, entitiesIn } from "./entities.ts";
import { type Article, articleById, carries, recentArticles } from "./news.ts";
import { fingerprint } from "./random.ts";
import { keywordsOf, mentions, relevance } from "./search.ts";
import type { Thread } from "./thread.ts";
import { trending } from "./trending.ts";

interface ToolCall {
  id: string;
  name: "search_news";
  args: Record<string, unknown>;
  type: "tool_call";
}

export interface Search {
  call: ToolCall;
  articles: Article[];
}

/** What an answer stands on: articles, the entities they were found by, and the searches that were made. */
export interface Grounds {
  articles: Article[];
  subjects: Entity[];
  keywords: string[];
  searches: Search[];
}

const FOLLOW_UP =
  /^(and|but|so|ok|okay|why|how|who|when|where|what about|how about|what next|more|go on|then|also)\b|\b(it|its|they|them|their|that|this|those|these|he|she|him|her)\b/i;

interface Wish {
  subjects: Entity[];
  keywords: string[];
  /** Whether the subjects come from earlier questions alone. */
  inherited: boolean;
}

function named(entity: Entity): boolean {
  return entity.kind === "company" || entity.kind === "person";
}

/** The entities of the latest earlier question that named any. */
function earlierSubjects(thread: Thread): Entity[] {
  for (const question of thread.earlier) {
    const { found } = entitiesIn(question);
    if (found.length > 0) return found.slice(0, 3);
  }
  return [];
}

/** The industry of a company that is named as well adds nothing: "Volkerath cars" is about Volkerath. */
function withoutSectors(found: Entity[]): Entity[] {
  const sectors = new Set(found.flatMap((entity) => entity.metadata["sector"] ?? []));
  return found.filter((entity) => !sectors.has(entity.name));
}

function wishOf(thread: Thread): Wish {
  const read = entitiesIn(thread.question);
  const found = withoutSectors(read.found);
  const { rest } = read;
  const keywords = keywordsOf(rest);
  const before = earlierSubjects(thread);
  const follows = FOLLOW_UP.test(thread.question.trim());
  if (found.some(named) || (found.length > 0 && !follows))
    return { subjects: found.slice(0, 4), keywords, inherited: false };
  if (found.length > 0)
    return { subjects: [...new Set([...before.filter(named), ...found])].slice(0, 4), keywords, inherited: false };
  if (before.length > 0 && (follows || keywords.length === 0)) return { subjects: before, keywords, inherited: true };
  return { subjects: [], keywords, inherited: false };
}

function available(thread: Thread, now: number): Article[] {
  const { start = 0, end = now } = thread.window;
  return recentArticles(now).filter(
    (article) => article.published >= start && article.published <= end && passes(article, thread.stages),
  );
}

/** Articles about the entities come before those that only mention them. */
function closeness(article: Article, subjects: Entity[]): number {
  const tier = (id: number) => (article.primary.includes(id) ? 2 : article.secondary.includes(id) ? 1 : 0);
  return subjects.reduce((sum, subject) => sum + tier(subject.id), 0);
}

interface Focus {
  subjects: Entity[];
  /** Words of the question: of articles that carry the entities, those that hold the words too come first. */
  words: string[];
  byRelevance: boolean;
}

function about({ subjects, words, byRelevance }: Focus, articles: Article[]): Article[] {
  const hits = articles.filter((article) => subjects.every((subject) => carries(article, subject.id)));
  const weight = (article: Article) => {
    const close = closeness(article, subjects);
    return mentions(article, words) + (byRelevance ? close : Math.min(1, close));
  };
  return hits
    .map((article) => ({ article, weight: weight(article) }))
    .toSorted((left, right) => right.weight - left.weight)
    .map((hit) => hit.article);
}

function searchCall(thread: Thread, place: number, args: Record<string, unknown>): ToolCall {
  const id = `call_${fingerprint(`${thread.question}/${thread.length}/${place}`).toString(36)}`;
  const { start, end } = thread.window;
  const limits = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
  const stages = thread.stages.length > 0 ? { stages: thread.stages } : {};
  return { id, name: "search_news", args: { ...args, ...limits, ...stages, count: thread.count }, type: "tool_call" };
}

function entitySearch(thread: Thread, place: number, subjects: Entity[], news: Article[]): Search {
  const filters = subjects.map((subject) => ({ type: "entity", value: subject.id, name: subject.name }));
  const query = subjects.map((subject) => subject.name).join(" AND ");
  const { question, byRelevance } = thread;
  const words = keywordsOf(question);
  const articles = about({ subjects, words, byRelevance }, news).slice(0, thread.count);
  return { call: searchCall(thread, place, { query, filters }), articles };
}

function keywordSearch(thread: Thread, keywords: string[], news: Article[]): Search {
  const filters = keywords.map((value) => ({ type: "keyword", value }));
  const hits = news.map((article) => ({ article, rank: relevance(article, keywords) })).filter((hit) => hit.rank > 0);
  const articles = hits.toSorted((left, right) => right.rank - left.rank).map((hit) => hit.article);
  const call = searchCall(thread, 0, { query: keywords.join(" AND "), filters });
  return { call, articles: articles.slice(0, thread.count) };
}

/** A question that names nothing at all is taken to ask for the news of the day. */
function topSearch(thread: Thread, now: number, news: Article[]): { subjects: Entity[]; search: Search } {
  const risen = trending({ now, kind: "company", limit: 5 }).map((trend) => trend.entity);
  const groups = risen.map((entity) => ({
    entity,
    articles: about({ subjects: [entity], words: [], byRelevance: true }, news).slice(0, 2),
  }));
  const shown = groups.filter((group) => group.articles.length > 0).slice(0, 3);
  const articles = [...new Set(shown.flatMap((group) => group.articles))].slice(0, thread.count);
  const call = searchCall(thread, 0, { query: "top stories", filters: [], order: "trending" });
  return { subjects: shown.map((group) => group.entity), search: { call, articles } };
}

/** The articles in the thread that answer the wish; none where it goes beyond them. */
function fitting(thread: Thread, wish: Wish, news: Article[], now: number): Article[] {
  const injected = thread.injected.flatMap((id) => articleById(id, now) ?? []);
  if (injected.length === 0 || wish.inherited) return injected;
  if (wish.subjects.length > 0) {
    const covered = wish.subjects.every((subject) => injected.some((article) => carries(article, subject.id)));
    if (!covered) return [];
    return injected.filter((article) => wish.subjects.some((subject) => carries(article, subject.id)));
  }
  if (wish.keywords.length === 0 || FOLLOW_UP.test(thread.question)) return injected;
  const unknownName = /\s\p{Lu}\p{Ll}{2,}/u.test(thread.question);
  const elsewhere = unknownName || news.some((article) => relevance(article, wish.keywords) > 0);
  return elsewhere ? injected.filter((article) => relevance(article, wish.keywords) > 0) : injected;
}

/** Several filters are joined by AND; where nothing carries all of them, each is searched for on its own. */
function searchesFor(thread: Thread, wish: Wish, news: Article[]): Search[] {
  if (wish.subjects.length === 0) return [keywordSearch(thread, wish.keywords.slice(0, 5), news)];
  const together = entitySearch(thread, 0, wish.subjects, news);
  if (together.articles.length > 0 || wish.subjects.length === 1) return [together];
  return [together, ...wish.subjects.map((subject, at) => entitySearch(thread, at + 1, [subject], news))];
}

/** Takes turns between the searches, so that each has its say in the answer. */
function merged(searches: Search[]): Article[] {
  const longest = Math.max(0, ...searches.map((search) => search.articles.length));
  const turns = Array.from({ length: longest }, (_, at) => searches.flatMap((search) => search.articles[at] ?? []));
  return [...new Set(turns.flat())];
}

/** Finds what a question can be answered with: in the thread where it is enough, else by searching the news. */
export function groundsFor(thread: Thread, now: number): Grounds {
  const wish = wishOf(thread);
  const news = available(thread, now);
  const inside = fitting(thread, wish, news, now);
  const { subjects, keywords } = wish;
  if (inside.length > 0) return { articles: inside, subjects, keywords, searches: [] };
  if (subjects.length === 0 && keywords.length === 0) {
    const top = topSearch(thread, now, news);
    return { articles: top.search.articles, subjects: top.subjects, keywords, searches: [top.search] };
  }
  const searches = searchesFor(thread, wish, news);
  return { articles: uniqueById(merged(searches)), subjects, keywords, searches };
}

function uniqueById(articles: Article[]): Article[] {
  return [...new Map(articles.map((article) => [article.id, article])).values()];
}
