import { type Name, type Subscription, healed } from "./subscription.ts";

/** A clock that moves on by so much between two minutes has leapt, and for how long it may have been wrong before. */
const leapMs = 40 * 60_000;
const lapseMs = 24 * 60 * 60_000;

interface Healing<S extends Subscription> {
  those: (fit: (subscription: S) => boolean) => Promise<S[]>;
  /** Changes one and writes it down: whoever starts with a right clock cannot tell that it was wrong. */
  change: (name: Name, change: (current: S) => S) => Promise<unknown>;
}

/**
 * Looks for next times that a wrong clock has left, at the start and whenever the clock was set back. Where it leaps
 * forth again soon, setting it back was wrong, and what was healed was right before.
 */
export function createHealing<S extends Subscription>({ those, change }: Healing<S>): (now: number) => Promise<void> {
  let lastAsked = Number.POSITIVE_INFINITY;
  /** Next times as they stood before they were healed, and when that was. */
  const before = new Map<string, number>();
  let healedAt = 0;

  async function heal(now: number, passedOver: number): Promise<void> {
    const wrong = await those((each) => healed(each, now, passedOver) !== each);
    for (const each of wrong) before.set(keyOf(each), Math.max(each.nextRun, before.get(keyOf(each)) ?? 0));
    healedAt = now;
    await Promise.all(wrong.map((each) => change(each, (current) => healed(current, now, passedOver))));
  }

  async function unheal(now: number): Promise<void> {
    const changed = await those((each) => before.has(keyOf(each)));
    const restore = (current: S): S => {
      const nextRun = Math.max(current.nextRun, before.get(keyOf(current)) ?? 0);
      const restored = { ...current, nextRun };
      // Where it was right, it was the very next.
      return healed(restored, now, 0) === restored ? restored : current;
    };
    await Promise.all(changed.map((each) => change(each, restore)));
    before.clear();
  }

  return async (now) => {
    const leapt = now - lastAsked;
    lastAsked = now;
    if (before.size > 0 && now - healedAt > lapseMs && leapt <= leapMs) before.clear();
    if (before.size > 0 && leapt > leapMs) await unheal(now);
    // Nobody is wrong about summer time by days: what has run then, has run too early, and runs again.
    if (leapt < 0) await heal(now, Number.isFinite(leapt) && leapt < -lapseMs ? 0 : 1);
  };
}

function keyOf({ team, number }: Name): string {
  return `${team} ${number}`;
}
