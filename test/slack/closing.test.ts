import { describe, expect, it } from "vitest";

import { buttons, markdown } from "../../src/slack/text/blocks.ts";
import { markOf } from "../../src/slack/mark.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { answer, block, entriesOf, setUp } from "./left.ts";

describe("the last message of an answer that was left", () => {
  it.each(["edit_window_closed", "cant_update_message", "message_not_found"])(
    "gets a message below it where it takes no edits: %s",
    async (code) => {
      const { earlier, calls, restart, records } = await setUp(async (method) => {
        if (method === "chat.update") throw new SlackRefused(method, code);
        return method === "conversations.replies"
          ? { messages: [{ ts: "2.2", text: "Half an", blocks: [block] }] }
          : {};
      });
      await earlier.begin(answer);
      await restart();
      expect(calls.at(-1)).toMatchObject([
        "chat.postMessage",
        { channel: "C1", thread_ts: "1.1", text: expect.stringContaining("restarted") },
      ]);
      expect(await entriesOf(records)).toEqual([]);
    },
  );
});

describe("an answer whose channel goes by another ID", () => {
  it("is looked for in the channel that its own has become meanwhile", async () => {
    const { earlier, calls, restart } = await setUp();
    const asked = {
      ...answer,
      key: "key-1",
      aside: { channel: "C1", did: "pressed" as const },
      shown: "place" as const,
    };
    await earlier.begin(asked);
    await earlier.renamed({ team: "T1", channel: "C1" }, "C9");
    await earlier.renamed({ team: "T2", channel: "C9" }, "C8");
    await restart();
    expect(new Set(calls.map(([, { channel }]) => channel))).toEqual(new Set(["C9"]));
  });

  it("is noted where its channel is now, also where it began before, and struck off at its end", async () => {
    const { earlier, records } = await setUp();
    await earlier.renamed({ team: "T1", channel: "C1" }, "C9");
    await earlier.intend({ ...answer, key: "key-1" });
    expect(await entriesOf(records)).toMatchObject([{ channel: "C9" }]);
    await earlier.end({ ...answer, key: "key-1" });
    await earlier.renamed({ team: "T1", channel: "C9" }, "C7");
    expect(await entriesOf(records)).toEqual([]);
  });
});

describe("an answer that may have been shown to its end", () => {
  const end: Message = {
    text: "All of it.",
    blocks: [markdown("All of it."), buttons({ action: "helpful", label: "Helpful", value: "1" })],
  };
  const restarted = async (standing: Message) => {
    const all = await setUp(async (method) =>
      method === "conversations.replies" ? { messages: [{ ts: "2.2", ...standing }] } : {},
    );
    await all.earlier.begin({ ...answer, end: markOf(end) });
    await all.restart();
    return { methods: all.calls.map(([method]) => method), kept: await entriesOf(all.records) };
  };

  it("is left alone where its last message stands", async () => {
    expect(await restarted(end)).toEqual({ methods: ["conversations.replies"], kept: [] });
  });

  it("gets the note where something else stands", async () => {
    const stop = buttons({ action: "stop", label: "Stop", value: "1" });
    expect((await restarted({ text: "All of", blocks: [markdown("All of"), stop] })).methods).toContain("chat.update");
    expect((await restarted({ ...end, blocks: [markdown("All of it."), stop] })).methods).toContain("chat.update");
  });
});
