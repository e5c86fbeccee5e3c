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
import { type Bolt, createBolt } from "./slack/incoming/bolt.ts";
import type { HealthFacts } from "./slack/incoming/http.ts";
import { installationSchema, openInstallations } from "./slack/incoming/installations.ts";
import { type People, createAccessCheck, createPeople } from "./slack/incoming/people.ts";
import { createChannelDirectory } from "./slack/delivery/channels.ts";
import { listenToSlack } from "./slack/incoming/listen.ts";
import { eventMemoryMs, eventSchema } from "./slack/incoming/deduplicate.ts";
import { createErrands } from "./slack/errands.ts";
import { createShelf, shelfLifeMs, shelfSchema } from "./slack/shelf.ts";
import { createThreads } from "./slack/incoming/thread-history.ts";
import { createWorkspaces } from "./slack/workspaces.ts";
import { openStoreExclusively } from "./store/lock.ts";

/** What whoever starts the bot has to give; the local workspace knows nothing else of it. */
export type { Config, Log, SlackConfig };

export interface BellwetherApp {
  /** Who the bot is, where it serves one workspace. */
  identity: { team?: string; user?: string };
  /** Hears nothing new, ends every answer with a line that says so, lets posts settle, then disconnects. */
  stop(): Promise<void>;
}

interface AppOptions {
  config: Config & { slack: SlackConfig };
  log: Log;
  clock?: Clock;
}

/** Builds the bot and connects it; resolves when it hears Slack. */
export async function startApp({ config, log, clock = systemClock }: AppOptions): Promise<BellwetherApp> {
  const store = await openStoreExclusively(config.storeUrl, { log, after: (ms, call) => clock.after(ms, call) });
  const bolt = createBolt({
    ...config.slack,
    port: config.port,
    timer: clock,
    scopes: Object.keys(scopes),
    installations: await openInstallations(store.collection("installations", installationSchema)),
    log: (level, text) => log[level]("slack", { text }),
    readFacts: () => readFacts(services, schedule?.oldestEnd() ?? now()),
  });
  const now = () => clock.now();
  let home = "";
  let schedule: Schedule | undefined;
  const stopping = new AbortController();
  const workspaceOf = createWorkspaces(clock, config.streaming);
  const errands = createErrands({ workspaceOf, callOf: (team) => bolt.callOf(team), signal: stopping.signal });
  const people = createPeople((team) => bolt.callOf(team), now);
  const services = await createServices(config, {
    store,
    log,
    now,
    after: (ms, call) => clock.after(ms, call),
    slack: {
      ...readersOf(bolt, people, clock),
      // The operator need not name the one workspace that there is.
      post: ({ team, ...place }, message) => errands.post({ team: team || home, ...place }, message),
      edit: (team, posted, message) => errands.edit(team, posted, message),
    },
  });
  const events = store.collection("events", eventSchema, { ttlMs: eventMemoryMs });
  const cutOff = store.collection("answers", unfinishedSchema, { ttlMs: unfinishedLifeMs });
  const unfinished = await openUnfinishedAnswers(cutOff, log);
  const answers = listenToSlack(bolt.app, bolt.calls, {
    routes: createRoutes(services),
    shelf: createShelf(store.collection("shared", shelfSchema, { ttlMs: shelfLifeMs })),
    unfinished,
    workspaceOf,
    checkAccess: createAccessCheck({ people, allow: config.allow, timer: clock, log }),
    following: services.following,
    events,
    timer: clock,
    log,
  });
  const identity = await bolt.start();
  home = identity.teamId ?? "";
  void unfinished.closeCutOff({ callOf: (team) => bolt.callOf(team), workspaceOf, timer: clock });
  schedule = startJobs(services, log);
  let stopped: Promise<void> | undefined;
  return { identity, stop: () => (stopped ??= stop()) };

  async function stop(): Promise<void> {
    const reason = new Interrupted("I am being restarted and had to stop here. Ask me again in a minute.");
    stopping.abort(reason);
    await bolt.refuse();
    await Promise.all([answers.stop(reason), untilLate(schedule?.stop(), clock)]);
    await bolt.stop();
    await store.close();
  }
}

/** Longest time that posts under way hold up the end; one that is cut off is looked up at the next start. */
const settleMs = 2_000;

async function untilLate(work: Promise<void> | undefined, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(settleMs, late.resolve);
  await Promise.race([work, late.promise]);
  cancel();
}

/** The ways in which the bot learns something of Slack, whoever asks. */
function readersOf(bolt: Bolt, people: People, clock: Clock) {
  const callOf: Bolt["callOf"] = (team) => bolt.callOf(team);
  const places = createChannelDirectory(callOf, () => clock.now());
  const { isInstalled } = bolt;
  return { people, places, threads: createThreads({ callOf, people, timer: clock }), isInstalled };
}

/** What is due every minute ends every minute, so this is no longer a slow run. */
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
