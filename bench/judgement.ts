/**
 * Measures the judgement on stories, on labelled headlines and beside named baselines. The set is not part of this
 * repository: the headlines with story labels of the UCI News Aggregator, of which
 * https://raw.githubusercontent.com/pratikaher88/IPythonNotebooks/master/uci-news-aggregator.csv is a part.
 */
import { readFile } from "node:fs/promises";

import { placeOf } from "../local/sandbox/briefs.ts";
import { entityById } from "../local/sandbox/entities.ts";
import { recentArticles } from "../local/sandbox/news.ts";
import { type RandomSource, createRandom } from "../local/sandbox/random.ts";
import type { Article } from "../src/apis/article.ts";
import { byImportance } from "../src/features/articles/importance.ts";
import { createSimilarity, termsOf } from "../src/features/articles/similarity.ts";
import { articlesOf, separateRepeats, storiesOf } from "../src/features/articles/stories.ts";
import { mean } from "./contenders.ts";

export const labelledSet =
  "https://raw.githubusercontent.com/pratikaher88/IPythonNotebooks/master/uci-news-aggregator.csv";

const hourMs = 60 * 60_000;
const noEntities: Article["entities"] = { primary: [], secondary: [], tertiary: [] };
const start = Date.UTC(2026, 10, 20);

/** Headlines on one event, by the labels. */
interface LabelledEvent {
  name: string;
  headlines: LabelledReport[];
}

interface LabelledReport {
  title: string;
  source: string;
  summary?: string;
}

interface LabelledArticle {
  event: string;
  article: Article;
}

type Linker = (text: string, event: string) => Article["entities"];
type Grouping = (articles: Article[]) => Article[][];

/** Reads the labelled headlines; events of a few reports are left out. Throws if the file holds none. */
export async function readLabelled(path: string): Promise<LabelledEvent[]> {
  const [head = [], ...rows] = rowsOf(await readFile(path, "utf8"));
  const at = (name: string) => head.indexOf(name);
  const [title, publisher, story] = [at("TITLE"), at("PUBLISHER"), at("STORY")];
  const labelled = rows.flatMap((row) => {
    const [text, name] = [row[title], row[story]];
    return text && name ? [{ name, headline: { title: text, source: row[publisher] ?? "" } }] : [];
  });
  const events = [...Map.groupBy(labelled, ({ name }) => name)].map(([name, all]) => ({
    name,
    headlines: all.map(({ headline }) => headline),
  }));
  const telling = events.filter(({ headlines }) => headlines.length >= 8);
  if (telling.length === 0) throw new Error(`${path} has no headlines with labels of stories`);
  return telling;
}

/** Articles made of headlines: one as the title, and two more of its event as the summary; no headline is used twice. */
export function textsOf(events: LabelledEvent[]): LabelledEvent[] {
  const texts = events.map(({ name, headlines }) => ({
    name,
    headlines: shuffled(headlines, createRandom(`text ${name}`)).flatMap(({ title, source }, at, all) => {
      const [second, third] = [all[at + 1], all[at + 2]];
      return at % 3 === 0 && second && third ? [{ title, source, summary: `${second.title}. ${third.title}.` }] : [];
    }),
  }));
  return texts.filter(({ headlines }) => headlines.length > 2);
}

/** Labels are taken to name one event if the mean headlines of both have this cosine. */
const twinLabels = 0.5;

/** The events with labels joined that name one event twice, by the words of all of their headlines. */
export function joinTwins(events: LabelledEvent[]): LabelledEvent[] {
  const bags = events.map(({ headlines }) => headlines.map(({ title }) => new Set(termsOf(title))));
  const counts = Map.groupBy(
    bags.flat().flatMap((bag) => [...bag]),
    (term) => term,
  );
  const total = bags.flat().length;
  const means = bags.map((own) => {
    const mine = Map.groupBy(
      own.flatMap((bag) => [...bag]),
      (term) => term,
    );
    const weights = [...mine].map(
      ([term, { length }]) => [term, length * Math.log(total / (counts.get(term)?.length ?? 1))] as const,
    );
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.map(([term, weight]) => [term, weight / length]));
  });
  const cosine = (one: number, other: number) =>
    [...(means[one] ?? [])].reduce((sum, [term, weight]) => sum + weight * (means[other]?.get(term) ?? 0), 0);
  const first = events.map((_, at) => at);
  for (const other of events.keys()) {
    for (let one = 0; one < other; one++) {
      const [kept, joined] = [first[one] ?? one, first[other] ?? other];
      if (kept === joined || cosine(one, other) < twinLabels) continue;
      for (const [at, its] of first.entries()) if (its === joined) first[at] = kept;
    }
  }
  return [...Map.groupBy(events, (_, at) => first[at] ?? at).values()].map(([event, ...twins]) => ({
    name: event?.name ?? "",
    headlines: [event, ...twins].flatMap((each) => each?.headlines ?? []),
  }));
}

