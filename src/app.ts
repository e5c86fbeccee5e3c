import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";

import type { Api } from "./apis/errors.ts";
import { createGateway, isTestKey } from "./apis/gateway/client.ts";
import { type HttpOptions, createHttp, unconfiguredHttp } from "./apis/http.ts";
import { type EntityCache, createIntelligence } from "./apis/intelligence/client.ts";
import { createJurisdictions } from "./apis/jurisdictions/client.ts";
import { withHierarchy } from "./apis/jurisdictions/steps.ts";
import type { Config, SlackConfig } from "./config.ts";
import { type FeatureDependencies, features, offeredWords } from "./features.ts";
import { createDoctor } from "./features/account/doctor.ts";
import { createHealth, outageSchema } from "./features/account/health.ts";
import {
  type Spending,
  type SpendingOptions,
  createSpending,
  spentLifeMs,
  spentSchema,
} from "./features/account/spending.ts";
import { type Alert, isAlertDue, isSameAlert } from "./features/alerts/alert.ts";
import { createAlertState } from "./features/alerts/job.ts";
import { createSamples } from "./features/sources/samples.ts";
import { createBackgroundAnswers } from "./features/ask/background.ts";
import { createSourceCounts } from "./features/alerts/watched.ts";
import { feedbackLifeMs, feedbackSchema } from "./features/ask/feedback.ts";
import { conversationSchema } from "./features/ask/conversation.ts";
import { conversationLifeMs, createMemory, threadKey } from "./features/ask/memory.ts";
import { createQuestionQueue } from "./features/ask/queue.ts";
import { createFollowing, markLifeMs, markSchema, settingSchema } from "./features/ask/threads.ts";
import { collectionOwnerSchema, withOwnCollections } from "./features/collections/owners.ts";
import { runLifeMs, runSchema } from "./features/collections/runs.ts";
import { createArrivals } from "./features/subscriptions/arrivals.ts";
import { type Digest, isDigestDue, isSameDigest } from "./features/digests/digest.ts";
import { entityLifeMs, entitySchema, openDirectory } from "./features/sources/directory.ts";
import { Interrupted } from "./features/failure.ts";
import { createRegulators } from "./features/sources/regulators.ts";
import { createLists } from "./features/articles/store.ts";
import { createOfferedChoices } from "./features/sources/form.ts";
import { createAnnouncedStories } from "./features/subscriptions/announced.ts";
import { ownerNoticeLifeMs, ownerNoticeSchema } from "./features/subscriptions/channels.ts";
import { createJobState } from "./features/subscriptions/jobs.ts";
import { caughtUpLifeMs, caughtUpSchema } from "./features/summaries/catchup.ts";
import { createSubscriptions } from "./features/subscriptions/store.ts";
import { createWatchlists } from "./features/sources/watchlist-store.ts";
import { rankingLifeMs, rankingSchema, trendsFrom } from "./features/trending/ranking.ts";
import { forgetDeparted, openKept } from "./operate/forget.ts";
import { type Log, type Trace, createTrace, describe } from "./log.ts";
import { scopes } from "./manifest.ts";
import { type CurrentFigures, type Metrics, createMetrics } from "./metrics.ts";
import { openRecords } from "./records.ts";
import { type Replicas, joinReplicas, onlyReplica, replicaLifeMs, replicaSchema } from "./replicas/replicas.ts";
import { createRoutes } from "./routes.ts";
import { type Clock, systemClock } from "./schedule/clock.ts";
import { type JobSchedule, type ScheduledJob, startSchedule } from "./schedule/schedule.ts";
import { editMessage } from "./slack/answer/edit-budget.ts";
import { createSharing, shareLifeMs, sharedReplySchema } from "./slack/answer/share.ts";
import { createUnfinishedAnswers, unfinishedLifeMs, unfinishedSchema } from "./slack/answer/unfinished.ts";
import { createChannelDirectory } from "./slack/workspaces/channels.ts";
import { type OutboxOptions, createOutbox } from "./slack/delivery/outbox.ts";
import { createPermalink } from "./slack/delivery/permalink.ts";
import { createBolt } from "./slack/incoming/bolt.ts";
import { eventMemoryMs, eventSchema } from "./slack/incoming/deduplicate.ts";
import { askReplica } from "./slack/incoming/forward.ts";
import type { HealthFacts } from "./slack/incoming/health.ts";
import {
  type Installations,
  openInstallations,
  organisationSchema,
  storedInstallationSchema,
} from "./slack/workspaces/installations.ts";
import { listenToSlack } from "./slack/incoming/listen.ts";
import { createAccessCheck, createPeople } from "./slack/workspaces/people.ts";
import { createThreads } from "./slack/incoming/thread-history.ts";
import { createTokenExchange } from "./slack/workspaces/tokens.ts";
import { withDeadline } from "./slack/timer.ts";
import { createWorkspaces } from "./slack/workspaces/workspaces.ts";
import { createEncryption, keyIdOf } from "./store/encryption.ts";
import { openStoreExclusively } from "./store/lock.ts";
import { type Store, openStore, sqlitePath } from "./store/store.ts";
import { createKeyQueue } from "./store/key-queue.ts";

