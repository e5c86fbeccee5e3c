import { describe, expect, it } from "vitest";

import { context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { limits } from "../../../src/slack/text/limits.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { growing, setUp, shownIn, talk } from "./showing.ts";
import * as fc from "../../support/property.ts";

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
}

describe("an answer that is too long for one message", () => {
  it("goes on in the thread, losing and repeating nothing", async () => {
    const { clock, slack, show } = setUp();
    const text = words(3_500);
    const root = await clock.until(show(talk(clock, growing(text, 30))));
    expect(shownIn(slack).join("")).toBe(text);
    expect(slack.messages.length).toBe(Math.ceil(text.length / limits.markdown));
    expect(slack.messages.slice(1).every(({ thread }) => thread === root?.ts)).toBe(true);
  });

  it("to a person goes on in the channel that their direct message turned out to be", async () => {
    const { clock, slack, show } = setUp();
    const text = words(3_500);
    await clock.until(show(talk(clock, growing(text, 30)), { channel: "U1" }));
    const channels = slack.calls
      .filter(({ method }) => method === "chat.postMessage")
      .map(({ options }) => options["channel"]);
    expect(channels.length).toBeGreaterThan(1);
    expect(channels).toEqual(["U1", ...channels.slice(1).map(() => "D1")]);
  });

  it("does so where all of it comes at once", async () => {
    const { clock, slack, show } = setUp();
    const text = words(3_500);
    await clock.until(show(talk(clock, [text])));
    expect(shownIn(slack).join("")).toBe(text);
  });

  it("does so whatever Slack refuses on the way", async () => {
    const code = fc.constantFrom("ratelimited", "network", "internal_error", "http_502");
    const text = words(2_500);
    await fc.assert(
      fc.asyncProperty(fc.array(code, { maxLength: 6 }), fc.array(code, { maxLength: 2 }), async (edits, posts) => {
        const { clock, slack, show } = setUp();
        const work = show(talk(clock, growing(text, 12), 1_500));
        await clock.advance(300);
        slack.fail("chat.update", ...edits);
        slack.fail("chat.postMessage", ...posts);
        await clock.until(work);
        expect(shownIn(slack).join("") === text).toBe(true);
        expect(clock.pending()).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("posts a further message once, also where Slack does not say whether it took it", async () => {
    const { clock, slack, show } = setUp();
    const text = words(2_000);
    const work = show(talk(clock, ["start", text], 2_000));
    await clock.advance(1_000);
    slack.loseAnswer("chat.postMessage", "network");
    await clock.until(work);
    expect(shownIn(slack).join("")).toBe(text);
    expect(slack.messages.length).toBe(2);
  });

  it("leaves out a further message rather than post it twice, and ends", async () => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, ["start", words(2_000)], 2_000));
    await clock.advance(1_000);
    slack.loseAnswer("chat.postMessage", "internal_error");
    slack.fail("conversations.replies", "missing_scope");
    await clock.until(work);
    expect(slack.count("chat.postMessage")).toBe(2);
    expect(clock.pending()).toBe(0);
  });
});

describe("blocks around the words", () => {
  it("move with the last page", async () => {
    const { clock, slack, show } = setUp();
    const text = "word ".repeat(2_500);
    async function* states(): AsyncGenerator<Message> {
      yield { text: "a", blocks: [section("head"), markdown("word "), context("working")] };
      await clock.sleep(1_000);
      yield { text, blocks: [section("head"), markdown(text), context("sources")] };
    }
    await clock.until(show(states()));
    expect(slack.messages.map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
      ["section", "markdown"],
      ["markdown", "context"],
    ]);
  });
});
