import type { Article, Trend } from "../../src/apis/article.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import type { GenerateEvent, GenerateRequest } from "../../src/apis/intelligence/generate.ts";
import type { Entity, NewsChannel } from "../../src/apis/intelligence/schema.ts";
import { type Alert, isAlertDue, isSameAlert } from "../../src/features/alerts/alert.ts";
import { createAlertState } from "../../src/features/alerts/job.ts";
import { createBackgroundAnswers } from "../../src/features/ask/background.ts";
import { createSourceCounts } from "../../src/features/alerts/watched.ts";
import type { Conversation } from "../../src/features/ask/conversation.ts";
import { createQuestionQueue } from "../../src/features/ask/queue.ts";
import { createMemory } from "../../src/features/ask/memory.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { createArrivals } from "../../src/features/subscriptions/arrivals.ts";
import { createRegulators } from "../../src/features/sources/regulators.ts";
import { createOfferedChoices } from "../../src/features/sources/form.ts";
import { createAnnouncedStories } from "../../src/features/subscriptions/announced.ts";
import { createJobState } from "../../src/features/subscriptions/jobs.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import { createLatestRanking } from "../../src/features/trending/ranking.ts";
import type { FeatureDependencies } from "../../src/features.ts";
import type { Ask } from "../../src/features/feature.ts";
import { createWatchlists } from "../../src/features/sources/watchlist-store.ts";
import { createLists } from "../../src/features/articles/store.ts";
import { createFollowing } from "../../src/features/ask/threads.ts";
import { createLog } from "../../src/log.ts";
import { type OutboxOptions, createOutbox } from "../../src/slack/delivery/outbox.ts";
import { onlyReplica } from "../../src/replicas/replicas.ts";
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
const openChannels: FeatureDependencies["slackChannels"] = {
  isIn: async () => true,
  joined: async () => new Set(["C1"]),
  named: async () => [],
  look: async () => "joined",
};

/** A health check that reports no outage. */
const nothingWrong: FeatureDependencies["health"] = {
  saw: async () => {},
  storeIs: () => {},
  store: () => undefined,
  tell: async () => {},
  wrong: async () => [],
};

/** Alerts that are written down there. */
export function alertsIn(records: Collection<Alert>, numbers: Collection<number>): FeatureDependencies["alerts"] {
  return createSubscriptions<Alert>({ records, numbers, isSame: isSameAlert, isDue: isAlertDue });
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

/** What is stubbed: a test gives the calls that it expects, and every other call fails it. */
type Stubbed =
  | "intelligence"
  | "gateway"
  | "jurisdictions"
  | "directory"
  | "spending"
  | "doctor"
  | "samples"
  | "people"
  | "slackChannels"
  | "health"
  | "configured";

/** How the outbox reaches Slack. */
type Slack = Pick<OutboxOptions, "post" | "edit">;

type GivenDependencies = Partial<Omit<FeatureDependencies, Stubbed | "log" | "memory"> & Slack> & {
  [Name in Stubbed]?: Partial<FeatureDependencies[Name]>;
} & {
  /** What was said in threads. */
  conversations?: Collection<Conversation>;
  /** Takes the log's lines, which are dropped where missing. */
  write?: (line: string) => void;
};

/** The features' dependencies: what a test gives of them, and what lives as long as the test for the rest. */
export function services(
  given: GivenDependencies = {},
): FeatureDependencies & Slack & Required<Pick<GivenDependencies, "conversations">> {
  const { conversations = memory(), write = () => {}, ...own } = given;
  const log = createLog({ level: "error", write });
  const known = { articlesKnown: () => new Map(), ...own.intelligence };
  const gateway = fake<FeatureDependencies["gateway"]>("gateway", own.gateway);
  const intelligence = fake<FeatureDependencies["intelligence"]>("intelligence", known);
  const jurisdictions = fake<FeatureDependencies["jurisdictions"]>("jurisdictions", own.jurisdictions);
  const configured = { intelligence: true, gateway: true, jurisdictions: true, ...own.configured };
  const lists = own.lists ?? createLists(memory());
  // Time stands still.
  const after = own.after ?? (() => () => {});
  const built: ReturnType<typeof services> = {
    conversations,
    memory: createMemory(conversations, log),
    feedback: memory(),
    queue: createQuestionQueue(
      { answersAtOnce: 20, questionsPerMinute: 20 },
      { now: () => now, after: () => () => undefined },
    ),
    caughtUp: memory(),
    watchlists: createWatchlists(memory()),
    lists,
    background: createBackgroundAnswers({ ...own, intelligence, configured, lists, log, now: () => now, after }),
    latestRanking: createLatestRanking(own.now ?? (() => now)),
    collectionRuns: memory(),
    digests: createSubscriptions<Digest>({ records: memory(), numbers: memory(), isSame, isDue }),
    alerts: alertsIn(memory(), memory()),
    alertState: createAlertState(own.now ?? (() => now)),
    announced: createAnnouncedStories({ articles: memory(), stories: memory() }),
    arrivals: createArrivals(memory()),
    counts: createSourceCounts(memory()),
    ownerNotices: memory(),
    digestJob: createJobState(),
    outbox: createOutbox({
      post: (...about) => built.post(...about),
      edit: (...about) => built.edit(...about),
      inTurn: createKeyQueue(),
      log,
      now: () => built.now(),
    }),
    offered: createOfferedChoices(() => now),
    regulators: createRegulators({ jurisdictions, intelligence, log, now: own.now ?? (() => now) }),
    replicas: onlyReplica,
    timeZone: "UTC",
    subscribing: "members",
    threads: { read: async () => [] },
    following: followingIn(),
    isServed: () => true,
    post: unexpected("post"),
    edit: unexpected("edit"),
    permalink: async (_team, { channel, ts }) =>
      `https://harbour.slack.com/archives/${channel}/p${ts.replace(".", "")}`,
    log,
    now: () => now,
    after,
    ...own,
    gateway,
    intelligence,
    jurisdictions,
    directory: fake("directory", own.directory),
    spending: fake("spending", { gatewayFor: () => gateway, ...own.spending }),
    doctor: fake("doctor", own.doctor),
    samples: fake("samples", own.samples),
    people: fake("people", {
      name: async (_, user) => `Name of ${user}`,
      isAdmin: async () => false,
      localeKnown: () => undefined,
      ...own.people,
    }),
    slackChannels: { ...openChannels, ...own.slackChannels },
    health: { ...nothingWrong, ...own.health },
    configured,
  };
  return built;
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
