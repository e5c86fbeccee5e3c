import { nextRuns } from "../../../schedule/runs.ts";
import { earlyMs } from "../../subscriptions/model.ts";
import type { Alert } from "../alert.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A source that fails is given so long before it is told that nobody knows. */
const unsureMs = 15 * minuteMs;

type Hours = Pick<Alert, "quietHours" | "schedule">;

/** Whether nothing is posted for an alert at a moment; a night that a change of clocks makes longer is one night. */
export function isQuiet({ quietHours, schedule }: Hours, now: number): boolean {
  if (!quietHours) return false;
  const { from, to } = quietHours;
  const time = formatOf(schedule.zone).format(now);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}

/**
 * Whether what rose in quiet hours has to be told as it is known, because they are over and no look tells it: the next one
 * comes later, or the source has failed for a while.
 */
export function isBriefDue(alert: Alert, now: number): boolean {
  const { state, held, nextRun } = alert;
  if (state !== "active" || held.length === 0 || isQuiet(alert, now)) return false;
  return nextRun > now + earlyMs || now - nextRun >= unsureMs;
}

/** Whether an alert never looks but in its quiet hours. */
export function isAlwaysQuiet({ quietHours, schedule }: Hours): boolean {
  if (!quietHours) return false;
  const [minutes, hours] = schedule.pattern.trim().split(/\s+/);
  const [from = 0, to = 0] = [quietHours.from, quietHours.to].map(timeOfDay);
  // On any day: at which hours it looks does not depend on the date.
  const [look] = nextRuns({ pattern: `${minutes} ${hours} * * *`, zone: "UTC" }, dayMs + to - minuteMs, 1);
  return look === undefined || look >= dayMs + from + (from > to ? 0 : dayMs);
}

function timeOfDay(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return (hours * 60 + minutes) * minuteMs;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format costs more to make than thousands of times to write; there are only so many zones. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  formats.set(timeZone, format);
  return format;
}
