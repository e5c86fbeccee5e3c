import { type ScheduledTask, schedule } from "node-cron";

import { type Clock, systemClock } from "./clock.ts";

/** Something to do again and again. */
export interface ScheduledJob {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  /** Runs also when the schedule starts, and when the clock has jumped: what became due meanwhile does not wait. */
  atOnce?: true | undefined;
  run: () => Promise<void>;
}

/** A schedule of jobs, which runs once it's started. */
export type JobSchedule = ReturnType<typeof createSchedule>;

/** Told of each run: how long it took, and why it failed if it did. */
export type Report = (name: string, outcome: { ms: number; error?: unknown }) => void;

/**
 * Runs jobs by the clock, never twice at a time; a failed run is reported and the next one comes as planned. What a job
 * has to do it knows by itself: a beat that comes late, or not at all while the machine sleeps, loses nothing.
 */
export function createSchedule(jobs: ScheduledJob[], report: Report, clock: Clock = systemClock) {
  const running = new Map<string, Promise<void>>();
  const ends = new Map<string, number>();
  let isStarted = false;
  let tasks: ScheduledTask[] = [];
  let endWatch = () => {};

  function begin(job: ScheduledJob): void {
    if (running.has(job.name)) return;
    const run = runJob(job, report).finally(() => {
      running.delete(job.name);
      if (job.atOnce) ends.set(job.name, clock.now());
    });
    running.set(job.name, run);
  }

  function startTasks(): ScheduledTask[] {
    const started = jobs.map((job) => schedule(job.every, () => begin(job), { name: job.name, ...options }));
    for (const job of jobs) if (job.atOnce) begin(job);
    return started;
  }

  return {
    start(): void {
      isStarted = true;
      for (const { name, atOnce } of jobs) if (atOnce) ends.set(name, clock.now());
      tasks = startTasks();
      endWatch = watchClock(clock, () => {
        const old = tasks;
        tasks = startTasks();
        for (const task of old) void task.destroy();
      });
    },
    /** The oldest of the times at which jobs that must not wait last ended, in epoch milliseconds. */
    oldestEnd: (): number => Math.min(clock.now(), ...ends.values()),
    /** Runs the jobs that must not wait, now or as soon as the run that is under way has ended. */
    runSoon(): void {
      if (!isStarted) return;
      for (const job of jobs) {
        if (job.atOnce) void (running.get(job.name) ?? Promise.resolve()).then(() => isStarted && begin(job));
      }
    },
    /** Starts nothing more, and resolves when what runs has ended. */
    async stop(): Promise<void> {
      isStarted = false;
      endWatch();
      await Promise.all(tasks.map(async (task) => task.destroy()));
      await Promise.all(running.values());
    },
  };
}

// A beat that a busy moment holds up is made up for; by itself the library drops it after a second, and complains.
const options = { timezone: "Etc/UTC", missedExecutionTolerance: Infinity, suppressMissedWarning: true };

async function runJob({ name, run }: ScheduledJob, report: Report): Promise<void> {
  const since = Date.now();
  try {
    await run();
    report(name, { ms: Date.now() - since });
  } catch (error) {
    report(name, { ms: Date.now() - since, error });
  }
}

const lookMs = 1_000;
/** Clocks are trimmed by moments all the time, and a busy process looks late. */
const jumpMs = 20_000;

/**
 * Calls if the clock was set, or the machine has slept. The library computes its next beat once and waits for it: after
 * a clock was set back, it would be silent for as long; after a leap it would count every minute that it missed.
 */
function watchClock(clock: Clock, onJump: () => void): () => void {
  let cancel = look(clock.now());

  function look(since: number): () => void {
    return clock.after(lookMs, () => {
      const now = clock.now();
      cancel = look(now);
      if (Math.abs(now - since - lookMs) > jumpMs) onJump();
    });
  }

  return () => cancel();
}
