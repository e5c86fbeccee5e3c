import type { Health } from "../features/account/health.ts";
import type { Metrics } from "../metrics.ts";
import type { Replicas } from "../replicas/replicas.ts";
import type { JobSchedule } from "../schedule/schedule.ts";
import type { HealthFacts, HealthOptions } from "../slack/incoming/health.ts";

interface MonitoringOptions {
  /** Everything that is due in the workspaces that this process serves. */
  due: () => Promise<{ nextRun: number }[]>;
  health: Pick<Health, "store">;
  answers: { count: () => number };
  schedule: Pick<JobSchedule, "oldestEnd">;
  replicas: Pick<Replicas, "facts">;
  metrics: Pick<Metrics, "render">;
  now: () => number;
}

/** Jobs run every minute; one that has not finished for so long is stuck. */
const stalledMs = 15 * 60_000;

/** The facts that whoever monitors the bot is told. */
export function createMonitoring(
  options: MonitoringOptions,
): Required<Pick<HealthOptions, "readFacts" | "renderMetrics">> {
  const { due, health, answers, schedule, replicas, metrics, now } = options;
  return {
    async readFacts(): Promise<HealthFacts> {
      const endedAt = schedule.oldestEnd();
      return {
        lastTick: new Date(endedAt).toISOString(),
        waiting: (await due()).length,
        store: health.store(),
        ...(now() - endedAt > stalledMs && { isStalled: true }),
        ...replicas.facts(),
      };
    },
    renderMetrics: () =>
      metrics.render(async () => {
        const waiting = await due();
        const { shards, replicas: all } = replicas.facts() ?? {};
        return {
          waiting: waiting.length,
          lagMs: Math.max(0, ...waiting.map(({ nextRun }) => now() - nextRun)),
          answering: answers.count(),
          shards: shards?.length,
          replicas: all?.length,
        };
      }),
  };
}
