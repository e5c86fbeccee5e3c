import type { Alert } from "../alert.ts";

/** Whether nothing is posted for an alert at a moment; a night that a change of clocks makes longer is one night. */
export function isQuiet({ quietHours, schedule }: Pick<Alert, "quietHours" | "schedule">, now: number): boolean {
  if (!quietHours) return false;
  const { from, to } = quietHours;
  const time = formatOf(schedule.zone).format(now);
  return from <= to ? from <= time && time < to : time >= from || time < to;
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
