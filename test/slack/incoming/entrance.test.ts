import { describe, expect, it } from "vitest";

import { command, direct, mention, reply, setUp } from "../receiver.ts";

describe("somebody of whom it is not known who they are", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["beside a mention", mention("<@UBOT> a", { thread_ts: "3.5" }), "chat.postEphemeral"],
    ["beside a slash command", command("/news", "a"), "respond"],
    ["in a direct message", direct("a"), "chat.postMessage"],
    // Not left in peace like a guest: it may be a member who goes on with their question.
    ["where nobody called the bot", reply("and gas?"), "chat.postEphemeral"],
  ])("is told why, once, and gets no answer: %s", async (_, body, method) => {
    const { lines, sent, hear } = setUp({
      checkAccess: async () => "unknown",
      following: { isOurs: async () => true },
    });
    await hear(body);
    expect(lines()).toEqual([]);
    expect(sent).toMatchObject([{ method, body: { text: expect.stringMatching(/Try again in a minute/) } }]);
  });
});
