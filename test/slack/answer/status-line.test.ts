import { describe, expect, it } from "vitest";

import { context } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../../support/clock.ts";
import { createSlack } from "../../support/slack.ts";
import { says } from "./showing.ts";

const sign = (text: string): Message => ({ text, blocks: [context(text)], progress: true });

/** So many answers that think for three seconds before their first words, each in a thread of its own. */
function setUp(answers: number) {
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  const workspace = createWorkspaces(clock)("T1", slack.call);
  async function* states(): AsyncGenerator<Message> {
    yield sign("Thinking…");
    await clock.sleep(1_500);
    yield sign("Searching…");
    await clock.sleep(1_500);
    yield says("one");
    await clock.sleep(2_000);
    yield says("one two");
  }
  const show = (index: number, signal?: AbortSignal) => {
    const place = { channel: `C${index}`, thread: "1.5" };
    return showGrowingMessage(states(), place, { ...workspace, ...(signal && { signal }) });
  };
  const all = () => Promise.all(Array.from({ length: answers }, (_, index) => show(index)));
  const statuses = () =>
    slack.calls
      .filter(({ method }) => method === "assistant.threads.setStatus")
      .map(({ options }) => [options["loading_messages"]].flat().join());
  return { clock, slack, show, all, statuses };
}

describe("Slack's status line", () => {
  it("is not needed while there are edits for everybody", async () => {
    const { clock, slack, all, statuses } = setUp(3);
    const shown = all();
    await clock.advance(1_000);
    expect(slack.messages.map(({ text }) => text)).toEqual(Array.from({ length: 3 }, () => "Thinking…"));
    await clock.until(shown);
    expect(statuses()).toEqual([]);
  });

  it("is the sign of work while edits are scarce, and the post waits for words", async () => {
    const { clock, slack, all, statuses } = setUp(20);
    const shown = all();
    await clock.advance(2_900);
    const signs = slack.messages.length;
    expect(signs).toBeLessThan(5);
    expect(statuses().filter((status) => status === "Thinking…").length).toBe(20 - signs);
    expect(statuses().filter((status) => status === "Searching…").length).toBe(20 - signs);
    await clock.advance(300);
    expect(slack.messages.filter(({ text }) => text === "one").length).toBe(20);
    await clock.until(shown);
    expect(slack.messages.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, () => "one two"));
    expect(slack.refusals).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it("is not asked for again for an hour if the workspace has none: signs of work are posted then", async () => {
    const { clock, slack, all, statuses } = setUp(20);
    slack.fail("assistant.threads.setStatus", ...Array.from({ length: 20 }, () => "unknown_method"));
    const shown = all();
    await clock.advance(1_000);
    expect(slack.messages.length).toBe(20);
    const asked = statuses().length;
    await clock.until(shown);
    await clock.until(all());
    expect(statuses().length).toBe(asked);
  });

  it("is taken away if the answer is called off before its first words", async () => {
    const { clock, slack, all, show } = setUp(20);
    const shown = all();
    const ending = new AbortController();
    const failed = show(20, ending.signal).catch((error: unknown) => error);
    await clock.advance(500);
    ending.abort(new Error("restarting"));
    expect(await clock.until(failed)).toMatchObject({ message: "restarting" });
    expect(slack.calls.findLast(({ method }) => method === "assistant.threads.setStatus")?.options).toMatchObject({
      channel_id: "C20",
      status: "",
    });
    await clock.until(shown);
  });
});