/** What whoever starts the bot has to give; the local workspace knows nothing else of it. */
export { type Clock, type Config, type Log, type SlackConfig, offeredWords, systemClock };

export interface BellwetherApp {
  /** Who the bot is, where it serves one workspace. */
  identity: { team?: string; user?: string };
  /** Takes no new events, ends every answer with a line that says so, lets posts settle, then disconnects. */
  stop(): Promise<void>;
}

interface AppOptions {
  config: Config & { slack: SlackConfig };
  log: Log;
  clock?: Clock;
}

/** Builds the bot and connects it; resolves when Slack's events reach it. */
export async function startApp({ config, log: plainLog, clock = systemClock }: AppOptions): Promise<BellwetherApp> {
  const { log, within } = createTrace(plainLog);
  const metrics = createMetrics();
  const now = () => clock.now();
  const after: Clock["after"] = (ms, call) => clock.after(ms, call);
  const stopping = new AbortController();
  let schedule: JobSchedule | undefined;
  let ownTeam = "";

  const { store, lease } = await openSharedStore(config.storeUrl, { log, after, onQuery: metrics.stored });
  const replicas = lease
    ? joinReplicas({
        lease,
        records: store.collection("replicas", replicaSchema, { ttlMs: replicaLifeMs }),
        url: config.slack.appToken ? undefined : (config.replicaUrl ?? ownAddress(config.port)),
        keys: config.slack.encryptionKeys?.map(keyIdOf),
        now,
        after,
        log,
        isIdle: (fits) =>
          ![answers.isAnsweringFor, bolt.isCalling, dependencies.spending.isPaying].some((is) => is(fits)),
        onGained: beginServing,
        onLost: endServing,
        kept: () => ownTeam,
      })
    : onlyReplica;
  const { olderKey } = replicas;
  const installations = await openWorkspaceTokens(config.slack, { store, clock, log, olderKey });
  const bolt = createBolt({
    ...config.slack,
    port: config.port,
    timer: clock,
    scopes: Object.keys(scopes),
    installations,
    ...(lease && { replicas }),
    log,
    readFacts: async () => ({
      ...(await readFacts(dependencies, schedule?.oldestEnd() ?? now())),
      ...replicas.facts(),
    }),
    healthToken: config.healthToken,
    renderMetrics: () =>
      metrics.render(async () => ({
        ...(await readFigures(dependencies, answers.count())),
        shards: replicas.facts()?.shards.length,
        replicas: replicas.facts()?.replicas.length,
      })),
    observe: { within: withinReplica, onAck: metrics.acked, onCall: metrics.calledSlack, onRefused: metrics.refused },
  });
  const { callOf } = bolt;
  const workspaceOf = createWorkspaces(clock, config.streaming);
  const people = createPeople(callOf, now);
  const workspaceWith = async (team: string) => workspaceOf(team, await callOf(team));

  /** Work of an event or a job: its writes and its calls of Slack are refused once another replica has the workspace. */
  function withinReplica<T>(id: string, work: () => T): T {
    return replicas.within(() => within(id, work));
  }

  const dependencies = await createDependencies(config, {
    store,
    replicas,
    log,
    onCall(call) {
      metrics.calledUpstream(call);
      // A minute of digests makes hundreds of calls: those that went well are for whoever looks closely.
      log[call.outcome === "ok" ? "debug" : "info"]("upstream", { ...call });
    },
    onSpent: metrics.spent,
    now,
    after,
    slack: {
      people,
      slackChannels: createChannelDirectory(callOf, now),
      threads: createThreads({ workspaceWith, botOf: bolt.botOf, people, timer: clock }),
      isServed: (team) => bolt.isInstalled(team) && replicas.accepts(team),
      async post({ team, ...target }, message) {
        // The operator's channel need not name the one workspace that there is.
        const { poster } = await workspaceWith(team || ownTeam);
        return poster.post(target, () => message, { isBackground: true, signal: stopping.signal });
      },
      permalink: createPermalink(callOf),
      edit: async (team, posted, message) => editMessage(await workspaceWith(team), posted, message),
    },
  });

  const cutOff = store.collection("answers", unfinishedSchema, { ttlMs: unfinishedLifeMs });
  const unfinished = createUnfinishedAnswers(cutOff, log);
  const answers = listenToSlack(bolt.app, bolt.calls, {
    routes: createRoutes(dependencies),
    sharing: createSharing(store.collection("shared", sharedReplySchema, { ttlMs: shareLifeMs })),
    unfinished,
    workspaceOf,
    checkAccess: createAccessCheck({ people, allow: config.allow, timer: clock, log }),
    following: dependencies.following,
    events: store.collection("events", eventSchema, { ttlMs: eventMemoryMs }),
    timer: clock,
    log,
    onAnswered: metrics.answered,
    logsText: config.logText,
  });

  function closeCutOff(fits: (team: string) => boolean): void {
    void unfinished
      .closeCutOff({ outbox: dependencies.outbox, callOf, workspaceOf, timer: clock }, fits)
      .catch((error: unknown) => log.warn("answers.unread", { error: describe(error) }));
  }

  /** Reads what is kept of workspaces that another replica may have worked for until now. */
  async function beginServing(fits: (team: string) => boolean): Promise<void> {
    const { digests, alerts, watchlists } = dependencies;
    await Promise.all([
      digests.reload(fits),
      alerts.reload(fits),
      watchlists.reload(fits),
      installations?.reload(fits),
    ]);
    closeCutOff(fits);
    if (ownTeam && fits(ownTeam)) await bolt.connect();
    schedule?.runSoon();
  }

  function endServing(fits: (team: string) => boolean): void {
    const { digests, alerts, watchlists } = dependencies;
    answers.abandon(fits, new Interrupted("Another replica has taken over."));
    unfinished.leave(fits);
    if (ownTeam && fits(ownTeam)) void bolt.disconnect();
    void Promise.all([digests.drop(fits), alerts.drop(fits), watchlists.drop(fits)]);
  }

  const identity = await bolt.identify();
  ownTeam = identity.teamId ?? "";
  if (!lease) {
    await bolt.connect();
    closeCutOff(() => true);
  }
  await bolt.listen();
  await replicas.start();
  const departed = installations ? [createDepartedJob(store, installations, dependencies)] : [];
  const besideOthers: ScheduledJob = {
    name: "replicas",
    every: "* * * * *",
    atOnce: true,
    async run() {
      await replicas.checkAddress(askReplica);
      await installations?.encryptAnew();
    },
  };
  const cutOffAgain: ScheduledJob = {
    name: "answers",
    every: "* * * * *",
    atOnce: true,
    run: () => unfinished.retry(dependencies, replicas.holds),
  };
  schedule = startJobs(dependencies, {
    more: [cutOffAgain, ...departed, ...(lease ? [besideOthers] : [])],
    log,
    clock,
    within: withinReplica,
    ranJob: metrics.ranJob,
  });

  /** No new events, then every answer ends with a line and posts settle, then connections and the store close. */
  async function stop(): Promise<void> {
    const reason = new Interrupted("I’m being restarted and had to stop here. Ask again in a minute.");
    stopping.abort(reason);
    await bolt.refuse();
    void replicas.leave();
    const posts = schedule?.stop() ?? Promise.resolve();
    await Promise.all([answers.stop(reason), withDeadline(clock, postsStopMs, posts, () => undefined)]);
    await bolt.stop();
    await replicas.stop();
    await store.close();
  }
  let stopped: Promise<void> | undefined;
  return { identity, stop: () => (stopped ??= stop()) };
}

