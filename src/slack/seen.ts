import type { Timer } from "./pacer.ts";

const capacity = 20_000;

/** Remembers keys for `memoryMs` from the first time: false then, true until they are forgotten. */
export function createSeen(timer: Timer, memoryMs: number): (key: string) => boolean {
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
