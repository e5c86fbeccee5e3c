import type { Config, SlackConfig } from "./config.ts";
import { features } from "./features.ts";
import { Interrupted } from "./features/failure.ts";
import type { Services } from "./features/feature.ts";
import { type Log, describe } from "./log.ts";
import { scopes } from "./manifest.ts";
import { createRoutes } from "./routes.ts";
import { type Clock, systemClock } from "./schedule/clock.ts";
import { type Schedule, startSchedule } from "./schedule/schedule.ts";
import { createServices } from "./services.ts";
import { openUnfinishedAnswers, unfinishedLifeMs, unfinishedSchema } from "./slack/answer/unfinished.ts";
import { createChannelDirectory } from "./slack/delivery/channels.ts";
import { createErrands } from "./slack/errands.ts";
import { createBolt } from "./slack/incoming/bolt.ts";
import { eventMemoryMs, eventSchema } from "./slack/incoming/deduplicate.ts";
import type { HealthFacts } from "./slack/incoming/http.ts";
import { installationSchema, openInstallations } from "./slack/incoming/installations.ts";
import { listenToSlack } from "./slack/incoming/listen.ts";
import { createAccessCheck, createPeople } from "./slack/incoming/people.ts";
import { createThreads } from "./slack/incoming/thread-history.ts";
import { createShelf, shelfLifeMs, shelfSchema } from "./slack/shelf.ts";
import { createWorkspaces } from "./slack/workspaces.ts";
import { openStoreExclusively } from "./store/lock.ts";

/** What whoever starts the bot has to give; the local workspace knows nothing else of it. */
export type { Config, Log, SlackConfig };

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
export async function startApp({ config, log, clock = systemClock }: AppOptions): Promise<BellwetherApp> {
  const now = () => clock.now();
  const after: Clock["after"] = (ms, call) => clock.after(ms, call);
  const stopping = new AbortController();
  let schedule: Schedule | undefined;
  let ownTeam = "";

  const store = await openStoreExclusively(config.storeUrl, { log, after });
  const bolt = createBolt({
    ...config.slack,
    port: config.port,
    timer: clock,
    scopes: Object.keys(scopes),
    installations: await openInstallations(store.collection("installations", installationSchema)),
    log: (level, text) => log[level]("slack", { text }),
    readFacts: () => readFacts(services, schedule?.oldestEnd() ?? now()),
  });
  const { callOf, isInstalled } = bolt;
  const workspaceOf = createWorkspaces(clock, config.streaming);
  const people = createPeople(callOf, now);
  const background = createErrands({ workspaceOf, callOf, signal: stopping.signal });

  const services = await createServices(config, {
    store,
    log,
    now,
    after,
    slack: {
      people,
      places: createChannelDirectory(callOf, now),
      threads: createThreads({ callOf, people, timer: clock }),
      isInstalled,
      // The operator's channel need not name the one workspace that there is.
      post: ({ team, ...target }, message) => background.post({ team: team || ownTeam, ...target }, message),
      edit: (team, posted, message) => background.edit(team, posted, message),
    },
  });

  const cutOff = store.collection("answers", unfinishedSchema, { ttlMs: unfinishedLifeMs });
  const unfinished = await openUnfinishedAnswers(cutOff, log);
  const answers = listenToSlack(bolt.app, bolt.calls, {
    routes: createRoutes(services),
    shelf: createShelf(store.collection("shared", shelfSchema, { ttlMs: shelfLifeMs })),
    unfinished,
    workspaceOf,
    checkAccess: createAccessCheck({ people, allow: config.allow, timer: clock, log }),
    following: services.following,
    events: store.collection("events", eventSchema, { ttlMs: eventMemoryMs }),
    timer: clock,
    log,
  });

  const identity = await bolt.start();
  ownTeam = identity.teamId ?? "";
  void unfinished.closeCutOff({ callOf, workspaceOf, timer: clock });
  schedule = startJobs(services, log);

  /** No new events, then every answer ends with a line and posts settle, then connections and the store close. */
  async function stop(): Promise<void> {
    const reason = new Interrupted("I am being restarted and had to stop here. Ask me again in a minute.");
    stopping.abort(reason);
    await bolt.refuse();
    await Promise.all([answers.stop(reason), waitAtMost(postsStopMs, schedule?.stop(), clock)]);
    await bolt.stop();
    await store.close();
  }
  let stopped: Promise<void> | undefined;
  return { identity, stop: () => (stopped ??= stop()) };
}

/** Longest time that posts under way hold up the stop; one that is cut off is looked up at the next start. */
const postsStopMs = 2_000;

async function waitAtMost(ms: number, work: Promise<void> | undefined, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(ms, late.resolve);
  await Promise.race([work, late.promise]);
  cancel();
}

/** Jobs run every minute; one that has not finished for so long is stuck. */
const stalledMs = 15 * 60_000;

async function readFacts(services: Services, oldestEnd: number): Promise<HealthFacts> {
  const { digests, alerts, health, now, isInstalled } = services;
  const due = (await Promise.all([digests.due(now()), alerts.due(now())])).flat();
  const isStalled = now() - oldestEnd > stalledMs;
  return {
    lastTick: new Date(oldestEnd).toISOString(),
    waiting: due.filter(({ team }) => isInstalled(team)).length,
    store: health.store(),
    ...(isStalled && { isStalled }),
  };
}

function startJobs(services: Services, log: Log): Schedule {
  const jobs = features.flatMap((feature) => feature.jobs ?? []);
  return startSchedule(
    jobs.map((job) => ({ ...job, run: () => job.run(services) })),
    (job, { ms, error }) => {
      // Once a minute, so only for those who look closely.
      if (error === undefined) log.debug("job", { job, ms });
      else log.warn("job", { job, ms, error: describe(error) });
    },
  );
}
