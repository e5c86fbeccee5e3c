import { describe, expect, it } from "vitest";

import { markdown, section } from "../../../src/slack/text/blocks.ts";
import type { Log } from "../../../src/log.ts";
import { type UnfinishedAnswer, createUnfinishedAnswers } from "../../../src/slack/answer/unfinished.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { createOutbox, newPost } from "../../../src/slack/delivery/outbox.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { memory } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";
import { createKeyQueue } from "../../../src/store/key-queue.ts";

const asked = { team: "T1", channel: "C1", thread: "1.1", user: "U1", line: "ask why", key: "K", since: 90_000_000 };
const posted: UnfinishedAnswer = { ...asked, ts: "2.2" };
const block = { type: "markdown", text: "Half an" };
const half = { ts: "2.2", text: "Half an", blocks: [block] };
const carrying = (ts: string, key: string) => ({
  ts,
  text: key,
  blocks: [markdown(key)],
  metadata: { event_payload: { key } },
});

/** A process that notes answers, and the next one, which closes those at its start. */
async function setUp(call: Call = async () => ({})) {
  const records = memory<UnfinishedAnswer>();
  const lines: string[] = [];
  const log: Pick<Log, "warn"> = { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) };
  const earlier = createUnfinishedAnswers(records, log);
  const calls: [string, Record<string, unknown>][] = [];
  const noting: Call = async (method, sent) => {
    calls.push([method, sent]);
    return { channel: sent["channel"], ts: "9.9", ...(await call(method, sent)) };
  };
  const restart = async (unfinished = createUnfinishedAnswers(records, log)) => {
    const clock = createClock();
    const workspaceOf = createWorkspaces(clock);
    const outbox = createOutbox({
      post: ({ team, ...target }, message) => workspaceOf(team, noting).poster.post(target, () => message),
      edit: async () => undefined,
      inTurn: createKeyQueue(),
      log: { ...log, info: () => undefined },
      now: () => clock.now(),
    });
    const context = { outbox, callOf: async () => noting, workspaceOf, timer: clock };
    await clock.until(unfinished.closeCutOff(context, () => true));
    return async () => {
      await clock.advance(60_000);
      await clock.until(unfinished.retry(context, () => true));
    };
  };
  const left = async () => {
    const all: UnfinishedAnswer[] = [];
    for await (const [, answer] of records.entries()) all.push(answer);
    return all;
  };
  return { earlier, records, left, calls, lines, restart };
}

/** A process that was killed while this answer was under way, and the next one, which has started. */
async function cutOff(answer: UnfinishedAnswer, call?: Call) {
  const setting = await setUp(call);
  await setting.earlier.note(answer);
  await setting.restart();
  return setting;
}

/** Slack with these messages in its threads and channels, and what it refuses. */
function slackWith(messages: Record<string, unknown>[], refuses: Record<string, string> = {}): Call {
  return async (method) => {
    const code = refuses[method];
    if (code) throw new SlackRefused(method, code);
    return method.startsWith("conversations.") ? { messages } : {};
  };
}