interface SharedStoreOptions {
  log: Log;
  after: Clock["after"];
  onQuery: Metrics["stored"];
}

/** The store of a bot: a file is its own, a database it shares with other replicas, by a lease on a part of the work. */
async function openSharedStore(url: string, { log, after, onQuery }: SharedStoreOptions) {
  if (sqlitePath(url) !== undefined) return { store: await openStoreExclusively(url, { log, after, onQuery }) };
  // A bot on SQLite loads none of it.
  const { createLease } = await import("./replicas/lease.ts");
  const lease = createLease(url, { log, after });
  return { store: await openStore(url, log, { confirm: lease.confirm, onQuery }), lease };
}

/** The default of REPLICA_URL: the machine's first IPv4 address that isn't a loopback one. */
function ownAddress(port = 3000): string {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");
  return `http://${own?.address ?? "127.0.0.1"}:${port}`;
}

/** The installations of many workspaces; one workspace has its token in the settings. */
async function openWorkspaceTokens(
  { clientId, clientSecret = "", encryptionKeys = [], apiUrl }: SlackConfig,
  { store, clock, log, olderKey }: { store: Store; clock: Clock; log: Log; olderKey: Replicas["olderKey"] },
) {
  if (!clientId) return undefined;
  return openInstallations({
    records: store.collection("installations", storedInstallationSchema),
    organisations: store.collection("organisations", organisationSchema),
    encryption: createEncryption(encryptionKeys),
    olderKey,
    rotation: {
      exchange: createTokenExchange({ clientId, clientSecret, apiUrl }),
      exclusively: (name, work) => store.exclusively(name, work),
      timer: clock,
      log,
    },
  });
}

