import { describe, expect, it } from "vitest";

import { section } from "../../src/slack/text/blocks.ts";
import { editInTurn } from "../../src/slack/edit.ts";
import type { Block, Message } from "../../src/slack/text/message.ts";
import { createPacer } from "../../src/slack/pacer.ts";
import { createPoster } from "../../src/slack/delivery/post.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { createClock } from "../support/clock.ts";
import { createSlack } from "../support/slack.ts";

async function setUp() {
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  const poster = createPoster(slack.call, clock);
  const pacer = createPacer(clock);
  const posted = await clock.until(poster.post({ channel: "C1" }, () => ({ text: "old" })));
  const replace = (message: Message) => editInTurn({ pacer, poster }, posted, message);
  const edit = (text = "new") => replace({ text });
  const texts = () => slack.messages.map(({ text }) => text);
  return { clock, slack, edit, replace, texts };
}

describe("an edit that belongs to no answer", () => {
  it("replaces the message", async () => {
    const { clock, edit, texts } = await setUp();
    await clock.until(edit());
    expect(texts()).toEqual(["new"]);
  });

  it.each(["network", "http_500", "internal_error", "service_unavailable"])("is tried again after %s", async (code) => {
    const { clock, slack, edit, texts } = await setUp();
    slack.fail("chat.update", code);
    await clock.until(edit());
    expect(texts()).toEqual(["new"]);
  });

  it("waits as long as Slack asks", async () => {
    const { clock, slack, edit, texts } = await setUp();
    slack.fail("chat.update", new SlackRefused("chat.update", "ratelimited", { retryAfterMs: 30_000 }));
    const since = clock.now();
    await clock.until(edit());
    expect(clock.now() - since).toBeGreaterThanOrEqual(30_000);
    expect(texts()).toEqual(["new"]);
  });

  it("is made plainer until Slack takes it", async () => {
    const { clock, slack, replace } = await setUp();
    const [block, other]: Block[] = [section("chart"), section("table")];
    const message = { text: "words", blocks: [block as Block], instead: [other as Block] };
    const shown = () => slack.messages.map(({ blocks }) => blocks);
    slack.fail("chat.update", "invalid_blocks");
    await clock.until(replace(message));
    expect(shown()).toEqual([[other]]);
    slack.fail("chat.update", "invalid_blocks", "invalid_blocks");
    await clock.until(replace(message));
    expect([slack.messages.map(({ text }) => text), shown()]).toEqual([["words"], [[]]]);
  });

  it("gives up after a few tries, with what Slack said", async () => {
    const { clock, slack, edit } = await setUp();
    slack.fail("chat.update", ...Array.from({ length: 9 }, () => "internal_error"));
    await expect(clock.until(edit())).rejects.toMatchObject({ code: "internal_error", reaction: "look" });
    expect(slack.count("chat.update")).toBe(3);
  });

  it.each(["message_not_found", "is_archived", "invalid_blocks", "token_revoked"])(
    "is not tried again after %s",
    async (code) => {
      const { clock, slack, edit } = await setUp();
      slack.fail("chat.update", code);
      await expect(clock.until(edit())).rejects.toMatchObject({ code });
      expect(slack.count("chat.update")).toBe(1);
    },
  );

  it("keeps to Slack's pace with all others, so that none is refused", async () => {
    const { clock, slack, edit } = await setUp();
    await clock.until(Promise.all(Array.from({ length: 120 }, (_, index) => edit(String(index)))));
    expect(slack.count("chat.update")).toBe(120);
    expect(slack.refusals).toBe(0);
  });
});
