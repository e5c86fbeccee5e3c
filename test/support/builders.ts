import type { Article, Trend } from "../../src/apis/article.ts";
import { UsageError } from "../../src/apis/errors.ts";
import type { Gateway } from "../../src/apis/gateway/client.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import type { Intelligence } from "../../src/apis/intelligence/client.ts";
import type { Entity, NewsChannel } from "../../src/apis/intelligence/schema.ts";
import type { Jurisdictions } from "../../src/apis/jurisdictions/client.ts";
import type { Doctor } from "../../src/features/account/doctor.ts";
import type { Spending } from "../../src/features/account/spending.ts";
import { createAlertState } from "../../src/features/alerts/job.ts";
import type { Conversation } from "../../src/features/ask/conversation.ts";
import { createQuestionQueue } from "../../src/features/ask/queue.ts";
import { createMemory } from "../../src/features/ask/memory.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { createArrivals } from "../../src/features/digests/arrivals.ts";
import { createAnnouncedStories } from "../../src/features/subscriptions/announced.ts";
import { createJobState } from "../../src/features/subscriptions/jobs.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Directory } from "../../src/features/entities/directory.ts";
import type { FeatureDependencies } from "../../src/features.ts";
import type { Ask, Command } from "../../src/features/feature.ts";
import { type Lists, createLists } from "../../src/features/news/store.ts";
import { createFollowing } from "../../src/features/ask/threads.ts";
import { createLog } from "../../src/log.ts";
import { type Message, type Reply, grows } from "../../src/slack/text/message.ts";
import type { Collection } from "../../src/store/collection.ts";
import { alertsIn, nothingWrong, openChannels } from "./open.ts";

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

function unexpected(name: string): () => never {
  return () => {
    throw new Error(`the test expects no call of ${name}`);
  };
}

/** A service of which a test gives what it expects to be called; every other call fails it. */
function fake<T extends object>(name: string, calls: Partial<T> = {}): T {
  return new Proxy(calls, {
    get(target, call, self) {
      const given: unknown = Reflect.get(target, call, self);
      return given ?? (call === "then" ? undefined : unexpected(`${name}.${String(call)}`));
    },
  }) as T;
}

/** Threads in a store that lives as long as its test; the bot has a conversation in each. */
export function followingIn(records: Partial<Parameters<typeof createFollowing>[0]> = {}): Services["following"] {
  return createFollowing({
    settings: memory(),
    marks: memory(),
    hasConversation: async () => true,
    log: { warn: () => undefined },
    ...records,
  });
}

/** All that features work with, and the store of what was said in threads. */
export type Services = FeatureDependencies & { conversations: Collection<Conversation> };

interface ServicesOptions {
  intelligence?: Partial<Intelligence>;
  gateway?: Partial<Gateway>;
  jurisdictions?: Partial<Jurisdictions>;
  directory?: Partial<Directory>;
  conversations?: Collection<Conversation>;
  feedback?: Services["feedback"];
  queue?: Services["queue"];
  lists?: Lists;
  rankings?: Services["rankings"];
  collectionRuns?: Services["collectionRuns"];
  spending?: Partial<Spending>;
  doctor?: Partial<Doctor>;
  health?: Partial<Services["health"]>;
  digests?: Services["digests"];
  alerts?: Services["alerts"];
  alertState?: Services["alertState"];
  samples?: Partial<Services["samples"]>;
  announced?: Services["announced"];
  arrivals?: Services["arrivals"];
  people?: Partial<Services["people"]>;
  slackChannels?: Partial<Services["slackChannels"]>;
  subscribing?: Services["subscribing"];
  threads?: Services["threads"];
  following?: Services["following"];
  isInstalled?: Services["isInstalled"];
  post?: Services["post"];
  edit?: Services["edit"];
  configured?: Partial<Services["configured"]>;
  /** Takes the log's lines, which are dropped where missing. */
  write?: (line: string) => void;
  now?: () => number;
  /** Time stands still where missing. */
  after?: Services["after"];
}

