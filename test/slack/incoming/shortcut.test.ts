import { describe, expect, it } from "vitest";

import { setUp, useShortcut, viewsIn } from "../receiver.ts";

describe("a shortcut beside a message", () => {
  it("opens its window at once, with the words of the message", async () => {
    const { events, sent, hear } = setUp();
    await hear(useShortcut({ text: "Oil &amp; gas <@U7|ana>" }));
    expect(events[0]).toBe("ack");
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.open", title: "Quoted", words: ["Oil & gas @ana"], sent: { trigger_id: "1.5" } },
    ]);
  });

  it.each([
    [{ thread_ts: "4.0" }, { channel: "C1", thread: "4.0", isThreadNew: false }],
    [{}, { channel: "C1", thread: "5.0", isThreadNew: true }],
  ])("on a message with %j is answered in its thread", async (message, metadata) => {
    const { sent, hear } = setUp();
    await hear(useShortcut({ text: "a", ...message }));
    expect(viewsIn(sent)).toMatchObject([{ metadata }]);
  });

  it.each<[string, Parameters<typeof setUp>[0]]>([
    ["it is too late for the window", { refuses: { "views.open": ["expired_trigger_id"] } }],
    ["Slack refuses the window", { refuses: { "views.open": ["invalid_arguments", "invalid_arguments"] } }],
    [
      "the window cannot be made",
      {
        shortcut: () => {
          throw new Error("a message of a strange kind");
        },
      },
    ],
  ])("says so where %s", async (_, setting) => {
    const { sent, acks, hear } = setUp(setting);
    await hear(useShortcut({ text: "a" }));
    expect(acks.length).toBe(1);
    expect(sent.at(-1)).toMatchObject({
      method: "respond",
      body: { response_type: "ephemeral", text: expect.stringContaining("try once more") },
    });
  });

  it("takes a message without words", async () => {
    const { sent, hear } = setUp({ shortcut: ({ text }) => ({ text: text || "nothing", window: { title: "a" } }) });
    await hear(useShortcut({}));
    expect(viewsIn(sent)).toMatchObject([{ words: ["nothing"] }]);
  });
});
