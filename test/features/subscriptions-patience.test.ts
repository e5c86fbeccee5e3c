import { describe, expect, it } from "vitest";

import { createPatience, isWritable } from "../../src/features/subscriptions/delivery.ts";
import type { Subscription } from "../../src/features/subscriptions/model.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 20, 9);

function subscription(about: Partial<Subscription> = {}): Subscription {
  const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
  const changed = [{ by: "U1", at: start - minute, what: "added" }];
  return {
    team: "T1",
    number: 1,
    schedule,
    channel: "C1",
    maker: "U1",
    state: "active",
    nextRun: start,
    changed,
    ...about,
  };
}

/** The minutes at which one is tried that always fails. */
function triesOf(one: Subscription, minutes: number): number[] {
  const patience = createPatience();
  return Array.from({ length: minutes }, (_, at) => at).filter((at) => {
    const now = start + at * minute;
    if (patience.isWaiting(one, now)) return false;
    patience.failed(one, now);
    return true;
  });
}

describe("patience with what fails", () => {
  it("doubles after each failure, up to half an hour", () => {
    expect(triesOf(subscription(), 130)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
  });

  it("never keeps anything beyond the next time that was promised", () => {
    const schedule = { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" };
    expect(triesOf(subscription({ schedule }), 26)).toEqual([0, 1, 3, 5, 10, 15, 20, 25]);
  });

  it("takes what fails twice at a time for one failure", () => {
    const patience = createPatience();
    patience.failed(subscription(), start);
    patience.failed(subscription(), start);
    expect(patience.isWaiting(subscription(), start + minute)).toBe(false);
  });

  it("ends with the time that failed, and when somebody changes something", () => {
    const patience = createPatience();
    const changed = [{ by: "U1", at: start, what: "edited" }];
    for (const at of [0, 1, 3]) patience.failed(subscription(), start + at * minute);
    const now = start + 5 * minute;
    expect(patience.isWaiting(subscription(), now)).toBe(true);
    expect(patience.isWaiting(subscription({ changed }), now)).toBe(false);
    expect(patience.isWaiting(subscription({ nextRun: now }), now)).toBe(false);
  });
});

describe("a store that failed", () => {
  const due = [1, 2, 3, 4].map((number) => subscription({ number }));

  function tried(trouble: "full" | undefined, fails: (number: number) => boolean) {
    const numbers: number[] = [];
    const update = async ({ number }: { number: number }) => {
      numbers.push(number);
      if (fails(number)) throw new Error("database or disk is full");
      return undefined;
    };
    const store = () => trouble;
    const health = { store, saw: async () => {}, storeIs: () => {}, tell: async () => {}, wrong: async () => [] };
    return isWritable(due, { update }, { health }).then((is) => ({ is, numbers }));
  }

  it("is not tried where nothing is wrong with it", async () => {
    expect(await tried(undefined, () => true)).toEqual({ is: true, numbers: [] });
  });

  it("is tried before anything else, and used again when it keeps what is written", async () => {
    expect(await tried("full", () => true)).toEqual({ is: false, numbers: [1, 2, 3] });
    expect(await tried("full", () => false)).toEqual({ is: true, numbers: [1] });
  });

  it("is not given up for one record that cannot be kept", async () => {
    expect(await tried("full", (number) => number === 1)).toEqual({ is: true, numbers: [1, 2] });
  });
});
