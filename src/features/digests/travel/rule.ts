import { nextRuns } from "../../../schedule/runs.ts";
import { dayOf } from "../../../schedule/zone.ts";
import { advanced, isDue } from "../../subscriptions/subscription.ts";
import type { Digest } from "../compose.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Each is looked after so often, spread over the minutes: thousands of readers are not asked for at once. */
const roundMinutes = 30;
/** No flight brings a time nearer by more than a day and two hours. */
const nearMs = dayMs + 4 * hourMs;

/** Whether it is time to see where a digest's reader is, lest its time there pass unnoticed. */
export function isWanted({ isTravelling, state, nextRun, number }: Digest, now: number): boolean {
  if (!isTravelling || state !== "active" || nextRun <= now || nextRun - now > nearMs) return false;
  return Math.floor(now / minuteMs) % roundMinutes === number % roundMinutes;
}

/**
 * Where its reader is now, and when it comes there. One that comes once a day keeps its day: it comes at that hour of the
 * same date, so that no date is left out, and none comes twice; where that hour is past, it is late.
 */
export function travelled(digest: Digest, zone: string | undefined, now: number): Digest {
  if (!digest.isTravelling || zone === undefined || zone === digest.schedule.zone) return digest;
  const moved = { ...digest, schedule: { ...digest.schedule, zone } };
  return isDaily(digest) ? { ...moved, nextRun: sameDay(digest, moved) } : inRhythm(moved, now);
}

/** Whether its pattern names one minute of one hour. */
function isDaily({ schedule }: Digest): boolean {
  return /^\d+ \d+ /.test(schedule.pattern);
}

function sameDay({ nextRun, schedule, silentUntil = 0 }: Digest, moved: Digest): number {
  const day = dayOf(nextRun, schedule.zone);
  const times = nextRuns(moved.schedule, Math.max(nextRun - 2 * dayMs, silentUntil), 5);
  return times.find((time) => dayOf(time, moved.schedule.zone) >= day) ?? nextRun;
}

/** One that is nearer to its next time there than to the time that is past waits for it. */
function inRhythm(moved: Digest, now: number): Digest {
  const next = advanced(moved, now);
  if (next.state !== "active") return moved;
  if (!isDue(moved, now)) return next;
  const after = advanced(moved, next.nextRun);
  return next.nextRun - now < (after.nextRun - next.nextRun) / 2 ? next : moved;
}
