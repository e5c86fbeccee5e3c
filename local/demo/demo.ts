import { randomUUID } from "node:crypto";

import type { Config, Log } from "../../src/app.ts";
import { type Local, startAll } from "../together.ts";
import type { DemoAction, DemoState } from "../workspace/protocol.ts";
import { createDemoClock } from "./clock.ts";
import { type Happenings, createHappenings } from "./happenings.ts";
import { type DemoFolder, type KeptDemo, isDamage, openFolder } from "./kept.ts";
import { morningNews, planMorning, playMorning } from "./morning.ts";

/** A local workspace in which a morning has passed, and in which more can be made to happen. */
export interface Demo {
  url: string;
  /** The workspace, services and bot that run now; a start over replaces them. */
  local: () => Local;
  state: () => DemoState | undefined;
  run: (action: DemoAction) => Promise<void>;
  stop: () => Promise<void>;
}

interface DemoOptions {
  config: Config;
  log: Log;
  port: number;
  /** The time zone of the person who looks at the demo. */
  timeZone: string;
  /** The folder that keeps the demo; it is only in memory if this is missing. */
  folder?: string | undefined;
  /** Prints a line for the person who started the demo. */
  tell?: (line: string) => void;
  /** Real milliseconds between two steps of a spike. */
  stepMs?: number;
}

/** Starts the demo as it was left, or else with a morning that has just passed. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { log, tell } = options;
  const folder = options.folder === undefined ? undefined : openFolder(options.folder);
  let session = await openKept();
  let changing: Promise<void> = Promise.resolve();

  async function openKept(): Promise<Session> {
    try {
      return await openSession({ ...options, folder, kept: await folder?.read(), run });
    } catch (error) {
      if (!folder || !isDamage(error)) throw error;
      const aside = await folder.putAside();
      tell?.(`The state in ${folder.path} can’t be read. It is now in ${aside}, and everything begins anew.`);
      return openSession({ ...options, folder, run });
    }
  }

  async function startOver(): Promise<void> {
    const port = Number(new URL(session.local.workspace.url).port);
    await session.close();
    await folder?.clear();
    session = await openSession({ ...options, port, folder, run });
  }

  /** Runs one action at a time, in the order in which they were asked for. */
  function run(action: DemoAction): Promise<void> {
    const done = changing.then(() => (action === "over" ? startOver() : session.happenings.run(action)));
    changing = done.catch((error: unknown) => log.error("demo", { action, error: String(error) }));
    return done;
  }

  return {
    url: session.local.workspace.url,
    local: () => session.local,
    state: () => session.happenings.state(),
    run,
    async stop() {
      await changing;
      await session.close();
    },
  };
}

interface Session {
  local: Local;
  happenings: Happenings;
  close(): Promise<void>;
}

interface SessionOptions extends Omit<DemoOptions, "folder"> {
  folder: DemoFolder | undefined;
  kept?: KeptDemo | undefined;
  run: (action: DemoAction) => Promise<void>;
}

/** Changes are written to the folder at most this many milliseconds later. */
const keepMs = 500;
const stepMs = 4_500;

async function openSession(options: SessionOptions): Promise<Session> {
  const { config, port, timeZone, folder, kept } = options;
  // A new workspace has new channels and messages, so a bot store from an earlier one would not fit it.
  if (!kept) await folder?.clear();
  const { log, jobsRan } = watchJobs(options.log);
  const plan = planMorning(Date.now(), timeZone);
  const calendar = kept?.calendar ?? morningNews(plan);
  const ready = Promise.withResolvers<void>();
  let happenings: Happenings | undefined;
  const local = await startAll({
    config,
    log,
    port,
    timeZone,
    clock: createDemoClock(kept?.aheadMs ?? plan.begin - plan.end),
    calendar,
    ...(folder && { storeUrl: folder.storeUrl }),
    ...(kept && { saved: kept.workspace }),
    demo: {
      ready: ready.promise,
      state: () => happenings?.state(),
      run: (action) => void options.run(action).catch(() => undefined),
    },
  });
  const { workspace, clock, sandbox } = local;
  const opening = kept ? kept.opening : await playMorning({ ...local, jobsRan }, plan);
  const identity = { run: kept?.run ?? randomUUID(), ...(opening && { opening }) };
  const given = { local, timeZone, kept, jobsRan, stepMs: options.stepMs ?? stepMs };
  const made = createHappenings({ ...given, ...identity });
  happenings = made;
  const keeper = createKeeper(folder, () => ({
    ...identity,
    ...made.keep(),
    aheadMs: clock.offset(),
    calendar: sandbox.calendar(),
    workspace: workspace.save(),
  }));
  const endWatch = workspace.watch(() => keeper.changed());
  await folder?.noteUrl(workspace.url);
  await keeper.write();
  ready.resolve();

  return {
    local,
    happenings: made,
    async close() {
      endWatch();
      made.stop();
      await local.stop();
      await keeper.write();
    },
  };
}

/** Writes the demo to its folder soon after a change, and at the end. */
function createKeeper(folder: DemoFolder | undefined, snapshot: () => KeptDemo) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing = writing.then(() => folder?.write(snapshot())));
  }

  return {
    write,
    changed() {
      if (folder) timer ??= setTimeout(() => void write(), keepMs);
    },
  };
}

/** The demo waits for the bot’s jobs at most this long, in milliseconds, and then goes on without them. */
const jobsWaitMs = 5_000;

/** A log that notices when the bot's jobs have run. */
function watchJobs(log: Log): { log: Log; jobsRan: () => Promise<void> } {
  const runs = new Map<string, number>();
  const waiting = new Set<() => void>();

  function ran(event: string, job: unknown): void {
    if (event !== "job") return;
    runs.set(String(job), (runs.get(String(job)) ?? 0) + 1);
    for (const look of waiting) look();
  }

  return {
    log: {
      ...log,
      debug(event, fields) {
        log.debug(event, fields);
        ran(event, fields?.["job"]);
      },
      warn(event, fields) {
        log.warn(event, fields);
        ran(event, fields?.["job"]);
      },
    },
    jobsRan() {
      const before = { alerts: runs.get("alerts") ?? 0, digests: runs.get("digests") ?? 0 };
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        const timer = setTimeout(done, jobsWaitMs);
        const look = () => {
          const isDone = Object.entries(before).every(([job, count]) => (runs.get(job) ?? 0) > count);
          if (isDone) done();
        };
        waiting.add(look);
      });
    },
  };
}
