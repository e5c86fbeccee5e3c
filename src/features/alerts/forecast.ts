import { nextRuns } from "../../schedule/runs.ts";
import { earlyMs } from "../subscriptions/model.ts";
import { plural } from "../text.ts";
import { type Alert, nothingYet } from "./alert.ts";
import { type PlannedPost, type Reading, evaluate, prepareSample } from "./evaluate.ts";
import { type Sensitivity, ruleNumbers, sensitivities } from "./rule.ts";
import type { Sample } from "./samples.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** How far back a forecast looks. */
const lookedMs = 3 * dayMs;
/** From fewer looks, or from less time, nothing is foretold. */
const fewestLooks = 4;
const shortestMs = 2 * hourMs;

type Wanted = Pick<Alert, "team" | "options" | "schedule" | "channel" | "maker">;

/** How many messages would have come lately. */
export interface Forecast {
  /** How long ago the first look was. */
  spanMs: number;
  bySensitivity: Record<Sensitivity, number>;
}

/** What each sensitivity would have posted, by the rules that alerts go by; undefined where too little was seen for that. */
export function forecastOf(wanted: Wanted, samples: Sample[]): Forecast | undefined {
  const newest = samples.at(-1)?.at ?? 0;
  const recent = samples.filter(({ at }) => at > newest - lookedMs);
  const looks = looksAmong(recent, wanted);
  const spanMs = newest - (looks[0]?.at ?? newest);
  if (looks.length < fewestLooks || spanMs < shortestMs) return undefined;
  const readings = looks.map(prepareSample);
  const numbers = Object.fromEntries(ruleNumbers.map((name) => [name, undefined]));
  const [quiet = 0, balanced = 0, eager = 0] = sensitivities.map((sensitivity) =>
    countMessages({ ...wanted, options: { ...wanted.options, ...numbers, sensitivity } }, readings),
  );
  return { spanMs, bySensitivity: { quiet, balanced, eager } };
}

/** The samples that an alert would have looked at, had it run then. */
function looksAmong(samples: Sample[], { schedule }: Wanted): Sample[] {
  let due = Number.NEGATIVE_INFINITY;
  return samples.filter(({ at }) => {
    if (at + earlyMs < due) return false;
    due = nextRuns(schedule, at + earlyMs, 1)[0] ?? Number.POSITIVE_INFINITY;
    return true;
  });
}

function countMessages(wanted: Wanted, readings: Reading[]): number {
  let alert: Alert = { ...wanted, ...nothingYet, number: 0, state: "active", nextRun: 0, changed: [] };
  let count = 0;
  for (const reading of readings) {
    const outcome = evaluate(alert, reading, reading.at);
    count += outcome.posts.filter(({ reply }) => reply === undefined || reply.isBroadcast).length;
    alert = { ...asPosted(outcome.alert, outcome.posts), pending: [] };
  }
  return count;
}

/** As if what was planned had been posted at once. */
function asPosted(alert: Alert, posts: PlannedPost[]): Alert {
  const reported = new Set(posts.flatMap(({ entities }) => entities));
  if (reported.size === 0) return alert;
  const posted = { channel: alert.channel, ts: "0" };
  const incidents = alert.incidents.map((each) => (reported.has(each.entity) ? { ...each, posted } : each));
  return { ...alert, incidents };
}

/** `in the last 3 days`. */
function spanWords({ spanMs }: Forecast): string {
  const isDays = spanMs >= 2 * dayMs - hourMs;
  const span = isDays ? plural(Math.round(spanMs / dayMs), "day") : plural(Math.round(spanMs / hourMs), "hour");
  return `in the last ${span}`;
}

export type ForecastWords = Partial<Record<Sensitivity, string>>;

/** What each sensitivity would have posted, a phrase for each. */
export function forecastWords(forecast: Forecast | undefined): ForecastWords {
  if (!forecast) return {};
  const span = spanWords(forecast);
  return Object.fromEntries(
    sensitivities.map((each) => [each, `${plural(forecast.bySensitivity[each], "message")} ${span}`]),
  );
}

/** The same in one sentence, which says so where too little was seen. */
export function forecastLine(forecast: Forecast | undefined): string {
  if (!forecast) return "How often it will come I cannot say yet: I have not watched for long enough.";
  const counts = sensitivities.map((each) => `${each} ${forecast.bySensitivity[each]}`);
  return `Messages it would have posted ${spanWords(forecast)}: ${counts.join(", ")}.`;
}
