/** Writes moments for people, in the time zone that the reader's profile says, as Slack does; without one, the machine's. */

import { entry } from "./read.ts";

const LOCALE = "en-GB";
const DAY = 86_400_000;

let zone: string | undefined;

/** Each is made once: a list of messages asks for hundreds at a time. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** From now on times are those of this zone. */
export function readIn(timeZone: string | undefined): void {
  zone = timeZone;
  formats.clear();
}

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  const name = JSON.stringify(options);
  const known = formats.get(name) ?? new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone });
  formats.set(name, known);
  return known.format(date);
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

/** Tells two days of the reader apart: "2026-11-20". */
export function dayKey(date: Date): string {
  const [day = "", month = "", year = ""] = format(date, { year: "numeric", month: "2-digit", day: "2-digit" }).split(
    "/",
  );
  return [year, month, day].join("-");
}

const NEAR: Record<number, string | undefined> = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" };

function nearDay(date: Date, now: Date): string | undefined {
  return NEAR[Math.round((Date.parse(dayKey(date)) - Date.parse(dayKey(now))) / DAY)];
}

/** "Today", "Yesterday" or "Monday, 16 November", with the year where it is another one. */
export function dayName(date: Date, now: Date): string {
  const near = nearDay(date, now);
  if (near) return near;
  const year = dayKey(date).slice(0, 4) === dayKey(now).slice(0, 4) ? {} : { year: "numeric" as const };
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
