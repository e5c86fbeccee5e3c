import { randomUUID } from "node:crypto";

import type { Config, SlackConfig } from "./config.ts";
import { createFeatures, offeredWords } from "./features.ts";
import type { BaseContext } from "./features/base.ts";
import { Restarting } from "./features/failure.ts";
import { type Log, createTrace, describe } from "./log.ts";
import { scopes } from "./manifest.ts";
import { createMetrics } from "./metrics.ts";
import { createMonitoring } from "./operate/monitoring.ts";
import { createServing } from "./operate/serving.ts";
import { openSharedStore } from "./operate/shared-store.ts";
import { onlyReplica } from "./replicas/replicas.ts";
import { createRoutes } from "./routes.ts";
import { type Clock, systemClock } from "./schedule/clock.ts";
import { createSchedule } from "./schedule/schedule.ts";
import { createServices } from "./services.ts";
import { editMessage } from "./slack/answer/edit-budget.ts";
import { createSharing, shareLifeMs, sharedReplySchema } from "./slack/answer/share.ts";
import { createUnfinishedAnswers, unfinishedLifeMs, unfinishedSchema } from "./slack/answer/unfinished.ts";
import { createOutbox } from "./slack/delivery/outbox.ts";
import { createPermalink } from "./slack/delivery/permalink.ts";
import { createBolt } from "./slack/incoming/bolt.ts";
import { eventMemoryMs, eventSchema } from "./slack/incoming/deduplicate.ts";
import { listenToSlack } from "./slack/incoming/listen.ts";
import { createThreads } from "./slack/incoming/thread-history.ts";
import { withDeadline } from "./slack/timer.ts";
import { createChannelDirectory } from "./slack/workspaces/channels.ts";
import { openInstallations, organisationSchema, storedInstallationSchema } from "./slack/workspaces/installations.ts";
import { createAccessCheck, createPeople } from "./slack/workspaces/people.ts";
import { createTokenExchange } from "./slack/workspaces/tokens.ts";
import { createWorkspaces } from "./slack/workspaces/workspaces.ts";
import { createEncryption } from "./store/encryption.ts";
import { createKeyQueue } from "./store/key-queue.ts";
import type { Store } from "./store/store.ts";

/** The parts that a caller needs to start the bot; the local workspace knows nothing else of it. */
export { type Clock, type Config, type Log, type SlackConfig, offeredWords, systemClock };

export interface BellwetherApp {
  /** The bot's user and its workspace; empty if it serves many. */
  identity: { team?: string; user?: string };
  /** Takes no new events, ends every answer with a line that says so, lets posts settle, then disconnects. */
  stop(): Promise<void>;
}

interface AppOptions {
  config: Config & { slack: SlackConfig };
  log: Log;
  clock?: Clock;
}

/** Longest time that posts under way hold up the stop; one that is cut off is looked up at the next start. */
const postsStopMs = 2_000;