describe("an answer that was cut off", () => {
  it("keeps its words and says what became of it, with a way to ask again, once", async () => {
    const stop = { type: "actions", elements: [{ type: "button", action_id: "stop" }] };
    const { calls, restart } = await cutOff(posted, slackWith([{ ...half, blocks: [block, stop] }]));
    expect(calls.map(([method]) => method)).toEqual(["conversations.replies", "chat.update"]);
    expect(calls[0]?.[1]).toMatchObject({ channel: "C1", ts: "1.1", oldest: "2.2" });
    expect(calls[1]?.[1]).toMatchObject({
      channel: "C1",
      ts: "2.2",
      text: expect.stringMatching(/^Half an\n.*I was restarted.*Ask me again/),
      blocks: [block, { type: "section" }, { elements: [{ value: "ask why" }] }],
    });
    await restart();
    expect(calls).toHaveLength(2);
  });

  it("is told so in the last of its messages, and nowhere else", async () => {
    const messages = [carrying("2.2", "K"), carrying("2.3", "K/2"), carrying("2.4", "L/2"), carrying("2.5", "K/3")];
    const { calls } = await cutOff({ ...posted, isStream: true }, slackWith(messages));
    expect(calls.slice(1)).toMatchObject([["chat.update", { ts: "2.5", text: expect.stringMatching(/^K\/3\n/) }]]);
  });

  it.each<[string, Record<string, unknown>[], Record<string, string>]>([
    ["if it cannot be read", [], { "conversations.replies": "missing_scope" }],
    ["if an edit might hide what it says", [{ ...half, blocks: [] }], {}],
    ["if it is too old to be edited", [half], { "chat.update": "edit_window_closed" }],
    ["if it takes no edits", [half], { "chat.update": "cant_update_message" }],
    ["if it was deleted", [half], { "chat.update": "message_not_found" }],
  ])("gets a message below it %s", async (_, messages, refuses) => {
    const { left, calls } = await cutOff({ ...posted, thread: undefined }, slackWith(messages, refuses));
    expect(calls.at(-1)).toMatchObject([
      "chat.postMessage",
      { channel: "C1", thread_ts: "2.2", text: expect.stringContaining("restarted") },
    ]);
    expect(await left()).toEqual([]);
  });

  it("is let go in a channel that takes nothing, and the log says so", async () => {
    const { earlier, left, lines, restart } = await setUp(async (method) => {
      throw new SlackRefused(method, "is_archived");
    });
    await earlier.note(posted);
    await restart();
    expect(lines.join()).toContain("is_archived");
    expect(await left()).toEqual([]);
  });

  it("is told so once even if the process that said it was killed just then", async () => {
    const words = section(":warning: I was restarted in the middle of this answer. Ask me again for the rest.");
    const { left, calls } = await cutOff(posted, slackWith([{ ...half, blocks: [block, words] }]));
    expect(calls.map(([method]) => method)).toEqual(["conversations.replies"]);
    expect(await left()).toEqual([]);
  });

  it("is told so below it as soon as Slack takes that", async () => {
    let isRefused = true;
    const { earlier, left, calls, restart } = await setUp(async (method) => {
      if (method === "chat.postMessage" && isRefused) throw new SlackRefused(method, "message_limit_exceeded");
      return { messages: [] };
    });
    await earlier.note(posted);
    const aMinuteLater = await restart();
    expect(await left()).toHaveLength(1);
    isRefused = false;
    await aMinuteLater();
    expect(calls.filter(([method]) => method === "chat.postMessage")).toHaveLength(2);
    expect(await left()).toEqual([]);
  });

  it("is told so once below it, too", async () => {
    const { calls } = await cutOff(
      {
        ...asked,
        posts: [
          {
            ...newPost({
              key: "K left",
              since: 91_000_000,
              content: null,
              place: { channel: "C1", thread: { channel: "C1", ts: "1.1" } },
            }),
            sentAt: 91_000_000,
          },
        ],
      },
      slackWith([carrying("9.9", "K left")]),
    );
    expect(calls.map(([method]) => method)).not.toContain("chat.postMessage");
  });
});

describe("a native stream that was cut off", () => {
  it("is ended with the line below what was streamed", async () => {
    const { left, calls } = await cutOff({ ...posted, isStream: true }, slackWith([half]));
    expect(calls[1]).toMatchObject([
      "chat.stopStream",
      { ts: "2.2", chunks: [{ text: expect.stringContaining("restarted") }], blocks: [{ type: "actions" }] },
    ]);
    expect(calls.map(([method]) => method)).not.toContain("chat.update");
    expect(await left()).toEqual([]);
  });

  it("gets a message below it if Slack has ended it", async () => {
    const refuses = { "chat.stopStream": "message_not_in_streaming_state" };
    const { calls } = await cutOff({ ...posted, isStream: true }, slackWith([half], refuses));
    expect(calls.at(-1)).toMatchObject(["chat.postMessage", { thread_ts: "1.1" }]);
    expect(calls.map(([method]) => method)).not.toContain("chat.update");
  });

  it("gets the line below it if Slack had not yet said that it stood", async () => {
    const { calls } = await cutOff(posted, slackWith([half], { "chat.update": "streaming_state_conflict" }));
    expect(calls.at(-1)).toMatchObject(["chat.postMessage", { thread_ts: "1.1" }]);
  });
});

