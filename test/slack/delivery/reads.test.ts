import { describe, expect, it } from "vitest";

import { createReads } from "../../../src/slack/delivery/reads.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../../support/clock.ts";

const method = "conversations.replies";

/** A Slack that remembers when it was asked, and may refuse. */
function setUp() {
  const clock = createClock();
  const times: number[] = [];
  const faults: SlackRefused[] = [];
  const call: Call = async () => {
    times.push(clock.now());
    await clock.sleep(40);
    const fault = faults.shift();
    if (fault) throw fault;
    return { messages: [] };
  };
  const busiest = () =>
    Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 60_000).length));
  return { clock, times, faults, busiest, call, reads: createReads(call, clock) };
}

describe("reads of threads", () => {
  it("are 50 in any minute, however many ask at once and later", async () => {
    const { clock, times, busiest, reads } = setUp();
    const later = Promise.all(Array.from({ length: 100 }, () => reads.read(method, {})));
    for (let second = 0; second < 120; second++) {
      for (let read = 0; read < 3; read++) void reads.read(method, {}, true).catch(() => undefined);
      await clock.advance(1_000);
    }
    await clock.until(later);
    expect(busiest()).toBeLessThanOrEqual(50);
    expect(times.length).toBeGreaterThan(150);
  });

  it("leave room for fifteen that people wait for, whatever is looked for meanwhile", async () => {
    const { clock, reads } = setUp();
    const later = Promise.all(Array.from({ length: 60 }, () => reads.read(method, {})));
    await clock.advance(20_000);
    const now = Array.from({ length: 16 }, () => reads.read(method, {}, true));
    const outcomes = await clock.until(Promise.allSettled(now));
    expect(outcomes.map(({ status }) => status).slice(0, 15)).toEqual(outcomes.slice(0, 15).map(() => "fulfilled"));
    await clock.until(later);
  });

  it("are not made for as long as Slack asks, whoever it was that asked", async () => {
    const { clock, times, faults, reads } = setUp();
    for (let index = 0; index < 6; index++) await clock.until(reads.read(method, {}, true));
    faults.push(new SlackRefused(method, "ratelimited", { retryAfterMs: 20_000 }));
    await expect(clock.until(reads.read(method, {}, true))).rejects.toMatchObject({ code: "ratelimited" });
    const refusedAt = clock.now();
    await expect(clock.until(reads.read(method, {}, true))).rejects.toMatchObject({ retryAfterMs: 20_000 });
    await clock.until(reads.read(method, {}));
    expect(times).toHaveLength(8);
    expect(times.at(-1)).toBeGreaterThanOrEqual(refusedAt + 20_000);
  });

  it("keep to their rate if a workspace gets a new token", async () => {
    const { clock, call, times } = setUp();
    const workspaceOf = createWorkspaces(clock);
    const readOnce = (token: Call) =>
      workspaceOf("T1", token)
        .reads.read(method, {}, true)
        .catch(() => undefined);
    await clock.until(Promise.all(Array.from({ length: 30 }, () => readOnce(call))));
    await clock.until(Promise.all(Array.from({ length: 30 }, () => readOnce((...asked) => call(...asked)))));
    expect(times).toHaveLength(20);
  });
});
