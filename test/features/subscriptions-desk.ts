import type { Message, Services } from "../../src/features/feature.ts";
import { createActs } from "../../src/features/subscriptions/commands.ts";
import { type Kind, type Subscription, isDue } from "../../src/features/subscriptions/model.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import { memory, now as start, services } from "../support/builders.ts";

export { now as start } from "../support/builders.ts";

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** The plainest thing that one can subscribe to: a word. */
export interface Feed extends Subscription {
  word: string;
  pending?: string | undefined;
}

const hourly = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };

type Options = Omit<NonNullable<Parameters<typeof services>[0]>, "now" | "post">;

/** A place for feeds, whose clock stands still until it is told otherwise. */
export function feedDesk(options: Options = {}) {
  const state = { now: start, isInstalled: true };
  const posts: { channel: string; message: Message }[] = [];
  const fail: { post?: (channel: string) => Error | undefined } = {};
  const records = memory<Feed>();
  const numbers = memory<number>();
  const isSame = (one: Pick<Feed, "team" | "channel" | "word">, other: Pick<Feed, "team" | "channel" | "word">) =>
    one.team === other.team && one.channel === other.channel && one.word === other.word;
  const open = () => createSubscriptions<Feed>({ records, numbers, isSame, isDue });
  const running = { feeds: open() };
  const kind: Kind<Feed> = {
    noun: "feed",
    subscriptions: () => running.feeds,
    title: ({ word }) => word,
    isSame,
    resumed: (current) => ({ ...current, pending: current.pending && `${current.pending} again` }),
  };
  const acts = createActs<Feed>({
    ...kind,
    view: ({ number, state: stands, channel }, lead) => ({ text: `${lead} ${number} ${stands} ${channel}` }),
    listView: (all, page) => ({ text: [`page ${page}`, ...all.map(({ number }) => `${number}`)].join("\n") }),
  });
  const given = services({
    people: { name: async (_, user) => `Name of ${user}`, timeZone: async () => "Europe/London" },
    isInstalled: () => state.isInstalled,
    ...options,
    now: () => state.now,
    async post({ channel, onSend }, message) {
      await onSend?.();
      const error = fail.post?.(channel);
      if (error) throw error;
      posts.push({ channel, message });
      return { channel, ts: `${posts.length}.0` };
    },
  });
  const to: Services = {
    ...given,
    // What happens to channels happens to digests and alerts.
    get digests() {
      return running.feeds as unknown as Services["digests"];
    },
  };
  return {
    state,
    posts,
    fail,
    kind,
    acts,
    to,
    records,
    get feeds() {
      return running.feeds;
    },
    /** The bot starts anew on the same store. */
    restart: () => (running.feeds = open()),
    add: async (about: Partial<Feed> = {}) => {
      const draft = { team: "T1", schedule: hourly, channel: "C1", maker: "U1", word: "gold", nextRun: start + 1 };
      return (await running.feeds.add({ ...draft, ...about }, state.now)).subscription;
    },
    read: async (number = 1): Promise<Feed> => {
      const found = await running.feeds.get({ team: "T1", number });
      if (!found) throw new Error(`no feed ${number}`);
      return found;
    },
  };
}
