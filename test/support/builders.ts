import type { Article, Trend } from "../../src/apis/article.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import type { Intelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateEvent, GenerateRequest } from "../../src/apis/intelligence/generate.ts";
import type { Entity, NewsChannel } from "../../src/apis/intelligence/schema.ts";
import type { Jurisdictions } from "../../src/apis/jurisdictions/client.ts";
import type { Health } from "../../src/features/account/health.ts";
import type { Spending } from "../../src/features/account/spending.ts";
import { type Alert, isAlertDue, isSameAlert } from "../../src/features/alerts/alert.ts";
import { createAlertState } from "../../src/features/alerts/job.ts";
import { createBackgroundAnswers } from "../../src/features/ask/background.ts";
import { type SourceCounts, createSourceCounts } from "../../src/features/alerts/watched.ts";
import type { Conversation } from "../../src/features/ask/conversation.ts";
import { type QuestionQueue, createQuestionQueue } from "../../src/features/ask/queue.ts";
import { type Memory, createMemory } from "../../src/features/ask/memory.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import type { GroundContext } from "../../src/features/base.ts";
import type { DigestsAndAlerts } from "../../src/features/digests-and-alerts.ts";
import type { openSubscriptionRecords } from "../../src/features/subscriptions/index.ts";
import { createArrivals } from "../../src/features/subscriptions/arrivals.ts";
import { createRegulators } from "../../src/features/sources/regulators.ts";
import { createOfferedChoices } from "../../src/features/sources/form.ts";
import { createAnnouncedStories } from "../../src/features/subscriptions/announced.ts";
import { createJobState } from "../../src/features/subscriptions/jobs.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Ask } from "../../src/features/feature.ts";
import { createWatchlists } from "../../src/features/sources/watchlist-store.ts";
import { createLists } from "../../src/features/articles/store.ts";
import { createFollowing } from "../../src/features/ask/threads.ts";
import { createLog } from "../../src/log.ts";
import { type Outbox, type OutboxOptions, createOutbox } from "../../src/slack/delivery/outbox.ts";
import type { Permalink } from "../../src/slack/delivery/permalink.ts";
import type { ChannelDirectory } from "../../src/slack/workspaces/channels.ts";
import type { Collection } from "../../src/store/collection.ts";
import { createKeyQueue } from "../../src/store/key-queue.ts";

/** The time of every test that does not say another: 20 November 2026, 09:00 UTC. */
export const now = Date.UTC(2026, 10, 20, 9);

/** An article of which a test says only what it is about. */
export function article(about: Partial<Article> = {}): Article {
  return {
    id: 1,
    title: "Oil rises as supply tightens",
    summary: "Prices rose on Friday after two producers announced cuts.",
    url: "https://news.example.com/oil",
    published: now - 60 * 60_000,
    source: "Example Wire",
    entities: { primary: [], secondary: [], tertiary: [] },
    ...about,
  };
}

/** An entity record. */
export function entity(about: Partial<Entity> = {}): Entity {
  return { id: 1001, name: "Northwind Energy", type: "company", typeName: "Company", ...about };
}

/** One place in the ranking. */
export function trendingEntity(about: Partial<Trend> = {}): Trend {
  return { name: "Northwind Energy", type: "Company", mentions: 120, average: 40, score: 3.14, ...about };
}

/** A saved channel of the news service. */
export function newsChannel(about: Partial<NewsChannel> = {}): NewsChannel {
  return { id: 7, name: "Central banks", stages: [], ...about };
}

/** What a call cost, by a live key. */
export function credits(about: Partial<Credits> = {}): Credits {
  return { used: 1, remaining: 4_999, test: false, ...about };
}

/** A question as the router hands it to a command. */
export function asking(text: string, about: Partial<Ask> = {}): Ask {
  return {
    text,
    line: text,
    stopKey: "stop-1",
    team: "T1",
    user: "U1",
    channel: "C1",
    surface: "slash",
    posted: Promise.resolve({ channel: "C1", ts: "100.1" }),
    signal: new AbortController().signal,
    ...about,
  };
}

