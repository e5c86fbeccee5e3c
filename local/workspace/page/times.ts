/** Writes times for people, in the time zone of the reader's profile, as Slack does. */

import { entryOf } from "./fields.ts";

export interface Times {
  /** The current time of the workspace. */
  now: () => Date;
  /** The time of day: "09:41". */
  clock: (date: Date) => string;
  /** The text on hover: "Friday, 20 November 2026 at 09:41:07". */
  full: (date: Date) => string;
  /** A key for each day of the reader: "2026-11-20". */
  dayKey: (date: Date) => string;
  /** "Today", "Yesterday" or "Monday, 16 November", with the year if it is not the current one. */
  dayName: (date: Date, now: Date) => string;
  /** Fills a `<!date>` format such as `{date_short_pretty} at {time}`; unknown tokens stay as they are. */
  write: (pattern: string, date: Date, now: Date) => string;
}

/** A message's `ts` as a date. */
export function dateOf(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const nearDays: Record<number, string | undefined> = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" };

/** An age: "3 min ago", "2 h ago", "5 days ago"; no line breaks within. */
function agoWords(date: Date, now: Date): string {
  const ms = Math.max(0, now.getTime() - date.getTime());
  if (ms < minuteMs) return "just now";
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)}\u00a0min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)}\u00a0h ago`;
  const days = Math.floor(ms / dayMs);
  return days === 1 ? "a day ago" : `${days}\u00a0days ago`;
}

const halfYearMs = 182 * dayMs;

/** The year, unless the date is less than six months away, as in Slack. */
function yearIfFar(date: Date, now: Date): Intl.DateTimeFormatOptions {
  return Math.abs(date.getTime() - now.getTime()) < halfYearMs ? {} : { year: "numeric" };
}

/**
 * The formats of one reader's times; the machine's zone by default. The workspace's clock is `aheadMs` ahead of the
 * browser's.
 */
export function createTimes(timeZone?: string, aheadMs = 0): Times {
  // Each format is made once: a list of messages asks for hundreds at a time.
  const formats = new Map<string, Intl.DateTimeFormat>();

  function format(date: Date, options: Intl.DateTimeFormatOptions): string {
    const name = JSON.stringify(options);
    const known = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
    formats.set(name, known);
    return known.format(date);
  }

  const longDay = { weekday: "long", day: "numeric", month: "long" } as const;
  const clock = (date: Date) => format(date, { hour: "2-digit", minute: "2-digit" });
  const seconds = (date: Date) => format(date, { timeStyle: "medium" });

  function dayKey(date: Date): string {
    return format(date, { year: "numeric", month: "2-digit", day: "2-digit" }).split("/").toReversed().join("-");
  }

  function nearDay(date: Date, now: Date): string | undefined {
    return nearDays[Math.round((Date.parse(dayKey(date)) - Date.parse(dayKey(now))) / dayMs)];
  }

  const writers: Record<string, (date: Date, now: Date) => string> = {
    ago: agoWords,
    date_num: dayKey,
    date: (date, now) => format(date, { day: "numeric", month: "long", ...yearIfFar(date, now) }),
    date_short: (date, now) => format(date, { day: "numeric", month: "short", ...yearIfFar(date, now) }),
    time: clock,
  };

  return {
    now: () => new Date(Date.now() + aheadMs),
    clock,
    dayKey,
    full: (date) => `${format(date, { ...longDay, year: "numeric" })} at ${seconds(date)}`,
    dayName(date, now) {
      const isThisYear = dayKey(date).slice(0, 4) === dayKey(now).slice(0, 4);
      return nearDay(date, now) ?? format(date, isThisYear ? longDay : { ...longDay, year: "numeric" });
    },
    write(pattern, date, now) {
      return pattern.replace(/\{(\w+)\}/g, (token: string, name: string, at: number) => {
        const write = entryOf(writers, name.replace(/_pretty$/, ""));
        if (!write) return token;
        const near = name.endsWith("_pretty") ? nearDay(date, now) : undefined;
        return near ? (at === 0 ? near : near.toLowerCase()) : write(date, now);
      });
    },
  };
}
