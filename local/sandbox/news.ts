import companyNews from "./data/companies.json" with { type: "json" };
import markets from "./data/markets.json" with { type: "json" };
import regulatoryNews from "./data/regulatory-news.json" with { type: "json" };
import sources from "./data/sources.json" with { type: "json" };
import stories from "./data/stories.json" with { type: "json" };
import { companies, entities, entityById, entityIdOf, normalize } from "./entities.ts";
import { createRandom } from "./random.ts";
import { routineNotes } from "./routine.ts";

const hourMs = 3_600_000;

/** The time after which the sample news starts again, in milliseconds. */
const cycleMs = 240 * hourMs;

/** The age of the oldest sample article, in milliseconds. */
export const historyMs = cycleMs;

/** A piece of news as the data files write it: entities by key, the source by its short code. */
export interface NewsNote {
  source: string;
  primary: string[];
  secondary: string[];
  title: string;
  summary: string;
}

/** A story that begins on demand. */
export interface BegunStory {
  story: string;
  at: number;
  /** The time that an hour of the story file takes, in milliseconds. */
  hourMs: number;
}

/** The times at which the sample news happens. */
export interface NewsCalendar {
  /** The beginning of one round of the news, in epoch milliseconds; the other rounds come before and after it. */
  start: number;
  begun: BegunStory[];
}

/** The default calendar: the news goes round and round. */
export const usualCalendar: NewsCalendar = { start: 0, begun: [] };

// Kept in the module, not passed around: a process has one run of the news, and every reader must see the same.
let calendar = usualCalendar;

/** Replaces the calendar of the news. */
export function setCalendar(next: NewsCalendar): void {
  for (const { story } of next.begun) {
    if (!stories.some(({ name }) => name === story)) throw new Error(`the sample data has no story "${story}"`);
  }
  calendar = next;
}

/** A piece of news without its date, published in every `period`, `offset` into it; without a turn, only on demand. */
interface Piece {
  title: string;
  /** The title as it stands in the article's address. */
  slug: string;
  summary: string;
  source: string;
  host: string;
  primary: number[];
  secondary: number[];
  tertiary: number[];
  turn?: { period: number; offset: number };
  /** The story that it belongs to, and its hour in that. */
  part?: { story: string; hour: number };
}

export interface SampleArticle {
  id: number;
  title: string;
  summary: string;
  url: string;
  source: string;
  /** Epoch milliseconds. */
  published: number;
  primary: number[];
  secondary: number[];
  tertiary: number[];
}

const sourcesByKey = new Map(sources.map((source) => [source.key, source]));
const companiesById = new Map(companies.map((company) => [company.id, company]));

function pieceOf(note: NewsNote, when: Pick<Piece, "turn" | "part">): Piece {
  const source = sourcesByKey.get(note.source);
  if (!source) throw new Error(`the sample data names an unknown source "${note.source}"`);
  const primary = [...new Set(note.primary.map(entityIdOf))];
  const secondary = [...new Set(note.secondary.map(entityIdOf))].filter((id) => !primary.includes(id));
  const named = new Set([...primary, ...secondary]);
  // A company adds its home region and its sector as the third tier.
  const implied = [...named].flatMap((id) => {
    const company = companiesById.get(id);
    return company ? [company.home, company.sector].map(entityIdOf) : [];
  });
  const tertiary = [...new Set(implied)].filter((id) => !named.has(id));
  const { title, summary } = note;
  const slug = normalize(title)
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 70);
  return { title, slug, summary, source: source.name, host: source.host, primary, secondary, tertiary, ...when };
}

/** Adds the chiefs of a story's companies to a report, even if it does not name them: a big story is about them too. */
function withChiefs(note: NewsNote): NewsNote {
  const chiefs = companies.filter((one) => note.primary.includes(one.key)).map((one) => one.chief);
  const named = entities.filter((one) => one.kind === "person" && chiefs.includes(one.name)).map((one) => one.key);
  return { ...note, secondary: [...note.secondary, ...named] };
}

/** The stories that begin in turn, at even distances, so that one or two of them are in full swing at any time. */
function storyPieces(): Piece[] {
  // The hours of the story file are halved, so that the heart of a story fits into a day.
  const pace = 0.5;
  const inTurn = stories.filter(({ held }) => !held);
  return inTurn.flatMap(({ name, notes }, at) =>
    notes.map((note) => {
      const offset = ((at * cycleMs) / inTurn.length + note.hour * pace * hourMs) % cycleMs;
      return pieceOf(withChiefs(note), { turn: { period: cycleMs, offset }, part: { story: name, hour: note.hour } });
    }),
  );
}

/** The stories that are published only on demand. */
function heldPieces(): Piece[] {
  return stories
    .filter(({ held }) => held)
    .flatMap(({ name, notes }) =>
      notes.map((note) => pieceOf(withChiefs(note), { part: { story: name, hour: note.hour } })),
    );
}

/**
 * Everyday pieces. Six in ten appear twice in a cycle and are shown only in their newest issue, so recent days are
 * denser.
 */
function everydayPieces(): Piece[] {
  const random = createRandom("everyday");
  // Later files come last, so that the articles of the earlier ones keep their IDs and times.
  return [...markets, ...companyNews, ...routineNotes(), ...regulatoryNews].map((note) => {
    const period = random.next() < 0.6 ? cycleMs / 2 : cycleMs;
    return pieceOf(note, { turn: { period, offset: Math.floor(random.next() * period) } });
  });
}

