import type { Article } from "../../src/apis/article.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { createArrivals } from "../../src/features/digests/arrivals.ts";
import { createAnnouncedStories } from "../../src/features/subscriptions/announced.ts";
import { postDigests } from "../../src/features/digests/job.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Message, Services } from "../../src/features/feature.ts";
import type { ArticleSource as Source } from "../../src/features/sources/source.ts";
import { article, memory, newsChannel, now as start, services, wordsOf } from "../support/builders.ts";

export const minute = 60_000;
export const day = 24 * 60 * minute;
const channel: Source = { kind: "channel", id: 501, name: "Gold wire" };

interface Post {
  team: string;
  channel: string;
  message: Message;
  thread?: string | undefined;
  key?: string | undefined;
}

/** A desk with a clock that stands still until it is told otherwise. */
export function desk() {
  const records = memory<Digest>();
  const posts: Post[] = [];
  const state = {
    now: start,
    articles: [] as Article[],
    reads: 0,
    tries: 0,
    looks: 0,
    zone: "UTC" as string | undefined,
    isInstalled: true,
    log: [] as string[],
  };
  const fail: {
    read?: () => Error | undefined;
    /** Before the call goes out, when Slack refuses it, and after Slack has taken it. */
    before?: (to: Post) => Error | undefined;
    post?: (to: Post) => Error | undefined;
    after?: (to: Post) => Error | undefined;
  } = {};
  const build = (): Services =>
    services({
      digests: createSubscriptions<Digest>({ records, numbers, isSame, isDue }),
      announced,
      arrivals,
      lists,
      now: () => state.now,
      write: (line) => state.log.push(line),
      configured: { intelligence: false },
      people: { timeZone: async () => state.zone },
      isInstalled: () => state.isInstalled,
      intelligence: {
        channel: async (id) => newsChannel({ id }),
        async articles() {
          state.reads++;
          const error = fail.read?.();
          if (error) throw error;
          return state.articles;
        },
      },
      async post({ team, channel: place, thread, key, sentSince, onSend }, message) {
        const post = { team, channel: place, message, thread, key };
        state.tries++;
        const standing = sentSince === undefined ? -1 : posts.findIndex((each) => each.key === key);
        if (sentSince !== undefined) state.looks++;
        if (standing >= 0) return { channel: place, ts: `${standing + 1}.0` };
        const before = fail.before?.(post);
        if (before) throw before;
        await onSend?.();
        const error = fail.post?.(post);
        if (error) throw error;
        posts.push(post);
        const after = fail.after?.(post);
        if (after) throw after;
        return { channel: place, ts: `${posts.length}.0` };
      },
    });
  const numbers = memory<number>();
  const announced = createAnnouncedStories({ articles: memory(), stories: memory() });
  const arrivals = createArrivals(memory());
  let keeps = 0;
  const { lists: own } = services();
  const lists = { ...own, keep: (list: Parameters<typeof own.keep>[0]) => (keeps++, own.keep(list)) };
  const running = { services: build() };
  return {
    posts,
    /** Lists that were kept. */
    kept: () => keeps,
    services: () => running.services,
    state,
    fail,
    records,
    get digests() {
      return running.services.digests;
    },
    add: async (about: Partial<Parameters<Services["digests"]["add"]>[0]> = {}) => {
      const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
      const draft = { team: "T1", source: channel, schedule, channel: "C1", maker: "U1", nextRun: start };
      return (await running.services.digests.add({ ...draft, ...about }, start)).subscription;
    },
    tick: () => postDigests.run(running.services),
    /** The bot starts anew on the same store. */
    restart: () => (running.services = build()),
    read: async (number = 1) => {
      const subscription = await running.services.digests.get({ team: "T1", number });
      if (!subscription) throw new Error(`no digest ${number}`);
      return subscription;
    },
  };
}

/** Stories with their numbers, the newest first. */
export function articles(count: number, from = 1): Article[] {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index;
    return article({ id, title: `Story ${id}`, url: `https://news.example.com/${id}`, published: start - id * minute });
  });
}

/** Numbers of the stories in a post. */
export const storiesIn = ({ message }: Post) =>
  [...wordsOf(message).matchAll(/Story (\d+)/g)].map(([, id]) => Number(id));
