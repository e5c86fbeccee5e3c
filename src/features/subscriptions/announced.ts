import { createHash } from "node:crypto";
import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import type { Collection, Migration } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import type { Destination } from "./model.ts";

/** How long a channel remembers which articles it was shown. */
export const announcedLifeMs = 60 * 24 * 60 * 60_000;
/** Stories more than 36 hours apart are never alike, so their features are kept for a little longer than that. */
export const storiesLifeMs = 3 * 24 * 60 * 60_000;
const storiesMost = 100;
/** Entities that are kept of each tier. */
const entitiesMost = 12;

/** That a channel was shown an article: when, and the idempotency key of the post. */
export interface AnnouncedArticle {
  at: number;
  by?: string | undefined;
}

/** What an article is known by. */
type KnownBy = Pick<Article, "url" | "id" | "gatewayId">;

/** What of a story that a channel was shown is compared with others. */
export interface AnnouncedStory extends Pick<Article, "title" | "published" | "entities"> {
  at: number;
  by: string;
}

/** Other posts have shown some of what a post was to show while it waited for its turn. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Whose post shows stories, and when. */
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

  /** Those of the articles that posts other than the one with this key have shown in a channel. */
  async function known(channel: Destination, all: Article[], by?: string): Promise<Set<Article>> {
    const found = await articles.getMany(all.flatMap((each) => recordNames(channel, each)));
    const isShown = (name: string) => {
      const record = found.get(name);
      return record !== undefined && record.at > 0 && (by === undefined || record.by !== by);
    };
    return new Set(all.filter((each) => recordNames(channel, each).some(isShown)));
  }

  /** The stories of the last days, to compare others with. */
  async function recent(channel: Destination, now: number): Promise<AnnouncedStory[]> {
    return ((await stories.get(channelName(channel))) ?? []).filter(({ at }) => at > now - storiesLifeMs);
  }

  return {
    known,
    recent,
    /** When a channel was last shown an article; nothing where it never was. */
    async lastShown(channel: Destination, article: KnownBy): Promise<number | undefined> {
      const found = [...(await articles.getMany(recordNames(channel, article))).values()];
      return found.length > 0 ? Math.max(...found.map(({ at }) => at)) || undefined : undefined;
    },
    /**
     * Just before a post is sent: writes down the stories that it shows, each with its newest article first. Throws
     * Overtaken, and writes nothing, where another post has shown one of the articles meanwhile.
     */
    announce: (channel: Destination, shown: Article[][], { by, now }: Announcement): Promise<void> =>
      enqueue(channelName(channel), async () => {
        if (shown.length === 0) return;
        if ((await known(channel, shown.flat(), by)).size > 0) throw new Overtaken();
        const names = new Set(shown.flat().flatMap((each) => recordNames(channel, each)));
        await articles.setMany([...names].map((name) => [name, { at: now, by }] as const));
        const latest = shown.flatMap((story) => announcedStory(story, { by, now }));
        const before = (await recent(channel, now)).filter((each) => each.by !== by);
        await stories.set(channelName(channel), [...latest, ...before].slice(0, storiesMost));
      }),
    /** After Slack refused a post: other posts may show its stories. */
    withdraw: (channel: Destination, shown: Article[][], by: string): Promise<void> =>
      enqueue(channelName(channel), async () => {
        if (shown.length === 0) return;
        const found = await articles.getMany(shown.flat().flatMap((each) => recordNames(channel, each)));
        for (const [name, record] of found) if (record.by === by) await articles.delete(name);
        const before = (await stories.get(channelName(channel))) ?? [];
        const others = before.filter((each) => each.by !== by);
        await stories.set(channelName(channel), others);
      }),
  };
}

/** A story is known by its first article: later ones drift from event to event. */
function announcedStory(story: Article[], { by, now }: Announcement): AnnouncedStory[] {
  const first = story.at(-1);
  if (!first) return [];
  const { title, published, entities } = first;
  const some = (ids: number[]) => ids.slice(0, entitiesMost);
  const tiers = {
    primary: some(entities.primary),
    secondary: some(entities.secondary),
    tertiary: some(entities.tertiary),
  };
  const known = { title: title.slice(0, 300), ...(published !== undefined && { published }), entities: tiers };
  return [{ at: now, by, ...known }];
}

function channelName({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** Addresses can be long, and are kept for every channel. */
function recordNames(channel: Destination, article: KnownBy): string[] {
  return keysOf(article).map(
    (key) => `${channelName(channel)} ${createHash("sha256").update(key).digest("base64url").slice(0, 22)}`,
  );
}

/** What an article is known by: its address, and its ID at the service that it comes from. */
export function keysOf({ url, id, gatewayId }: KnownBy): string[] {
  return [
    plainAddress(url),
    ...(id === undefined ? [] : [`intelligence ${id}`]),
    ...(gatewayId === undefined ? [] : [`gateway ${gatewayId}`]),
  ];
}

const tracking =
  /^(utm_.*|at_.*|guce_.*|_hs.*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok|cmpid|cmp|ocid|ncid|smid|taid|guccounter|ref|ref_src|sref|spm|ito)$/i;

/** An address without what only says where a reader came from. */
function plainAddress(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  const query = [...parsed.searchParams].filter(([name]) => !tracking.test(name)).map((pair) => pair.join("="));
  const path = parsed.pathname.replace(/\/+$/, "");
  // Addresses such as #!/story tell pages apart after the hash.
  const hash = /^#!?\//.test(parsed.hash) ? parsed.hash : "";
  return `${parsed.host.replace(/^www\./, "")}${path}${query.length > 0 ? `?${query.toSorted().join("&")}` : ""}${hash}`;
}

export const announcedArticleSchema: z.ZodType<AnnouncedArticle> = z.object({
  at: z.number(),
  by: z.string().optional(),
});

const passedOver = z.object({ how: z.enum(["passed", "left"]) });

/**
 * Version 1 had the time alone. Version 2 also had a record for articles that a channel was never shown; a time of 0 says
 * that they may still come.
 */
export const announcedMigrations: Migration[] = [
  (at) => ({ at }),
  (record) => (passedOver.safeParse(record).success ? { at: 0 } : record),
];

const ids = z.array(z.number());

export const announcedStoriesSchema: z.ZodType<AnnouncedStory[]> = z.array(
  z.object({
    at: z.number(),
    by: z.string(),
    title: z.string(),
    published: z.number().optional(),
    entities: z.object({ primary: ids, secondary: ids, tertiary: ids }),
  }),
);