/** Longest time that posts under way hold up the stop; one that is cut off is looked up at the next start. */
const postsStopMs = 2_000;

type Dependencies = Awaited<ReturnType<typeof createDependencies>>;

/** Jobs run every minute; one that has not finished for so long is stuck. */
const stalledMs = 15 * 60_000;

/** Digests and alerts that are due, in the workspaces that this process serves. */
async function findDue({ digests, alerts, now, isServed }: Dependencies) {
  const due = (await Promise.all([digests.due(now()), alerts.due(now())])).flat();
  return due.filter(({ team }) => isServed(team));
}

async function readFigures(dependencies: Dependencies, answering: number): Promise<CurrentFigures> {
  const due = await findDue(dependencies);
  const now = dependencies.now();
  return { waiting: due.length, lagMs: Math.max(0, ...due.map(({ nextRun }) => now - nextRun)), answering };
}

async function readFacts(dependencies: Dependencies, oldestEnd: number): Promise<HealthFacts> {
  const { health, now } = dependencies;
  const due = await findDue(dependencies);
  const isStalled = now() - oldestEnd > stalledMs;
  return {
    lastTick: new Date(oldestEnd).toISOString(),
    waiting: due.length,
    store: health.store(),
    ...(isStalled && { isStalled }),
  };
}

const dayMs = 24 * 60 * 60_000;

/**
 * Deletes what is kept of workspaces that took the app out a month ago: looks once a day, and whenever one has just done so,
 * which begins its month.
 */
