import { type Entity, entityById } from "./entities.ts";
import { cite, origin, type Setting } from "./citation.ts";
import { longAnswer } from "./essay.ts";
import type { Article } from "./news.ts";
import { fingerprint } from "./random.ts";
import type { Grounds } from "./retrieval.ts";
import { trending } from "./trending.ts";
import { ago, listed, sentencesOf } from "./words.ts";

type Intent = "what" | "why" | "who" | "next" | "figures";

const INTENTS: [Intent, RegExp][] = [
  ["who", /\bwho\b|\bpeople\b|\bnames?\b/i],
  ["why", /\bwhy\b|\breasons?\b|\bcaus(e|ed|es|ing)\b|\bbehind\b/i],
  ["next", /\bnext\b|\bexpect|\boutlook\b|\bwill\b|\bfuture\b|\bwatch\b|\brisks?\b/i],
  ["figures", /\bhow (much|many|big|large|far)\b|\bfigures?\b|\bnumbers?\b|\bprice\b/i],
];

/** What makes a sentence the one to quote for an intent. */
const TELLING: Record<Intent, RegExp> = {
  what: /./,
  why: /\b(because|due to|citing|blame[sd]?|owing to|driven by|prompted|caused?|risk of|after|amid|on concern)\b/i,
  who: /\b(said|chief|president|analyst|governor|told|spokes|head of|judge)\b/i,
  next: /\b(will|would|expects?|expected|plans?|due|could|may|next|until|by the end|forecast|deadline)\b/i,
  figures: /[\d$€£¥₹%]/,
};

function intentOf(question: string): Intent {
  return INTENTS.find(([, pattern]) => pattern.test(question))?.[0] ?? "what";
}

/** The sentence of an article that fits best and is not used yet; the headline where all are. */
function quote(article: Article, telling: RegExp, used: Set<string>): string {
  const free = sentencesOf(article.summary).filter((sentence) => !used.has(sentence));
  const chosen = free.find((sentence) => telling.test(sentence)) ?? free[0] ?? `${article.title}.`;
  used.add(chosen);
  return chosen;
}

function bold(entities: { name: string }[]): string {
  return listed(entities.map((entity) => `**${entity.name}**`));
}

/** People in the articles first, then the other entities that the reader did not ask about. */
function others(grounds: Grounds, kinds: Entity["kind"][]): Entity[] {
  const ids = grounds.articles.flatMap((article) => [...article.primary, ...article.secondary]);
  const found = [...new Set(ids)].flatMap((id) => entityById(id) ?? []);
  return found.filter((entity) => kinds.includes(entity.kind) && !grounds.subjects.includes(entity));
}

function reach(grounds: Grounds, setting: Setting): string {
  const { articles } = grounds;
  const outlets = new Set(articles.map((article) => article.source)).size;
  const newest = Math.max(...articles.map((article) => article.published));
  const when = ago(setting.now - newest);
  if (articles.length === 1) return `This rests on one report, from ${when}.`;
  const by = outlets === 1 ? "one outlet" : `${outlets} outlets`;
  return `${articles.length} reports from ${by} cover this, the newest from ${when}.`;
}

function subjectOf(grounds: Grounds): string {
  if (grounds.subjects.length > 0) return bold(grounds.subjects);
  return grounds.keywords.length > 0 ? `“${grounds.keywords.join(" ")}”` : "these articles";
}

const LEADS: Record<Intent, ((subject: string) => string)[]> = {
  what: [
    (subject) => `On ${subject}:`,
    (subject) => `Here is the state of play on ${subject}.`,
    (subject) => `The short version for ${subject}:`,
  ],
  why: [
    (subject) => `The reports on ${subject} point to this cause.`,
    (subject) => `What the coverage gives as the reason, for ${subject}:`,
  ],
  who: [(subject) => `Who speaks and acts in the coverage of ${subject}:`],
  next: [(subject) => `What the reports expect next for ${subject}:`, (subject) => `Looking ahead for ${subject}:`],
  figures: [(subject) => `The figures that the reports give for ${subject}:`],
};

