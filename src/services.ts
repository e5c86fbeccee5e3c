import type { Api } from "./apis/errors.ts";
import { createGateway, isTestKey } from "./apis/gateway/client.ts";
import { type Http, createHttp, unconfiguredHttp } from "./apis/http.ts";
import { type EntityCache, createIntelligence } from "./apis/intelligence/client.ts";
import { createJurisdictions } from "./apis/jurisdictions/client.ts";
import type { Config } from "./config.ts";
import { createDoctor } from "./features/account/doctor.ts";
import { type Health, createHealth, outageSchema } from "./features/account/health.ts";
import { createSpending, spentLifeMs, spentSchema } from "./features/account/spending.ts";
import { feedbackLifeMs, feedbackSchema } from "./features/ask/feedback.ts";
import {
  conversationLifeMs,
  conversationMigrations,
  conversationSchema,
  createMemory,
  threadKey,
} from "./features/ask/memory.ts";
import { createQuestionQueue } from "./features/ask/queue.ts";
import { createFollowing, markLifeMs, markSchema, settingSchema } from "./features/ask/threads.ts";
import { type Alert, isAlertDue, isSameAlert } from "./features/alerts/alert.ts";
import { createAlertState } from "./features/alerts/job.ts";
import { createSamples } from "./features/alerts/samples.ts";
import { runLifeMs, runSchema } from "./features/collections/runs.ts";
import { createArrivals } from "./features/digests/arrivals.ts";
import { type Digest, isDigestDue, isSameDigest } from "./features/digests/digest.ts";
import { entityLifeMs, entitySchema, openDirectory } from "./features/entities/directory.ts";
import type { Services } from "./features/feature.ts";
import { createLists } from "./features/news/store.ts";
import { createAnnouncedStories } from "./features/subscriptions/announced.ts";
import { createJobState } from "./features/subscriptions/delivery.ts";
import { createSubscriptions } from "./features/subscriptions/store.ts";
import { rankingLifeMs, rankingSchema, trendsFrom } from "./features/trending/ranking.ts";
import type { Log } from "./log.ts";
import { openRecords } from "./records.ts";
import type { Store } from "./store/store.ts";

interface Base {
  store: Store;
  log: Log;
  now: () => number;
  after: Services["after"];
  /** The ways to Slack, for what nobody has just asked for. */
  slack: Pick<Services, "people" | "places" | "threads" | "isInstalled" | "post" | "edit">;
}

/** Builds everything that the features work with. */
export async function createServices(config: Config, { store, log, now, after, slack }: Base): Promise<Services> {
  const { intelligence, gateway, jurisdictions } = config;
  const http = httpsTo(config);
  const isTest = isTestKey(gateway?.key ?? "");
  const client = createGateway({ http: http.gateway, key: gateway?.key ?? "", keyHeader: gateway?.keyHeader, log });
  const database = createJurisdictions({ http: http.jurisdictions, key: jurisdictions?.key ?? "", log });
  const configured = {
    intelligence: intelligence !== undefined,
    gateway: gateway !== undefined,
    jurisdictions: jurisdictions !== undefined,
  };
  const records = openRecords(store);
  const conversations = store.collection("conversations", conversationSchema, {
    ttlMs: conversationLifeMs,
    migrations: conversationMigrations,
  });
  const directory = await openDirectory(store.collection("entities", entitySchema, { ttlMs: entityLifeMs }), now);
  const newsWith = (cache: EntityCache) =>
    createIntelligence({
      http: http.intelligence,
      credentials: intelligence?.credentials ?? {},
      model: intelligence?.model ?? "",
      truncation: intelligence?.truncation,
      cache,
      now,
      log,
    });
  const news = newsWith(directory);
  return {
    intelligence: news,
    gateway: client,
    jurisdictions: database,
    directory,
    chatModel: gateway?.model,
    conversations,
    memory: createMemory(conversations, log),
    feedback: store.collection("feedback", feedbackSchema, { ttlMs: feedbackLifeMs }),
    collectionRuns: store.collection("collection-runs", runSchema, { ttlMs: runLifeMs }),
    queue: createQuestionQueue(config.limits, now),
    lists: createLists(records.lists),
    rankings: store.collection("rankings", rankingSchema, { ttlMs: rankingLifeMs }),
    spending: createSpending({
      gateway: client,
      isTest,
      days: store.collection("spending", spentSchema, { ttlMs: spentLifeMs }),
      cap: config.creditsPerDay,
      zone: config.timeZone,
      configured,
      now,
      log,
    }),
    doctor: createDoctor({ intelligence: newsWith(noCache), gateway: client, isTest, jurisdictions: database, now }),
    health: healthFor(config, { store, slack, log, now }),
    ...subscriptionsOn(records),
    alertState: createAlertState(now),
    samples: createSamples({
      records: records.samples,
      read: async (payer) => (await trendsFrom({ configured, intelligence: news, gateway: payer })).entities,
      now,
      log,
    }),
    announced: createAnnouncedStories({ articles: records.seen, stories: records["announced-stories"] }),
    arrivals: createArrivals(records.arrivals),
    digestJob: createJobState(),
    following: followingOn(store, conversations, log),
    timeZone: config.timeZone,
    subscribing: config.subscribing,
    ...slack,
    configured,
    log,
    now,
    after,
  };
}

/** For the doctor, whose every call has to reach the service. */
const noCache: EntityCache = { getMany: async () => new Map(), setMany: async () => undefined };

function followingOn(store: Store, conversations: Services["conversations"], log: Log): Services["following"] {
  return createFollowing({
    settings: store.collection("thread-settings", settingSchema),
    marks: store.collection("thread-marks", markSchema, { ttlMs: markLifeMs }),
    hasConversation: async (thread) => (await conversations.get(threadKey(thread))) !== undefined,
    log,
  });
}

function subscriptionsOn(records: ReturnType<typeof openRecords>): Pick<Services, "digests" | "alerts"> {
  return {
    digests: createSubscriptions<Digest>({
      records: records.digests,
      numbers: records["digest-numbers"],
      isSame: isSameDigest,
      isDue: isDigestDue,
    }),
    alerts: createSubscriptions<Alert>({
      records: records.alerts,
      numbers: records["alert-numbers"],
      isSame: isSameAlert,
      isDue: isAlertDue,
    }),
  };
}

function healthFor({ operator }: Config, { store, slack, log, now }: Omit<Base, "after">): Health {
  const health = createHealth({
    outages: store.collection("outages", outageSchema),
    operator,
    post: slack.post,
    log,
    now,
  });
  store.watch((trouble) => health.storeIs(trouble));
  return health;
}

function httpsTo({ intelligence, gateway, jurisdictions, secrets }: Config): Record<Api, Http> {
  const httpTo = (api: Api, baseUrl: string | undefined) =>
    baseUrl ? createHttp({ api, baseUrl, secrets }) : unconfiguredHttp(api);
  return {
    intelligence: httpTo("intelligence", intelligence?.url),
    gateway: httpTo("gateway", gateway?.url),
    jurisdictions: httpTo("jurisdictions", jurisdictions?.url),
  };
}
