import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";

import { type Article, articleSchema } from "../../apis/article.ts";
import { ClaimedElsewhere } from "../../slack/delivery/outbox.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import { outletsOf } from "../articles/importance.ts";
import { plainAddress } from "../articles/list.ts";
import type { ComparedReport } from "../articles/similarity.ts";
import type { ShownArticle } from "../articles/coverage.ts";
import type { Destination } from "./model.ts";

/** A channel remembers for this long which articles it was shown. */
export const announcedLifeMs = 60 * 24 * 60 * 60_000;
/** Reports more than 48 hours apart are never on one event, so stories are compared for a little longer than that. */
const storiesLifeMs = 3 * 24 * 60 * 60_000;
const storiesMost = 100;
/** The life and the number of stories kept with their headlines in each channel, for people who catch up. */
const shownLifeMs = 7 * 24 * 60 * 60_000;
const shownMost = 200;
/** Characters of a summary that are kept beside a headline. */
const summaryMost = 200;
/** The life of a hidden story, and the most hidden stories of a channel. */
export const hiddenLifeMs = 30 * 24 * 60 * 60_000;
const hiddenMost = 100;
/** Entities that are kept of each tier. */
const entitiesMost = 12;

/** A record of an article that a channel was shown: when, and the idempotency key of the post. */
export const announcedArticleSchema = z.object({ at: z.number(), by: z.string() });
type AnnouncedArticle = z.infer<typeof announcedArticleSchema>;

/** The address and the IDs by which an article is recognised. */
export type KnownBy = Pick<Article, "url" | "id" | "gatewayId">;

/** The part of a story that others are compared with. */
const storySchema = z.object({
  at: z.number(),
  by: z.string(),
  title: z.string(),
  summary: z.string().optional(),
  source: z.string().optional(),
  published: z.number().optional(),
  entities: articleSchema.shape.entities,
  /** The number of outlets that reported it. */
  outlets: z.number().optional(),
  /** Its newest article, as the channel was shown it. */
  shown: articleSchema.omit({ entities: true }).optional(),
  /** Set if somebody hid the story from the channel: who, and the hashes of what its articles are known by. */
  hidden: z.object({ user: z.string(), keys: z.array(z.string()) }).optional(),
});
export type AnnouncedStory = z.infer<typeof storySchema>;
export const announcedStoriesSchema = z.array(storySchema);

/** A story that somebody hid. */
export interface HiddenStory extends AnnouncedStory {
  hidden: NonNullable<AnnouncedStory["hidden"]>;
}

/** The post that shows stories, by its idempotency key, and when. */
interface Announcement {
  by: string;
  now: number;
}

interface AnnouncedRecords {
  articles: Collection<AnnouncedArticle>;
  /** A record for each channel: at most so many stories, the latest. */
  stories: Collection<AnnouncedStory[]>;
}

export type AnnouncedStories = ReturnType<typeof createAnnouncedStories>;

/**
 * The stories that channels were shown, whichever subscription brought them. A story counts once its post goes out; it is
 * written down just before that, so that a crash cannot make it come twice.
 */
