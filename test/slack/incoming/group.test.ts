import { describe, expect, it } from "vitest";

import { inGroup, mention, setUp } from "../receiver.ts";

const inOurs = { following: { isOurs: async () => true } };

describe("a group direct message", () => {
  it("is a channel: a mention is answered in its thread", async () => {
    const { asked, hear } = setUp();
    await hear(inGroup("<@UBOT> gold?", { ts: "9.1" }));
    await hear(inGroup("so <@UBOT|bellwether>, silver?", { ts: "9.2", thread_ts: "3.5" }));
    expect(
      asked.map(({ line, surface, request: { channel, thread, isThreadNew } }) => [
        line.replace(/\s+/g, " "),
        surface,
        channel,
        thread,
        isThreadNew,
      ]),
    ).toEqual([
      ["gold?", "mention", "G1", "9.1", true],
      ["so silver?", "mention", "G1", "3.5", false],
    ]);
  });

  it("answers once what comes as a mention besides", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(inGroup("<@UBOT> gold?", { ts: "9.1", thread_ts: "3.5" }));
    await hear(mention("<@UBOT> gold?", { ts: "9.1", thread_ts: "3.5", channel: "G1" }));
    expect(lines()).toEqual(["gold?"]);
  });

  it("goes on in a thread of ours without a mention, and there alone", async () => {
    const { lines, hear } = setUp(inOurs);
    await hear(inGroup("and gas?", { thread_ts: "3.5" }));
    await hear(inGroup("what about lunch?"));
    await hear(inGroup("<@U7> what about lunch?", { thread_ts: "3.5" }));
    expect(lines()).toEqual(["and gas?"]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a bot", { bot_id: "B2" }],
    ["the bot itself", { user: "UBOT" }],
    ["an edit", { subtype: "message_changed" }],
  ])("does not answer %s", async (_, event) => {
    const { lines, hear } = setUp(inOurs);
    await hear(inGroup("<@UBOT> gold?", event));
    expect(lines()).toEqual([]);
  });
});