/** Services of which a test gives what it expects to be called; every other call fails it. */
export function services(options: ServicesOptions = {}): Services {
  const gateway = fake<Gateway>("gateway", options.gateway);
  const conversations = options.conversations ?? memory();
  const log = createLog({ level: "error", write: options.write ?? (() => {}) });
  return {
    intelligence: fake<Intelligence>("intelligence", options.intelligence),
    gateway,
    jurisdictions: fake<Jurisdictions>("jurisdictions", options.jurisdictions),
    directory: {
      getMany: unexpected("directory.getMany"),
      setMany: unexpected("directory.setMany"),
      search: unexpected("directory.search"),
      learn: unexpected("directory.learn"),
      ...options.directory,
    },
    conversations,
    memory: createMemory(conversations, log),
    feedback: options.feedback ?? memory(),
    queue: options.queue ?? createQuestionQueue({ answersAtOnce: 20, questionsPerMinute: 20 }, () => now),
    lists: options.lists ?? createLists(memory()),
    rankings: options.rankings ?? memory(),
    collectionRuns: options.collectionRuns ?? memory(),
    spending: { gatewayFor: () => gateway, report: unexpected("spending.report"), ...options.spending },
    health: { ...nothingWrong, ...options.health },
    doctor: { examine: unexpected("doctor.examine"), ...options.doctor },
    digests: options.digests ?? createSubscriptions<Digest>({ records: memory(), numbers: memory(), isSame, isDue }),
    alerts: options.alerts ?? alertsIn(memory(), memory()),
    alertState: options.alertState ?? createAlertState(options.now ?? (() => now)),
    samples: {
      take: unexpected("samples.take"),
      since: unexpected("samples.since"),
      history: unexpected("samples.history"),
      ...options.samples,
    },
    announced: options.announced ?? createAnnouncedStories({ articles: memory(), stories: memory() }),
    arrivals: options.arrivals ?? createArrivals(memory()),
    digestJob: createJobState(),
    timeZone: "UTC",
    people: {
      timeZone: unexpected("people.timeZone"),
      name: async (_, user) => `Name of ${user}`,
      isAdmin: async () => false,
      ...options.people,
    },
    slackChannels: { ...openChannels, ...options.slackChannels },
    subscribing: options.subscribing ?? "members",
    threads: options.threads ?? { read: async () => [] },
    following: options.following ?? followingIn(),
    isInstalled: options.isInstalled ?? (() => true),
    post: options.post ?? unexpected("post"),
    edit: options.edit ?? unexpected("edit"),
    configured: { intelligence: true, gateway: true, jurisdictions: true, ...options.configured },
    log,
    now: options.now ?? (() => now),
    after: options.after ?? (() => () => {}),
  };
}

/** A stream that yields these and then ends, or fails with an error among them. */
export async function* streamOf<T>(...items: (T | Error)[]): AsyncGenerator<T> {
  for (const item of items) {
    if (item instanceof Error) throw item;
    yield item;
  }
}

/** All states of a reply, a finished one as its only state; an error ends the list instead of being thrown. */
export async function statesOf(reply: Reply | Promise<Reply>): Promise<{ states: Message[]; error?: unknown }> {
  const states: Message[] = [];
  try {
    const shown = await reply;
    if (!grows(shown)) return { states: [shown] };
    for await (const state of shown) states.push(state);
  } catch (error) {
    return { states, error };
  }
  return { states };
}

/** The finished answer of a command. */
export async function answerOf(command: Command<Services>, ask: Ask, to: Services): Promise<Message> {
  const { states, error } = await statesOf(command.run(ask, to));
  if (error !== undefined) throw error;
  const last = states.at(-1);
  if (!last) throw new Error(`${command.verb} gave no answer`);
  return last;
}

/** What a command tells a reader who has to type something else. */
export async function hintOf(command: Command<Services>, ask: Ask, to: Services = services()): Promise<string> {
  try {
    await answerOf(command, ask, to);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`${command.verb} took “${ask.text}”`);
}

/** All words of a message's blocks, one line for each text. */
export function wordsOf({ blocks = [] }: Message): string {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return words.join("\n");
}

/** The lines that a message's buttons run, by their labels. */
export function buttonsOf({ blocks = [] }: Message): Record<string, string | undefined> {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  return Object.fromEntries(
    elements.flatMap((element) => (element.type === "button" ? [[element.text.text, element.value]] : [])),
  );
}