function shuffled<T>(all: T[], random: RandomSource): T[] {
  return all
    .map((each) => ({ each, order: random.next() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ each }) => each);
}

/** The rows of a CSV file with quoted fields. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\n") rows.push([]);
  }
  return rows;
}

/** Three ways to give reports their entities, and none. */
function linkersFor(events: LabelledEvent[]): Record<"none" | "poor" | "good" | "perfect", Linker> {
  const ids = new Map<string, number>();
  const entitiesOf = (names: string[], primary = 2) => {
    const found = [...new Set(names)].map((name) => {
      const id = ids.get(name) ?? ids.size + 1;
      ids.set(name, id);
      return id;
    });
    return { primary: found.slice(0, primary), secondary: found.slice(primary), tertiary: [] };
  };
  const isName = namesIn(events.flatMap(({ headlines }) => headlines.map(({ title }) => title)));
  const namesOf = (text: string) => wordsIn(text).map(lower).filter(isName);
  const main = new Map(
    events.map(({ name, headlines }) => {
      const counts = Map.groupBy(
        headlines.flatMap(({ title }) => [...new Set(namesOf(title))]),
        (each) => each,
      );
      const inOrder = [...counts].toSorted(([, one], [, other]) => other.length - one.length);
      return [name, inOrder.slice(0, 4).map(([each]) => each)];
    }),
  );
  return {
    none: () => noEntities,
    poor: (text) => entitiesOf(capitalsIn(text)),
    good: (text) => entitiesOf(namesOf(text)),
    perfect: (text, event) => {
      const own = namesOf(text);
      const central = (main.get(event) ?? []).filter((name, at) => at < 2 || own.includes(name)).slice(0, 3);
      return entitiesOf([...central, ...own], central.length);
    },
  };
}

const lower = (word: string) => word.toLowerCase();

function wordsIn(title: string): string[] {
  return title.match(/[\p{L}\p{N}][\p{L}\p{N}.&-]*/gu) ?? [];
}

/** Runs of at most three capitalised words; in a headline that capitalises every word, each word alone. */
function capitalsIn(title: string): string[] {
  const words = wordsIn(title);
  const long = words.slice(1).filter((word) => word.length > 3);
  const isTitleCase = long.filter((word) => /^\p{Ll}/u.test(word)).length < 0.3 * long.length;
  const names: string[] = [];
  let run: string[] = [];
  for (const word of [...words, ""]) {
    const isCapital = /^\p{Lu}/u.test(word) && termsOf(word).length > 0;
    if (isCapital) run.push(lower(word));
    if (run.length > 0 && (!isCapital || run.length === (isTitleCase ? 1 : 3))) {
      names.push(run.join(" "));
      run = [];
    }
  }
  return names.filter((name) => name.length > 2);
}

/** Tells names from other words by their spelling in most headlines that do not capitalise every word. */
function namesIn(titles: string[]): (word: string) => boolean {
  const counts = new Map<string, { capital: number; small: number }>();
  for (const title of titles) {
    const words = wordsIn(title).slice(1);
    const long = words.filter((word) => word.length > 3);
    if (long.filter((word) => /^\p{Ll}/u.test(word)).length < 0.4 * long.length) continue;
    for (const word of words) {
      const count = counts.get(lower(word)) ?? { capital: 0, small: 0 };
      if (/^\p{Lu}/u.test(word)) count.capital++;
      else count.small++;
      counts.set(lower(word), count);
    }
  }
  return (word) => {
    const { capital, small } = counts.get(word) ?? { capital: 0, small: 0 };
    return word.length > 1 && capital >= 2 && capital >= 9 * small;
  };
}

interface BatchOptions {
  events: LabelledEvent[];
  linker: Linker;
  articles: number;
}

/**
 * The articles of a day, within hours of their events: 45 % of events have one article, 20 % two, 20 % three to five,
 * 15 % six to ten.
 */
