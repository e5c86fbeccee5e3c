import { CYCLE, type Piece, pieces } from "./coverage.ts";
import { plain } from "./words.ts";

export interface Article {
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

/** More than there are pieces: an article's ID is `round * SLOTS + place`. */
const SLOTS = 1000;

function articleOf(piece: Piece, place: number, round: number): Article {
  const { title, summary, source, primary, secondary, tertiary } = piece;
  const id = round * SLOTS + place;
  const slug = plain(title)
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 70);
  const url = `https://www.${piece.host}/${slug}-${id}`;
  return {
    id,
    title,
    summary,
    url,
    source,
    published: round * piece.period + piece.offset,
    primary,
    secondary,
    tertiary,
  };
}

function newestFirst(left: Article, right: Article): number {
  return right.published - left.published || right.id - left.id;
}

/** The newest publication of every piece, newest first: what a reader sees at `now`. No two titles are equal. */
export function recentArticles(now: number): Article[] {
  return pieces
    .map((piece, place) => articleOf(piece, place, Math.floor((now - piece.offset) / piece.period)))
    .toSorted(newestFirst);
}

/** All publications after `from` and not after `to`, newest first. */
export function articlesBetween(from: number, to: number): Article[] {
  return pieces
    .flatMap((piece, place) => {
      const last = Math.floor((to - piece.offset) / piece.period);
      const first = Math.floor((from - piece.offset) / piece.period) + 1;
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => articleOf(piece, place, first + at));
    })
    .toSorted(newestFirst);
}

/** Finds an article by its ID, also one that newer news has replaced; none that is not published yet. */
export function articleById(id: number, now: number): Article | undefined {
  if (!Number.isSafeInteger(id) || id < 0) return undefined;
  const place = id % SLOTS;
  const piece = pieces[place];
  if (!piece) return undefined;
  const article = articleOf(piece, place, Math.floor(id / SLOTS));
  return article.published > now ? undefined : article;
}

/** How far back the sample news goes. */
export const HISTORY = CYCLE;

/** Whether an article carries an entity in any tier. */
export function carries(article: Article, entity: number): boolean {
  return article.primary.includes(entity) || article.secondary.includes(entity) || article.tertiary.includes(entity);
}
