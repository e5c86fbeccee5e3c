import { type ScheduledTask, schedule } from "node-cron";

/** Something to do again and again. */
export interface ScheduledJob {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  run: () => Promise<void>;
}

/** Told of each run: how long it took, and why it failed where it did. */
export type Report = (name: string, outcome: { ms: number; error?: unknown }) => void;

/** Runs jobs by the clock, never twice at a time; a failed run is reported and the next one comes as planned. */
export function startSchedule(jobs: ScheduledJob[], report: Report): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const tasks: ScheduledTask[] = jobs.map((job) =>
    schedule(
      job.every,
      () => {
        const run = runJob(job, report).finally(() => running.delete(run));
        running.add(run);
        return run;
      },
      { name: job.name, timezone: "Etc/UTC", noOverlap: true },
    ),
  );
  return {
    async stop() {
      await Promise.all(tasks.map(async (task) => task.destroy()));
      await Promise.all(running);
    },
  };
}

async function runJob({ name, run }: ScheduledJob, report: Report): Promise<void> {
  const since = Date.now();
  try {
    await run();
    report(name, { ms: Date.now() - since });
  } catch (error) {
    report(name, { ms: Date.now() - since, error });
  }
}