describe("an answer that was posted or not when its process was killed", () => {
  it("is looked for in its thread by its key, behind any number of others", async () => {
    const others = Array.from({ length: 200 }, () => carrying("2.1", "L"));
    const { earlier, left, calls, restart } = await setUp(async (method, { cursor, inclusive }) => {
      if (!method.startsWith("conversations.")) return {};
      if (inclusive || cursor === "c2") return { messages: [carrying("2.2", "K")] };
      return { messages: others, has_more: true, response_metadata: { next_cursor: "c2" } };
    });
    await earlier.note(asked);
    await restart();
    expect(calls[0]).toMatchObject(["conversations.replies", { channel: "C1", ts: "1.1" }]);
    expect(calls.at(-1)).toMatchObject(["chat.update", { ts: "2.2", text: expect.stringMatching(/^K\n/) }]);
    expect(await left()).toEqual([]);
  });

  it("is looked for in its channel if it is no reply", async () => {
    const { calls } = await cutOff({ ...asked, thread: undefined }, slackWith([carrying("2.2", "K")]));
    expect(calls.map(([method]) => method)).toEqual(["conversations.history", "conversations.replies", "chat.update"]);
  });

  it("is missed below the question if it does not stand", async () => {
    const { left, calls } = await cutOff(asked, slackWith([carrying("2.1", "L")]));
    expect(calls.at(-1)).toMatchObject([
      "chat.postMessage",
      { thread_ts: "1.1", blocks: [{ type: "section" }, { elements: [{ value: "ask why" }] }] },
    ]);
    expect(await left()).toEqual([]);
  });

  it("is forgotten if it does not stand and nobody sees the question", async () => {
    const { left, calls } = await cutOff({ ...asked, thread: undefined }, slackWith([]));
    expect(calls.map(([method]) => method)).toEqual(["conversations.history"]);
    expect(await left()).toEqual([]);
  });
});

describe("an answer that was cut off in line in a direct message", () => {
  const inLine = { ...asked, channel: "D1", thread: undefined };

  it("is told so in the last of its messages", async () => {
    const newestFirst = [carrying("2.5", "L"), carrying("2.4", "K/2"), carrying("2.2", "K")];
    const { earlier, calls, restart } = await setUp(slackWith(newestFirst));
    await earlier.note({ ...inLine, ts: "2.2" });
    await restart();
    expect(calls).toMatchObject([
      ["conversations.history", { channel: "D1", oldest: "2.2" }],
      ["chat.update", { channel: "D1", ts: "2.4" }],
    ]);
  });

  it.each([
    ["if it cannot be edited", { ...inLine, ts: "2.2" }],
    ["if it does not stand", inLine],
  ])("is told so in line %s", async (_, noted) => {
    const { earlier, left, calls, restart } = await setUp(slackWith([], { "chat.update": "cant_update_message" }));
    await earlier.note(noted);
    await restart();
    expect(calls.at(-1)).toMatchObject(["chat.postMessage", { channel: "D1", blocks: [{}, { elements: [{}] }] }]);
    expect(calls.at(-1)?.[1]["thread_ts"]).toBeUndefined();
    expect(await left()).toEqual([]);
  });
});

describe("the status of a direct message with the bot", () => {
  it("is ended with the answer that it belonged to, whatever Slack says to that", async () => {
    const refuses = { "agents.sessions.setStatus": "unknown_method" };
    const { left, calls } = await cutOff({ ...posted, channel: "D1" }, slackWith([half], refuses));
    expect(calls.at(-1)).toEqual([
      "agents.sessions.setStatus",
      { channel_id: "D1", thread_ts: "1.1", status: "active" },
    ]);
    expect(await left()).toEqual([]);
  });
});

describe("an answer that is under way", () => {
  it("is left alone, unless another process had its workspace in between", async () => {
    const { earlier, left, calls, restart } = await setUp(slackWith([half]));
    await earlier.note(posted);
    await earlier.note({ ...posted, team: "T2", key: "L" });
    await restart(earlier);
    expect(calls).toEqual([]);
    earlier.leave((team) => team === "T1");
    await restart(earlier);
    expect(calls.at(-1)).toMatchObject(["chat.update", { ts: "2.2", text: expect.stringContaining("restarted") }]);
    expect(await left()).toMatchObject([{ key: "L" }]);
  });
});

describe("an answer that has ended", () => {
  it("is left alone", async () => {
    const { earlier, calls, restart } = await setUp();
    await earlier.note(posted);
    await earlier.forget("K");
    await restart();
    expect(calls).toEqual([]);
  });

  it("is shown even if the store fails", async () => {
    const lines: string[] = [];
    const fails = () => Promise.reject(new Error("disk full"));
    const log: Pick<Log, "warn"> = { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) };
    const unfinished = createUnfinishedAnswers({ ...memory(), set: fails, delete: fails }, log);
    await unfinished.note(posted);
    await unfinished.forget("K");
    expect(lines.filter((line) => line.includes("disk full"))).toHaveLength(2);
  });
});
