import { storiesAt } from "./briefs.ts";
import { passes } from "./channels.ts";
import type { SampleConversation } from "./conversation.ts";
import { entitiesIn, normalize, type SampleEntity } from "./entities.ts";
import { intentOf, plainQuestion } from "./intents.ts";
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
  /** All articles that match, including those beyond the search's limit. */
  matching: SampleArticle[];
  subjects: SampleEntity[];
  keywords: string[];
  searches: NewsSearch[];
  /** Whether the question named nothing, so that the articles are about the companies that stand out most. */
  isTop: boolean;
  /** The only articles that the answer may use. */
  allowed: SampleArticle[];
}

/** The subject of a question. */
interface Topic {
  subjects: SampleEntity[];
  keywords: string[];
  /** Articles whose headlines are quoted. */
  quoted: SampleArticle[];
  /** Whether the subjects come only from earlier questions. */
  isInherited: boolean;
}

/** Questions that only make sense after another one. */
const leaning =
  /^(and|but|so|ok|okay|what about|how about|what next|more|go on|then|also|shorter|und|aber)\b|\b(it|its|they|them|their|that|this|those|these|he|she|him|her|else|sie|er|es)\b/i;

/** Follow-up questions: those, and others that may also stand alone. */
const followUp = new RegExp(`${leaning.source}|^(why|how|who|when|where|warum|wieso|wer|wie)\\b`, "i");

/** Words that belong to the question or fit every company; no article is searched for by them. */
const questionWords = new Set(
  `affected agree announce announced announces answer back bad behind benefit benefits big biggest boss business ceo change changed changes chief comes companies company compare compared
  comparison competitors consequences contradict currently did difference disagree does draft else executive expect expected
  explain explains firms first future gain gainers gains german going heads holding impact implications important industry leads
  leave lose losers loses makers many matter matters mean means most moved moves moving much name next no open outlook overview peers prepare profit
  profits reason reasons risk risks rivals runs sector significant since so spike spikes spiking statement step stop suffer suffers table
  timeline trending true update updates versus vs win winners wins worse worst write yes wer was warum wieso wie wann wo ist sind wird
  haben der die das und nicht mit bei über uber für fur von zu passiert gibt neues los bitte deutsch auf leitet`.split(
    /\s+/,
  ),
);

/** Finds the material for an answer: in the conversation if that is enough, else by searching the news. */
export function findGrounds(conversation: SampleConversation, now: number): Grounds {
  const { start = 0, end = now } = conversation.window;
  const news = recentArticles(now).filter(
    (article) => article.published >= start && article.published <= end && passes(article, conversation.stages),
  );
  const topic = topicOf(conversation, { news, now });
  const { subjects, keywords, quoted } = topic;
  const shared = { subjects, keywords, isTop: false };
  const given = fittingArticles(conversation, topic, { news, now });
  if (given.length > 0) return { ...shared, articles: given, matching: given, searches: [], allowed: given };
  if (quoted.length > 0) {
    const call = toolCall(conversation, 0, { query: quoted[0]?.title ?? "", filters: [] });
    return { ...shared, articles: quoted, matching: quoted, searches: [{ call, articles: quoted }], allowed: news };
  }
  if (subjects.length === 0 && keywords.length === 0) return topGrounds(conversation, news, now);
  const wide = searchesFor(conversation, topic, news);
  const searches = wide.map(({ call, articles }) => ({ call, articles: articles.slice(0, conversation.count) }));
  return { ...shared, articles: interleave(searches), matching: interleave(wide), searches, allowed: news };
}

/** The number of earlier questions that are read to find the subject. */
const earlierRead = 12;

function topicOf(
  { question, earlier }: Pick<SampleConversation, "question" | "earlier">,
  { news, now }: { news: SampleArticle[]; now: number },
): Topic {
  const own = namedIn(question);
  const leans = leaning.test(plainQuestion(question)) || leaning.test(question.trim());
  const asked = storyAsked(question, { news, now });
  if (asked) return { ...own, quoted: asked, isInherited: false };
  const quoted = quotedArticles(question, news);
  if (quoted.length > 0) return { subjects: [], keywords: [], quoted, isInherited: false };
  const [last, ...rest] = earlier.slice(0, earlierRead);
  const before = last === undefined ? undefined : topicOf({ question: last, earlier: rest }, { news, now });
  if (own.subjects.length > 0) {
    const needsSecond = intentOf(question) === "compare" && own.subjects.length < 2;
    const leansOnEarlier = needsSecond || (leans && !own.subjects.some(isNamed));
    const inherited = leansOnEarlier ? (before?.subjects ?? []).slice(0, 3).filter(isNamed) : [];
    const subjects = [...new Set([...inherited, ...own.subjects])].slice(0, 4);
    return { ...own, subjects, quoted, isInherited: false };
  }
  const isBare = own.keywords.length === 0;
  const isFound = () =>
    [own.keywords, namesIn(question, own.keywords)].some((words) => rankByKeywords(news, words).length > 0);
  const isLost = () => intentOf(question) !== "what" && !isFound();
  const isInherited = before !== undefined && (leans || isBare || isLost());
  if (!isInherited) return { ...own, quoted, isInherited };
  const subjects = before.subjects.slice(0, 3);
  return { subjects, keywords: subjects.length > 0 ? own.keywords : before.keywords, quoted, isInherited };
}

