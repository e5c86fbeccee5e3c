import { type BriefText, lineOf, type SampleStory, storiesAt } from "./briefs.ts";
import type { SampleConversation } from "./conversation.ts";
import { companies, entities, normalize, type SampleEntity } from "./entities.ts";
import { type Intent, intentsOf, languageOf, plainQuestion } from "./intents.ts";
import { isAbout, type SampleArticle } from "./news.ts";
import { findGrounds, type Grounds, type NewsSearch, subjectWords } from "./retrieval.ts";
import { countMentions } from "./search.ts";
import { withNamesSpelt } from "./spelling.ts";
import { holdingStatement, matterOf, peopleInGerman, smallTalkFor, statementFor, suggestions } from "./talk.ts";
import { trending } from "./trending.ts";
import { bold, type Citing, cite, clockTime, counted, date, linkTo, listed, sentencesOf, when } from "./writing.ts";

/** A generated answer: the searches before it, its text, and the articles that it is based on. */
export interface GeneratedAnswer {
  searches: NewsSearch[];
  text: string;
  articles: SampleArticle[];
}

/** The material that an answer is written from. */
interface Desk extends Citing {
  question: string;
  language: string | undefined;
  intents: Intent[];
  grounds: Grounds;
  /** The stories that the question is about, the best first. */
  stories: SampleStory[];
  /** The articles that the text links to, in its order. */
  cited: Set<SampleArticle>;
}

/** The number of characters that are read of each end of a long question: an order may stand at the end. */
const readMost = 2_000;

function readable(text: string): string {
  return text.length <= 2 * readMost ? text : `${text.slice(0, readMost)}\n\n${text.slice(-readMost)}`;
}

/** Answers the latest question of a conversation, in Markdown. */
export function generateAnswer(given: SampleConversation, citing: Citing): GeneratedAnswer {
  const read = (text: string) => withNamesSpelt(readable(text));
  const conversation = { ...given, question: read(given.question), earlier: given.earlier.map(read) };
  const { question } = conversation;
  const talk = smallTalkFor(question, citing.now);
  if (talk !== undefined) return { searches: [], text: talk, articles: [] };
  const grounds = findGrounds(conversation, citing.now);
  const stories = relevantStories(grounds, citing.now);
  const { language } = conversation;
  const desk: Desk = {
    ...citing,
    question,
    language,
    intents: intentsOf(question),
    grounds,
    stories,
    cited: new Set(),
  };
  const text = write(desk).join("\n\n");
  const articles = [...new Set([...desk.cited, ...grounds.articles])];
  return { searches: withCited(grounds.searches, desk.cited), text, articles };
}

/** Adds every article that the answer links to to the results of the first search. */
function withCited(searches: NewsSearch[], cited: Set<SampleArticle>): NewsSearch[] {
  const found = new Set(searches.flatMap(({ articles }) => articles.map(({ id }) => id)));
  const missing = [...cited].filter(({ id }) => !found.has(id));
  return searches.map((search, at) => (at === 0 ? { ...search, articles: [...missing, ...search.articles] } : search));
}

/** The stories that a question is about: its subjects play the main part in them, or most articles found belong to them. */
function relevantStories(grounds: Grounds, now: number): SampleStory[] {
  const { allowed, matching, subjects, keywords } = grounds;
  const matched = new Set(matching.map(({ id }) => id));
  const named = subjects.filter(isNamed);
  return storiesAt(now, allowed)
    .map((story) => {
      const hits = story.articles.filter(({ id }) => matched.has(id));
      const leads = named.filter((subject) => isLeading(subject, story)).length;
      const words = Math.max(0, ...hits.map((article) => countMentions(article, keywords)));
      return { story, hits: hits.length, leads, words };
    })
    .filter(({ story, hits, leads }) => {
      const isOpen = subjects.length + keywords.length === 0;
      if (named.length > 0 || isOpen) return leads > 0 || hits > 0;
      return hits >= 3 || (hits > 0 && hits * 2 >= Math.min(story.articles.length, matching.length));
    })
    .toSorted((left, right) => right.leads - left.leads || right.words - left.words || rank(right) - rank(left))
    .map(({ story }) => story);
}

