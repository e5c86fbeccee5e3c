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
import { createLists } from "../../src/features/articles/store.ts";
import { createFollowing } from "../../src/features/ask/threads.ts";
import { createLog } from "../../src/log.ts";
import { type OutboxOptions, createOutbox } from "../../src/slack/delivery/outbox.ts";
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

export const fakeGateway = (calls: Partial<Gateway> = {}): Gateway => fake("gateway", calls);

export const fakeIntelligence = (calls: Partial<Intelligence> = {}): Intelligence =>
  fake("intelligence", { articlesKnown: () => new Map(), ...calls });

export const allConfigured: Configured = { intelligence: true, gateway: true, jurisdictions: true };

/** A log for the lines that nobody reads. */
export const silentLog = createLog({ level: "error", write: () => {} });

/** Time stands still: nothing that is put off ever runs. */
export const never = () => () => undefined;

/** What a test gives of services whose other calls fail it. */
type Given<Services> = { [Name in keyof Services]?: Partial<Services[Name]> };

type SourceServices = Omit<SourceDependencies, "directory" | "jurisdictions" | "samples" | "watchlists" | "log"> &
  Pick<GroundContext, "directory" | "jurisdictions" | "samples" | "watchlists" | "log" | "now">;

export type GivenSources = Partial<Pick<SourceServices, "watchlists" | "now">> &
  Given<Pick<SourceServices, "intelligence" | "gateway" | "jurisdictions" | "directory" | "samples" | "configured">> & {
    /** Takes the log's lines, which are dropped if it is missing. */
    write?: (line: string) => void;
  };

/** What sources are found and read with. */
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

type Reading = Pick<GroundContext, "lists" | "people" | "timeZone">;

export type GivenReading = GivenSources & Partial<Omit<Reading, "people">> & Given<Pick<Reading, "people">>;

/** What searches and look-ups are answered with. */
export function readerServices({
  lists = createLists(memory()),
  people,
  timeZone = "UTC",
  ...given
}: GivenReading = {}) {
  const reading: Reading = {
    lists,
    timeZone,
    people: fake("people", {
      name: async (_, user) => `Name of ${user}`,
      isAdmin: async () => false,
      localeKnown: () => undefined,
      ...people,
    }),
  };
  return { ...sourceServices(given), ...reading };
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

interface Asking extends Pick<GroundContext, "threads" | "after" | "chatModel"> {
  /** What was said in threads. */
  conversations: Collection<Conversation>;
  queue: QuestionQueue;
}

export type GivenAsking = GivenReading & Partial<Asking> & Given<{ spending: Spending }>;

/** What questions are answered and texts written with: threads that remember, and a queue in which nobody waits. */
export function askServices({
  threads = { read: async () => [] },
  after = never,
  chatModel,
  conversations = memory(),
  queue = createQuestionQueue({ answersAtOnce: 20, questionsPerMinute: 20 }, { now: () => now, after: never }),
  spending,
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
    spending: fake<Spending>("spending", { gatewayFor: () => reader.gateway, ...spending }),
  };
}

/** Digests that are written down there. */
export function digestsIn(records: Collection<Digest>, numbers: Collection<number>): DigestsAndAlerts["digests"] {
  return createSubscriptions<Digest>({ records, numbers, isSame: isSameDigest, isDue: isDigestDue });
}

/** Alerts that are written down there. */
export function alertsIn(records: Collection<Alert>, numbers: Collection<number>): DigestsAndAlerts["alerts"] {
  return createSubscriptions<Alert>({ records, numbers, isSame: isSameAlert, isDue: isAlertDue });
}

/** Channels that everybody is in, the bot too; none is found under its name. */
const openChannels: ChannelDirectory = {
  isIn: async () => true,
  joined: async () => new Set(["C1"]),
  named: async () => [],
  stateOf: async () => "joined",
};

type Subscribing = Pick<FollowDependencies, "digests" | "alerts" | "subscribing">;

export type GivenSubscribing = GivenReading & Partial<Subscribing> & { slackChannels?: Partial<ChannelDirectory> };

/** What digests and alerts are set up with, in channels that everybody is in. */
export function subscriptionServices({
  digests = digestsIn(memory(), memory()),
  alerts = alertsIn(memory(), memory()),
  subscribing = "members",
  slackChannels,
  ...given
}: GivenSubscribing = {}) {
  const shared: Subscribing = { digests, alerts, subscribing };
  return { ...readerServices(given), ...shared, slackChannels: { ...openChannels, ...slackChannels } };
}

export type GivenPosting = Partial<ReturnType<typeof openSubscriptionRecords>> &
  Partial<Pick<GroundContext, "permalink" | "isServed" | "after" | "post" | "outbox">> &
  Pick<GivenSources, "now" | "write"> & { health?: Partial<Health>; edit?: OutboxOptions["edit"] };

/** What digests and alerts are posted with: the outbox, and what channels were shown; each post fails a test that gives no `post`. */
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
