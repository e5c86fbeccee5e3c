import type { Article } from "../../apis/article.ts";

/** The similarity of two reports, by the entities that a service has linked them with and by their words; measured in docs/quality.md. */

/** The part of an article that is compared with others; a story that a channel was shown is kept as such. */
export type ComparedReport = Pick<Article, "title" | "published" | "source" | "entities"> & {
  summary?: string | undefined;
};

/** The weight of an entity, by the tier that an article has it in. */
const tierWeights = { primary: 4, secondary: 2, tertiary: 1 } as const;
const hourMs = 60 * 60_000;
/** Reports that are further apart are on different events. */
const longestGapMs = 48 * hourMs;
/** Without a date, a report counts as this far away from all others. */
const undatedMs = 6 * hourMs;
/** The words of two reports say by themselves that they are on one event, from this cosine on. */
const wordsAlone = 0.28;
/** Headlines of fewer telling words, such as “Morning briefing”, say nothing by their words alone. */
const headlineLeast = 3;
/**
 * The share of the entities that says it. Two reports that are mainly about the same two entities are on one event; one
 * entity has several events a day, so the words beside its name have to speak for it.
 */
const entitiesAlone = { share: 0.5, wordsOfSingle: 0.15 };
/**
 * Two that are mainly about different names are one story only if they nearly agree in their words, because news of a kind
 * is written alike. Not if the words of these names stand in both, so that a link is missing, nor if a link may be wrong: it is
 * called nothing, and stands in one of many reports alone.
 */
const guard = { words: 0.85, sharedNames: 0.1, manyReports: 20 };
/** A headline says more about an event than a summary of its words. */
const titleWeight = 2;
/** Characters of a summary that are read. */
const summaryMost = 500;

/** Words that stand in any English headline; other words that many reports have weigh less by themselves. */
const stopWords = new Set(
  "a about after again ahead amid an and are as at be been but by can for from has have he her his how if in into is it its may more new no not now of off on or out over per said says she than that the their they this to under up was we were what when who why will with would year you".split(
    " ",
  ),
);
const unspaced = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const words = new RegExp(String.raw`[${unspaced}]+|[[\p{L}\p{N}\p{M}]--[${unspaced}]]+`, "gv");
const isUnspaced = new RegExp(`^[${unspaced}]`, "u");
/** Alphabets whose words have endings. */
const isInflected = /^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]/u;
/** Of a word that has endings, its beginning counts. */
const stemLength = 5;

/**
 * The terms of a text that say something: stems if the language's words have endings, pairs of characters if it puts no
 * spaces between words, else whole words.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap(termsOfWord);
}

function wordsOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(words) ?? [];
}

function termsOfWord(word: string): string[] {
  if (isUnspaced.test(word)) return pairsOf(word.match(/./gsu) ?? []);
  if (word.length < 2 || stopWords.has(word)) return [];
  return isInflected.test(word) ? [word.replace(/(?<=..)s$/, "").slice(0, stemLength)] : [word];
}

function pairsOf(characters: string[]): string[] {
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** A report, or the reports on one event as a whole, ready to be compared. */
export interface Profile {
  published: number | undefined;
  /** Its terms as numbers, and their weights; the squares of these add up to 1. */
  terms: number[];
  weights: number[];
  /** Its headline has words enough to be compared by words alone. */
  isTelling: boolean;
  /** Terms of its entities' names, which are no evidence beside the entities. */
  named: ReadonlySet<number>;
  /** Its entities, with their weights where they matter most, and the sum of these. */
  ids: number[];
  entities: ReadonlyMap<number, number>;
  total: number;
  /** Entities that it is mainly about. */
  main: number[];
  /** It has one list of entities, which does not say what it is mainly about. */
  isFlat: boolean;
}

interface Known {
  /** More of what the reports stand among, which tells what is common there. */
  among?: ComparedReport[] | undefined;
  /** Names of entities, by ID. */
  names?: Record<string, string> | undefined;
}

