import { describe, expect, it } from "vitest";

import { refusals } from "../../../src/slack/workspaces/people.ts";
import { heard, open, pressInside, setUp, viewsIn } from "./receiver.ts";

describe("the bot's own page", () => {
  it("is made for the person who opens it", async () => {
    const { sent } = await heard(open("home", { user: "U7" }));
    expect(sent).toMatchObject([{ method: "views.publish", token: "xoxb-T1", body: { user_id: "U7" } }]);
    expect(viewsIn(sent)).toMatchObject([{ type: "home", words: ["Hello U7"] }]);
  });

  it("is not made when the other tab is opened, or Slack delivers the same opening again", async () => {
    const { sent, hear } = setUp();
    const body = open("home");
    await hear(open("messages"));
    await hear(body);
    await hear(body);
    expect(sent.length).toBe(1);
  });

  it("stays as it was if it cannot be made, and the log says why", async () => {
    const { sent, events } = await heard(open("home"), { home: () => Promise.reject(new Error("store is gone")) });
    expect(sent).toEqual([]);
    expect(events.at(-1)).toMatch(/^home\.failed /);
  });

  it.each(["guest", "stranger", "unknown"] as const)(
    "says no more to somebody whom the bot does not answer than why: %s",
    async (access) => {
      const home = () => expect.fail("the page was made");
      const { sent } = await heard(open("home", { user: "U7" }), { checkAccess: async () => access, home });
      expect(viewsIn(sent).map(({ words }) => words)).toEqual([[refusals[access]]]);
    },
  );

  it("says no more to them after a press on an earlier page either", async () => {
    const { sent, lines, hear } = setUp({ checkAccess: async () => "guest" });
    const view = { id: "V9", type: "home", private_metadata: "" };
    await hear(pressInside({ action_id: "run", value: "status" }, view));
    const shown = viewsIn(sent).filter(({ type }) => type === "home");
    expect(shown.flatMap(({ words }) => words)).toEqual([expect.stringMatching(/only answer members/)]);
    expect(lines()).toEqual([]);
  });
});