/** Every piece of the sample news; its index in this list is part of an article's ID. */
const pieces: Piece[] = [...storyPieces(), ...heldPieces(), ...everydayPieces()];

/** A number above that of the pieces: an article's ID is `round * slots + index`. */
const slots = 1000;

interface Issue {
  round: number;
  published: number;
}

/** The issues of a piece in its turn between two moments, unless its story has begun on demand around then. */
function issuesInTurn({ turn, part }: Piece, from: number, to: number): Issue[] {
  if (!turn) return [];
  const { start, begun } = calendar;
  const offset = start + turn.offset;
  const first = Math.floor((from - offset) / turn.period) + 1;
  const last = Math.floor((to - offset) / turn.period);
  const rounds = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const isOutOfTurn = (published: number) =>
    begun.some(({ story, at }) => story === part?.story && Math.abs(published - at) < cycleMs);
  return rounds
    .map((round) => ({ round, published: round * turn.period + offset }))
    .filter(({ published }) => !isOutOfTurn(published));
}

/** The issues of a piece whose story has begun on demand; their rounds count minutes, so that no two are the same. */
function issuesBegun({ part }: Piece): Issue[] {
  if (!part) return [];
  return calendar.begun
    .filter(({ story }) => story === part.story)
    .map(({ at, hourMs: hour }) => ({ round: Math.floor(at / 60_000), published: at + part.hour * hour }));
}

/** The issues of a piece after `from` and not after `to`. */
function issuesOf(piece: Piece, from: number, to: number): Issue[] {
  const begun = issuesBegun(piece).filter(({ published }) => published > from && published <= to);
  return [...issuesInTurn(piece, from, to), ...begun];
}

function newestIssue(piece: Piece, now: number): Issue | undefined {
  return issuesOf(piece, now - cycleMs, now)
    .toSorted((one, other) => one.published - other.published)
    .at(-1);
}

function articleOf(piece: Piece, index: number, { round, published }: Issue): SampleArticle {
  const { title, slug, summary, source, host, primary, secondary, tertiary } = piece;
  const id = round * slots + index;
  const url = `https://www.${host}/${slug}-${id}`;
  return { id, title, summary, url, source, published, primary, secondary, tertiary };
}

function newestFirst(left: SampleArticle, right: SampleArticle): number {
  return right.published - left.published || right.id - left.id;
}

/** The list that was asked for last: an answer asks for the same one many times. */
let latest: { now: number; calendar: NewsCalendar; articles: readonly SampleArticle[] } | undefined;

/** The newest issue of every piece, newest first: what a reader sees at `now`. No two titles are equal. */
export function recentArticles(now: number): SampleArticle[] {
  if (latest?.now !== now || latest.calendar !== calendar) {
    const articles = pieces.flatMap((piece, index) => {
      const issue = newestIssue(piece, now);
      return issue ? articleOf(piece, index, issue) : [];
    });
    latest = { now, calendar, articles: articles.toSorted(newestFirst) };
  }
  return [...latest.articles];
}

/** All articles published after `from` and not after `to`, newest first. */
export function articlesBetween(from: number, to: number): SampleArticle[] {
  return pieces
    .flatMap((piece, index) => issuesOf(piece, from, to).map((issue) => articleOf(piece, index, issue)))
    .toSorted(newestFirst);
}

/** Finds a published article by its ID, even if a newer issue has replaced it. */
export function articleById(id: number, now: number): SampleArticle | undefined {
  if (!Number.isSafeInteger(id) || id < 0) return undefined;
  const piece = pieces[id % slots];
  const round = Math.floor(id / slots);
  const issue = piece && (issuesBegun(piece).find((one) => one.round === round) ?? issueInTurn(piece, round));
  return piece && issue && issue.published <= now ? articleOf(piece, id % slots, issue) : undefined;
}

function issueInTurn({ turn }: Piece, round: number): Issue | undefined {
  return turn && { round, published: calendar.start + round * turn.period + turn.offset };
}

/** Whether an article is about an entity, in any tier. */
export function isAbout(article: SampleArticle, entity: number): boolean {
  return article.primary.includes(entity) || article.secondary.includes(entity) || article.tertiary.includes(entity);
}

/** The words of an article, for a search. */
interface IndexedWords {
  title: string[];
  names: string[];
  summary: string[];
}

/** The words of a text in plain form. */
export function wordsOf(text: string): string[] {
  const plain = normalize(text);
  return plain === "" ? [] : plain.split(" ");
}

const index: IndexedWords[] = pieces.map(({ title, summary, primary, secondary }) => {
  const tagged = [...primary, ...secondary].flatMap((id) => entityById(id) ?? []);
  const names = tagged.flatMap((entity) => [entity.name, ...entity.aliases]).flatMap(wordsOf);
  return { title: wordsOf(title), names, summary: wordsOf(summary) };
});

/** The words of an article's title and summary, and of the names of its entities. */
export function indexedWords({ id }: SampleArticle): IndexedWords {
  return index[id % slots] ?? { title: [], names: [], summary: [] };
}

/** Every word of the sample news and of its names. */
export const vocabulary: ReadonlySet<string> = new Set(
  index.flatMap(({ title, names, summary }) => [...title, ...names, ...summary]),
);
