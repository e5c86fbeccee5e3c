import type { Article, Trend } from "../../../src/apis/article.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { createArrivals } from "../../../src/features/subscriptions/arrivals.ts";
import { digests } from "../../../src/features/digests/commands.ts";
import type { Digest } from "../../../src/features/digests/digest.ts";
import { postDigests } from "../../../src/features/digests/job.ts";
import { createBackgroundAnswers } from "../../../src/features/ask/background.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import { createMemory } from "../../../src/features/ask/memory.ts";
import type { Ask } from "../../../src/features/feature.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { createOfferedChoices } from "../../../src/features/sources/form.ts";
import type { Source } from "../../../src/features/sources/source.ts";
import { createAnnouncedStories } from "../../../src/features/subscriptions/announced.ts";
import { createJobState } from "../../../src/features/subscriptions/jobs.ts";
import type { Subscriptions } from "../../../src/features/subscriptions/store.ts";
import { answerOf, hintOf, wordsOf } from "../../support/answers.ts";
import {
  type GivenAsking,
  type GivenPosting,
  type GivenSubscribing,
  article,
  asking,
  credits,
  digestsIn,
  memory,
  newsChannel,
  now as start,
  postingServices,
  subscriptionServices,
} from "../../support/builders.ts";
import { type DeliveredPost, fakeDelivery } from "../../support/delivery.ts";
import { sample } from "../alerts/setting.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const goldWire: Source = { kind: "channel", id: 501, name: "Gold wire" };
export const metals: Source = { kind: "channel", id: 502, name: "Metals" };
export const hourly = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };
export const daily = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };

type GivenDigests = GivenSubscribing & GivenPosting & Pick<GivenAsking, "conversations" | "spending">;

/** What digests are set up, written and posted with. */
function digestServices({ conversations = memory(), spending, ...given }: GivenDigests) {
  const shared = { ...subscriptionServices(given), ...postingServices(given) };
  return {
    ...shared,
    memory: createMemory(conversations, shared.log),
    spending: { gatewayFor: () => shared.gateway, ...spending },
    background: createBackgroundAnswers(shared),
    digestJob: createJobState(),
    offered: createOfferedChoices(shared.now),
  };
}

/** A bot with digests on a store and a Slack that outlive it, and a clock that stands still until it is told otherwise. */
export function digestDesk(about: GivenDigests = {}) {
  const delivery = fakeDelivery();
  const records = memory<Digest>();
  const numbers = memory<number>();
  const announced = createAnnouncedStories({ articles: memory(), stories: memory() });
  const arrivals = createArrivals(memory());
  const lists = createLists(memory());
  const conversations = memory<Conversation>();
  const state = {
    now: start,
    articles: [] as Article[],
    /** What is trending; the service does not answer where it is missing. */
    trends: [] as Trend[] | undefined,
    reads: 0,
    kept: 0,
    isServed: true,
    log: [] as string[],
  };
  /** What goes wrong where sources are read, and where posts go out. */
  const fail: typeof delivery.fail & { read?: () => Error | undefined } = delivery.fail;
  const read = () => {
    state.reads++;
    const error = fail.read?.();
    if (error) throw error;
    return state.articles;
  };
  const trending = async () => {
    if (!state.trends) throw new Unavailable({ api: "intelligence", operation: "trending" });
    return sample(state.now, state.trends);
  };
  const build = () =>
    digestServices({
      digests: digestsIn(records, numbers),
      announced,
      arrivals,
      conversations,
      lists: { ...lists, keep: (list, team) => (state.kept++, lists.keep(list, team)) },
      now: () => state.now,
      write: (line) => state.log.push(line),
      isServed: () => state.isServed,
      post: delivery.post,
      samples: { take: trending, since: async () => (state.trends ? [await trending()] : []) },
      ...about,
      people: { timeZone: async () => "Europe/London", ...about.people },
      intelligence: {
        entities: async () => new Map(),
        channel: async (id) => newsChannel({ id, name: "Gold wire" }),
        channels: async () => [
          newsChannel({ id: 501, name: "Gold wire" }),
          newsChannel({ id: 502, name: "Gold & Co" }),
        ],
        articles: async () => read(),
        ...about.intelligence,
      },
      gateway: {
        search: async (query) => ({ query, articles: read(), total: state.articles.length, credits: credits() }),
        collections: async () => ({ collections: [{ id: "c-1", name: "Gold desk" }], credits: credits() }),
        ...about.gateway,
      },
    });
  const running = { services: build() };
  const tick = () => postDigests.run(running.services);
  return {
    ...delivery,
    fail,
    state,
    records,
    conversations,
    services: () => running.services,
    add: async (digest: Partial<Parameters<Subscriptions<Digest>["add"]>[0]> = {}) => {
      const draft = { team: "T1", source: goldWire, schedule: daily, channel: "C1", owner: "U1", nextRun: start };
      return (await running.services.digests.add({ ...draft, ...digest }, start)).subscription;
    },
    update: (change: Partial<Digest>, number = 1) =>
      running.services.digests.update({ team: "T1", number }, (current) => ({ ...current, ...change })),
    tick,
    /** The bot runs again after so long. */
    later: (ms: number) => {
      state.now += ms;
      return tick();
    },
    /** The bot starts anew on the same store. */
    restart: () => void (running.services = build()),
    read: async (number = 1): Promise<Digest> => {
      const digest = await running.services.digests.get({ team: "T1", number });
      if (!digest) throw new Error(`no digest ${number}`);
      return digest;
    },
    say: (text: string, ask: Partial<Ask> = {}) => answerOf(digests, asking(text, ask), running.services),
    hint: (text: string, ask: Partial<Ask> = {}) => hintOf(digests, asking(text, ask), running.services),
  };
}

/** The same with a digest that is due, of so many stories. */
export async function dueDigest(count = 2, about: Parameters<ReturnType<typeof digestDesk>["add"]>[0] = {}) {
  const desk = digestDesk();
  await desk.add(about);
  desk.state.articles = articles(count);
  return desk;
}

/** Stories with their numbers, the newest first. */
export function articles(count: number, from = 1): Article[] {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index;
    return article({ id, title: `Story ${id}`, url: `https://news.example.com/${id}`, published: start - id * minute });
  });
}

/** Numbers of the stories in a post. */
export const storiesIn = ({ message }: Pick<DeliveredPost, "message">) =>
  [...wordsOf(message).matchAll(/Story (\d+)/g)].map(([, id]) => Number(id));
