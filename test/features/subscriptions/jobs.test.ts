import { describe, expect, it } from "vitest";

import {
  createGate,
  createJobState,
  createBackoff,
  createTally,
  isWritable,
} from "../../../src/features/subscriptions/jobs.ts";
import type { Subscription } from "../../../src/features/subscriptions/model.ts";
import { now as start } from "../../support/builders.ts";
import { articles, daily, digestDesk, minute } from "../digests/setting.ts";

describe("a gate", () => {
  it("lets no more through at a time than it is wide, in their order, and all in the end", async () => {
    const gate = createGate(2);
    const done: number[] = [];
    let inside = 0;
    let most = 0;
    const work = async (number: number) => {
      inside++;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside--;
      done.push(number);
    };
    await Promise.all([1, 2, 3, 4, 5].map((number) => gate(() => work(number))));
    expect([most, done]).toEqual([2, [1, 2, 3, 4, 5]]);
  });

  it("lets others go first after each work", async () => {
    const gate = createGate(1);
    const order: string[] = [];
    setImmediate(() => order.push("somebody's command"));
    await Promise.all([1, 2].map((number) => gate(async () => order.push(`digest ${number}`))));
    expect(order).toEqual(["digest 1", "somebody's command", "digest 2"]);
  });

  it("is not held up by work that fails", async () => {
    const gate = createGate(1);
    const failing = gate(() => Promise.reject(new Error("no")));
    const next = gate(async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
  });
});

describe("failures of one run", () => {
  it("are a line for each reason, and one more with how many there were", () => {
    const lines: unknown[] = [];
    const tally = createTally({ error: (...line) => lines.push(line) }, "feed.failed");
    for (let number = 1; number <= 1_000; number++) tally.failed({ team: "T1", number }, new Error("disk full"));
    tally.failed({ team: "T1", number: 7 }, new Error("odd"));
    tally.close();
    tally.close();
    expect(lines).toEqual([
      ["feed.failed", { team: "T1", number: 1, error: expect.stringContaining("disk full") }],
      ["feed.failed", { team: "T1", number: 7, error: expect.stringContaining("odd") }],
      ["feed.failed", { error: expect.stringContaining("disk full"), more: 999 }],
    ]);
  });

  it("of digests on a full disk fill no log", async () => {
    const { add, records, state, tick } = digestDesk();
    state.articles = articles(3);
    for (let place = 1; place <= 50; place++) await add({ channel: `C${place}` });
    records.set = () => Promise.reject(new Error("database or disk is full"));
    await tick();
    expect(state.log.filter((line) => line.includes("digest.failed")).length).toBeLessThanOrEqual(2);
  });
});

function subscription(about: Partial<Subscription> = {}): Subscription {
  const changed = [{ by: "U1", at: start - minute, what: "added" }];
  return {
    team: "T1",
    number: 1,
    schedule: daily,
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
  const backoff = createBackoff();
  return Array.from({ length: minutes }, (_, at) => at).filter((at) => {
    const now = start + at * minute;
    if (backoff.isWaiting(one, now)) return false;
    backoff.failed(one, now);
    return true;
  });
}

describe("backoff after a failure", () => {
  it("doubles after each failure, up to half an hour", () => {
    expect(triesOf(subscription(), 130)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
  });

  it("never keeps anything beyond the next time that was promised", () => {
    const schedule = { pattern: "*/5 * * * *", zone: "UTC", words: "every 5 minutes" };
    expect(triesOf(subscription({ schedule }), 26)).toEqual([0, 1, 3, 5, 10, 15, 20, 25]);
  });

  it("takes what fails twice at a time for one failure", () => {
    const backoff = createBackoff();
    backoff.failed(subscription(), start);
    backoff.failed(subscription(), start);
    expect(backoff.isWaiting(subscription(), start + minute)).toBe(false);
  });

  it("ends with the time that failed, and when somebody changes something", () => {
    const backoff = createBackoff();
    const changed = [{ by: "U1", at: start, what: "edited" }];
    for (const at of [0, 1, 3]) backoff.failed(subscription(), start + at * minute);
    const now = start + 5 * minute;
    expect(backoff.isWaiting(subscription(), now)).toBe(true);
    expect(backoff.isWaiting(subscription({ changed }), now)).toBe(false);
    expect(backoff.isWaiting(subscription({ nextRun: now }), now)).toBe(false);
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

describe("work that outlives a run", () => {
  it("is not begun a second time under its key, and holds up no other", async () => {
    const { alone } = createJobState();
    const blocked = Promise.withResolvers<void>();
    const done: string[] = [];
    const first = alone("C1", async () => {
      await blocked.promise;
      done.push("C1");
    });
    await alone("C1", async () => void done.push("C1 again"));
    await alone("C2", async () => void done.push("C2"));
    blocked.resolve();
    await first;
    await alone("C1", async () => void done.push("C1 later"));
    expect(done).toEqual(["C2", "C1", "C1 later"]);
  });
});