/** Similarity among these reports: what many of them have tells them apart less. */
export function createSimilarity<R extends ComparedReport>(reports: R[], { among = [], names = {} }: Known = {}) {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const entityCounts = new Map<number, number>();
  const numberOf = (term: string) => {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, counts.length);
    return counts.push(0) - 1;
  };
  const byWord = new Map<string, number[]>();
  const numbersOf = (word: string) => {
    const known = byWord.get(word) ?? termsOfWord(word).map(numberOf);
    byWord.set(word, known);
    return known;
  };
  const namedTerms = new Map<number, number[]>();
  const nameOf = (id: number) => {
    const known = namedTerms.get(id) ?? wordsOf(names[id] ?? "").flatMap(numbersOf);
    namedTerms.set(id, known);
    return known;
  };

  const all = [...new Set<ComparedReport>([...reports, ...among])];
  const isBoilerplate = boilerplateIn(all);
  const read = all.map((report) => {
    const terms = new Map<number, number>();
    const add = (text: string, weight: number) => {
      for (const word of wordsOf(text))
        for (const number of numbersOf(word)) terms.set(number, (terms.get(number) ?? 0) + weight);
    };
    add(report.title, titleWeight);
    const isTelling = terms.size >= headlineLeast;
    if (report.summary && !isBoilerplate(report)) add(report.summary.slice(0, summaryMost), 1);
    const entities = entitiesOf(report);
    for (const number of terms.keys()) counts[number] = (counts[number] ?? 0) + 1;
    for (const id of entities.keys()) entityCounts.set(id, (entityCounts.get(id) ?? 0) + 1);
    return { report, terms, entities, isTelling };
  });

  /** From 1 down to about 0 for what nearly all reports have, for instance the words and the name that a search is for. */
  const rarity = (count = 0) => 1 - (count / (all.length + 6)) ** 2;
  const rarities = new Map([...entityCounts].map(([id, count]) => [id, rarity(count)]));
  const rarityOf = (id: number) => rarities.get(id) ?? 1;
  /** A term that fewer reports have weighs more. */
  const weights = counts.map((count) => rarity(count) * Math.sqrt(Math.log(1 + all.length / Math.max(1, count))));
  const isDoubtful = (id: number) =>
    names[id] === undefined && entityCounts.get(id) === 1 && all.length >= guard.manyReports;
  const profiles = new Map<ComparedReport, Profile>(
    read.map(({ report, terms, entities, isTelling }) => {
      const own = [...terms].map(([term, count]) => (1 + Math.log(count)) * (weights[term] ?? 0));
      const { primary, secondary, tertiary } = report.entities;
      const profile: Profile = {
        published: report.published,
        terms: [...terms.keys()],
        weights: unitOf(own),
        isTelling,
        named: new Set([...entities.keys()].flatMap(nameOf)),
        ...sharesOf(entities),
        main: [...new Set(primary)],
        isFlat: secondary.length + tertiary.length === 0,
      };
      return [report, profile];
    }),
  );

  // The weights of the one that others are compared with, by term.
  const held = new Float64Array(counts.length);
  let holder: Profile | undefined;
  function hold(profile: Profile): void {
    if (holder === profile) return;
    for (const term of holder?.terms ?? []) held[term] = 0;
    for (const [at, term] of profile.terms.entries()) held[term] = profile.weights[at] ?? 0;
    holder = profile;
  }

  const sums = new Float64Array(counts.length);
  /** Reports on one event as if they were one: all that they say, what most of them say weighing most; as new as the newest. */
  function wholeOf(parts: Profile[]): Profile {
    const [only, ...others] = parts;
    if (only && others.length === 0) return only;
    const terms: number[] = [];
    const entities = new Map<number, number>();
    let published: number | undefined;
    for (const profile of parts) {
      for (const [at, term] of profile.terms.entries()) {
        if (sums[term] === 0) terms.push(term);
        sums[term] = (sums[term] ?? 0) + (profile.weights[at] ?? 0);
      }
      for (const [id, weight] of profile.entities) entities.set(id, Math.max(entities.get(id) ?? 0, weight));
      published = Math.max(published ?? -Infinity, profile.published ?? -Infinity);
    }
    const whole = {
      published: published === -Infinity ? undefined : published,
      terms,
      weights: unitOf(terms.map((term) => sums[term] ?? 0)),
      isTelling: parts.some(({ isTelling }) => isTelling),
      named: new Set(parts.flatMap(({ named }) => [...named])),
      ...sharesOf(entities),
      main: [...new Set(parts.flatMap(({ main }) => main))],
      isFlat: parts.every(({ isFlat }) => isFlat),
    };
    for (const term of terms) sums[term] = 0;
    return whole;
  }

  return {
    profileOf(report: R): Profile {
      const profile = profiles.get(report);
      if (!profile) throw new Error("a report is compared that is not among the others");
      return profile;
    },
    wholeOf,
    /** The number of terms: each has a number below that. */
    terms: counts.length,
    /** The similarity of two reports; from 1 on they are on one event. Called a million times, so it allocates nothing. */
    between(one: Profile, other: Profile): number {
      if (gapOf(one, other) > longestGapMs) return 0;
      hold(one);
      // The cosine of their words, and the part of it that is not the names of their entities.
      let whole = 0;
      let beyond = 0;
      for (let at = 0; at < other.terms.length; at++) {
        const term = other.terms[at] ?? 0;
        const both = (held[term] ?? 0) * (other.weights[at] ?? 0);
        if (both === 0) continue;
        whole += both;
        if (!one.named.has(term) && !other.named.has(term)) beyond += both;
      }
      const byWords = one.isTelling && other.isTelling ? whole / wordsAlone : 0;
      // The shared part of the shorter list of entities, and how many both are mainly about.
      const [fewer, more] = one.ids.length <= other.ids.length ? [one, other] : [other, one];
      let shared = 0;
      let central = 0;
      for (const id of fewer.ids) {
        const weight = Math.min(fewer.entities.get(id) ?? 0, more.entities.get(id) ?? 0);
        if (weight > 0) shared += weight * rarityOf(id);
        if (weight === tierWeights.primary) central++;
      }
      if (central > 0) {
        const isPair = central > 1 && !(one.isFlat && other.isFlat);
        if (!isPair && beyond < entitiesAlone.wordsOfSingle) return byWords;
        return Math.max(byWords, shared / Math.min(one.total, other.total) / entitiesAlone.share);
      }
      if (whole - beyond >= guard.sharedNames || !areApart(one, other)) return byWords;
      if (one.main.every(isDoubtful) || other.main.every(isDoubtful)) return byWords;
      return Math.min(byWords, whole / guard.words);
    },
  };
}