/** The entities that a question names, and its words for a search. */
function namedIn(question: string): Pick<Topic, "subjects" | "keywords"> {
  const { found: named, rest } = entitiesIn(question);
  // A sector named beside a company adds nothing: "Volkerath cars" is about Volkerath.
  const sectors = new Set(named.flatMap((entity) => entity.metadata["sector"] ?? []));
  const subjects = named.filter((entity) => !sectors.has(entity.name)).slice(0, 4);
  return { subjects, keywords: keywordsOf(rest).filter((word) => !questionWords.has(word)) };
}

/** The words of a question that name its subject, as they were typed: "weather Paris". */
export function subjectWords(question: string): string {
  const typed = question.match(/[\p{L}\p{N}][\p{L}\p{N}&.’'-]*/gu) ?? [];
  return typed
    .filter((word) => keywordsOf(word).some((each) => !questionWords.has(each)))
    .slice(0, 6)
    .join(" ");
}

/** The keywords that are written like names: with a capital, and not at the beginning. */
function namesIn(question: string, keywords: string[]): string[] {
  const capital = new Set([...question.matchAll(/\s(\p{Lu}\p{Ll}{2,})/gu)].map(([, word = ""]) => normalize(word)));
  return keywords.filter((word) => capital.has(word));
}

/** The articles of the story whose heading in the brief is this question, in these or other words; newest first. */
function storyAsked(question: string, { news, now }: { news: SampleArticle[]; now: number }) {
  const words = new Set(keywordsOf(question));
  const story = storiesAt(now, news).find((each) => {
    const own = keywordsOf(each.question);
    return own.length === words.size && own.every((word) => words.has(word));
  });
  return story?.articles.toReversed();
}

/** Articles whose headline stands in quotation marks, even if its end is cut off. */
function quotedArticles(question: string, news: SampleArticle[]): SampleArticle[] {
  const quotes = [...question.matchAll(/[“"]([^”"]{12,200})[”"]/g)].map(([, quote = ""]) => normalize(quote));
  return news.filter(({ title }) => quotes.some((quote) => quote !== "" && normalize(title).startsWith(quote)));
}

function isNamed({ kind }: SampleEntity): boolean {
  return kind === "company" || kind === "person";
}

/** The articles in the conversation that answer the question; none if it goes beyond them. */
function fittingArticles(
  { injected, question }: SampleConversation,
  { subjects, keywords, isInherited }: Topic,
  { news, now }: { news: SampleArticle[]; now: number },
): SampleArticle[] {
  const given = injected.flatMap((id) => articleById(id, now) ?? []);
  // An order to write about the articles names no subject.
  if (given.length === 0 || isInherited || intentOf(question) === "lead") return given;
  if (subjects.length > 0) {
    const isCovered = subjects.every((subject) => given.some((article) => isAbout(article, subject.id)));
    return isCovered ? given.filter((article) => subjects.some((subject) => isAbout(article, subject.id))) : [];
  }
  const hasUnknownName = namesIn(question, keywords).length > 0;
  if (keywords.length === 0 || (followUp.test(question) && !hasUnknownName)) return given;
  const isElsewhere = hasUnknownName || news.some((article) => relevance(article, keywords) > 0);
  return isElsewhere ? rankByKeywords(given, keywords) : given;
}

/** The searches for a question. Entities are joined by AND; if nothing is about all of them, each has its own search. */
function searchesFor(
  conversation: SampleConversation,
  { subjects, keywords, isInherited }: Topic,
  news: SampleArticle[],
): NewsSearch[] {
  if (subjects.length === 0) return [keywordSearch(conversation, keywords.slice(0, 5), news)];
  const together = entitySearch(conversation, 0, subjects, news);
  if (!isInherited && !subjects.some(isNamed) && keywords.length > 0) {
    // "The weather in Paris" isn't answered by the weather anywhere else.
    return [{ ...together, articles: together.articles.filter((article) => countMentions(article, keywords) > 0) }];
  }
  if (together.articles.length > 0 || subjects.length === 1) return [together];
  return [together, ...subjects.map((subject, at) => entitySearch(conversation, at + 1, [subject], news))];
}

function keywordSearch(conversation: SampleConversation, keywords: string[], news: SampleArticle[]): NewsSearch {
  const filters = keywords.map((value) => ({ type: "keyword", value }));
  const call = toolCall(conversation, 0, { query: keywords.join(" AND "), filters });
  const found = rankByKeywords(news, keywords);
  const names = namesIn(conversation.question, keywords);
  return { call, articles: found.length > 0 || names.length === 0 ? found : rankByKeywords(news, names) };
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
  return { call, articles: articlesAbout(subjects, news, { ...conversation, words }) };
}

/** Articles about all subjects: first those with the question's words, or mainly about the subjects. */
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

/** Grounds for a question that names nothing: the news about the companies that stand out most. */
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
  const searches = [{ call, articles }];
  return { articles, matching: articles, subjects, keywords: [], searches, isTop: true, allowed: news };
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

/** The articles of several searches in turns, each once, so that the answer uses every search. */
function interleave(searches: NewsSearch[]): SampleArticle[] {
  const longest = Math.max(0, ...searches.map(({ articles }) => articles.length));
  const inTurns = Array.from({ length: longest }, (_, at) => searches.flatMap(({ articles }) => articles[at] ?? []));
  return [...new Map(inTurns.flat().map((article) => [article.id, article])).values()];
}
