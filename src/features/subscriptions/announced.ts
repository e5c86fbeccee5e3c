import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";

import { type Article, articleSchema } from "../../apis/article.ts";
import { ClaimedElsewhere } from "../../slack/delivery/outbox.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import { outletsOf } from "../articles/importance.ts";
import type { ComparedReport } from "../articles/similarity.ts";
import type { Destination } from "./model.ts";

/** How long a channel remembers which articles it was shown. */
export const announcedLifeMs = 60 * 24 * 60 * 60_000;
/** Reports more than 48 hours apart are never on one event, so stories are compared for a little longer than that. */
const storiesLifeMs = 3 * 24 * 60 * 60_000;
const storiesMost = 100;
/** How long stories are kept with their headlines, for whoever catches up, and how many of a channel. */
const shownLifeMs = 7 * 24 * 60 * 60_000;
const shownMost = 200;
/** Characters of a summary that are kept beside a headline. */
const summaryMost = 200;
/** How long a story stays hidden from a channel, and how many a channel has at most. */
export const hiddenLifeMs = 30 * 24 * 60 * 60_000;
const hiddenMost = 100;
/** Entities that are kept of each tier. */
const entitiesMost = 12;

/** That a channel was shown an article: when, and the idempotency key of the post. */
export const announcedArticleSchema = z.object({
  at: z.number(),
  by: z.string().optional(),
});
type AnnouncedArticle = z.infer<typeof announcedArticleSchema>;

/** What an article is known by. */
export type KnownBy = Pick<Article, "url" | "id" | "gatewayId">;

/** What of a story that a channel was shown is compared with others. */
const storySchema = z.object({
  at: z.number(),
  by: z.string(),
  title: z.string(),
  summary: z.string().optional(),
  source: z.string().optional(),
  published: z.number().optional(),
  entities: articleSchema.shape.entities,
  /** How many outlets reported it. */
  outlets: z.number().optional(),
  /** Its newest article, as the channel was shown it. */
  shown: articleSchema.omit({ entities: true }).optional(),
  /** Set where somebody hid the story from the channel: who, and the hashes of what its articles are known by. */
  hidden: z.object({ user: z.string(), keys: z.array(z.string()) }).optional(),
});
export type AnnouncedStory = z.infer<typeof storySchema>;
export const announcedStoriesSchema = z.array(storySchema);

/** A story that somebody hid. */
export interface HiddenStory extends AnnouncedStory {
  hidden: NonNullable<AnnouncedStory["hidden"]>;
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

  /** The stories of the last days, and those that are hidden, to compare others with. */
  async function recent(channel: Destination, now: number): Promise<AnnouncedStory[]> {
    const all = (await stories.get(channelName(channel))) ?? [];
    const hidden = hiddenIn(all, now);
    // What was posted before it was hidden counts as hidden.
    const isPosted = (story: AnnouncedStory) => !story.hidden && !isAmong(story.shown, hidden);
    const shown = all.filter((story) => story.at > now - storiesLifeMs && isPosted(story));
    return [...shown.slice(0, storiesMost), ...hidden];
  }

  /** All that is worth keeping, before something is added. */
  async function kept(channel: Destination, now: number): Promise<AnnouncedStory[]> {
    const all = (await stories.get(channelName(channel))) ?? [];
    const shown = all.filter(({ hidden, at }) => !hidden && at > now - shownLifeMs);
    return [...shown.slice(0, shownMost), ...hiddenIn(all, now)];
  }

  async function hiddenStories(channel: Destination, now: number): Promise<HiddenStory[]> {
    return hiddenIn((await stories.get(channelName(channel))) ?? [], now);
  }

