import { describe, expect, it } from "vitest";

import { section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { SlackRefused } from "../../../src/slack/refusal.ts";
import { newWindow, openWindow } from "../../../src/slack/incoming/views.ts";

const origin = { channel: "C1" };
const message: Message = { text: "In words", blocks: [section("In blocks")], window: { title: "Title" } };
const form: Message = { ...message, window: { title: "Title", form: { name: "f", submit: "Go" } } };

/** Slack that refuses the first calls with these. */
function setUp(...refusals: (string | SlackRefused)[]) {
  const calls: { method: string; options: Record<string, unknown> }[] = [];
  const call = async (method: string, options: Record<string, unknown>) => {
    calls.push({ method, options });
    const refusal = refusals.shift();
    if (refusal) throw typeof refusal === "string" ? new SlackRefused(method, refusal) : refusal;
    return { view: { id: "V1" } };
  };
  return { call, calls, window: newWindow({ call, origin, trigger: "1.2" }) };
}

const network = new SlackRefused("views.open", "network", { reaction: "look" });

describe("a new window", () => {
  it("is opened by its first message and changed by those that follow", async () => {
    const { calls, window } = setUp();
    expect([await window.show(message), await window.show(message)]).toEqual([true, true]);
    expect(calls).toMatchObject([
      { method: "views.open", options: { trigger_id: "1.2" } },
      { method: "views.update", options: { view_id: "V1" } },
    ]);
  });

  it("is put upon the one that the asker is in", async () => {
    const { call, calls } = setUp();
    await newWindow({ call, origin, trigger: "1.2", isInside: true }).show(message);
    expect(calls).toMatchObject([{ method: "views.push" }]);
  });

  it.each([
    "expired_trigger_id",
    "exchanged_trigger_id",
    "push_limit_reached",
    "ratelimited",
    "internal_error",
    network,
  ])("is none, and says so, where Slack answers %s", async (refusal) => {
    const { calls, window } = setUp(refusal);
    expect(await window.show(message)).toBe(false);
    expect(calls.length).toBe(1);
  });

  it("says so where it was closed before the next message came", async () => {
    const { call } = setUp("not_found");
    expect(await openWindow(call, "V1", origin).show(message)).toBe(false);
  });

  it.each(["invalid_arguments", "view_too_large"])("is shown in words where Slack answers %s", async (refusal) => {
    const { calls, window } = setUp(refusal);
    expect(await window.show(message)).toBe(true);
    expect(calls.map(({ options }) => options["view"])).toMatchObject([
      { title: { text: "Title" }, blocks: [section("In blocks")] },
      { title: { text: "Title" }, blocks: [section("In words")] },
    ]);
  });

  it("fails where not even words are taken, or a form cannot be shown", async () => {
    await expect(setUp("invalid_arguments", "invalid_arguments").window.show(message)).rejects.toThrow(
      "invalid_arguments",
    );
    const { calls, window } = setUp("invalid_arguments");
    await expect(window.show(form)).rejects.toThrow("invalid_arguments");
    expect(calls.length).toBe(1);
  });

  it("fails where the bot may not open any", async () => {
    await expect(setUp("invalid_auth").window.show(message)).rejects.toThrow("invalid_auth");
  });

  it("does not open twice where Slack does not say which one it opened", async () => {
    const calls: string[] = [];
    const window = newWindow({
      call: async (method) => {
        calls.push(method);
        if (calls.length > 1) throw new SlackRefused(method, "exchanged_trigger_id");
        return {};
      },
      origin,
      trigger: "1.2",
    });
    expect([await window.show(message), await window.show(message)]).toEqual([true, false]);
  });
});