/** For subjects other than companies and people, stories with more matches come first; equal ones stay newest first. */
const rank = ({ hits, leads }: { hits: number; leads: number }) => (leads > 0 ? 0 : Math.min(3, hits));

const isNamed = ({ kind }: SampleEntity) => kind === "company" || kind === "person";

/** Whether somebody plays a main part in a story. */
function isLeading({ id, kind }: SampleEntity, { central, articles }: SampleStory): boolean {
  return central.includes(id) || (kind === "person" && articles.some(({ primary }) => primary.includes(id)));
}

function write(desk: Desk): string[] {
  const { grounds, intents, question } = desk;
  const language = languageOf(question, desk.language);
  if (language?.language === "german" && !intents.includes("lead")) return writeGerman(desk);
  const answer =
    grounds.articles.length === 0
      ? writeNothing(desk)
      : grounds.isTop
        ? writeTop(desk)
        : intents.flatMap((intent) => writers[intent](desk));
  return language?.apology ? [language.apology, ...answer] : answer;
}

const writers: Record<Intent, (desk: Desk) => string[]> = {
  lead: writeLead,
  draft: writeDraft,
  timeline: writeTimeline,
  compare: writeComparison,
  table: writeTable,
  gains: (desk) => writeList(desk, "gains", (name) => `These gain or lose from ${name}:`),
  rivals: writeRivals,
  matters: writeMatters,
  agreement: writeAgreement,
  who: writeWho,
  summary: writeSummary,
  changed: writeChanges,
  next: (desk) => writeFact(desk) ?? writeList(desk, "next", (name) => `This comes next in ${name}:`),
  why: writeReasons,
  whether: writeWhether,
  what: (desk) => writeFact(desk) ?? writeState(desk),
};

// --- common to all answers ---

/** Links to the articles that a text is based on; they count as cited. */
function citations({ cited, ...citing }: Desk, articles: SampleArticle[]): string {
  for (const article of articles) cited.add(article);
  return articles.map((article) => cite(article, citing)).join("; ");
}

const paragraph = (desk: Desk, { text, articles }: BriefText) => `${text} ${citations(desk, articles)}`;

function bulletList(desk: Desk, texts: BriefText[]): string {
  return texts.map((text) => `- ${paragraph(desk, text)}`).join("\n");
}

/** An article as a list item: its sentence from the brief, or its headline and a sentence of its summary. */
function articleBullet(desk: Desk, article: SampleArticle): string {
  const link = citations(desk, [article]);
  const line = lineOf(article);
  if (line !== undefined) return `- ${line} ${link}`;
  const sentences = sentencesOf(article.summary);
  const wanted = sentences.find((each) => desk.grounds.keywords.some((word) => normalize(each).includes(word)));
  return `- ${link}. ${wanted ?? sentences[0] ?? ""}`;
}

function articleBullets(desk: Desk, articles: SampleArticle[]): string {
  return articles.map((article) => articleBullet(desk, article)).join("\n");
}

/** Headlines alone, for articles whose content the text already gives. */
function headlineList(desk: Desk, articles: SampleArticle[]): string {
  return articles.map((article) => `- ${citations(desk, [article])}`).join("\n");
}

const newestFirst = (articles: SampleArticle[]) => articles.toSorted((left, right) => right.published - left.published);

/** The matching articles that belong to none of the stories, newest first. */
function everydayOf({ grounds, stories, cited }: Desk): SampleArticle[] {
  const inStories = new Set(stories.flatMap(({ articles }) => articles.map(({ id }) => id)));
  const isMain = ({ primary }: SampleArticle) =>
    grounds.subjects.length === 0 ||
    !grounds.subjects.some(isNamed) ||
    grounds.subjects.some(({ id }) => primary.includes(id));
  // An earlier article of a story belongs to its run before.
  return newestFirst(grounds.matching).filter(
    (article) => !inStories.has(article.id) && !cited.has(article) && lineOf(article) === undefined && isMain(article),
  );
}

/** The name of the question's subject: "**Novalith Semiconductor**". */
function subjectOf({ grounds: { subjects, keywords }, question }: Desk): string {
  if (subjects.length > 0) return bold(subjects);
  return keywords.length > 0 ? `“${subjectWords(question) || keywords.join(" ")}”` : "this";
}

