import type { Timer } from "./pacer.ts";

/** Slack redelivers an event for up to an hour; its schedule ends after about six minutes. */
const memoryMs = 60 * 60_000;
const capacity = 20_000;

/** Remembers keys for an hour: false the first time, true from then on. */
export function createSeen(timer: Timer): (key: string) => boolean {
  const since = new Map<string, number>();
  return (key) => {
    const now = timer.now();
    for (const [oldest, at] of since) {
      if (at > now - memoryMs && since.size <= capacity) break;
      since.delete(oldest);
    }
    if (since.has(key)) return true;
    since.set(key, now);
    return false;
  };
}
