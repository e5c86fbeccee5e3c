import { Cron } from "croner";

/** The calendar day that a time (epoch milliseconds) falls on in a zone, as `2026-11-21`. */
export function dayOf(time: number, zone: string): string {
  return formatOf(zone).format(time);
}

/** The beginning of the next day in a zone, in epoch milliseconds; if its midnight is skipped, the first moment after it. */
export function nextMidnight(time: number, zone: string): number {
  const next = new Cron("0 0 * * *", { timezone: zone }).nextRun(new Date(time));
  if (!next) throw new Error(`no midnight in ${zone}`);
  return next.getTime();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format costs more to make than thousands of days to write. */
function formatOf(zone: string): Intl.DateTimeFormat {
  // Swedish dates are ISO dates.
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  formats.set(zone, format);
  return format;
}