/** A story's name after the company's: "Novalith’s bid" becomes "its bid", "the breach at Paylantic" "the breach". */
function nameBehind(subjects: SampleEntity[], { name }: SampleStory): string {
  const [first] = subjects;
  if (!first || subjects.length > 1 || first.kind !== "company") return name;
  const names = [first.name, ...first.aliases];
  const owner = names.find((each) => name.startsWith(`${each}’s `));
  if (owner !== undefined) return `its ${name.slice(owner.length + 3)}`;
  const place = names.find((each) => name.endsWith(` at ${each}`));
  return place === undefined ? name : name.slice(0, -place.length - 4);
}

const sentence = (text: string) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
const numbers = ["no", "one", "two", "three", "four"];
const inWords = (count: number) => numbers[count] ?? String(count);

/** The stories in which the companies and people of the question play the main part; all stories if it names none. */
function mainStories({ grounds, stories }: Desk): SampleStory[] {
  const named = grounds.subjects.filter(isNamed);
  return named.length === 0 ? stories : stories.filter((story) => named.some((subject) => isLeading(subject, story)));
}

// --- the forms of an answer ---

/** The state of a story, then its latest reports. */
function writeState(desk: Desk): string[] {
  const [main, ...others] = mainStories(desk);
  if (!main) return writeEveryday(desk);
  const isSubject = !desk.grounds.subjects.some(isNamed) && desk.grounds.subjects.length > 0;
  if (isSubject && others.length > 0) return writeStories(desk, [main, ...others]);
  const [state] = main.state;
  const lead = state ? [paragraph(desk, state)] : [];
  const reports = newestFirst(main.articles)
    .filter((article) => !desk.cited.has(article))
    .slice(0, 4);
  return [...lead, headlineList(desk, reports), ...writeAlso(desk, others), reach(main)].filter(Boolean);
}

/** The number of articles and outlets of a story that many report: "Based on 7 articles from 5 outlets." */
function reach({ articles }: SampleStory): string {
  const outlets = new Set(articles.map(({ source }) => source)).size;
  return articles.length < 5 ? "" : `Based on ${articles.length} articles from ${outlets} outlets.`;
}

/** An answer about a subject with several stories: each under the question that it answers. */
function writeStories(desk: Desk, stories: SampleStory[]): string[] {
  const shown = stories.slice(0, 3);
  const names = listed(shown.map(({ name }) => name));
  const intro = `${sentence(inWords(shown.length))} stories put ${subjectOf(desk)} in the news: ${names}.`;
  const sections = shown.map((story) => {
    const [state] = story.state;
    const [reason] = story.why.filter(({ articles }) =>
      articles.every((article) => !state?.articles.includes(article)),
    );
    const points = reason ? `\n\n${bulletList(desk, [reason])}` : "";
    return state ? `**${story.question}** ${paragraph(desk, state)}${points}` : "";
  });
  return [intro, ...sections.filter(Boolean)];
}

/** The rest of the news: other stories in a sentence each, and everyday articles. */
function writeAlso(desk: Desk, others: SampleStory[]): string[] {
  const further = others.slice(0, 2).flatMap(({ state }) => state.slice(0, 1));
  const room = desk.intents.length > 1 ? 0 : Math.max(0, 2 - further.length);
  const everyday = everydayOf(desk).slice(0, room);
  const points = [bulletList(desk, further), headlineList(desk, everyday)].filter(Boolean);
  return points.length === 0 ? [] : [`Also on ${subjectOf(desk)}:\n\n${points.join("\n")}`];
}

