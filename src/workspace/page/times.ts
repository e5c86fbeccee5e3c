/** Writes moments for people, in the reader's own time zone. */

import { entry } from "./read.ts";

const LOCALE = "en-GB";
const DAY = 86_400_000;

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(LOCALE, options).format(date);
}

/** A message's `ts` as a date. */
export function dateOf(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

/** "09:41". */
export function clockTime(date: Date): string {
  return format(date, { hour: "2-digit", minute: "2-digit" });
}

/** "Friday, 20 November 2026 at 09:41:07": what a time says on hover. */
export function fullTime(date: Date): string {
  return `${format(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" })} at ${format(date, { timeStyle: "medium" })}`;
}

/** Tells two local days apart. */
export function dayKey(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
}

function nearDay(date: Date, now: Date): string | undefined {
  const names: [number, string][] = [
    [0, "Today"],
    [-1, "Yesterday"],
    [1, "Tomorrow"],
  ];
  return names.find(([days]) => {
    const other = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
    return dayKey(other) === dayKey(date);
  })?.[1];
}

/** "Today", "Yesterday" or "Monday, 16 November", with the year where it is another one. */
export function dayName(date: Date, now: Date): string {
  const near = nearDay(date, now);
  if (near) return near;
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return format(date, { weekday: "long", day: "numeric", month: "long", ...year });
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", DAY],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "5 minutes ago", "in 2 days", "just now". */
function distance(date: Date, now: Date): string {
  const gap = date.getTime() - now.getTime();
  const unit = UNITS.find(([, length]) => Math.abs(gap) >= length);
  if (!unit) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(gap / unit[1]), unit[0]);
}

const WRITERS: Record<string, (date: Date) => string> = {
  date_num: dayKey,
  date: (date) => format(date, { day: "numeric", month: "long", year: "numeric" }),
  date_short: (date) => format(date, { day: "numeric", month: "short", year: "numeric" }),
  date_long: (date) => format(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  time: clockTime,
  time_secs: (date) => format(date, { timeStyle: "medium" }),
};

/** Fills a `<!date>` format such as `{date_short_pretty} at {time}`; unknown tokens stay as they are. */
export function writeDate(pattern: string, date: Date, now: Date): string {
  return pattern.replace(/\{(\w+)\}/g, (token: string, name: string, at: number) => {
    if (name === "ago") return distance(date, now);
    const write = entry(WRITERS, name.replace(/_pretty$/, ""));
    if (!write) return token;
    const near = name.endsWith("_pretty") ? nearDay(date, now) : undefined;
    if (near) return at === 0 ? near : near.toLowerCase();
    return write(date);
  });
}