function createDepartedJob(
  store: Store,
  { isInstalled, reload, removals }: Pick<Installations, "isInstalled" | "reload" | "removals">,
  { digests, alerts, watchlists, replicas, now, log }: Dependencies,
): ScheduledJob {
  let looked: { at: number; removals: number } | undefined;
  return {
    name: "departed",
    every: "* * * * *",
    atOnce: true,
    async run() {
      const looking = { at: now(), removals: removals() };
      if (looked && looking.at - looked.at < dayMs && looking.removals === looked.removals) return;
      // Nothing may be deleted because another process installed the app.
      await reload(replicas.holds);
      const kept = await openKept(store);
      for (const team of await forgetDeparted(kept, { isServed: replicas.holds, isInstalled, now: looking.at })) {
        const isForgotten = (other: string) => other === team;
        await Promise.all([digests.drop(isForgotten), alerts.drop(isForgotten), watchlists.drop(isForgotten)]);
        log.info("workspace.forgotten", { team });
      }
      looked = looking;
      await store.scrub();
    },
  };
}

interface JobsContext {
  /** Jobs of no feature. */
  more: readonly ScheduledJob[];
  log: Log;
  clock: Clock;
  within: Trace["within"];
  ranJob: Metrics["ranJob"];
}

function startJobs(dependencies: FeatureDependencies, { more, log, clock, within, ranJob }: JobsContext): JobSchedule {
  const jobs = features.flatMap((feature) => feature.jobs ?? []);
  return startSchedule(
    [...jobs, ...more].map((job) => ({
      ...job,
      run: () => within(`${job.name}-${randomUUID().slice(0, 8)}`, () => job.run(dependencies)),
    })),
    (job, { ms, error }) => {
      ranJob(job, error === undefined ? "ok" : "failed");
      // Once a minute, so only for those who look closely.
      if (error === undefined) log.debug("job", { job, ms });
      else log.warn("job", { job, ms, error: describe(error) });
    },
    clock,
  );
}

interface Foundation {
  store: Store;
  replicas?: Replicas;
  /** Told of each request to a service, and of each call that cost credits. */
  onCall?: HttpOptions["onCall"];
  onSpent?: SpendingOptions["onSpent"];
  log: Log;
  now: () => number;
  after: Clock["after"];
  /** The ways to Slack, for what nobody has just asked for. */
  slack: Pick<FeatureDependencies, "people" | "slackChannels" | "threads" | "isServed" | "permalink"> &
    Pick<OutboxOptions, "post" | "edit">;
}

