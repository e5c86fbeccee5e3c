import { describe, expect, it } from "vitest";

import { createTally } from "../../src/features/subscriptions/delivery.ts";
import { desk as alertDesk } from "./alerts/desk.ts";
import { trend } from "./alerts/setting.ts";
import { articles, desk as digestDesk } from "./digests-desk.ts";

const full = () => Promise.reject(new Error("database or disk is full"));

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
    records.set = full;
    await tick();
    expect(state.log.filter((line) => line.includes("digest.failed")).length).toBeLessThanOrEqual(2);
  });

  it("of alerts on a full disk fill no log", async () => {
    const { add, records, state, later } = alertDesk();
    for (let place = 1; place <= 50; place++) await add({ channel: `C${place}` });
    records.set = full;
    await later([trend("BASF")]);
    expect(state.log.filter((line) => line.includes("alert.failed")).length).toBeLessThanOrEqual(4);
    expect(state.log.some((line) => line.includes("alert.failed"))).toBe(true);
  });
});
