import { describe, expect, it } from "vitest";

import { createStates } from "../../../src/slack/workspaces/oauth.ts";
import { createClock } from "../../support/clock.ts";

describe("the state of an installation", () => {
  it("brings back what it was begun with, once", async () => {
    const options = { scopes: ["chat:write"], redirectUri: "https://bellwether.example.com/slack/oauth_redirect" };
    const states = createStates("a-secret", createClock(), options);
    const state = await states.generateStateParam();
    expect(await states.verifyStateParam(new Date(), state)).toEqual(options);
    await expect(states.verifyStateParam(new Date(), state)).rejects.toThrow(/used before/);
  });

  it("is refused after ten minutes, and when it was signed with another secret or changed", async () => {
    const clock = createClock();
    const states = createStates("a-secret", clock, { scopes: [] });
    const [late, good] = await Promise.all([1, 2].map(() => states.generateStateParam()));
    const other = await createStates("another", clock, { scopes: [] }).generateStateParam();
    for (const bad of [other, `x${good}`, good?.split(".")[0] ?? "", `9${late}`, "", "."]) {
      await expect(states.verifyStateParam(new Date(), bad)).rejects.toThrow(/not ours/);
    }
    await clock.advance(10 * 60_000 + 1);
    await expect(states.verifyStateParam(new Date(), late ?? "")).rejects.toThrow(/ten minutes/);
  });
});