/** An answer about a subject without a story of its own: its part in other stories, then everyday articles. */
function writeEveryday(desk: Desk): string[] {
  const { grounds, now, stories } = desk;
  const parts = stories.slice(0, 2).map((story) => {
    const articles = story.articles.filter((article) => grounds.matching.includes(article));
    return `${subjectOf(desk)} is part of ${story.name}:\n\n${articleBullets(desk, newestFirst(articles).slice(0, 3))}`;
  });
  const everyday = everydayOf(desk);
  const shown = everyday.length > 0 ? everyday : newestFirst(grounds.articles).filter(({ id }) => !isTold(desk, id));
  const [latest] = shown;
  if (!latest) return parts;
  const list = articleBullets(desk, shown.slice(0, 4));
  if (parts.length > 0) return [...parts, `Otherwise it’s everyday news:\n\n${list}`];
  const age = ageOf(latest, now);
  const many =
    shown.length === 1
      ? `one article on ${subjectOf(desk)}, ${age}`
      : `${shown.length} articles on ${subjectOf(desk)}, the latest ${age}`;
  return [`I found ${many}:`, list];
}

const isTold = ({ cited }: Desk, id: number) => [...cited].some((article) => article.id === id);
const ageOf = ({ published }: SampleArticle, now: number) =>
  when(published, now).endsWith("ago") ? `from ${when(published, now)}` : `of ${date(published)}`;

/** The reasons why the subject is in the news. */
function writeReasons(desk: Desk): string[] {
  const { grounds, question } = desk;
  const stories = mainStories(desk);
  const [main, ...others] = stories;
  if (!main) return writeEveryday(desk);
  const isSubject = grounds.subjects.length > 0 && !grounds.subjects.some(isNamed);
  if (isSubject && others.length > 0) return writeStories(desk, stories);
  const asksForNews = /\bin the news\b|\bspik|\btrending\b|\bbehind\b/i.test(question);
  const [state] = main.state;
  if (!asksForNews || grounds.subjects.length === 0) {
    const reasons = main.why.length > 0 ? [bulletList(desk, main.why)] : [];
    const also = isSubject ? writeAlso(desk, []) : [];
    return [...(state ? [paragraph(desk, state)] : []), ...reasons, ...also];
  }
  const names = stories.slice(0, 2).map((story) => nameBehind(grounds.subjects, story));
  const verb = grounds.subjects.length > 1 ? "are" : "is";
  const lead = `${subjectOf(desk)} ${verb} in the news because of ${names.join(", and because of ")}.`;
  const reasons = bulletList(desk, main.why.length > 0 ? main.why : main.state.slice(0, 1));
  return [state && others.length === 0 ? `${lead} ${state.text}` : lead, reasons, ...writeAlso(desk, others)];
}

/** The list that a story's brief holds on one question; for several stories, the first items of each. */
function writeList(desk: Desk, part: "gains" | "next", intro: (name: string) => string): string[] {
  const stories = mainStories(desk).filter((story) => story[part].length > 0);
  const [main] = stories;
  if (!main) return [`The articles on ${subjectOf(desk)} don’t say.`, ...writeEveryday(desk)];
  const isSubject = desk.grounds.subjects.length > 0 && !desk.grounds.subjects.some(isNamed);
  if (!isSubject || stories.length === 1) return [intro(main.name), bulletList(desk, main[part])];
  return stories.slice(0, 3).map((story) => `${intro(story.name)}\n\n${bulletList(desk, story[part].slice(0, 2))}`);
}

function writeMatters(desk: Desk): string[] {
  const [main] = mainStories(desk);
  if (!main || main.matters.length === 0) return writeState(desk);
  const { length } = main.matters;
  const [state] = main.state;
  const news = /\bnew\b/i.test(desk.question) && state ? [paragraph(desk, state)] : [];
  const lead =
    length === 1 ? "It matters for one reason:" : `${sentence(main.name)} matters for ${inWords(length)} reasons:`;
  return [...news, lead, bulletList(desk, main.matters)];
}

/** The answer that a brief gives to exactly this question. */
function writeFact(desk: Desk): string[] | undefined {
  const { question, stories } = desk;
  for (const { facts, state } of stories.slice(0, 2)) {
    const [answer] = facts.find(({ asks, says }) => says.length > 0 && asks.test(question))?.says ?? [];
    if (!answer) continue;
    const background = state.find(({ articles }) => articles.some((article) => !answer.articles.includes(article)));
    const told = paragraph(desk, answer);
    return background ? [told, `Where things stand: ${paragraph(desk, background)}`] : [told];
  }
  return undefined;
}

