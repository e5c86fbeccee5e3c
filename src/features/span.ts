import { z } from "zod";

import { UsageError } from "../apis/errors.ts";
import { nextRuns } from "../schedule/runs.ts";
import { nextMidnight } from "../schedule/zone.ts";
import { inCode, shorten } from "../slack/text/mrkdwn.ts";

/** Lengths and ends of time, as people type them: `30m`, `2 days`, `until Monday 9:00`, `forever`. */

const hourMs = 60 * 60_000;
export const units = {
  m: { name: "minute", ms: 60_000 },
  h: { name: "hour", ms: hourMs },
  d: { name: "day", ms: 24 * hourMs },
  w: { name: "week", ms: 7 * 24 * hourMs },
} as const;

const unitLetters = ["m", "h", "d", "w"] as const;

/** A length of time as it was typed, for what is stored. */
export const lengthSchema = z.object({ count: z.number(), unit: z.enum(unitLetters) });
export type Length = z.infer<typeof lengthSchema>;

export function lengthMs({ count, unit }: Length): number {
  return count * units[unit].ms;
}

/** A span has at most so many characters and words. */
const longest = 40;
const wordsMost = 5;

const monthDays = 30;

/** Reads `30m`, `2h`, `2 days` or `a week`; undefined for any other text. */
export function readLength(typed: string): (Length & { ms: number }) | undefined {
  if (typed.length > longest) return undefined;
  const [, digits = "1", short, long] =
    /^(?:(\d{1,6})\s?(minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|months?)|an?\s(minute|hour|day|week|month))$/i.exec(
      typed,
    ) ?? [];
  if (/^months?$/i.test(short ?? long ?? "")) return readLength(`${Number(digits) * monthDays} days`);
  const first = (short ?? long)?.[0]?.toLowerCase();
  const unit = unitLetters.find((each) => each === first);
  const count = Number(digits);
  return unit && count > 0 ? { count, unit, ms: lengthMs({ count, unit }) } : undefined;
}

/** A time that begins now: a length, until a time of day, or forever. */
interface Span {
  ms?: number;
  /** The next time that fits a cron pattern, from tomorrow on if it says so. */
  until?: { pattern: string; isFromTomorrow: boolean };
}

/** The lengths that a menu offers, each as it is typed. */
export const offeredSpans = [
  { word: "1h", label: "For an hour" },
  { word: "1d", label: "For a day" },
  { word: "1w", label: "For a week" },
  { word: "for good", label: "For good…" },
];

const yearMs = 366 * units.d.ms;
const aDay: Span = { ms: units.d.ms };

/** Takes `NAME until Monday 9:00` apart; without a length, a day is meant. */
export function readSpan(text: string): { rest: string; span: Span } {
  const line = text.trimEnd();
  const from = Math.max(0, line.length - longest);
  const starts = [...line.slice(from).matchAll(/(?<=\s)\S+/g)].slice(-wordsMost).map(({ index }) => from + index);
  for (const start of starts) {
    const span = spanOf(line.slice(start).replace(/\s+/g, " "));
    const rest = line.slice(0, start).trimEnd();
    if (span && rest) return { rest, span };
  }
  return { rest: text, span: aDay };
}

function spanOf(typed: string): Span | undefined {
  const length = readLength(typed.replace(/^for /i, ""));
  if (length && length.ms <= yearMs) return { ms: length.ms };
  if (/^(for ?ever|for good)$/i.test(typed)) return {};
  if (/^today$/i.test(typed)) return aDay;
  if (/^tonight$/i.test(typed)) return { until: { pattern: "0 9 * * *", isFromTomorrow: false } };
  const [, end] = /^(?:until|till?) (.+)$/i.exec(typed) ?? [];
  const until = end && endIn(end.toLowerCase());
  return until ? { until } : undefined;
}

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const endPattern =
  /^(?:(today|tonight|tomorrow|(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)(?: at)? ?)?(?:(\d{1,2})(?:[:.](\d\d))? ?(am|pm)?)?$/;

/** Reads `tomorrow`, `Friday 17:00` or `9:00`: days begin at nine, evenings at eight. */
function endIn(text: string): Span["until"] {
  const typed = text.replace(/\bnoon$/, "12:00").replace(/\bmidnight$/, "0:00");
  const [said, day = "", digits, minutes = "0", half] = endPattern.exec(typed) ?? [];
  if (!said) return undefined;
  const hour = digits === undefined ? ({ today: 0, tonight: 20 }[day] ?? 9) : Number(digits);
  const whole = half ? (hour % 12) + (half === "pm" ? 12 : 0) : hour;
  if (whole > 23 || Number(minutes) > 59 || (half && hour > 12)) return undefined;
  const weekday = weekdays.indexOf(day.slice(0, 3));
  const pattern = `${Number(minutes)} ${whole} * * ${weekday < 0 ? "*" : weekday}`;
  return { pattern, isFromTomorrow: day === "tomorrow" };
}

/** The end of a span that begins now; undefined if it has none. The zone is asked for only if a time of day is meant. */
export async function endOf(
  { ms, until }: Span,
  now: number,
  zone: () => Promise<string>,
): Promise<number | undefined> {
  if (ms !== undefined) return now + ms;
  if (!until) return undefined;
  const own = await zone();
  const from = until.isFromTomorrow ? nextMidnight(now, own) - 60_000 : now;
  const [end] = nextRuns({ pattern: until.pattern, zone: own }, from, 1);
  return end;
}

export function unreadSpan(typed: string): UsageError {
  const duration = inCode(shorten(typed.replace(/^for\s+/i, ""), 40));
  return new UsageError(
    `I can’t read the duration “${duration}”. Use \`2h\`, \`3d\`, \`1w\`, \`until Monday 9:00\` or \`forever\`.`,
  );
}