function lead(grounds: Grounds, setting: Setting, intent: Intent, used: Set<string>): string {
  const [first] = grounds.articles;
  if (!first) return "";
  const openings = LEADS[intent];
  const opening = openings[fingerprint(setting.question + first.title) % openings.length];
  const people = intent === "who" ? others(grounds, ["person"]) : [];
  const named = people.map((person) => `**${person.name}** (${person.metadata.role})`);
  const cast = named.length > 0 ? ` ${listed(named.slice(0, 4))}.` : "";
  const start = opening?.(subjectOf(grounds)) ?? "";
  const news = `${quote(first, TELLING[intent], used)} ${cite(first, setting)} — ${origin(first, setting)}.`;
  return `${start}${cast} ${news}\n\n${reach(grounds, setting)}`;
}

/** For a question that names nothing: who stands out, and against what. */
function topLead(grounds: Grounds, setting: Setting): string {
  const trends = trending({ now: setting.now, kind: "company", limit: 20 });
  const named = grounds.subjects.flatMap((subject) => {
    const trend = trends.find((one) => one.entity === subject);
    if (!trend) return [];
    return [`**${subject.name}** (${trend.count} articles in 24 hours, ${trend.average.toFixed(1)} on a usual day)`];
  });
  return `Standing out from their usual coverage right now: ${listed(named)}.`;
}

function bullets(articles: Article[], setting: Setting, intent: Intent, used: Set<string>): string {
  return articles
    .map((one) => `- ${quote(one, TELLING[intent], used)} ${cite(one, setting)} — ${origin(one, setting)}`)
    .join("\n");
}

/** The lead has quoted the first article, unless there is no other or the lead tells of trends. */
function listedArticles(articles: Article[], top: boolean): Article[] {
  return top || articles.length === 1 ? articles.slice(0, 4) : articles.slice(1, 5);
}

function closing(grounds: Grounds): string {
  const next = others(grounds, ["company"]).slice(0, 2);
  const outlets = [...new Set(grounds.articles.slice(0, 5).map((article) => article.source))];
  const further = next.length > 0 ? ` Also named: ${bold(next)}.` : "";
  return `Quoted: ${listed(outlets)}.${further}`;
}

function table(articles: Article[], setting: Setting): string {
  const rows = articles.slice(0, 8).map((article) => {
    const time = new Date(article.published).toISOString().slice(0, 16).replace("T", " ");
    return `| ${time} | ${article.source} | ${cite(article, setting).replaceAll("|", "\\|")} |`;
  });
  return ["| Published (UTC) | Source | Article |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The query behind the answer, as the stages that a channel would hold. */
function code(grounds: Grounds): string {
  const stages = grounds.subjects.map((subject) => ({ not: false, entities: [{ type: "entity", value: subject.id }] }));
  const query = stages.length > 0 ? { stages } : { keywords: grounds.keywords };
  return `The query behind this answer:\n\n\`\`\`json\n${JSON.stringify(query, null, 2)}\n\`\`\``;
}

/** Articles with a telling sentence come first, the newest of them in front; for a plain question the order stays. */
function inOrder(articles: Article[], intent: Intent): Article[] {
  const telling = (article: Article) => Number(TELLING[intent].test(article.summary));
  return articles.toSorted((left, right) => telling(right) - telling(left));
}

function nothing(grounds: Grounds, setting: Setting): string {
  const asked = subjectOf(grounds);
  const names = trending({ now: setting.now, kind: "company", limit: 3 }).map((trend) => trend.entity);
  return (
    `I found nothing about ${asked} in the news of the past ten days.\n\n` +
    "- Try the full name of a company or person, or a ticker symbol.\n" +
    "- Try fewer words: every one of them has to appear.\n" +
    `- Or ask about what moves right now, such as ${bold(names)}.`
  );
}

/** Writes the answer, in Markdown, out of the articles it stands on. The question's own words choose the form. */
export function answer(found: Grounds, setting: Setting): string {
  if (found.articles.length === 0) return nothing(found, setting);
  if (/\blong\b|\bin detail\b/i.test(setting.question)) return longAnswer(found, setting);
  const intent = intentOf(setting.question);
  const top = found.searches[0]?.call.args["order"] === "trending";
  const grounds = top ? found : { ...found, articles: inOrder(found.articles, intent) };
  const used = new Set<string>();
  const opening = top ? topLead(grounds, setting) : lead(grounds, setting, intent, used);
  const parts = [opening, bullets(listedArticles(grounds.articles, top), setting, intent, used)];
  if (/\btable\b/i.test(setting.question)) parts.push(table(grounds.articles, setting));
  if (/\bcode\b/i.test(setting.question)) parts.push(code(grounds));
  return [...parts, closing(grounds)].join("\n\n");
}
