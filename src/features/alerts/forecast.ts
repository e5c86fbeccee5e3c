import { nextRuns } from "../../schedule/runs.ts";
import { earlyMs } from "../subscriptions/model.ts";
import { plural } from "../text.ts";
import { type Alert, nothingYet } from "./alert.ts";
import { type PlannedPost, endQuietHours, evaluate, prepareSample } from "./evaluate.ts";
import type { AlertOptions } from "./options.ts";
import { type Sensitivity, ruleNumbers, ruleOf, sensitivities } from "./rule.ts";
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
  /** With the numbers that somebody set. */
  custom?: number;
}

/** What each sensitivity would have posted, by the rules that alerts go by; undefined where too little was seen for that. */
export function forecastOf(wanted: Wanted, samples: Sample[]): Forecast | undefined {
  const newest = samples.at(-1)?.at ?? 0;
  const recent = samples.filter(({ at }) => at > newest - lookedMs);
  const looks = looksAmong(recent, wanted);
  const first = looks[0]?.at ?? newest;
  const spanMs = newest - first;
  if (looks.length < fewestLooks || spanMs < shortestMs) return undefined;
  // Between its looks, an alert only sees whether its quiet hours are over.
  const moments = samples
    .filter(({ at }) => at >= first)
    .map((sample) => ({ at: sample.at, reading: looks.includes(sample) ? prepareSample(sample) : undefined }));
  const messagesBy = (options: AlertOptions) => countMessages(options, { wanted, moments });
  const usual = Object.entries(wanted.options).filter(([name]) => !ruleNumbers.some((each) => each === name));
  const [quiet = 0, balanced = 0, eager = 0] = sensitivities.map((sensitivity) =>
    messagesBy({ ...Object.fromEntries(usual), sensitivity }),
  );
  const isCustom = ruleOf(wanted.options).name === "custom";
  return {
    spanMs,
    bySensitivity: { quiet, balanced, eager },
    ...(isCustom && { custom: messagesBy(wanted.options) }),
  };
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

interface Past {
  wanted: Wanted;
  moments: { at: number; reading: ReturnType<typeof prepareSample> | undefined }[];
}

function countMessages(options: AlertOptions, { wanted, moments }: Past): number {
  let alert: Alert = { ...wanted, ...nothingYet, options, number: 0, state: "active", nextRun: 0, changed: [] };
  let count = 0;
  for (const { at, reading } of moments) {
    const outcome = reading ? evaluate(alert, reading, at) : endQuietHours(alert, at);
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
  const own = forecast.custom === undefined ? [] : [`custom ${forecast.custom}`];
  return `Messages it would have posted ${spanWords(forecast)}: ${[...counts, ...own].join(", ")}.`;
}
