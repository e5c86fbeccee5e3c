import { createOvernight } from "../../src/features/alerts/overnight.ts";
import type { Article, Trend } from "../../src/apis/article.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import type { Intelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateEvent, GenerateRequest } from "../../src/apis/intelligence/generate.ts";
import type { Entity, NewsChannel } from "../../src/apis/intelligence/schema.ts";
import type { Jurisdictions } from "../../src/apis/jurisdictions/client.ts";
import type { Health } from "../../src/features/account/health.ts";
import type { Spending } from "../../src/features/account/spending.ts";
import { type Alert, isSameAlert } from "../../src/features/alerts/alert.ts";
import { isAlertDue } from "../../src/features/alerts/posts.ts";
import type { Conversation } from "../../src/features/ask/conversation.ts";
import { type QuestionQueue, createQuestionQueue } from "../../src/features/ask/queue.ts";
import { createMemory } from "../../src/features/ask/memory.ts";
import { type Digest, isDigestDue, isSameDigest } from "../../src/features/digests/digest.ts";
import type { GroundContext } from "../../src/features/base.ts";
import type { DigestsAndAlerts, FollowDependencies } from "../../src/features/digests-and-alerts.ts";
import type { openSubscriptionRecords } from "../../src/features/subscriptions/index.ts";
import { createArrivals } from "../../src/features/subscriptions/arrivals.ts";
import { createRegulators } from "../../src/features/sources/regulators.ts";
import { createAnnouncedStories } from "../../src/features/subscriptions/announced.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Ask, Configured } from "../../src/features/feature.ts";
import type { SourceDependencies } from "../../src/features/sources/source.ts";
import { createWatchlists } from "../../src/features/sources/watchlist-store.ts";
import type { AnswerDependencies } from "../../src/features/ask/answer.ts";
import { createInterest } from "../../src/features/articles/interest.ts";
import { createLists } from "../../src/features/articles/store.ts";
import { createFollowing } from "../../src/features/ask/threads.ts";
import { createLog } from "../../src/log.ts";
import { type OutboxOptions, createOutbox } from "../../src/slack/delivery/outbox.ts";
import type { ChannelDirectory } from "../../src/slack/workspaces/channels.ts";
import type { Collection } from "../../src/store/collection.ts";
import { createKeyQueue } from "../../src/store/key-queue.ts";

/** The time in every test that names no other: 20 November 2026, 09:00 UTC. */
export const now = Date.UTC(2026, 10, 20, 9);

/** An article; a test gives the fields that matter to it. */
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

/** A row of the ranking. */
export function trendingEntity(about: Partial<Trend> = {}): Trend {
  return { name: "Northwind Energy", type: "Company", mentions: 120, average: 40, score: 3.14, ...about };
}

/** A news channel. */
export function newsChannel(about: Partial<NewsChannel> = {}): NewsChannel {
  return { id: 7, name: "Central banks", stages: [], ...about };
}

/** The cost of a call with a live key. */
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

/** The place of a question in a thread. */
export const inThread = { surface: "mention", thread: "50.1" } as const;

/** A collection in memory. */
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

/** A dependency with the calls that a test expects; any other call fails the test. */
function fake<T extends object>(name: string, calls: Partial<T> = {}): T {
  return new Proxy(calls, {
    get(target, call, self) {
      const given: unknown = Reflect.get(target, call, self);
      // `await` looks for `then`.
      return given ?? (call === "then" ? undefined : unexpected(`${name}.${String(call)}`));
    },
  }) as T;
}

function unexpected(name: string): () => never {
  return () => {
    throw new Error(`the test expects no call of ${name}`);
  };
}

export const fakeGateway = (calls: Partial<Gateway> = {}): Gateway => fake("gateway", calls);

export const fakeIntelligence = (calls: Partial<Intelligence> = {}): Intelligence =>
  fake("intelligence", { articlesKnown: () => new Map(), ...calls });

export const allConfigured: Configured = { intelligence: true, gateway: true, jurisdictions: true };

/** A log that drops its lines. */
export const silentLog = createLog({ level: "error", write: () => {} });

/** A timer on which time stands still: no delayed call ever runs. */
export const never = () => () => undefined;

/** The calls that a test expects of services; any other call fails the test. */
type Given<Services> = { [Name in keyof Services]?: Partial<Services[Name]> };

type SourceServices = Omit<SourceDependencies, "directory" | "jurisdictions" | "samples" | "watchlists" | "log"> &
  Pick<GroundContext, "directory" | "jurisdictions" | "samples" | "watchlists" | "log" | "now">;

export type GivenSources = Partial<Pick<SourceServices, "watchlists" | "now">> &
  Given<Pick<SourceServices, "intelligence" | "gateway" | "jurisdictions" | "directory" | "samples" | "configured">> & {
    /** Receives the lines of the log; without it they are dropped. */
    write?: (line: string) => void;
  };

/** The parts that sources are found and read with. */
export function sourceServices({ write = () => {}, ...given }: GivenSources = {}): SourceServices {
  const log = createLog({ level: "error", write });
  const intelligence = fakeIntelligence(given.intelligence);
  const jurisdictions = fake<Jurisdictions>("jurisdictions", given.jurisdictions);
  const clock = given.now ?? (() => now);
  return {
    intelligence,
    jurisdictions,
    gateway: fakeGateway(given.gateway),
    directory: fake("directory", given.directory),
    samples: fake("samples", given.samples),
    regulators: createRegulators({ jurisdictions, intelligence, log, now: clock }),
    watchlists: given.watchlists ?? createWatchlists(memory()),
    configured: { ...allConfigured, ...given.configured },
    log,
    now: clock,
  };
}

