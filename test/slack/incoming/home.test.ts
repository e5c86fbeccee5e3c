import { describe, expect, it } from "vitest";

import { section } from "../../../src/slack/text/blocks.ts";
import type { Block } from "../../../src/slack/text/message.ts";
import { heard, open, pressInside, setUp, viewsIn } from "./receiver.ts";

describe("the bot's own page", () => {
  it("is made for whoever opens it", async () => {
    const { sent } = await heard(open("home", { user: "U7" }));
    expect(sent).toMatchObject([{ method: "views.publish", token: "xoxb-T1", body: { user_id: "U7" } }]);
    expect(viewsIn(sent)).toMatchObject([{ type: "home", words: ["Hello U7"] }]);
  });

  it("is not made where the other tab is opened, or the same opening is told again", async () => {
    const { sent, hear } = setUp();
    const body = open("home");
    await hear(open("messages"));
    await hear(body);
    await hear(body);
    expect(sent.length).toBe(1);
  });

  it("stays as it was where it cannot be made, and the operator reads why", async () => {
    const { sent, events } = await heard(open("home"), { home: () => Promise.reject(new Error("store is gone")) });
    expect(sent).toEqual([]);
    expect(events.at(-1)).toMatch(/^home /);
  });

  it.each(["guest", "stranger", "unknown"] as const)(
    "is one sentence for whom the bot does not answer: %s",
    async (standing) => {
      const made: string[] = [];
      const home = async ({ user }: { user: string }) => {
        made.push(user);
        return [section("10,000 credits left")];
      };
      const { sent } = await heard(open("home", { user: "U7" }), { checkAccess: async () => standing, home });
      const [view, ...more] = viewsIn(sent);
      expect(more).toEqual([]);
      expect(view?.blocks).toMatchObject([{ type: "section", text: { text: expect.stringMatching(/^[^.]+\.$/) } }]);
      expect(made).toEqual([]);
    },
  );

  it("is one sentence for them also after a press on a page of before", async () => {
    const { sent, lines, hear } = setUp({ checkAccess: async () => "guest" });
    const view = { id: "V9", type: "home", private_metadata: "" };
    await hear(pressInside({ action_id: "run", value: "status" }, view));
    const shown = viewsIn(sent).filter(({ type }) => type === "home");
    expect(shown.flatMap(({ words }) => words)).toEqual([expect.stringMatching(/only answer members/)]);
    expect(lines()).toEqual([]);
  });

  it("never goes back to what was true before", async () => {
    const slow = Promise.withResolvers<Block[]>();
    const pages = [slow.promise, Promise.resolve([section("new")])];
    const { sent, hear } = setUp({ home: async () => (await pages.shift()) ?? [] });
    const first = hear(open("home"));
    await hear(open("home"));
    slow.resolve([section("old")]);
    await first;
    expect(viewsIn(sent).map(({ words }) => words)).toEqual([["new"]]);
  });
});