/** Builds everything that the features work with: the clients of the services, and what is kept in the store. */
export async function createDependencies(config: Config, foundation: Foundation) {
  const { store, replicas = onlyReplica, log, now, after, slack } = foundation;
  const apis = await createClients(config, foundation);
  const { configured, intelligence, gateway, isTest } = apis;
  const records = openRecords(store);
  const lists = createLists(records.lists);
  const conversations = store.collection("conversations", conversationSchema, { ttlMs: conversationLifeMs });
  const outbox = createOutbox({ post: slack.post, edit: slack.edit, inTurn: createKeyQueue(), log, now });
  const health = createHealth({
    outages: store.collection("outages", outageSchema),
    operator: config.operator,
    outbox,
    post: slack.post,
    unreached: () => replicas.facts()?.unreached ?? {},
    isTeller: () => !config.operator?.team || replicas.holds(config.operator.team),
    log,
    now,
  });
  store.watch((trouble) => health.storeIs(trouble));
  const spending = createSpending({
    gateway,
    isTest,
    days: store.collection("spending", spentSchema, { ttlMs: spentLifeMs }),
    cap: config.creditsPerDay,
    zone: config.timeZone,
    configured,
    onSpent: foundation.onSpent,
    now,
    log,
  });
  const owners = store.collection("collection-owners", collectionOwnerSchema);
  return {
    ...apis,
    ...slack,
    replicas,
    operator: config.operator,
    health,
    memory: createMemory(conversations, log),
    outbox,
    background: createBackgroundAnswers({ ...apis, lists, log, after }),
    feedback: store.collection("feedback", feedbackSchema, { ttlMs: feedbackLifeMs }),
    ownerNotices: store.collection("owner-notices", ownerNoticeSchema, { ttlMs: ownerNoticeLifeMs }),
    collectionRuns: store.collection("collection-runs", runSchema, { ttlMs: runLifeMs }),
    regulators: createRegulators({ jurisdictions: apis.jurisdictions, intelligence, log, now }),
    queue: createQuestionQueue(config.limits, { now, after }),
    caughtUp: store.collection("caught-up", caughtUpSchema, { ttlMs: caughtUpLifeMs }),
    watchlists: createWatchlists(records.watchlists, replicas.holds),
    lists,
    rankings: store.collection("rankings", rankingSchema, { ttlMs: rankingLifeMs }),
    spending: {
      ...spending,
      gatewayFor: (spender) => withOwnCollections(spending.gatewayFor(spender), spender.team, owners),
    } satisfies Spending,
    digests: createSubscriptions<Digest>({
      records: records.digests,
      numbers: records["digest-numbers"],
      isSame: isSameDigest,
      isDue: isDigestDue,
      isServed: replicas.holds,
    }),
    alerts: createSubscriptions<Alert>({
      records: records.alerts,
      numbers: records["alert-numbers"],
      isSame: isSameAlert,
      isDue: isAlertDue,
      isServed: replicas.holds,
    }),
    alertState: createAlertState(now),
    offered: createOfferedChoices(now),
    digestJob: createJobState(),
    samples: createSamples({
      records: records.samples,
      read: async (payer) => (await trendsFrom({ configured, intelligence, gateway: payer })).entities,
      now,
      log,
    }),
    announced: createAnnouncedStories({ articles: records.seen, stories: records["announced-stories"] }),
    arrivals: createArrivals(records.arrivals),
    counts: createSourceCounts(records["source-counts"]),
    following: createFollowing({
      settings: store.collection("thread-settings", settingSchema),
      marks: store.collection("thread-marks", markSchema, { ttlMs: markLifeMs }),
      hasConversation: async (thread) => (await conversations.get(threadKey(thread))) !== undefined,
      now,
      log,
    }),
    timeZone: config.timeZone,
    subscribing: config.subscribing,
    log,
    now,
    after,
  };
}

/** The clients of the three services; one that is not set up says how to do that, whatever it is asked. */
async function createClients(config: Config, { store, log, now, onCall }: Foundation) {
  const { secrets } = config;
  const httpTo = (api: Api) => {
    const baseUrl = config[api]?.url;
    return baseUrl ? createHttp({ api, baseUrl, secrets, ...(onCall && { onCall }) }) : unconfiguredHttp(api);
  };
  const key = config.gateway?.key ?? "";
  const isTest = isTestKey(key);
  const gateway = createGateway({ http: httpTo("gateway"), key, keyHeader: config.gateway?.keyHeader, log });
  const jurisdictionsKey = config.jurisdictions?.key ?? "";
  const jurisdictions = createJurisdictions({ http: httpTo("jurisdictions"), key: jurisdictionsKey, log });
  const directory = await openDirectory(store.collection("entities", entitySchema, { ttlMs: entityLifeMs }), now);
  const { credentials = {}, model = "", truncation } = config.intelligence ?? {};
  const news = { http: httpTo("intelligence"), credentials, model, truncation, now, log };
  const intelligence = createIntelligence({ ...news, cache: directory });
  // The doctor has a login and a cache of its own: each of its calls has to reach the service.
  const uncached = createIntelligence({ ...news, cache: noCache });
  return {
    intelligence,
    gateway,
    isTest,
    jurisdictions: withHierarchy(jurisdictions, log),
    directory,
    doctor: createDoctor({ intelligence: uncached, gateway, isTest, jurisdictions, now }),
    chatModel: config.gateway?.model,
    configured: {
      intelligence: config.intelligence !== undefined,
      gateway: config.gateway !== undefined,
      jurisdictions: config.jurisdictions !== undefined,
    },
  };
}

const noCache: EntityCache = { getMany: async () => new Map(), setMany: async () => undefined };
