import { describe, expect, it } from "vitest";

import type { Log } from "../../src/log.ts";
import { type Leftover, type Noted, openLedger } from "../../src/slack/leftovers.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { memory } from "../support/builders.ts";
import { answer, block, entriesOf, setUp } from "./left.ts";

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

  it("that goes on in other messages is told so below the last of them, and nowhere else", async () => {
    const carrying = (ts: string, key: string) => ({ ts, text: key, metadata: { event_payload: { key } } });
    const { earlier, calls, restart } = await setUp(async (method) =>
      method === "conversations.replies"
        ? { messages: [carrying("2.2", "K"), carrying("2.3", "K/2"), carrying("2.4", "L/2"), carrying("2.5", "K/3")] }
        : {},
    );
    await earlier.begin({ ...answer, key: "K" });
    await restart();
    expect(calls.slice(1)).toMatchObject([["chat.update", { ts: "2.5", text: expect.stringMatching(/^K\/3\n/) }]]);
  });

  it("that is still one of Slack's own streams is ended first", async () => {
    const updates: string[] = [];
    const { earlier, calls, restart, lines } = await setUp(async (method) => {
      if (method === "conversations.replies") return { messages: [{ ts: "2.2", text: "Half an", blocks: [block] }] };
      if (method === "chat.update" && updates.push(method) === 1) {
        throw new SlackRefused(method, "streaming_state_conflict");
      }
      return {};
    });
    await earlier.begin(answer);
    await restart();
    expect(calls.slice(1).map(([method]) => method)).toEqual(["chat.update", "chat.stopStream", "chat.update"]);
    expect(lines).toEqual([]);
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
    expect(await records.get("T1 C1 2.2")).toMatchObject(answer);
  });
});

describe("an answer whose end a process could not finish saying", () => {
  it("is not told so twice where the process ended just then", async () => {
    const standing: Record<string, unknown> = { ts: "2.2", text: "Half an", blocks: [block] };
    const { earlier, calls, restart, records } = await setUp(async (method, { text, blocks }) => {
      if (method === "chat.update") Object.assign(standing, { text, blocks });
      return method === "conversations.replies" ? { messages: [standing] } : {};
    });
    await earlier.begin(answer);
    await restart();
    await records.set("T1 C1 2.2", answer);
    await restart();
    expect(calls.filter(([method]) => method === "chat.update")).toHaveLength(1);
  });

  it("is not told so twice in a message below it", async () => {
    const posted: Record<string, unknown>[] = [];
    const { earlier, restart, records, beforeDelete } = await setUp(async (method, { metadata }) => {
      if (method === "chat.postMessage") posted.push({ ts: "9.9", metadata });
      return { messages: posted };
    });
    await earlier.intend({ team: "T1", channel: "C1", thread: "1.1", key: "key-1", since: 1 });
    const kept: Noted[] = [];
    beforeDelete((left) => kept.push(left));
    await restart();
    const [first] = kept;
    if (first) await records.set("key-1", first);
    await restart();
    expect(kept).toHaveLength(2);
    expect(posted).toHaveLength(1);
    expect(await entriesOf(records)).toEqual([]);
  });
});

