import { nextRuns } from "../../../schedule/runs.ts";
import { earlyMs } from "../../subscriptions/model.ts";
import { plural } from "../../text.ts";
import type { Alert, Episode, Rule, Sample } from "../alert.ts";
import { type Decision, afterQuiet, evaluate } from "../rule/evaluate.ts";
import { type Word, words } from "./line.ts";
import { type Reading, prepare } from "../rule/prepare.ts";
import { ruleOf } from "../rule/rule.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** How far back a forecast looks. */
const lookedMs = 3 * dayMs;
/** From fewer looks, or from less time, nothing is foretold. */
const fewestLooks = 4;
const shortestMs = 2 * hourMs;

type Wanted = Pick<Alert, "team" | "filter" | "schedule" | "quietHours" | "channel" | "maker">;

/** How many messages would have come lately. */
export interface Forecast {
  /** How long ago the first look was. */
  spanMs: number;
  byWord: Record<Word, number>;
  /** With the numbers that somebody gave. */
  custom?: number;
}

/** What each word would have posted, by the rules that alerts go by; nothing where too little was seen for that. */
export function forecastOf(wanted: Wanted, samples: Sample[], rule?: Rule): Forecast | undefined {
  const newest = samples.at(-1)?.at ?? 0;
  const looks = looksAt(
    samples.filter(({ at }) => at > newest - lookedMs),
    wanted,
  );
  const spanMs = newest - (looks[0]?.at ?? newest);
  if (looks.length < fewestLooks || spanMs < shortestMs) return undefined;
  const [first] = looks;
  const moments = samples.filter(({ at }) => first && at >= first.at).map((each) => momentOf(each, looks));
  const [quiet = 0, balanced = 0, eager = 0] = words.map((word) => messagesOf(blank(wanted, ruleOf(word)), moments));
  const custom = rule?.word === "custom" ? { custom: messagesOf(blank(wanted, rule), moments) } : {};
  return { spanMs, byWord: { quiet, balanced, eager }, ...custom };
}

/** The samples that an alert would have looked at, had it run then. */
function looksAt(samples: Sample[], { schedule }: Wanted): Sample[] {
  let due = Number.NEGATIVE_INFINITY;
  return samples.filter(({ at }) => {
    if (at + earlyMs < due) return false;
    due = nextRuns(schedule, at + earlyMs, 1)[0] ?? Number.POSITIVE_INFINITY;
    return true;
  });
}

/** A moment at which an alert looks, or only sees whether its quiet hours are over. */
interface Moment {
  at: number;
  reading: Reading | undefined;
}

function momentOf(sample: Sample, looks: Sample[]): Moment {
  return { at: sample.at, reading: looks.includes(sample) ? prepare(sample) : undefined };
}

function blank(wanted: Wanted, rule: Rule): Alert {
  const nothing = { episodes: [], mutes: [], held: [], pending: [], changed: [] };
  return { ...wanted, ...nothing, rule, number: 0, state: "active", nextRun: 0 };
}

/** The first look takes the baseline, which is no news. */
function messagesOf(first: Alert, moments: Moment[]): number {
  let alert = first;
  let count = 0;
  for (const { at, reading } of moments) {
    const outcome = reading ? evaluate(alert, reading, at) : afterQuiet(alert, at);
    count += outcome.decisions.filter(isMessage).length;
    alert = { ...posted(outcome.alert, outcome.decisions), pending: [] };
  }
  return count;
}

function isMessage({ kind, isLoud }: Decision): boolean {
  return kind === "line" ? isLoud === true : kind !== "baseline";
}

/** As if what was decided had been posted at once. */
function posted(alert: Alert, decisions: Decision[]): Alert {
  const told = new Set(decisions.flatMap(({ entities }) => entities));
  if (told.size === 0) return alert;
  const at = { channel: alert.channel, ts: "0" };
  const mark = (episode: Episode) => (told.has(episode.entity) ? { ...episode, posted: at } : episode);
  return { ...alert, episodes: alert.episodes.map(mark) };
}

/** `in the last 3 days`. */
function spanWords({ spanMs }: Forecast): string {
  const isDays = spanMs >= 2 * dayMs - hourMs;
  const span = isDays ? plural(Math.round(spanMs / dayMs), "day") : plural(Math.round(spanMs / hourMs), "hour");
  return `in the last ${span}`;
}

/** What each word would have posted, one phrase for each. */
export function forecastWords(forecast: Forecast | undefined): Partial<Record<Word, string>> {
  if (!forecast) return {};
  const span = spanWords(forecast);
  const of = (word: Word) => [word, `${plural(forecast.byWord[word], "message")} ${span}`] as const;
  return Object.fromEntries(words.map(of));
}

/** The same in one sentence, which says so where too little was seen. */
export function forecastLine(forecast: Forecast | undefined): string {
  if (!forecast) return "How often it will come I cannot say yet: I have not watched for long enough.";
  const counts = words.map((word) => `${word} ${forecast.byWord[word]}`);
  const own = forecast.custom === undefined ? [] : [`custom ${forecast.custom}`];
  const span = spanWords(forecast);
  return `Messages it would have posted ${span}: ${[...counts, ...own].join(", ")}.`;
}