export function createAnnouncedStories({ articles, stories }: AnnouncedRecords) {
  // Digests and alerts post to a channel at the same time.
  const enqueue = createKeyQueue();

  /** The articles that a channel was shown by posts other than the one with this key, or that are hidden from it. */
  async function known(channel: Destination, all: Article[], by?: string): Promise<Set<Article>> {
    const found = await articles.getMany(all.flatMap((each) => recordNames(channel, each)));
    const isShown = (name: string) => found.has(name) && (by === undefined || found.get(name)?.by !== by);
    const hidden = hiddenIn((await stories.get(channelName(channel))) ?? []);
    return new Set(
      all.filter((each) => recordNames(channel, each).some(isShown) || hiddenAmong(each, hidden) !== undefined),
    );
  }

  /** Everything about a channel that is still worth keeping, the latest first. */
  async function read(channel: Destination, now: number): Promise<{ shown: AnnouncedStory[]; hidden: HiddenStory[] }> {
    const all = (await stories.get(channelName(channel))) ?? [];
    const shown = all.filter(({ hidden, at }) => !hidden && at > now - shownLifeMs).slice(0, shownMost);
    return {
      shown,
      hidden: hiddenIn(all)
        .filter(({ at }) => at > now - hiddenLifeMs)
        .slice(0, hiddenMost),
    };
  }

  /** Forgets the stories that were written down under this key. */
  async function remove(channel: Destination, by: string): Promise<void> {
    const all = (await stories.get(channelName(channel))) ?? [];
    const others = all.filter((each) => each.by !== by);
    await stories.set(channelName(channel), others);
  }

  return {
    known,
    /** The stories of the last days, and those that are hidden, to compare others with. */
    async recent(channel: Destination, now: number): Promise<AnnouncedStory[]> {
      const { shown, hidden } = await read(channel, now);
      // A story that was hidden after it was posted counts as hidden.
      const posted = shown.filter((story) => story.at > now - storiesLifeMs && !hiddenAmong(story.shown, hidden));
      return [...posted.slice(0, storiesMost), ...hidden];
    },
    /** The time when a channel was last shown an article; undefined if it never was. */
    async lastShown(channel: Destination, article: KnownBy): Promise<number | undefined> {
      const records = [...(await articles.getMany(recordNames(channel, article))).values()];
      return records.length > 0 ? Math.max(...records.map(({ at }) => at)) : undefined;
    },
    /**
     * Just before a post is sent: writes down the stories that it shows, each with its newest article first. Throws
     * ClaimedElsewhere, and writes nothing, if another post has shown one of the articles meanwhile.
     */
    announce: (channel: Destination, shown: Article[][], { by, now }: Announcement): Promise<void> =>
      enqueue(channelName(channel), async () => {
        if (shown.length === 0) return;
        if ((await known(channel, shown.flat(), by)).size > 0) throw new ClaimedElsewhere();
        const names = new Set(shown.flat().flatMap((each) => recordNames(channel, each)));
        await articles.setMany([...names].map((name) => [name, { at: now, by }] as const));
        const latest = shown.flatMap((story) => announcedStory(story, { by, now }));
        const before = await read(channel, now);
        const others = before.shown.filter((each) => each.by !== by);
        await stories.set(channelName(channel), [...latest, ...others, ...before.hidden]);
      }),
    /** The articles that a channel was shown since then, the newest first, without hidden ones; at most a week back. */
    async shownSince(channel: Destination, start: number, now: number): Promise<ShownArticle[]> {
      const { shown: all, hidden } = await read(channel, now);
      return all
        .filter(({ at }) => at > start)
        .flatMap(({ by, shown, entities, outlets = 1 }) => (shown ? [{ ...shown, entities, by, outlets }] : []))
        .filter((article) => !hiddenAmong(article, hidden));
    },
    /** The hidden story that an article belongs to, if there is one. */
    async hiddenStory(channel: Destination, article: KnownBy, now: number): Promise<HiddenStory | undefined> {
      return hiddenAmong(article, (await read(channel, now)).hidden);
    },
    /**
     * Hides a story from a channel: none of its articles is shown there any more. One that is hidden already stays as it
     * is, in the name of the person who hid it first.
     */
    hide: (
      channel: Destination,
      story: Article[],
      { user, now }: { user: string; now: number },
    ): Promise<HiddenStory> =>
      enqueue(channelName(channel), async () => {
        const { shown, hidden } = await read(channel, now);
        const [standing] = story.flatMap((article) => hiddenAmong(article, hidden) ?? []);
        if (standing) return standing;
        const keys = [...new Set(story.flatMap(keysOf).map(hashOf))];
        const by = `hide ${randomUUID()}`;
        const [gist] = announcedStory(story, { by, now });
        const about = { at: now, by, title: "", entities: noEntities, ...gist, shown: undefined };
        const made = { ...about, hidden: { user, keys } };
        await stories.set(channelName(channel), [made, ...shown, ...hidden]);
        return made;
      }),
    /** Shows a hidden story again, by the `by` that it has; gives it, or undefined if it isn't hidden. */
    unhide: (channel: Destination, by: string, now: number): Promise<HiddenStory | undefined> =>
      enqueue(channelName(channel), async () => {
        const found = (await read(channel, now)).hidden.find((each) => each.by === by);
        if (found) await remove(channel, by);
        return found;
      }),
    /** After Slack refused a post: other posts may show its stories. */
    withdraw: (channel: Destination, shown: Article[][], by: string): Promise<void> =>
      enqueue(channelName(channel), async () => {
        const names = shown.flat().flatMap((each) => recordNames(channel, each));
        if (names.length === 0) return;
        for (const [name, record] of await articles.getMany(names)) if (record.by === by) await articles.delete(name);
        await remove(channel, by);
      }),
  };
}

