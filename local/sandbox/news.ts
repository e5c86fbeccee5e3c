import companyNews from "./data/companies.json" with { type: "json" };
import markets from "./data/markets.json" with { type: "json" };
import sources from "./data/sources.json" with { type: "json" };
import stories from "./data/stories.json" with { type: "json" };
import { companies, entities, entityById, entityIdOf, normalize } from "./entities.ts";
import { createRandom } from "./random.ts";
import { routineNotes } from "./routine.ts";

const hourMs = 3_600_000;

/** The time after which the whole run of the sample news starts again. */
const cycleMs = 240 * hourMs;

/** The age of the oldest sample article. */
export const historyMs = cycleMs;

/** A piece of news as the data files write it: entities by key, the source by its short code. */
export interface NewsNote {
  source: string;
  primary: string[];
  secondary: string[];
  title: string;
  summary: string;
}

/** A piece of news without its date: published once in every `period`, `offset` into it. */
interface Piece {
  title: string;
  summary: string;
  source: string;
  host: string;
  primary: number[];
  secondary: number[];
  tertiary: number[];
  period: number;
  offset: number;
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

function pieceOf(note: NewsNote, when: { period: number; offset: number }): Piece {
  const source = sourcesByKey.get(note.source);
  if (!source) throw new Error(`the sample data names an unknown source "${note.source}"`);
  const primary = [...new Set(note.primary.map(entityIdOf))];
  const secondary = [...new Set(note.secondary.map(entityIdOf))].filter((id) => !primary.includes(id));
  const named = new Set([...primary, ...secondary]);
  // A company brings its home region and its sector along as the third tier.
  const implied = [...named].flatMap((id) => {
    const company = companiesById.get(id);
    return company ? [company.home, company.sector].map(entityIdOf) : [];
  });
  const tertiary = [...new Set(implied)].filter((id) => !named.has(id));
  const { title, summary } = note;
  return { title, summary, source: source.name, host: source.host, primary, secondary, tertiary, ...when };
}

/** A big story is also about the people at the top, whether a single report names them or not. */
function withChiefs(note: NewsNote): NewsNote {
  const chiefs = companies.filter((one) => note.primary.includes(one.key)).map((one) => one.chief);
  const named = entities.filter((one) => one.kind === "person" && chiefs.includes(one.name)).map((one) => one.key);
  return { ...note, secondary: [...note.secondary, ...named] };
}

/** The stories begin at even distances, so that one or two of them are in full swing at any time. */
function storyPieces(): Piece[] {
  // The hours of the story file are halved, so that the heart of a story fits into a day.
  const pace = 0.5;
  return stories.flatMap((story, at) =>
    story.notes.map((note) => {
      const offset = (at * cycleMs) / stories.length + note.hour * pace * hourMs;
      return pieceOf(withChiefs(note), { period: cycleMs, offset: offset % cycleMs });
    }),
  );
}

/** Six in ten everyday pieces come round twice in a cycle. Only their newest issue is shown, so recent days are denser. */
function everydayPieces(): Piece[] {
  const random = createRandom("everyday");
  return [...markets, ...companyNews, ...routineNotes()].map((note) => {
    const period = random.next() < 0.6 ? cycleMs / 2 : cycleMs;
    return pieceOf(note, { period, offset: Math.floor(random.next() * period) });
  });
}

/** Every piece of the sample news; its index in this list is part of an article's ID. */
const pieces: Piece[] = [...storyPieces(), ...everydayPieces()];

/** More than there are pieces: an article's ID is `round * slots + index`. */
const slots = 1000;

function articleOf(piece: Piece, index: number, round: number): SampleArticle {
  const { title, summary, source, host, primary, secondary, tertiary, period, offset } = piece;
  const id = round * slots + index;
  const slug = normalize(title)
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 70);
  const url = `https://www.${host}/${slug}-${id}`;
  return { id, title, summary, url, source, published: round * period + offset, primary, secondary, tertiary };
}

function newestFirst(left: SampleArticle, right: SampleArticle): number {
  return right.published - left.published || right.id - left.id;
}

/** The newest issue of every piece, newest first: what a reader sees at `now`. No two titles are equal. */
export function recentArticles(now: number): SampleArticle[] {
  return pieces
    .map((piece, index) => articleOf(piece, index, Math.floor((now - piece.offset) / piece.period)))
    .toSorted(newestFirst);
}

/** All articles published after `from` and not after `to`, newest first. */
export function articlesBetween(from: number, to: number): SampleArticle[] {
  return pieces
    .flatMap((piece, index) => {
      const last = Math.floor((to - piece.offset) / piece.period);
      const first = Math.floor((from - piece.offset) / piece.period) + 1;
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => articleOf(piece, index, first + at));
    })
    .toSorted(newestFirst);
}

/** Finds an article by its ID, also one that a newer issue has replaced; none that is not published yet. */
export function articleById(id: number, now: number): SampleArticle | undefined {
  if (!Number.isSafeInteger(id) || id < 0) return undefined;
  const piece = pieces[id % slots];
  const article = piece && articleOf(piece, id % slots, Math.floor(id / slots));
  return article && article.published <= now ? article : undefined;
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
