import { LRUCache } from "lru-cache";

import type { Alert } from "../alert.ts";

/** Hours of the day without posts: `22:00` to `07:00`, in the zone of the schedule unless another is named. */
export interface QuietHours {
  from: string;
  to: string;
  zone?: string | undefined;
}

/** A formatter for each zone, kept because making one costs more than formatting thousands of times. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/** The time of day at a moment in a time zone, as `07:00`. */
function localTime(timeZone: string, at: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  formats.set(timeZone, format);
  return format.format(at);
}

type Quiet = Pick<Alert, "options" | "schedule">;

/** The quiet hours of an alert, with their zone. */
export function quietHoursOf({
  options: { quietHours },
  schedule,
}: Quiet): (QuietHours & { zone: string }) | undefined {
  if (quietHours === undefined || quietHours === "off") return undefined;
  return { ...quietHours, zone: quietHours.zone ?? schedule.zone };
}

/** True if an alert is in its quiet hours; a night that a change of clocks makes longer is one night. */
export function isQuiet(alert: Quiet, now: number): boolean {
  const hours = quietHoursOf(alert);
  if (!hours) return false;
  const { from, to, zone } = hours;
  const time = localTime(zone, now);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