  return {
    known,
    recent,
    /** When a channel was last shown an article; nothing where it never was. */
    async lastShown(channel: Destination, article: KnownBy): Promise<number | undefined> {
      const records = [...(await articles.getMany(recordNames(channel, article))).values()];
      const found = records.filter(({ by }) => !by?.startsWith(hiding));
      return found.length > 0 ? Math.max(...found.map(({ at }) => at)) || undefined : undefined;
    },
    /**
     * Just before a post is sent: writes down the stories that it shows, each with its newest article first. Throws
     * ClaimedElsewhere, and writes nothing, where another post has shown one of the articles meanwhile.
     */
    announce: (channel: Destination, shown: Article[][], { by, now }: Announcement): Promise<void> =>
      enqueue(channelName(channel), async () => {
        if (shown.length === 0) return;
        if ((await known(channel, shown.flat(), by)).size > 0) throw new ClaimedElsewhere();
        const names = new Set(shown.flat().flatMap((each) => recordNames(channel, each)));
        await articles.setMany([...names].map((name) => [name, { at: now, by }] as const));
        const latest = shown.flatMap((story) => announcedStory(story, { by, now }));
        const before = (await kept(channel, now)).filter((each) => each.by !== by);
        await stories.set(channelName(channel), [...latest, ...before]);
      }),
    /** What a channel was shown since then, the newest first, and not what is hidden from it; at most a week. */
    async shownSince(channel: Destination, start: number, now: number): Promise<Article[]> {
      const all = await kept(channel, now);
      const hidden = hiddenIn(all, now);
      return all
        .filter(({ at }) => at > start)
        .toSorted((one, other) => other.at - one.at)
        .flatMap(({ shown, entities }) => (shown ? [{ ...shown, entities }] : []))
        .filter((article) => !isAmong(article, hidden));
    },
    /** The story to which an article belongs that somebody hid from a channel; nothing where that is not so. */
    async hiddenStory(channel: Destination, article: KnownBy, now: number): Promise<HiddenStory | undefined> {
      const keys = keysOf(article).map(hashOf);
      return (await hiddenStories(channel, now)).find(({ hidden }) => hidden.keys.some((key) => keys.includes(key)));
    },
    /**
     * Hides a story from a channel: none of its articles is shown there any more. One that is hidden already stays as it
     * is, in the name of whoever hid it first.
     */
    hide: (
      channel: Destination,
      story: Article[],
      { user, now }: { user: string; now: number },
    ): Promise<HiddenStory> =>
      enqueue(channelName(channel), async () => {
        const keys = [...new Set(story.flatMap(keysOf).map(hashOf))];
        const before = await kept(channel, now);
        const standing = hiddenIn(before, now).find(({ hidden }) => hidden.keys.some((key) => keys.includes(key)));
        if (standing) return standing;
        const by = `${hiding}${randomUUID()}`;
        const [gist] = announcedStory(story, { by, now });
        const made = {
          at: now,
          by,
          title: "",
          entities: noEntities,
          ...gist,
          shown: undefined,
          hidden: { user, keys },
        };
        // What was posted stays written down as posted.
        const names = keys.map((key) => recordName(channel, key));
        const posted = await articles.getMany(names);
        const unposted = names.filter((name) => (posted.get(name)?.at ?? 0) === 0);
        await articles.setMany(
          unposted.map((name) => [name, { at: now, by }] as const),
          { ttlMs: hiddenLifeMs },
        );
        await stories.set(channelName(channel), [made, ...before]);
        return made;
      }),
    /** Shows a story again that was hidden, by the `by` that it has; says which, or nothing where it is not hidden. */
    unhide: (channel: Destination, by: string, now: number): Promise<HiddenStory | undefined> =>
      enqueue(channelName(channel), async () => {
        const all = (await stories.get(channelName(channel))) ?? [];
        const found = hiddenIn(all, now).find((each) => each.by === by);
        if (!found) return undefined;
        const records = await articles.getMany(found.hidden.keys.map((key) => recordName(channel, key)));
        for (const [name, record] of records) if (record.by === by) await articles.delete(name);
        await stories.set(
          channelName(channel),
          all.filter((each) => each.by !== by),
        );
        return found;
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

/** What stands for a post's key where a story was hidden. */
const hiding = "hide ";
const noEntities = { primary: [], secondary: [], tertiary: [] };

/** The stories that are hidden, the latest first. */
function hiddenIn(kept: AnnouncedStory[], now: number): HiddenStory[] {
  const hidden = kept.flatMap((story) => (story.hidden ? [{ ...story, hidden: story.hidden }] : []));
  return hidden.filter(({ at }) => at > now - hiddenLifeMs).slice(0, hiddenMost);
}

/** Whether an article belongs to one of the stories that are hidden. */
function isAmong(article: KnownBy | undefined, hidden: HiddenStory[]): boolean {
  if (!article || hidden.length === 0) return false;
  const keys = keysOf(article).map(hashOf);
  return hidden.some((story) => story.hidden.keys.some((key) => keys.includes(key)));
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
  // What is hidden stays hidden however late a report comes, so no date is compared.
  const published = hidden ? undefined : story.published;
  const first = { title, summary, source, published, entities };
  const newest = shown && shown.title !== title ? [{ ...shown, published, entities }] : [];
  return { story, reports: [first, ...newest] };
}

/** What of an article a channel was shown, about. */
function shownArticle(article: Article): Omit<Article, "entities"> {
  const { id, gatewayId, title, summary, url, published, source } = article;
  return { id, gatewayId, title: title.slice(0, 300), summary: summary.slice(0, summaryMost), url, published, source };
}

function channelName({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** Addresses can be long, and are kept for every channel. */
function recordNames(channel: Destination, article: KnownBy): string[] {
  return keysOf(article).map((key) => recordName(channel, hashOf(key)));
}

function recordName(channel: Destination, key: string): string {
  return `${channelName(channel)} ${key}`;
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
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
