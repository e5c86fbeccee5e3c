import type { Trend } from "../src/apis/article.ts";
import { type Alert, emptyAlertState } from "../src/features/alerts/alert.ts";
import { evaluate, prepareSample } from "../src/features/alerts/detect/evaluate.ts";
import { watchTrends } from "../src/features/alerts/job.ts";
import type { AlertOptions } from "../src/features/alerts/options.ts";
import { sensitivities } from "../src/features/alerts/detect/rule.ts";
import { type Sample, entityKey } from "../src/features/sources/samples.ts";
import { alertsIn, article, memory } from "../test/support/builders.ts";
import { alertServices } from "../test/features/alerts/setting.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 20, 9);
const types = ["Company", "Person", "Region", "Industry"];

/** The cost of a tick without news: thousands of alerts against a hundred entities, of which a dozen stand out. */
export async function evaluateTicks(alerts = 10_000, ticks = 5) {
  const known = Array.from({ length: alerts }, (_, index) => settled(alertOf(index)));
  const bare = cpuOf(() => {
    for (let tick = 1; tick <= ticks; tick++) {
      const at = start + tick * minute;
      const reading = prepareSample(sampleAt(at));
      for (const alert of known) evaluate(alert, reading, at);
    }
  });
  const plain = cpuOf(() => {
    const at = start + minute;
    // Without preparing the sample once: its names are compared anew for each alert.
    for (const alert of known) evaluate(alert, prepareSample(sampleAt(at)), at);
  });
  return {
    bare: bare / ticks,
    plain,
    whole: (await wholeTicks(known, ticks)) / ticks,
    sources: (await sourceTicks(known, ticks)) / ticks,
    incidents: incidentsIn(known),
  };
}

/** The number of sources that 10,000 alerts watch, and the number of articles that each source lists at a time. */
const sourcesWatched = 500;
const articlesHeld = 20;

/** The cost of ticks with as many alerts on sources, run by the job: each source is read once, a few articles are new. */
async function sourceTicks(known: Alert[], ticks: number): Promise<number> {
  const clock = { now: start };
  const watching = known.map((alert, index): Alert => {
    const source = { kind: "entity" as const, ids: [index % sourcesWatched], name: `Source ${index % sourcesWatched}` };
    return { ...alert, source, options: { sensitivity: alert.options.sensitivity ?? "eager" }, incidents: [] };
  });
  const records = memory(watching.map((alert) => [`${alert.team} ${alert.number}`, alert] as [string, Alert]));
  const desk = alertServices({
    alerts: alertsIn(records, memory()),
    intelligence: {
      articles: async ([stage]) => {
        const id = stage && "entities" in stage ? JSON.stringify(stage.entities) : "";
        return Array.from({ length: articlesHeld }, (_, index) => {
          const published = clock.now - index * minute;
          return article({
            id: undefined,
            title: `${id} ${published}`,
            url: `https://n.example.com/${id}/${published}`,
            published,
          });
        });
      },
    },
    now: () => clock.now,
  });
  return costOfTicks(desk, { clock, ticks });
}

/** The cost of ticks run by the job, with the store in memory: it also finds due alerts and saves the results. */
async function wholeTicks(known: Alert[], ticks: number): Promise<number> {
  const clock = { now: start };
  const records = memory(known.map((alert) => [`${alert.team} ${alert.number}`, alert] as [string, Alert]));
  const desk = alertServices({
    alerts: alertsIn(records, memory()),
    samples: { take: async () => sampleAt(clock.now) },
    now: () => clock.now,
  });
  return costOfTicks(desk, { clock, ticks });
}

/** The processor time of `ticks` minutes of the job. */
async function costOfTicks(
  desk: ReturnType<typeof alertServices>,
  { clock, ticks }: { clock: { now: number }; ticks: number },
): Promise<number> {
  await desk.alerts.due(0);
  const before = process.cpuUsage();
  for (let tick = 1; tick <= ticks; tick++) {
    clock.now += minute;
    await watchTrends.run(desk);
  }
  return millisOf(before);
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return millisOf(before);
}

function millisOf(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** A hundred entities whose numbers change a little. */
function sampleAt(at: number): Sample {
  const trends: Trend[] = Array.from({ length: 100 }, (_, index) => {
    const score = 14 / (1 + index / 3) + ((at / minute + index) % 3) / 20;
    return { name: `Entity ${index}`, type: types[index % 4] ?? "", mentions: 40 - (index % 30), average: 4, score };
  });
  return { at, entities: trends.map((trend) => ({ ...trend, entity: entityKey(trend) })) };
}

function alertOf(index: number): Alert {
  return {
    team: "T1",
    number: index + 1,
    schedule: { pattern: "* * * * *", zone: "Europe/London", words: "every minute" },
    channel: `C${index % 500}`,
    owner: "U1",
    state: "active",
    nextRun: start,
    changed: [],
    options: { sensitivity: sensitivities[index % 3] ?? "eager", ...filterOf(index) },
    ...emptyAlertState,
  };
}

/** The filter of an alert. Of ten alerts, five watch everything, three a type, one some names, and one all but some. */
function filterOf(index: number): AlertOptions {
  const kind = index % 10;
  if (kind < 5) return {};
  if (kind < 8) return { type: types[index % 4] ?? "" };
  const names = [index % 100, (index * 7) % 100].map((one) => `Entity ${one}`);
  return kind === 8 ? { include: names } : { exclude: names };
}

/** An alert that has run for a while and has posted everything that it reported. */
function settled(alert: Alert): Alert {
  return { ...evaluate(alert, prepareSample(sampleAt(start)), start).alert, posts: [] };
}

function incidentsIn(alerts: Alert[]): number {
  return alerts.reduce((sum, { incidents }) => sum + incidents.length, 0);
}