/** Yes or no, if the articles say so. */
function writeWhether(desk: Desk): string[] {
  const { question, stories } = desk;
  const isThere = /^(is|are|was|were) there\b/i.test(plainQuestion(question));
  if (isThere) {
    const [lead = "", ...rest] = writeState(desk);
    return [`Yes. ${lead}`, ...rest];
  }
  const fact = writeFact(desk);
  if (fact) return fact;
  const [state] = stories[0]?.state ?? [];
  const doubt = "I can’t say yes or no: none of the articles that I have answers that.";
  if (!state) return [doubt, ...writeEveryday(desk)];
  return [doubt, `What they do say: ${paragraph(desk, state)}`];
}

/** A sentence on a person or company, and why they are in the news. */
function writeWho(desk: Desk): string[] {
  const { grounds, question } = desk;
  const [subject] = grounds.subjects;
  const company = companies.find(({ id }) => id === subject?.id);
  const asksForChief = /\bwho (leads|runs|heads)\b|\b(ceo|chief executive|boss|head) of\b/i.test(question);
  if (!subject || !isNamed(subject)) return writeState(desk);
  const described = company ? describeCompany(company, asksForChief) : describePerson(subject);
  const inPerson = newestFirst(grounds.matching).filter(
    (article) => article.primary.includes(subject.id) && isCurrent(desk, article),
  );
  const shown = inPerson
    .toSorted((left, right) => Number(lineOf(left) === undefined) - Number(lineOf(right) === undefined))
    .slice(0, 3);
  return shown.length === 0 || desk.intents.length > 1
    ? [described]
    : [described, `In the news:\n\n${headlineList(desk, shown)}`];
}

/** Whether an article is everyday news or belongs to a story's latest run. */
function isCurrent({ stories }: Desk, article: SampleArticle): boolean {
  return lineOf(article) === undefined || stories.some(({ articles }) => articles.some(({ id }) => id === article.id));
}

function describeCompany(company: (typeof companies)[number], asksForChief: boolean): string {
  const { name, symbol, exchange, business, chief } = company;
  const role = entities.find((entity) => entity.name === chief)?.metadata["role"] ?? "";
  const about = `its business is ${business}`;
  if (role.startsWith("Former")) {
    return `**${name}** (${symbol}, ${exchange}) is a listed company; ${about}. ${chief} led it until recently.`;
  }
  if (asksForChief) return `**${chief}** runs ${name} (${symbol}, ${exchange}); ${about}.`;
  return `**${name}** (${symbol}, ${exchange}) is a listed company; ${about}. ${chief} runs it.`;
}

function describePerson({ name, metadata: { role = "" } }: SampleEntity): string {
  const article = role.startsWith("Former") ? "the " : role.startsWith("Finance") ? "a " : "";
  return `**${name}** is ${article}${role.slice(0, 1).toLowerCase()}${role.slice(1)}.`;
}

/** A comparison of two or three companies or people. */
function writeComparison(desk: Desk): string[] {
  const { grounds, now } = desk;
  const subjects = grounds.subjects.filter(isNamed).slice(0, 3);
  if (subjects.length < 2) return ["Name two companies or people, and I’ll compare them.", ...writeState(desk)];
  const trends = trending({ now, limit: 500 });
  const columns = subjects.map((subject) => {
    const company = companies.find(({ id }) => id === subject.id);
    const about = newestFirst(grounds.allowed.filter((article) => isAbout(article, subject.id)));
    const leading = (story: SampleStory) => subjects.filter((each) => isLeading(each, story)).length;
    const [story] = storiesAt(now, about)
      .filter((each) => isLeading(subject, each))
      .toSorted((left, right) => leading(right) - leading(left));
    const latest = about.find(({ primary }) => primary.includes(subject.id));
    const trend = trends.find(({ entity }) => entity.id === subject.id);
    return {
      story: story?.name,
      reason: story ? `is in the news for ${nameBehind([subject], story)}` : "has nothing but everyday news",
      cells: [
        company ? sentence(company.business) : (subject.metadata["role"] ?? ""),
        company ? `${company.symbol}, ${company.exchange}` : "–",
        company ? company.chief : "–",
        `${trend?.count ?? 0} (normally ${normally(trend?.average ?? 0)})`,
        latest ? tableLink(desk, latest) : "–",
      ],
    };
  });
  const labels = ["Business", "Listed", "Led by", "Articles in 24 h", "Latest"];
  const head = `| | ${subjects.map(({ name }) => name).join(" | ")} |\n| --- |${" --- |".repeat(subjects.length)}`;
  const rows = labels.map((label, row) => `| ${label} | ${columns.map(({ cells }) => cells[row]).join(" | ")} |`);
  const shared = columns[0]?.story;
  const isShared = shared !== undefined && columns.every(({ story }) => story === shared);
  const lead = isShared
    ? `${bold(subjects)} are in the news for the same thing: ${shared}.`
    : `${subjects.map(({ name }, at) => `**${name}** ${columns[at]?.reason}`).join("; ")}.`;
  return [lead, [head, ...rows].join("\n")];
}