function batchOf(seed: string, { events, linker, articles }: BatchOptions): LabelledArticle[] {
  const random = createRandom(seed);
  const batch: LabelledArticle[] = [];
  for (const { name, headlines } of shuffled(events, random)) {
    const lot = random.next();
    const few = lot < 0.45 ? 1 : 2;
    const count = lot < 0.65 ? few : lot < 0.85 ? 3 + random.below(3) : 6 + random.below(5);
    const happened = start + random.next() * 24 * hourMs;
    for (const each of shuffled(headlines, random).slice(0, Math.min(count, articles - batch.length))) {
      const published = Math.round(happened - 4 * hourMs * Math.log(1 - random.next()));
      batch.push({ event: name, article: articleOf({ ...each, event: name, published, linker }) });
    }
    if (batch.length >= articles) break;
  }
  return batch;
}

let made = 0;
interface ArticleOptions extends LabelledReport {
  event: string;
  published: number;
  linker: Linker;
}

function articleOf({ title, source, summary = "", event, published, linker }: ArticleOptions): Article {
  made++;
  const url = `https://news.example.com/${made}`;
  return { id: made, title, summary, url, source, published, entities: linker(`${title} ${summary}`, event) };
}

/** Adds each article, oldest first, to the group with the highest mean similarity, if it reaches the threshold. */
function groupBy(similarity: (one: Article, other: Article) => number, threshold: number): Grouping {
  return (articles) => {
    const groups: Article[][] = [];
    for (const article of articles.toSorted((one, other) => (one.published ?? 0) - (other.published ?? 0))) {
      const rated = groups.map((group) => ({ group, value: mean(group.map((each) => similarity(each, article))) }));
      const best = rated.toSorted((one, other) => other.value - one.value)[0];
      if (best && best.value >= threshold) best.group.push(article);
      else groups.push([article]);
    }
    return groups;
  };
}

function jaccard(one: Article, other: Article): number {
  const [first, second] = [new Set(termsOf(one.title)), new Set(termsOf(other.title))];
  const both = [...first].filter((term) => second.has(term)).length;
  return both === 0 ? 0 : both / (first.size + second.size - both);
}

/**
 * A plain rule as baseline. It joins articles by the cosine of headline and summary, or if they share half of the
 * shorter list of names and a main one; it asks for a cosine of 0.5 if their main names differ.
 */
function groupByEither(articles: Article[]): Article[][] {
  const bags = articles.map(({ title, summary }) => Map.groupBy(termsOf(`${title} ${summary}`), (term) => term));
  const counts = Map.groupBy(
    bags.flatMap((bag) => [...bag.keys()]),
    (term) => term,
  );
  const idfOf = (term: string) => Math.log((1 + articles.length) / (1 + (counts.get(term)?.length ?? 0))) + 1;
  const vectors = new Map(
    articles.map((article, at) => {
      const vector = [...(bags[at] ?? [])].map(([term, { length }]) => [term, length * idfOf(term)] as const);
      const length = Math.hypot(...vector.map(([, weight]) => weight)) || 1;
      return [article, new Map(vector.map(([term, weight]) => [term, weight / length]))];
    }),
  );
  const similarity = (one: Article, other: Article) => {
    const [first, second] = [vectors.get(one), vectors.get(other)];
    const cosine = [...(first ?? [])].reduce((sum, [term, weight]) => sum + weight * (second?.get(term) ?? 0), 0);
    const [own, others] = [one, other].map(({ entities }) => new Set([...entities.primary, ...entities.secondary]));
    if (!own?.size || !others?.size) return cosine / 0.25;
    const isMain = one.entities.primary.some((id) => other.entities.primary.includes(id));
    const shared = [...own].filter((id) => others.has(id)).length / Math.min(own.size, others.size);
    const isNamed =
      one.entities.primary.some((id) => others.has(id)) || other.entities.primary.some((id) => own.has(id));
    if (!isNamed && cosine < 0.5) return 0;
    return Math.max(cosine / 0.25, isMain ? shared / 0.5 : 0);
  };
  return groupBy(similarity, 1)(articles);
}

const groupings: Record<string, Grouping> = {
  "same title": (articles) => [...Map.groupBy(articles, ({ title }) => title.toLowerCase()).values()],
  "Jaccard of the headlines ≥ 0.2": groupBy(jaccard, 0.2),
  "TF-IDF alone": (articles) => {
    const plain = new Map(articles.map((article) => [article, { ...article, entities: noEntities }]));
    const similarity = createSimilarity([...plain.values()]);
    const profileOf = (article: Article) => similarity.profileOf(plain.get(article) ?? article);
    return groupBy((one, other) => similarity.between(profileOf(one), profileOf(other)), 1)(articles);
  },
  "TF-IDF ≥ 0.25 or half of the names, with a guard": groupByEither,
  Bellwether: (articles) => storiesOf(articles).map(articlesOf),
};