const noEntities = { primary: [], secondary: [], tertiary: [] };

function hiddenIn(all: AnnouncedStory[]): HiddenStory[] {
  return all.flatMap((story) => (story.hidden ? [{ ...story, hidden: story.hidden }] : []));
}

/** The hidden story that an article belongs to. */
function hiddenAmong(article: KnownBy | undefined, hidden: HiddenStory[]): HiddenStory | undefined {
  if (!article || hidden.length === 0) return undefined;
  const keys = keysOf(article).map(hashOf);
  return hidden.find((story) => story.hidden.keys.some((key) => keys.includes(key)));
}

/** A story is known by its first article: later ones drift from event to event. */
function announcedStory(story: Article[], { by, now }: Announcement): AnnouncedStory[] {
  const [newest, first] = [story[0], story.at(-1)];
  if (!newest || !first) return [];
  const { title, summary, source, published, entities } = first;
  const some = (ids: number[]) => ids.slice(0, entitiesMost);
  const tiers = {
    primary: some(entities.primary),
    secondary: some(entities.secondary),
    tertiary: some(entities.tertiary),
  };
  const known = {
    title: title.slice(0, 300),
    summary: summary.slice(0, summaryMost),
    ...(source !== undefined && { source }),
    ...(published !== undefined && { published }),
    entities: tiers,
    outlets: outletsOf(story),
  };
  return [{ at: now, by, ...known, shown: shownArticle(newest) }];
}

/** A story as new reports are compared with it: by its first article, and by the newest that the channel was shown. */
export function knownStory<S extends AnnouncedStory>(story: S): { story: S; reports: ComparedReport[] } {
  const { title, summary, source, entities, shown, hidden } = story;
  // A hidden story stays hidden however late a report is published, so no date is compared.
  const published = hidden ? undefined : story.published;
  const first = { title, summary, source, published, entities };
  const newest = shown && shown.title !== title ? [{ ...shown, published, entities }] : [];
  return { story, reports: [first, ...newest] };
}

/** The part of an article that is kept of what a channel was shown. */
function shownArticle(article: Article): Omit<Article, "entities"> {
  const { id, gatewayId, title, summary, url, published, source } = article;
  return { id, gatewayId, title: title.slice(0, 300), summary: summary.slice(0, summaryMost), url, published, source };
}

function channelName({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** Addresses can be long, and are kept for every channel. */
function recordNames(channel: Destination, article: KnownBy): string[] {
  return keysOf(article).map((key) => `${channelName(channel)} ${hashOf(key)}`);
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}

/** The names of an article: its address, and its ID at the service that it comes from. */
export function keysOf({ url, id, gatewayId }: KnownBy): string[] {
  return [
    plainAddress(url),
    ...(id === undefined ? [] : [`intelligence ${id}`]),
    ...(gatewayId === undefined ? [] : [`gateway ${gatewayId}`]),
  ];
}