const tableLink = (desk: Desk, article: SampleArticle) => citations(desk, [article]).replaceAll("|", "\\|");

/** An average as a reader sees it: "2–3", "less than 1". */
function normally(average: number): string {
  if (average < 1) return "less than 1";
  const [from, to] = [Math.floor(average), Math.ceil(average)];
  return from === to ? String(from) : `${from}–${to}`;
}

/** The other companies of the same line of business. */
function writeRivals(desk: Desk): string[] {
  const { grounds } = desk;
  const [main] = mainStories(desk);
  const own = grounds.subjects.length > 0 ? grounds.subjects.map(({ id }) => id) : (main?.central ?? []);
  const sector = companies.find(({ id }) => own.includes(id))?.sector;
  const peers = companies.filter((company) => company.sector === sector && !own.includes(company.id));
  const inStory = (id: number) => main?.articles.findLast(({ primary }) => primary.includes(id));
  const points = peers.flatMap(({ id }) => {
    const article = inStory(id) ?? newestFirst(grounds.allowed).find(({ primary }) => primary.includes(id));
    return article ? [{ id, article, isInStory: inStory(id) !== undefined }] : [];
  });
  const shown = points.toSorted((left, right) => Number(right.isInStory) - Number(left.isInStory)).slice(0, 4);
  if (shown.length === 0) return [`I have nothing on rivals of ${subjectOf(desk)}.`, ...writeState(desk)];
  const names = listed(
    peers.filter(({ id }) => shown.some((point) => point.id === id)).map(({ name }) => `**${name}**`),
  );
  const list = articleBullets(desk, [...new Set(shown.map(({ article }) => article))]);
  return [`In the same line of business as ${subjectOf(desk)}, I have news on ${names}:`, list];
}

/** The events of the main story by day, from its beginning. */
function writeTimeline(desk: Desk): string[] {
  const { cited, grounds } = desk;
  const [main] = mainStories(desk);
  const articles = main?.articles ?? newestFirst(grounds.articles).toReversed();
  for (const article of articles) cited.add(article);
  const rows = articles.map((article) => {
    const time = `${date(article.published)}, ${clockTime(article.published)}`;
    return `- **${time}** · ${linkTo(article, desk)} — *${article.source}*`;
  });
  return [`${sentence(main?.name ?? subjectOf(desk))}, in order (times in UTC):`, rows.join("\n")];
}

function writeTable(desk: Desk): string[] {
  const [main] = mainStories(desk);
  const [state] = main?.state ?? [];
  const articles = (main && newestFirst(main.articles)) ?? desk.grounds.articles;
  const rows = articles.slice(0, 8).map((article) => {
    desk.cited.add(article);
    const link = linkTo(article, desk).replaceAll("|", "\\|");
    return `| ${when(article.published, desk.now)} | ${article.source} | ${link} |`;
  });
  const lead = state?.text ?? `These are the articles on ${subjectOf(desk)}:`;
  return [lead, ["| When | Outlet | Article |", "| --- | --- | --- |", ...rows].join("\n")];
}