/** Where a question in a thread is asked. */
export const inThread = { surface: "mention", thread: "50.1" } as const;

/** A collection that lives as long as its test. */
export function memory<T>(first: [string, T][] = []): Collection<T> {
  const values = new Map(first);
  return {
    get: async (key) => values.get(key),
    getMany: async (keys) => new Map(keys.flatMap((key) => (values.has(key) ? [[key, values.get(key) as T]] : []))),
    async set(key, value) {
      values.set(key, value);
    },
    async setMany(entries) {
      for (const [key, value] of entries) values.set(key, value);
    },
    delete: async (key) => values.delete(key),
    async *entries() {
      yield* values;
    },
  };
}

/** A dependency of which a test gives what it expects to be called; every other call fails it. */
function fake<T extends object>(name: string, calls: Partial<T> = {}): T {
  return new Proxy(calls, {
    get(target, call, self) {
      const given: unknown = Reflect.get(target, call, self);
      // What is awaited is asked for `then`.
      return given ?? (call === "then" ? undefined : unexpected(`${name}.${String(call)}`));
    },
  }) as T;
}

function unexpected(name: string): () => never {
  return () => {
    throw new Error(`the test expects no call of ${name}`);
  };
}

/** Channels that everybody is in, the bot too; none is found under its name. */
const openChannels: ChannelDirectory = {
  isIn: async () => true,
  joined: async () => new Set(["C1"]),
  named: async () => [],
  stateOf: async () => "joined",
};

/** A health check that reports no outage. */
const nothingWrong: Health = {
  saw: async () => {},
  storeIs: () => {},
  store: () => undefined,
  tell: async () => {},
  wrong: async () => [],
};

/** Services and people of which a test gives the calls that it expects, and every other call fails it. */
type Stubbed = Pick<
  GroundContext,
  "intelligence" | "gateway" | "jurisdictions" | "directory" | "samples" | "people" | "configured"
> & { spending: Spending };

/** What searches, look-ups and sources are read with. */
type Ground = Stubbed &
  Pick<GroundContext, "lists" | "regulators" | "watchlists" | "threads" | "chatModel" | "timeZone"> &
  Pick<GroundContext, "log" | "now" | "after">;

export type GivenGround = Partial<Omit<Ground, keyof Stubbed | "log">> & {
  [Name in keyof Stubbed]?: Partial<Stubbed[Name]>;
} & {
  /** Takes the log's lines, which are dropped where missing. */
  write?: (line: string) => void;
};

/** The ground of features: what a test gives of it, and what lives as long as the test for the rest. */
export function groundServices({ write = () => {}, ...given }: GivenGround = {}): Ground {
  const log = createLog({ level: "error", write });
  const gateway = fake<Gateway>("gateway", given.gateway);
  const intelligence = fake<Intelligence>("intelligence", { articlesKnown: () => new Map(), ...given.intelligence });
  const jurisdictions = fake<Jurisdictions>("jurisdictions", given.jurisdictions);
  const clock = given.now ?? (() => now);
  return {
    lists: createLists(memory()),
    regulators: createRegulators({ jurisdictions, intelligence, log, now: clock }),
    watchlists: createWatchlists(memory()),
    threads: { read: async () => [] },
    timeZone: "UTC",
    now: clock,
    // Time stands still.
    after: () => () => {},
    ...given,
    log,
    gateway,
    intelligence,
    jurisdictions,
    directory: fake("directory", given.directory),
    samples: fake("samples", given.samples),
    spending: fake("spending", { gatewayFor: () => gateway, ...given.spending }),
    people: fake("people", {
      name: async (_, user) => `Name of ${user}`,
      isAdmin: async () => false,
      localeKnown: () => undefined,
      ...given.people,
    }),
    configured: { intelligence: true, gateway: true, jurisdictions: true, ...given.configured },
  };
}

/** Threads in a store that lives as long as its test; the bot has a conversation in each. */
export function followingIn(records: Partial<Parameters<typeof createFollowing>[0]> = {}) {
  return createFollowing({
    settings: memory(),
    marks: memory(),
    hasConversation: async () => true,
    now: () => now,
    log: { warn: () => undefined },
    ...records,
  });
}

