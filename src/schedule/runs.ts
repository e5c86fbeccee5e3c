import { Cron } from "croner";

/** When something happens again and again. */
export interface Pattern {
  /** Cron expression of five fields: minute, hour, day of the month, month, day of the week; or several with `|` between them. */
  pattern: string;
  /** IANA name of the time zone that it is meant in. */
  zone: string;
}

/**
 * The next times after a moment, all in epoch milliseconds, each once, also if clocks change: a time that a night
 * leaves out comes when the clock has moved on, one that a night has twice comes the first time. Empty if it never
 * comes; throws if the pattern or the zone is none.
 */
export function nextRuns(when: Pattern, after: number, count: number): number[] {
  // No schedule is finer than a minute, so all moments of one have the same next times; and thousands ask at once.
  const minute = Math.floor(after / minuteMs);
  const key = `${when.pattern} ${when.zone} ${minute} ${count}`;
  const times =
    reckoned.get(key) ??
    earliest(
      cronsOf(when).flatMap((cron) => cron.nextRuns(count, new Date(minute * minuteMs)).map(Number)),
      count,
    );
  if (reckoned.size >= reckonedMost) reckoned.clear();
  reckoned.set(key, times);
  return [...times];
}

/** The first of these times, each once: if clocks change, two expressions may name one time. */
function earliest(times: number[], count: number): number[] {
  return [...new Set(times)].toSorted((one, other) => one - other).slice(0, count);
}

const minuteMs = 60_000;
/** Next times that were asked for before. */
const reckoned = new Map<string, number[]>();
const reckonedMost = 2_000;

/** The number of times that it happens between two moments, the first not counted. */
export function countRuns(when: Pattern, after: number, until: number): number {
  let count = 0;
  for (const cron of cronsOf(when)) {
    for (let run = cron.nextRun(new Date(after)); run && run.getTime() <= until; run = cron.nextRun(run)) count++;
  }
  return count;
}

function cronsOf({ pattern, zone }: Pattern): Cron[] {
  return pattern.split("|").map((each) => new Cron(each.trim(), { timezone: zone, mode: "5-part", paused: true }));
}

const schedules = new Map<string, boolean>();
/** More than are used at once. */
const schedulesMost = 10_000;

/** Whether a pattern and a zone are ones that runs can be reckoned from. */
export function isSchedule({ pattern, zone }: Pattern): boolean {
  // A zone costs more to look up than thousands of texts to find again, and workspaces have few schedules.
  const key = `${pattern} ${zone}`;
  const isOne = schedules.get(key) ?? (isPattern(pattern) && zoneNamed(zone) !== undefined);
  if (schedules.size >= schedulesMost) schedules.clear();
  schedules.set(key, isOne);
  return isOne;
}

/** Whether a text is a pattern: cron expressions of five fields. */
export function isPattern(text: string): boolean {
  // Croner takes nicknames too; what is written down should not need croner to be read.
  if (text.split("|").some((each) => each.trim().split(/\s+/).length !== 5)) return false;
  try {
    nextRuns({ pattern: text, zone: "UTC" }, 0, 1);
    return true;
  } catch {
    return false;
  }
}

/** A time zone under its own name, however it was spelt: `europe/london` → `Europe/London`; nothing if it is none. */
export function zoneNamed(name: string): string | undefined {
  // Offsets such as +02:00 know no summer time, so nobody means them for long.
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