describe("an answer that was posted or not when its process ended", () => {
  const intent = {
    team: "T1",
    channel: "C1",
    thread: "1.1",
    user: "U1",
    line: "ask why",
    key: "key-1",
    since: 90_000_000,
  };
  const standing = { ts: "2.2", text: "Half an", blocks: [block], metadata: { event_payload: { key: "key-1" } } };
  const other = { ts: "2.1", text: "Other", metadata: { event_payload: { key: "key-2" } } };

  it("is looked for in its thread by what it carries, and closed where it stands", async () => {
    const { earlier, records, calls, restart } = await setUp(async (method) =>
      method === "conversations.replies" ? { messages: [{ ts: "1.1", text: "why?" }, other, standing] } : {},
    );
    await earlier.intend(intent);
    await restart();
    expect(calls[0]).toEqual([
      "conversations.replies",
      { channel: "C1", ts: "1.1", oldest: "89400.000000", include_all_metadata: true, limit: 200 },
    ]);
    expect(calls.at(-1)).toMatchObject(["chat.update", { ts: "2.2", text: expect.stringMatching(/^Half an\n/) }]);
    expect(await entriesOf(records)).toEqual([]);
  });

  it("is found behind any number of others", async () => {
    const { earlier, calls, restart } = await setUp(async (method, { cursor, inclusive }) => {
      if (method !== "conversations.replies" || inclusive) return { messages: [standing] };
      if (cursor === "c3") return { messages: [standing] };
      const next = cursor === "c2" ? "c3" : "c2";
      return {
        messages: Array.from({ length: 200 }, () => other),
        has_more: true,
        response_metadata: { next_cursor: next },
      };
    });
    await earlier.intend(intent);
    await restart();
    expect(calls.at(-1)).toMatchObject(["chat.update", { ts: "2.2" }]);
  });

  it("is looked for in its channel where it is no reply", async () => {
    const { earlier, calls, restart } = await setUp(async (method) =>
      method === "conversations.history" ? { messages: [standing] } : { messages: [standing] },
    );
    await earlier.intend({ ...intent, thread: undefined });
    await restart();
    expect(calls.map(([method]) => method)).toEqual(["conversations.history", "conversations.replies", "chat.update"]);
  });

  it("is missed below the question where it never stood, with a way to ask again", async () => {
    const { earlier, records, calls, restart } = await setUp(async () => ({ messages: [other] }));
    await earlier.intend(intent);
    await restart();
    expect(calls.at(-1)).toMatchObject([
      "chat.postMessage",
      { thread_ts: "1.1", blocks: [{ type: "section" }, { elements: [{ value: "ask why" }] }] },
    ]);
    expect(await entriesOf(records)).toEqual([]);
  });

  it("is forgotten where it never stood and nobody sees the question", async () => {
    const { earlier, records, calls, restart } = await setUp(async () => ({ messages: [] }));
    await earlier.intend({ ...intent, thread: undefined });
    await restart();
    expect(calls.map(([method]) => method)).toEqual(["conversations.history"]);
    expect(await entriesOf(records)).toEqual([]);
  });

  it("stays noted where Slack does not say", async () => {
    const { earlier, records, lines, restart } = await setUp(async (method) => {
      throw new SlackRefused(method, "missing_scope");
    });
    await earlier.intend(intent);
    await restart();
    expect(lines.join()).toContain("missing_scope");
    expect(await entriesOf(records)).toEqual([intent]);
  });

  it("is one note with what is known once it stands, and none once it has ended", async () => {
    const { earlier, records, calls, restart } = await setUp();
    await earlier.intend(intent);
    await earlier.begin({ ...intent, ts: "2.2" });
    expect(await entriesOf(records)).toEqual([{ ...intent, ts: "2.2" }]);
    await earlier.end(intent);
    await restart();
    expect(calls).toEqual([]);
  });
});

describe("a sign of work in a direct message", () => {
  it("is ended with the answer that it belonged to, whatever Slack says to that", async () => {
    const { earlier, records, calls, restart } = await setUp(async (method) => {
      if (method.startsWith("agents.")) throw new SlackRefused(method, "unknown_method");
      return {};
    });
    await earlier.begin({ ...answer, channel: "D1" });
    await restart();
    expect(calls.at(-1)).toEqual([
      "agents.sessions.setStatus",
      { channel_id: "D1", thread_ts: "1.1", status: "active" },
    ]);
    expect(await entriesOf(records)).toEqual([]);
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
    const ledger = await openLedger({ ...memory<Leftover>(), set: fails, delete: fails }, { events: memory(), log });
    await ledger.begin(answer);
    await ledger.end(answer);
    expect(lines.filter((line) => line.includes("disk full"))).toHaveLength(2);
  });
});