type Reading = Pick<GroundContext, "lists" | "interest" | "people" | "timeZone">;

export type GivenReading = GivenSources & Partial<Omit<Reading, "people">> & Given<Pick<Reading, "people">>;

/** The parts of searches and look-ups: those of sources, lists and people. */
export function readerServices({
  lists = createLists(memory()),
  interest,
  people,
  timeZone = "UTC",
  ...given
}: GivenReading = {}) {
  const sources = sourceServices(given);
  const reading: Reading = {
    lists,
    interest: interest ?? createInterest({ ...sources, records: memory() }),
    timeZone,
    people: fake("people", {
      name: async (_, user) => `Name of ${user}`,
      isAdmin: async () => false,
      localeKnown: () => undefined,
      ...people,
    }),
  };
  return { ...sources, ...reading };
}

/** Threads in memory; the bot has a conversation in each. */
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

interface Asking extends Pick<GroundContext, "threads" | "after" | "chatModel"> {
  /** The conversations of threads. */
  conversations: Collection<Conversation>;
  queue: QuestionQueue;
  offerFor: AnswerDependencies["offerFor"];
}

export type GivenAsking = GivenReading & Partial<Asking> & Given<{ spending: Spending }>;

/** The parts of questions and summaries: those of look-ups, a memory of threads, and a queue in which nobody waits. */
export function askServices({
  threads = { read: async () => [] },
  after = never,
  chatModel,
  conversations = memory(),
  queue = createQuestionQueue({ answersAtOnce: 20, questionsPerMinute: 20 }, { now: () => now }),
  spending,
  offerFor = () => undefined,
  ...given
}: GivenAsking = {}) {
  const reader = readerServices(given);
  return {
    ...reader,
    threads,
    after,
    chatModel,
    conversations,
    memory: createMemory(conversations, reader.log),
    queue,
    offerFor,
    spending: fake<Spending>("spending", { gatewayFor: () => reader.gateway, ...spending }),
  };
}

/** The digests in these records. */
export function digestsIn(records: Collection<Digest>, numbers: Collection<number>): DigestsAndAlerts["digests"] {
  return createSubscriptions<Digest>({ records, numbers, isSame: isSameDigest, isDue: isDigestDue });
}

/** The alerts in these records. */
export function alertsIn(records: Collection<Alert>, numbers: Collection<number>): DigestsAndAlerts["alerts"] {
  return createSubscriptions<Alert>({ records, numbers, isSame: isSameAlert, isDue: isAlertDue });
}

/** Channels that everybody and the bot are in; none is found by name. */
const openChannels: ChannelDirectory = {
  isIn: async () => true,
  joined: async () => new Set(["C1"]),
  named: async () => [],
  stateOf: async () => "joined",
};

type Subscribing = Pick<FollowDependencies, "digests" | "alerts" | "subscribing">;

export type GivenSubscribing = GivenReading & Partial<Subscribing> & { slackChannels?: Partial<ChannelDirectory> };

/** The parts that digests and alerts are set up with: those of look-ups, both stores, and channels that everybody is in. */
export function subscriptionServices({
  digests = digestsIn(memory(), memory()),
  alerts = alertsIn(memory(), memory()),
  subscribing = "members",
  slackChannels,
  ...given
}: GivenSubscribing = {}) {
  const shared: Subscribing = { digests, alerts, subscribing };
  const readers = readerServices(given);
  const overnight = createOvernight(shared, readers.now);
  return { ...readers, ...shared, overnight, slackChannels: { ...openChannels, ...slackChannels } };
}

export type GivenPosting = Partial<ReturnType<typeof openSubscriptionRecords>> &
  Partial<Pick<GroundContext, "permalink" | "isServed" | "after" | "post" | "outbox">> &
  Pick<GivenSources, "now" | "write"> & { health?: Partial<Health>; edit?: OutboxOptions["edit"] };

/** The parts that digests and alerts are posted with: the outbox, and what channels were shown. Without `post`, a post fails the test. */
export function postingServices({
  now: clock = () => now,
  write = () => {},
  post = unexpected("post"),
  edit = unexpected("edit"),
  health,
  announced = createAnnouncedStories({ articles: memory(), stories: memory() }),
  arrivals = createArrivals(memory()),
  ownerNotices = memory(),
  permalink = async (_team, { channel, ts }) => `https://harbour.slack.com/archives/${channel}/p${ts.replace(".", "")}`,
  isServed = () => true,
  after = never,
  outbox = createOutbox({
    post,
    edit,
    inTurn: createKeyQueue(),
    log: createLog({ level: "error", write }),
    now: clock,
  }),
}: GivenPosting = {}) {
  const shown: ReturnType<typeof openSubscriptionRecords> = { announced, arrivals, ownerNotices };
  return { ...shown, permalink, isServed, after, post, outbox, health: { ...nothingWrong, ...health } };
}

/** A health check that reports no outage. */
const nothingWrong: Health = {
  saw: async () => {},
  storeIs: () => {},
  store: () => undefined,
  tell: async () => {},
  wrong: async () => [],
};

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