/**
 * B³: the purity and the completeness of the articles' stories, as a mean over all articles; and the stories that mix
 * events.
 */
function scoreOf(batch: LabelledArticle[], groups: Article[][]) {
  const events = new Map(batch.map(({ article, event }) => [article, event]));
  const sizes = new Map([...Map.groupBy(batch, ({ event }) => event)].map(([event, all]) => [event, all.length]));
  let [precision, recall, mixed] = [0, 0, 0];
  for (const group of groups) {
    const counts = Map.groupBy(group, (article) => events.get(article) ?? "");
    if (counts.size > 1) mixed++;
    for (const [event, { length }] of counts) {
      precision += length ** 2 / group.length / batch.length;
      recall += length ** 2 / (sizes.get(event) ?? 1) / batch.length;
    }
  }
  return { f1: (2 * precision * recall) / (precision + recall), precision, recall, mixed: mixed / groups.length };
}

const batches = 40;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/**
 * The stories among 100 articles of a day, for all events and for two halves of them, one of which was not used for
 * tuning.
 */
export function storyRows(events: LabelledEvent[]): string[][] {
  const linkers = linkersFor(events);
  const halves = {
    "all events": () => true,
    "one half": (at: number) => at % 2 === 0,
    "other half": (at: number) => at % 2 === 1,
  };
  const rows = [["", "entities", "events", "B³ F1", "precision", "recall", "stories that mix events"]];
  for (const [links, linker] of Object.entries(linkers)) {
    for (const [name, grouping] of Object.entries(groupings)) {
      for (const [half, isIn] of Object.entries(halves)) {
        if (name !== "Bellwether" && half !== "all events") continue;
        const own = events.filter((_, at) => isIn(at));
        const scores = Array.from({ length: batches }, (_, at) => {
          const batch = batchOf(`stories ${at}`, { events: own, linker, articles: 100 });
          return scoreOf(batch, grouping(batch.map(({ article }) => article)));
        });
        const means = (["f1", "precision", "recall"] as const).map((key) =>
          mean(scores.map((each) => each[key])).toFixed(3),
        );
        rows.push([name, links, half, ...means, percent(mean(scores.map(({ mixed }) => mixed)))]);
      }
    }
  }
  return rows;
}

/**
 * Recognition of stories already posted: a channel has one report on each of up to 60 events; another report on each
 * comes later, among other news.
 */
export function shownRows(events: LabelledEvent[]): string[][] {
  const rows = [["later by", "entities", "recognised", "other events taken for a shown one"]];
  const posted = Math.min(60, Math.floor(0.7 * events.length));
  const linkers = linkersFor(events);
  for (const [links, linker] of Object.entries(linkers)) {
    for (const hours of [6, 24, 36]) {
      const random = createRandom("shown");
      let [recognised, shown, mistaken, others] = [0, 0, 0, 0];
      for (let run = 0; run < 10; run++) {
        const order = events
          .map((event) => ({ event, order: random.next() }))
          .toSorted((one, other) => one.order - other.order);
        const report = ({ event: { name, headlines } }: { event: LabelledEvent }, published: number) => ({
          event: name,
          article: articleOf({ ...random.pick(headlines), event: name, published, linker }),
        });
        const known = order.slice(0, posted).map((each) => {
          const { event, article } = report(each, start + random.next() * hourMs);
          return { event, reports: [article] };
        });
        const later = order.map((each) => report(each, start + (hours + 0.5) * hourMs));
        const { repeats } = separateRepeats(
          later.map(({ article }) => article),
          { known },
        );
        const taken = new Map(repeats.flatMap(({ of, articles }) => articles.map((each) => [each, of.event] as const)));
        for (const [at, { event, article }] of later.entries()) {
          const match = taken.get(article);
          if (at < posted) shown++;
          else others++;
          if (at < posted && match === event) recognised++;
          if (match !== undefined && match !== event) mistaken++;
        }
      }
      rows.push([`${hours} h`, links, percent(recognised / shown), percent(mistaken / (shown + others))]);
    }
  }
  return rows;
}

