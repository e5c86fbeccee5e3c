import { isDeepStrictEqual } from "node:util";

import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { shorten } from "../../slack/mrkdwn.ts";

/** An event that a place was told of: what it takes to know what only tells it again. */
export interface Told {
  /** Epoch milliseconds, as are all times here. */
  at: number;
  /** The headline that it went under. */
  headline: string;
  /** Its first article, which it is known by. */
  first: Pick<Article, "title" | "published" | "entities">;
  /** When its newest article was published. */
  newest?: number | undefined;
  /** What its articles say, as far as it is kept. */
  words: string;
  /** Later articles that only tell it again, the newest first: how each was met says whether a post linked to it. */
  further?: Further[] | undefined;
}

/** An article that only tells an event again: what it takes to link to it. */
export type Further = Pick<Article, "url" | "title" | "source" | "published">;

/** One, and the headline that its event went under. */
export interface Again<A = Further> {
  article: A;
  of: string;
}

/** How long a place remembers what it was told of. */
export const toldLifeMs = 8 * 24 * 60 * 60_000;

/** Events that are kept for a place: a few days of a busy one. */
const toldMost = 60;
/** Articles of an event whose words are kept, and the characters of all their words. */
const articlesMost = 5;
const wordsMost = 400;
const headlineMost = 100;
/** Entities that are kept of each tier. */
const entitiesMost = 12;
/** Later articles that are kept of an event: what a line links to. */
const furtherMost = 4;

/** The event that articles tell, the newest first, as its place is told of it. */
export function toldOf([lead, ...others]: [Article, ...Article[]], at: number): Told {
  const first = others.at(-1) ?? lead;
  const all = [lead, ...others].slice(0, articlesMost);
  const published = [lead, ...others].flatMap((article) => article.published ?? []);
  const { primary, secondary, tertiary } = first.entities;
  return {
    at,
    headline: shorten(lead.title, headlineMost),
    first: {
      title: shorten(first.title, wordsMost),
      ...(first.published !== undefined && { published: first.published }),
      entities: {
        primary: primary.slice(0, entitiesMost),
        secondary: secondary.slice(0, entitiesMost),
        tertiary: tertiary.slice(0, entitiesMost),
      },
    },
    ...(published.length > 0 && { newest: Math.max(...published) }),
    words: [...all.map(({ title }) => title), ...all.map(({ summary }) => summary)].join(" ").slice(0, wordsMost),
  };
}

/** All that a place was told of, the latest first, without what is forgotten; what it is told once more counts once. */
export function withTold(before: Told[], latest: Told[], now: number): Told[] {
  const known = new Map<string, Told>();
  const all = [...latest, ...before].filter(({ at }) => at > now - toldLifeMs);
  for (const each of all.toSorted((one, other) => other.at - one.at)) {
    const name = `${each.first.published ?? ""} ${each.first.title}`;
    const standing = known.get(name);
    known.set(name, standing ? withFurther(standing, each.further ?? []) : each);
  }
  return [...known.values()].slice(0, toldMost);
}

/** The same with later articles that only tell of these events again. */
export function toldAgain(told: Told[], again: Again[]): Told[] {
  return told.map((event) => {
    const own = again.filter(({ of }) => of === event.headline).map(({ article }) => article);
    return withFurther(event, own.map(furtherOf));
  });
}

/** Later articles that only tell of these events again, each once. */
export function furtherIn(told: Told[]): Again[] {
  const all = told.flatMap(({ headline: of, further = [] }) => further.map((article) => ({ article, of })));
  return [...new Map(all.map((each) => [each.article.url, each])).values()];
}

function furtherOf({ url, title, source, published }: Further): Further {
  return {
    url,
    title: shorten(title, headlineMost),
    ...(source !== undefined && { source: shorten(source, headlineMost) }),
    ...(published !== undefined && { published }),
  };
}

function withFurther(event: Told, latest: Further[]): Told {
  if (latest.length === 0) return event;
  const all = new Map([...(event.further ?? []), ...latest].map((each) => [each.url, each]));
  const newestFirst = [...all.values()].toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
  return { ...event, further: newestFirst.slice(0, furtherMost) };
}

/** What two stores know of one place, as the one that is left has it. */
export function toldByBoth(own: Told[], other: Told[]): Told[] {
  const both = withTold(own, other, Math.max(0, ...[...own, ...other].map(({ at }) => at)));
  return isDeepStrictEqual(both, own) ? own : both;
}

const ids = z.array(z.number());

/** What a place was told of, as it is stored. */
export const toldSchema: z.ZodType<Told[]> = z.array(
  z.object({
    at: z.number(),
    headline: z.string(),
    first: z.object({
      title: z.string(),
      published: z.number().optional(),
      entities: z.object({ primary: ids, secondary: ids, tertiary: ids }),
    }),
    newest: z.number().optional(),
    words: z.string(),
    further: z
      .array(
        z.object({
          url: z.string(),
          title: z.string(),
          source: z.string().optional(),
          published: z.number().optional(),
        }),
      )
      .optional(),
  }),
);
