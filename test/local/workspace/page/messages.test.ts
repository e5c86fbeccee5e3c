import { describe, expect, it } from "vitest";
import { groupByDay, isReply, splitThreads } from "../../../../local/workspace/page/messages.ts";
import { createTimes } from "../../../../local/workspace/page/times.ts";
import type { WorkspaceMessage } from "../../../../local/workspace/protocol.ts";
import * as fc from "../../../support/property.ts";
import { message } from "./build.ts";

/** The `ts` of a time in Berlin, in winter. */
const at = (hours: number, minutes: number, day = 20) => `${Date.UTC(2026, 10, day, hours - 1, minutes) / 1000}.000000`;

const times = createTimes("Europe/Berlin");
const days = (messages: WorkspaceMessage[]) => groupByDay(messages, times);
const heads = (...messages: WorkspaceMessage[]) => days(messages).map(({ rows }) => rows.map(({ isHead }) => isHead));

describe("days", () => {
  it("begin at the reader's midnight", () => {
    const found = days([message(at(23, 59)), message(at(0, 0, 21)), message(at(23, 59, 21))]);
    expect(found.map(({ key, rows }) => [key, rows.length])).toEqual([
      ["2026-11-20", 1],
      ["2026-11-21", 2],
    ]);
  });

  it("hold every message once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600_000 })), (seconds) => {
        const messages = seconds.toSorted((left, right) => left - right).map((second) => message(`${second}.000000`));
        const found = days(messages);
        expect(found.flatMap(({ rows }) => rows.map((row) => row.message))).toEqual(messages);
        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
      }),
    );
  });
});

describe("the name above a message", () => {
  const first = message(at(9, 0), { thread_ts: at(9, 0) });
  const reply = (minutes: number) => message(at(9, minutes), { thread_ts: first.ts });

  it.each([
    [
      "once where one person goes on within five minutes",
      [0, 4, 8, 13].map((minutes) => message(at(9, minutes))),
      [true, false, false, true],
    ],
    [
      "again where another person writes",
      ["U1", "U2", "U1"].map((user) => message(at(9, 0), { user })),
      [true, true, true],
    ],
    [
      "again where a message is for one reader alone",
      [message(at(9, 0)), message(at(9, 0), { onlyFor: "U1" })],
      [true, true],
    ],
    ["again on the first reply of a thread", [first, reply(1), reply(2)], [true, true, false]],
  ])("stands %s", (_when, messages, expected) => {
    expect(heads(...messages)).toEqual([expected]);
  });

  it("stands again on a new day", () => {
    expect(heads(message(at(23, 59)), message(at(0, 1, 21)))).toEqual([[true], [true]]);
  });
});

describe("a channel", () => {
  const first = message("1.0", { thread_ts: "1.0" });
  const replies = [message("2.0", { thread_ts: "1.0" }), message("4.0", { thread_ts: "1.0" })];
  const other = message("3.0");
  const all = [first, ...replies, other];

  it("shows no replies and nothing that was put away", () => {
    expect([first, ...replies, other].map(isReply)).toEqual([false, true, true, false]);
    expect(splitThreads(all, []).shown).toEqual([first, other]);
    expect(splitThreads(all, ["C1 3.0", "C2 1.0"]).shown).toEqual([first]);
  });

  it("has its replies by thread", () => {
    expect([...splitThreads(all, []).threads]).toEqual([["1.0", replies]]);
    expect([...splitThreads(all, ["C1 2.0"]).threads]).toEqual([["1.0", replies.slice(1)]]);
    expect(splitThreads([first, other], []).threads.size).toBe(0);
  });
});