/** The contents of a digest of eight stories, from the 50 newest of 60 articles of a day. */
export function firstRows(events: LabelledEvent[]): string[][] {
  const rows = [
    ["", "entities", "events among 8", "lines on an event above", "of the 3 biggest: shown", "in the first 3"],
  ];
  for (const [links, linker] of Object.entries(linkersFor(events))) {
    const orders: Record<string, (articles: Article[], now: number) => Article[]> = {
      "newest first, no stories": (articles) => articles,
      "stories, newest first": (articles) => storiesOf(articles).map(({ lead }) => lead),
      "stories, top": (articles, now) =>
        byImportance(storiesOf(articles), { now, among: articles }).map(({ lead }) => lead),
    };
    for (const [name, order] of Object.entries(orders)) {
      const days = Array.from({ length: 60 }, (_, at) => {
        const day = batchOf(`first ${at}`, { events, linker, articles: 60 });
        const eventOf = new Map(day.map(({ article, event }) => [article, event]));
        const newest = day
          .map(({ article }) => article)
          .toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
        const lines = order(newest.slice(0, 50), newest[0]?.published ?? start)
          .slice(0, 8)
          .map((each) => eventOf.get(each));
        const bySize = [...Map.groupBy(day, ({ event }) => event)].toSorted(
          ([, one], [, other]) => other.length - one.length,
        );
        const biggest = bySize.slice(0, 3).map(([event]) => event);
        return {
          events: new Set(lines).size,
          again: lines.length - new Set(lines).size,
          shown: biggest.filter((event) => lines.includes(event)).length,
          first: biggest.filter((event) => lines.slice(0, 3).includes(event)).length,
        };
      });
      const means = (["events", "again", "shown", "first"] as const).map((key) =>
        mean(days.map((day) => day[key])).toFixed(2),
      );
      rows.push([name, links, ...means]);
    }
  }
  return rows;
}

/**
 * The sample news in windows of 100, with perfect entities. Its stories last for days and their headlines share few
 * words, so many of their reports are events of their own; each everyday article is one event.
 */
export function sampleRows(): string[][] {
  const found = recentArticles(start).toReversed();
  const ids = found.flatMap(({ primary, secondary, tertiary }) => [...primary, ...secondary, ...tertiary]);
  const names = Object.fromEntries(ids.flatMap((id) => [[id, entityById(id)?.name ?? ""]]));
  const batch = found.map(({ primary, secondary, tertiary, ...rest }) => ({
    event: placeOf(rest)?.story ?? String(rest.id),
    article: { ...rest, entities: { primary, secondary, tertiary } },
  }));
  const contenders: Record<string, Grouping> = {
    ...groupings,
    Bellwether: (articles) => storiesOf(articles, { names }).map(articlesOf),
  };
  const rows = [["", "B³ precision", "recall", "stories that mix events"]];
  for (const [name, grouping] of Object.entries(contenders)) {
    const scores: ReturnType<typeof scoreOf>[] = [];
    for (let at = 0; at + 100 <= batch.length; at += 50) {
      const window = batch.slice(at, at + 100);
      scores.push(scoreOf(window, grouping(window.map(({ article }) => article))));
    }
    const means = (["precision", "recall"] as const).map((key) => mean(scores.map((each) => each[key])).toFixed(3));
    rows.push([name, ...means, percent(mean(scores.map(({ mixed }) => mixed)))]);
  }
  return rows;
}

/** The length of a long summary, in characters. */
const longSummary = 500;

/** The processor time for 10,000 articles, in milliseconds: headlines alone, and with summaries made of other headlines. */
export function paceRows(events: LabelledEvent[]): string[][] {
  const rows = [["entities", "", "1,000 articles", "10,000 articles"]];
  const titles = events.flatMap(({ headlines }) => headlines.map(({ title }) => title));
  for (const [links, linker] of Object.entries(linkersFor(events))) {
    const all = Array.from({ length: 100 }, (_, at) => batchOf(`pace ${at}`, { events, linker, articles: 100 })).flat();
    const random = createRandom("summaries");
    const ownTitles = Map.groupBy(all, ({ event }) => event);
    const summaryOf = (event: string) => {
      let text = "";
      while (text.length < longSummary) {
        const own = ownTitles.get(event)?.map(({ article }) => article.title) ?? titles;
        text += `${random.pick(random.below(3) === 0 ? own : titles)}. `;
      }
      return text.slice(0, longSummary);
    };
    const timed = (articles: Article[]) => {
      const before = process.cpuUsage();
      storiesOf(articles);
      const { user, system } = process.cpuUsage(before);
      return ((user + system) / 1000).toFixed(0);
    };
    const kinds = {
      headlines: all.map(({ article }) => article),
      "with long summaries": all.map(({ article, event }) => ({ ...article, summary: summaryOf(event) })),
    };
    for (const [kind, articles] of Object.entries(kinds)) {
      timed(articles.slice(0, 2_000));
      rows.push([links, kind, timed(articles.slice(0, 1_000)), timed(articles)]);
    }
  }
  return rows;
}