interface Asking {
  memory: Memory;
  /** What was said in threads. */
  conversations: Collection<Conversation>;
  queue: QuestionQueue;
}

/** The same with threads that remember what was asked in them, and a queue in which nobody waits. */
export function askServices({ conversations = memory(), queue, ...given }: GivenGround & Partial<Asking> = {}) {
  const ground = groundServices(given);
  const timer = { now: () => now, after: () => () => undefined };
  return {
    ...ground,
    conversations,
    memory: createMemory(conversations, ground.log),
    queue: queue ?? createQuestionQueue({ answersAtOnce: 20, questionsPerMinute: 20 }, timer),
  };
}

/** Alerts that are written down there. */
export function alertsIn(records: Collection<Alert>, numbers: Collection<number>): DigestsAndAlerts["alerts"] {
  return createSubscriptions<Alert>({ records, numbers, isSame: isSameAlert, isDue: isAlertDue });
}

interface Subscribing
  extends DigestsAndAlerts, ReturnType<typeof openSubscriptionRecords>, Pick<OutboxOptions, "post" | "edit"> {
  outbox: Outbox;
  permalink: Permalink;
  isServed: (team: string) => boolean;
  subscribing: "members" | "admins";
}

type GivenSubscribing = GivenGround &
  Partial<Subscribing> & {
    health?: Partial<Health>;
    slackChannels?: Partial<ChannelDirectory>;
  };

/** The ground with what digests and alerts share: both of them, what channels were shown, and the way to Slack. */
export function subscriptionServices({ health, slackChannels, ...given }: GivenSubscribing = {}) {
  const ground = groundServices(given);
  const { post = unexpected("post"), edit = unexpected("edit") } = given;
  const { log } = ground;
  const shared: Subscribing = {
    digests: createSubscriptions<Digest>({ records: memory(), numbers: memory(), isSame, isDue }),
    alerts: alertsIn(memory(), memory()),
    announced: createAnnouncedStories({ articles: memory(), stories: memory() }),
    arrivals: createArrivals(memory()),
    ownerNotices: memory(),
    permalink: async (_team, { channel, ts }) =>
      `https://harbour.slack.com/archives/${channel}/p${ts.replace(".", "")}`,
    isServed: () => true,
    subscribing: "members",
    outbox: createOutbox({ post, edit, inTurn: createKeyQueue(), log, now: ground.now }),
    post,
    edit,
  };
  return {
    ...shared,
    ...given,
    ...ground,
    health: { ...nothingWrong, ...health },
    slackChannels: { ...openChannels, ...slackChannels },
  };
}

export type GivenDigests = GivenSubscribing & Partial<Pick<Asking, "conversations">>;

/** What digests are set up and posted with. */
export function digestServices({ conversations = memory(), ...given }: GivenDigests = {}) {
  const shared = subscriptionServices(given);
  return {
    ...shared,
    conversations,
    memory: createMemory(conversations, shared.log),
    background: createBackgroundAnswers(shared),
    digestJob: createJobState(),
    offered: createOfferedChoices(shared.now),
  };
}

export type GivenAlerts = GivenSubscribing & { counts?: SourceCounts };

/** What alerts are set up and posted with. */
export function alertServices({ counts = createSourceCounts(memory()), ...given }: GivenAlerts = {}) {
  const shared = subscriptionServices(given);
  return { ...shared, counts, alertState: createAlertState(shared.now) };
}

/** A news model that answers every question with these words, and what it was asked. */
export function newsModel(...words: string[]) {
  const sent: GenerateRequest[] = [];
  const generate = (request: GenerateRequest): AsyncIterable<GenerateEvent> => {
    sent.push(request);
    return streamOf(...words.map((text) => ({ type: "text" as const, text })));
  };
  return { sent, generate };
}

/** A stream that yields these and then ends, or fails with an error among them. */
export async function* streamOf<T>(...items: (T | Error)[]): AsyncGenerator<T> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    yield item;
  }
}
