import { describe, expect, it } from "vitest";

import { markdown } from "../../../src/slack/text/blocks.ts";
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
    const close = () => clock.until(unfinished.closeCutOff(context, () => true));
    await close();
    return async () => {
      await clock.advance(60_000);
      await close();
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

const below = (thread: string | undefined) => [
  "chat.postMessage",
  {
    channel: thread === undefined ? "D1" : "C1",
    thread_ts: thread,
    text: expect.stringMatching(/I was restarted.*Ask me again/),
    blocks: [{ type: "section" }, { elements: [{ value: "ask why" }] }],
  },
];

describe("an answer that was cut off", () => {
  it.each([
    ["in its thread", posted, "1.1"],
    ["in its thread if nobody knows whether it stands", asked, "1.1"],
    ["in the thread of an answer that is a root", { ...posted, thread: undefined }, "2.2"],
    ["in line in a direct message", { ...asked, channel: "D1", thread: undefined }, undefined],
  ])("is told so once, with a way to ask again, below it %s", async (_, answer, thread) => {
    const { calls, left, restart } = await cutOff(answer);
    expect(calls).toMatchObject([below(thread)]);
    expect(await left()).toEqual([]);
    await restart();
    expect(calls).toHaveLength(1);
  });

  it("is looked for in its channel, behind any number of others, if it may be a root", async () => {
    const others = Array.from({ length: 200 }, () => carrying("2.1", "L"));
    const { calls } = await cutOff({ ...asked, thread: undefined }, async (method, { cursor }) => {
      if (!method.startsWith("conversations.")) return {};
      if (cursor === "c2") return { messages: [carrying("2.2", "K")] };
      return { messages: others, has_more: true, response_metadata: { next_cursor: "c2" } };
    });
    expect(calls.at(-1)).toMatchObject(below("2.2"));
  });

  it("is forgotten if it does not stand and nobody sees the question", async () => {
    const { left, calls } = await cutOff({ ...asked, thread: undefined }, slackWith([]));
    expect(calls.map(([method]) => method)).toEqual(["conversations.history"]);
    expect(await left()).toEqual([]);
  });

  it("is let go in a channel that takes nothing, and the log says so", async () => {
    const { left, lines } = await cutOff(posted, async (method) => {
      throw new SlackRefused(method, "is_archived");
    });
    expect(lines.join()).toContain("is_archived");
    expect(await left()).toEqual([]);
  });

  it("is told so as soon as Slack takes that", async () => {
    let isRefused = true;
    const { earlier, left, calls, restart } = await setUp(async (method) => {
      if (method === "chat.postMessage" && isRefused) throw new SlackRefused(method, "message_limit_exceeded");
      return {};
    });
    await earlier.note(posted);
    const aMinuteLater = await restart();
    expect(await left()).toHaveLength(1);
    isRefused = false;
    await aMinuteLater();
    expect(calls.filter(([method]) => method === "chat.postMessage")).toHaveLength(2);
    expect(await left()).toEqual([]);
  });

  it("is told so once even if the process that said it was killed just then", async () => {
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
  it.each([{}, { "chat.stopStream": "message_not_in_streaming_state" }])(
    "is ended, if Slack has not done so: %j",
    async (refuses) => {
      const { calls } = await cutOff({ ...posted, isStream: true }, slackWith([], refuses));
      expect(calls).toMatchObject([["chat.stopStream", { channel: "C1", ts: "2.2" }], below("1.1")]);
    },
  );
});

describe("the status of a direct message with the bot", () => {
  it("is ended with the answer that it belonged to, whatever Slack says to that", async () => {
    const refuses = { "agents.sessions.setStatus": "unknown_method" };
    const { left, calls } = await cutOff({ ...posted, channel: "D1" }, slackWith([], refuses));
    expect(calls[0]).toEqual(["agents.sessions.setStatus", { channel_id: "D1", thread_ts: "1.1", status: "active" }]);
    expect(await left()).toEqual([]);
  });
});

describe("an answer that is under way", () => {
  it("is left alone, unless another process had its workspace in between", async () => {
    const { earlier, left, calls, restart } = await setUp();
    await earlier.note(posted);
    await earlier.note({ ...posted, team: "T2", key: "L" });
    await restart(earlier);
    expect(calls).toEqual([]);
    earlier.leave((team) => team === "T1");
    await restart(earlier);
    expect(calls.at(-1)).toMatchObject(below("1.1"));
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