/** The news of the last 24 hours. */
function writeChanges(desk: Desk): string[] {
  const { grounds, now, stories } = desk;
  const candidates = [...stories.flatMap(({ articles }) => articles), ...everydayOf(desk)];
  const all = newestFirst([...new Map(candidates.map((article) => [article.id, article])).values()]).filter((article) =>
    grounds.matching.some(({ id }) => id === article.id),
  );
  const fresh = all.filter(({ published }) => now - published < 86_400_000);
  const [latest] = all;
  if (!latest) return writeEveryday(desk);
  if (fresh.length > 0) {
    const lead = `${sentence(inWords(fresh.length))} new ${fresh.length === 1 ? "article" : "articles"} on ${subjectOf(desk)} in the last 24 hours:`;
    const list = headlineList(desk, fresh.slice(0, 5));
    const [background] = stories[0]?.state ?? [];
    const isKnown = fresh.length > 2 || !background || background.articles.some((article) => fresh.includes(article));
    return isKnown ? [lead, list] : [lead, list, `Where the bigger story stands: ${paragraph(desk, background)}`];
  }
  const lead = `Nothing new on ${subjectOf(desk)} in the last 24 hours; the latest article is ${ageOf(latest, now)}.`;
  const [state] = stories[0]?.state ?? [];
  if (!state) return [lead, articleBullets(desk, all.slice(0, 3))];
  const others = all.filter((article) => !state.articles.includes(article)).slice(0, 2);
  return [lead, `Where things stand: ${paragraph(desk, state)}`, headlineList(desk, others)].filter(Boolean);
}

function writeAgreement(desk: Desk): string[] {
  const articles = desk.grounds.articles.slice(0, 5);
  const lead =
    articles.length < 2
      ? "There is only one article, so there is nothing to compare."
      : `The ${articles.length} articles don’t contradict each other on facts; each looks at another side:`;
  return [lead, articleBullets(desk, articles)];
}

/** A lead of a sentence or two, and a point for each article. */
function writeSummary(desk: Desk): string[] {
  const { grounds } = desk;
  const isGiven = grounds.searches.length === 0;
  const [main] = mainStories(desk);
  if (!isGiven) {
    const [state] = main?.state ?? [];
    if (!main || !state) return writeEveryday(desk);
    const lead = paragraph(desk, state);
    const reports = newestFirst(main.articles).filter((article) => !desk.cited.has(article));
    return [lead, articleBullets(desk, reports.slice(0, 5)), ...writeAlso(desk, mainStories(desk).slice(1))];
  }
  const articles = grounds.articles.slice(0, 12);
  return [leadOf(desk, articles), articleBullets(desk, articles)];
}

/** The paragraph alone, because a digest posts it as it is. */
function writeLead(desk: Desk): string[] {
  const { grounds, language, question, stories } = desk;
  if (languageOf(question, language)?.language !== "german") return [leadOf(desk, grounds.articles)];
  const told = stories.flatMap(({ german }) => german.slice(0, 1)).slice(0, 3);
  return [told.length > 0 ? told.map(({ text }) => text).join(" ") : onlyStoriesInGerman];
}

/**
 * Two or three sentences, or one if that was asked for, on exactly these articles: the state of their stories, else
 * what the first articles say.
 */
function leadOf({ stories, question }: Desk, articles: SampleArticle[]): string {
  const most = /\bin one sentence\b/i.test(question) ? 1 : 3;
  const told = new Set<SampleArticle>();
  const sentences: string[] = [];
  for (const article of articles) {
    if (sentences.length === most) break;
    if (told.has(article)) continue;
    const story = stories.find((each) => each.articles.some(({ id }) => id === article.id));
    const [state] = story?.state ?? [];
    sentences.push(state?.text ?? lineOf(article) ?? sentenceOf(article));
    for (const each of state && story ? story.articles : [article]) told.add(each);
  }
  return sentences.join(" ");
}