/** Builds the bot and connects it; resolves when Slack's events reach it. */
export async function startApp({ config, log: plainLog, clock = systemClock }: AppOptions): Promise<BellwetherApp> {
  const { log, within } = createTrace(plainLog);
  const metrics = createMetrics();
  const now = () => clock.now();
  const after: Clock["after"] = (ms, call) => clock.after(ms, call);
  const stopping = new AbortController();

  // The base: the store, the processes that share it, Slack and the services.
  const { store, replicas } = await openSharedStore(config, { log, now, after, onQuery: metrics.stored });
  /** Work of an event or a job: its writes and its calls of Slack are refused once another replica has the workspace. */
  const withinReplica = <T>(id: string, work: () => T): T => replicas.within(() => within(id, work));
  const isShared = replicas !== onlyReplica;
  const installations = await openWorkspaceTokens(config.slack, { store, clock, log });
  const bolt = createBolt({
    ...config.slack,
    port: config.port,
    timer: clock,
    scopes: Object.keys(scopes),
    installations,
    ...(isShared && { replicas }),
    log,
    healthToken: config.healthToken,
    observe: { within: withinReplica, onAck: metrics.acked, onCall: metrics.calledSlack, onRefused: metrics.refused },
  });
  const identity = await bolt.identify();
  const ownTeam = identity.teamId ?? "";
  const { callOf } = bolt;
  const workspaceOf = createWorkspaces(clock, config.streaming);
  const workspaceWith = async (team: string) => workspaceOf(team, await callOf(team));
  const people = createPeople(callOf, now);
  const post: BaseContext["post"] = async ({ team, ...target }, message) => {
    // The operator's channel need not name the one workspace that there is.
    const { poster } = await workspaceWith(team || ownTeam);
    return poster.post(target, () => message, { isBackground: true, signal: stopping.signal });
  };
  const outbox = createOutbox({
    post,
    edit: async (team, posted, message) => editMessage(await workspaceWith(team), posted, message),
    inTurn: createKeyQueue(),
    log,
    now,
  });
  const services = await createServices(config, {
    store,
    log,
    now,
    onCall(call) {
      metrics.calledUpstream(call);
      // A minute of digests makes hundreds of calls: those that went well are for whoever looks closely.
      log[call.outcome === "ok" ? "debug" : "info"]("upstream", { ...call });
    },
  });
  const base: BaseContext = {
    ...services,
    people,
    slackChannels: createChannelDirectory(callOf, now),
    threads: createThreads({ workspaceWith, botOf: bolt.botOf, people, timer: clock }),
    permalink: createPermalink(callOf),
    isServed: (team) => bolt.isInstalled(team) && replicas.accepts(team),
    post,
    outbox,
    store,
    replicas,
    timeZone: config.timeZone,
    log,
    now,
    after,
  };

  // The features, and what people do in Slack that leads to them.
  const { features, following, health, isPaying, held, due } = createFeatures(base, {
    ...config,
    onSpent: metrics.spent,
  });
  const cutOff = store.collection("answers", unfinishedSchema, { ttlMs: unfinishedLifeMs });
  const unfinished = createUnfinishedAnswers(cutOff, log);
  const answers = listenToSlack(bolt.app, bolt.calls, {
    routes: createRoutes(features, base),
    sharing: createSharing(store.collection("shared", sharedReplySchema, { ttlMs: shareLifeMs })),
    unfinished,
    workspaceOf,
    checkAccess: createAccessCheck({ people, allow: config.allow, timer: clock, log }),
    following,
    events: store.collection("events", eventSchema, { ttlMs: eventMemoryMs }),
    timer: clock,
    log,
    onAnswered: metrics.answered,
    logsText: config.logText,
  });
  const serving = createServing({
    held,
    answers,
    unfinished,
    closing: { outbox, callOf, workspaceOf, timer: clock },
    connection: bolt,
    ownTeam,
    installations,
    replicas,
    isServed: base.isServed,
    store,
    log,
    now,
  });
  const jobs = [...features.flatMap((feature) => feature.jobs), ...serving.jobs];
  const schedule = createSchedule(
    jobs.map((job) => ({ ...job, run: () => withinReplica(`${job.name}-${randomUUID().slice(0, 8)}`, job.run) })),
    (job, { ms, error }) => {
      metrics.ranJob(job, error === undefined ? "ok" : "failed");
      // Once a minute, so only for those who look closely.
      if (error === undefined) log.debug("job", { job, ms });
      else log.warn("job.failed", { job, ms, error: describe(error) });
    },
    clock,
  );

  // Serving: from here on events come, and jobs run.
  if (!isShared) await bolt.connect();
  await bolt.listen(createMonitoring({ due, health, answers, schedule, replicas, metrics, now }));
  await replicas.start({
    isIdle: (fits) => ![answers.isAnsweringFor, bolt.isCalling, isPaying].some((is) => is(fits)),
    async onGained(fits) {
      await serving.gain(fits);
      schedule.runSoon();
    },
    onLost: serving.lose,
  });
  schedule.start();

  /** No new events, then every answer ends with a line and posts settle, then connections and the store close. */
  async function stop(): Promise<void> {
    const reason = new Restarting("I’m being restarted and had to stop here. Ask again in a minute.");
    stopping.abort(reason);
    await bolt.refuse();
    void replicas.leave();
    await Promise.all([answers.stop(reason), withDeadline(clock, postsStopMs, schedule.stop(), () => undefined)]);
    await bolt.stop();
    await replicas.stop();
    await store.close();
  }
  let stopped: Promise<void> | undefined;
  return { identity, stop: () => (stopped ??= stop()) };
}

/** The installations of many workspaces; one workspace has its token in the settings. */
async function openWorkspaceTokens(
  { clientId, clientSecret = "", encryptionKeys = [], apiUrl }: SlackConfig,
  { store, clock, log }: { store: Store; clock: Clock; log: Log },
) {
  if (!clientId) return undefined;
  return openInstallations({
    records: store.collection("installations", storedInstallationSchema),
    organisations: store.collection("organisations", organisationSchema),
    encryption: createEncryption(encryptionKeys),
    rotation: {
      exchange: createTokenExchange({ clientId, clientSecret, apiUrl }),
      exclusively: (name, work) => store.exclusively(name, work),
      timer: clock,
      log,
    },
  });
}
