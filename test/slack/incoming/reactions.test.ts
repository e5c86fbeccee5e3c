import { describe, expect, it } from "vitest";

import { heard, setUp } from "./receiver.ts";

let events = 0;
/** Somebody puts 👀 on a message, by default one of the bot's own. */
function reaction({ author = "UBOT", item = { type: "message", channel: "C1", ts: "5.0" } } = {}) {
  events++;
  const event = { type: "reaction_added", user: "U7", reaction: "eyes", item, item_user: author, event_ts: "9.0" };
  return { type: "event_callback", team_id: "T1", event_id: `Ev-reaction-${events}`, event };
}

describe("an emoji", () => {
  it("on a message of the bot's own is passed on with who put it there", async () => {
    const { reactions } = await heard(reaction());
    expect(reactions).toEqual([{ team: "T1", user: "U7", channel: "C1", ts: "5.0", emoji: "eyes" }]);
  });

  it("on somebody else's message means nothing", async () => {
    expect((await heard(reaction({ author: "U8" }))).reactions).toEqual([]);
  });

  it("counts once if Slack delivers it again", async () => {
    const { reactions, hear } = setUp();
    const body = reaction();
    await hear(body);
    await hear(body);
    expect(reactions).toHaveLength(1);
  });

  it.each(["guest", "stranger", "unknown"] as const)(
    "of somebody whom the bot does not answer means nothing: %s",
    async (access) => {
      const { reactions, sent } = await heard(reaction(), { checkAccess: async () => access });
      expect(reactions).toEqual([]);
      expect(sent).toEqual([]);
    },
  );
});
