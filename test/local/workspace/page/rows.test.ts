import { describe, expect, it } from "vitest";

import { channelMessages, daysOf, statusesIn, threadsOf } from "../../../../local/workspace/page/rows.ts";
import * as fc from "../../../support/property.ts";
import { message } from "./build.ts";

/** The `ts` of a local time of 20 November 2026. */
function at(hours: number, minutes: number, days = 0): string {
  return `${new Date(2026, 10, 20 + days, hours, minutes).getTime() / 1000}.000000`;
}

const heads = (messages: Parameters<typeof daysOf>[0]) =>
  daysOf(messages).map(({ rows }) => rows.map(({ head }) => head));

describe("days", () => {
  it("begin at the reader's midnight", () => {
    const days = daysOf([message(at(23, 59)), message(at(0, 0, 1)), message(at(23, 59, 1))]);
    expect(days.map(({ key, rows }) => [key, rows.length])).toEqual([
      ["2026-11-20", 1],
      ["2026-11-21", 2],
    ]);
  });

  it("hold every message once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600_000 })), (seconds) => {
        const messages = seconds.toSorted((left, right) => left - right).map((second) => message(`${second}.000000`));
        const days = daysOf(messages);
        expect(days.flatMap(({ rows }) => rows.map((row) => row.message))).toEqual(messages);
        expect(new Set(days.map(({ key }) => key)).size).toBe(days.length);
      }),
    );
  });

  it("are none without messages", () => {
    expect(daysOf([])).toEqual([]);
  });
});

describe("the name above a message", () => {
  it("stands once where one person goes on within five minutes", () => {
    expect(heads([message(at(9, 0)), message(at(9, 4)), message(at(9, 8)), message(at(9, 13))])).toEqual([
      [true, false, false, true],
    ]);
  });

  it("stands again where another person writes", () => {
    expect(heads([message(at(9, 0)), message(at(9, 0), { user: "U2" }), message(at(9, 0))])).toEqual([
      [true, true, true],
    ]);
  });

  it("stands again where a message is for one reader alone", () => {
    expect(heads([message(at(9, 0)), message(at(9, 0), { onlyFor: "U1" })])).toEqual([[true, true]]);
  });

  it("stands again on the first reply of a thread", () => {
    const first = message(at(9, 0), { thread_ts: at(9, 0) });
    const reply = (minutes: number) => message(at(9, minutes), { thread_ts: first.ts });
    expect(heads([first, reply(1), reply(2)])).toEqual([[true, true, false]]);
  });

  it("stands again on a new day", () => {
    expect(heads([message(at(23, 59)), message(at(0, 1, 1))])).toEqual([[true], [true]]);
  });
});

describe("a channel", () => {
  const first = message("1.0", { thread_ts: "1.0" });
  const replies = [message("2.0", { thread_ts: "1.0" }), message("4.0", { thread_ts: "1.0" })];
  const other = message("3.0");
  const all = [first, ...replies, other];

  it("shows no replies and nothing that was put away", () => {
    expect(channelMessages(all, [])).toEqual([first, other]);
    expect(channelMessages(all, ["C1 3.0", "C2 1.0"])).toEqual([first]);
  });

  it("has its replies by thread", () => {
    expect([...threadsOf(all, [])]).toEqual([["1.0", replies]]);
    expect([...threadsOf(all, ["C1 2.0"])]).toEqual([["1.0", replies.slice(1)]]);
    expect(threadsOf([first, other], []).size).toBe(0);
  });
});

describe("what the app is doing", () => {
  it("is found by the conversation and the thread's first message", () => {
    const statuses = [
      { channel: "C1", thread_ts: "1.0", status: "is reading" },
      { channel: "C2", thread_ts: "1.0", status: "is writing" },
    ];
    expect([...statusesIn(statuses, "C1")]).toEqual([["1.0", statuses[0]]]);
    expect(statusesIn(undefined, "C1").size).toBe(0);
  });
});