/** An everyday article in one sentence that names its subject: a sentence of its summary, else its headline. */
function sentenceOf({ title, summary, primary }: SampleArticle): string {
  const [first = ""] = sentencesOf(summary);
  const names = entities.filter(({ id }) => primary.includes(id)).flatMap((entity) => [entity.name, ...entity.aliases]);
  if (names.some((name) => normalize(first).includes(normalize(name)))) return first;
  return /[.!?]["”’]?$/.test(title) ? title : `${title}.`;
}

/** A statement or a note to work on. */
function writeDraft(desk: Desk): string[] {
  const { grounds, question } = desk;
  const [main] = mainStories(desk);
  const isStatement = /\bstatement\b|\bpress release\b/i.test(question);
  if (!main) {
    const matter = grounds.subjects.length > 0 ? listed(grounds.subjects.map(({ name }) => name)) : matterOf(question);
    return ["**Draft holding statement**", holdingStatement({ matter: matter || "[the matter]" })];
  }
  const checks = bulletList(desk, main.why.slice(0, 3));
  if (isStatement) {
    const company = companies.find(({ id }) => main.central.includes(id))?.name ?? main.name;
    return [
      `**Draft holding statement: ${company}**`,
      statementFor(main),
      `Check it against the coverage:\n\n${checks}`,
    ];
  }
  const [state] = main.state;
  return [`**Draft: ${main.name}**`, state?.text ?? "", checks, "What’s next:", bulletList(desk, main.next)].filter(
    Boolean,
  );
}

/** An answer to a question that names nothing: the companies that stand out against their normal coverage. */
function writeTop(desk: Desk): string[] {
  const { grounds, now } = desk;
  const trends = trending({ now, kind: "company", limit: 50 });
  const points = grounds.subjects.map((subject) => {
    const story = storiesAt(now, grounds.allowed).find((one) => isLeading(subject, one));
    const latest = grounds.articles.find((article) => article.primary.includes(subject.id)) ?? grounds.articles[0];
    const trend = trends.find(({ entity }) => entity === subject);
    const figures = `${counted(trend?.count ?? 0, "article")} in 24 h, normally ${normally(trend?.average ?? 0)}`;
    const [state] = story?.state ?? [];
    const said = state ? paragraph(desk, state) : latest ? articleBullet(desk, latest).slice(2) : "";
    return `- **${subject.name}** (${figures}): ${said}`;
  });
  return [
    `${sentence(inWords(points.length))} ${points.length === 1 ? "name stands" : "names stand"} out right now:`,
    points.join("\n"),
  ];
}

function writeNothing(desk: Desk): string[] {
  const asked = /^>\s*(.+)$/m.exec(desk.question)?.[1];
  const words = subjectWords(desk.question);
  const about = asked ? "what that message is about" : words ? `“${words}”` : "that";
  return [
    `I have nothing on ${about}: this demonstration holds about 400 invented articles on companies, markets and regulators, none older than ten days.`,
    `It can answer, for example:\n\n${suggestions(desk.now)}`,
  ];
}

const onlyStoriesInGerman = "Auf Deutsch fasse ich in dieser Demo nur die großen Geschichten zusammen.";

function writeGerman(desk: Desk): string[] {
  const { grounds, intents, now } = desk;
  const [main] = mainStories(desk);
  const [subject] = grounds.subjects.filter(isNamed);
  const isWhy = intents.includes("why") && main !== undefined && main.warum.length > 0;
  const known = main && [...main.german.slice(0, 1), ...(isWhy ? main.warum.slice(0, 1) : [])];
  const told = known?.map((text) => paragraph(desk, text)) ?? [];
  const person = intents.includes("who") ? peopleInGerman[subject?.key ?? ""] : undefined;
  const company = intents.includes("who") ? companies.find(({ id }) => id === subject?.id) : undefined;
  const who = company
    ? [`**${company.name}** (${company.symbol}, ${company.exchange}) ist ein börsennotiertes Unternehmen.`]
    : person
      ? [person]
      : [];
  if (grounds.articles.length === 0 && who.length === 0) {
    return [
      "Dazu habe ich in dieser Demo nichts. Fragen kann man zum Beispiel (die Antworten sind ausführlicher auf Englisch):",
      suggestions(now),
    ];
  }
  const more = newestFirst(main?.articles ?? grounds.articles)
    .filter((article) => !desk.cited.has(article))
    .slice(0, 3);
  const links = headlineList(desk, more);
  const lead = [...who, ...told];
  return [
    lead.length > 0 ? lead.join(" ") : onlyStoriesInGerman,
    ...(more.length > 0 ? [`Mehr dazu auf Englisch:\n\n${links}`] : []),
  ];
}
