import { Cron } from "croner";
import { LRUCache } from "lru-cache";

/** A time that comes again and again. */
export interface Pattern {
  /** Cron expression of five fields: minute, hour, day of the month, month, day of the week; or several with `|` between them. */
  pattern: string;
  /** IANA name of the time zone that it is meant in. */
  zone: string;
}

const minuteMs = 60_000;
const known = {
  runs: new LRUCache<string, number[]>({ max: 2_000 }),
  schedules: new LRUCache<string, boolean>({ max: 10_000 }),
};

/**
 * The next times after a moment, all in epoch milliseconds, each once, also if clocks change: a time that a night
 * leaves out comes when the clock has moved on, one that a night has twice comes the first time. Empty if it never
 * comes; throws if the pattern or the zone is none.
 */
export function nextRuns(when: Pattern, after: number, count: number): number[] {
  // No schedule is finer than a minute, so all moments of one have the same next times; and thousands ask at once.
  const minute = Math.floor(after / minuteMs);
  const key = `${when.pattern} ${when.zone} ${minute} ${count}`;
  let times = known.runs.get(key);
  if (!times) {
    const found = cronsOf(when).flatMap((cron) => cron.nextRuns(count, new Date(minute * minuteMs)).map(Number));
    times = [...new Set(found)].toSorted((one, other) => one - other).slice(0, count);
    known.runs.set(key, times);
  }
  return [...times];
}

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

/** Tells whether runs can be worked out from a pattern and a zone. */
export function isSchedule({ pattern, zone }: Pattern): boolean {
  // A zone costs more to look up than thousands of texts to find again, and workspaces have few schedules.
  const key = `${pattern} ${zone}`;
  const isOne = known.schedules.get(key) ?? (isPattern(pattern) && zoneNamed(zone) !== undefined);
  known.schedules.set(key, isOne);
  return isOne;
}

/** Tells whether a text is a pattern: cron expressions of five fields. */
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