/** Weights whose squares add up to 1. */
function unitOf(weights: number[]): number[] {
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) || 1;
  return weights.map((weight) => weight / length);
}

function sharesOf(entities: ReadonlyMap<number, number>): Pick<Profile, "ids" | "entities" | "total"> {
  const total = [...entities.values()].reduce((sum, weight) => sum + weight, 0);
  return { ids: [...entities.keys()], entities, total };
}

/** Tells whether a report's summary is one that its outlet puts below several headlines, which says nothing of them. */
function boilerplateIn(reports: ComparedReport[]): (report: ComparedReport) => boolean {
  const headlines = new Map<string, string>();
  const boilerplate = new Set<string>();
  const keyOf = ({ source = "", summary = "" }: ComparedReport) => `${source}\n${summary}`;
  for (const report of reports) {
    if (!report.summary) continue;
    const key = keyOf(report);
    if ((headlines.get(key) ?? report.title) !== report.title) boilerplate.add(key);
    headlines.set(key, report.title);
  }
  return (report) => boilerplate.has(keyOf(report));
}

function entitiesOf({ entities: tiers }: ComparedReport): Map<number, number> {
  const entities = new Map<number, number>();
  for (const tier of ["primary", "secondary", "tertiary"] as const) {
    for (const id of tiers[tier]) if (!entities.has(id)) entities.set(id, tierWeights[tier]);
  }
  return entities;
}

/** The time between two reports; a while if nobody knows. */
function gapOf({ published: first }: Profile, { published: second }: Profile): number {
  return first === undefined || second === undefined ? undatedMs : Math.abs(first - second);
}

/** Both are mainly about something, and neither names what the other is about. */
function areApart(one: Profile, other: Profile): boolean {
  if (one.main.length === 0 || other.main.length === 0) return false;
  return !one.main.some((id) => other.entities.has(id)) && !other.main.some((id) => one.entities.has(id));
}
