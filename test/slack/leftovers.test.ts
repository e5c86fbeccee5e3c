import { describe, expect, it } from "vitest";

import type { Log } from "../../src/log.ts";
import { type Leftover, openLedger } from "../../src/slack/leftovers.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import type { Call } from "../../src/slack/web.ts";
import { memory } from "../support/builders.ts";

const answer: Leftover = { team: "T1", channel: "C1", ts: "2.2", thread: "1.1" };

async function setUp(call: Call = async () => ({})) {
  const records = memory<Leftover>();
  const lines: string[] = [];
  const log: Pick<Log, "warn"> = { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) };
  const earlier = await openLedger(records, log);
  const calls: [string, Record<string, unknown>][] = [];
  const noting: Call = async (method, options) => {
    calls.push([method, options]);
    return call(method, options);
  };
  /** What the next process does at its start. */
  const restart = async () => (await openLedger(records, log)).closeLeft(async () => noting);
  return { records, lines, earlier, calls, restart };
}

const block = { type: "markdown", text: "Half an" };

describe("an answer that its process left", () => {
  it("keeps its words and says what became of it, once", async () => {
    const { earlier, calls, restart } = await setUp(async (method) =>
      method === "conversations.replies"
        ? {
            messages: [
              { ts: "1.1", text: "why?" },
              { ts: "2.2", text: "Half an", blocks: [block] },
            ],
          }
        : {},
    );
    await earlier.begin(answer);
    await restart();
    expect(calls.map(([method]) => method)).toEqual(["conversations.replies", "chat.update"]);
    expect(calls[0]?.[1]).toMatchObject({ channel: "C1", ts: "1.1", oldest: "2.2" });
    expect(calls[1]?.[1]).toMatchObject({
      channel: "C1",
      ts: "2.2",
      text: expect.stringMatching(/^Half an\n.*I was restarted.*Ask me again/),
      blocks: [block, { type: "section" }],
    });
    await restart();
    expect(calls).toHaveLength(2);
  });

  it("gets a message below it where it cannot be read", async () => {
    const { earlier, calls, restart } = await setUp(async (method) => {
      if (method === "conversations.replies") throw new SlackRefused(method, "missing_scope");
      return {};
    });
    await earlier.begin({ ...answer, thread: undefined });
    await restart();
    expect(calls[1]).toMatchObject([
      "chat.postMessage",
      { channel: "C1", thread_ts: "2.2", text: expect.stringContaining("restarted") },
    ]);
  });

  it("stays noted where Slack refuses, and the operator is told", async () => {
    const { earlier, records, lines, restart } = await setUp(async (method) => {
      throw new SlackRefused(method, "is_archived");
    });
    await earlier.begin(answer);
    await restart();
    expect(lines.join()).toContain("is_archived");
    expect(await records.get("T1 C1 2.2")).toEqual(answer);
  });
});

describe("an answer that has ended", () => {
  it("is left alone", async () => {
    const { earlier, calls, restart } = await setUp();
    await earlier.begin(answer);
    await earlier.end(answer);
    await restart();
    expect(calls).toEqual([]);
  });

  it("goes on where the store fails", async () => {
    const lines: string[] = [];
    const fails = () => Promise.reject(new Error("disk full"));
    const log: Pick<Log, "warn"> = { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) };
    const ledger = await openLedger({ ...memory<Leftover>(), set: fails, delete: fails }, log);
    await ledger.begin(answer);
    await ledger.end(answer);
    expect(lines.filter((line) => line.includes("disk full"))).toHaveLength(2);
  });
});
