import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { setUp, texts } from "./native-shown.ts";
import { shownIn, talk } from "./showing.ts";

describe("a native stream that is refused", () => {
  it.each(["unknown_method", "missing_scope", "feature_not_enabled"])(
    "for a reason of the workspace is not asked for again for an hour: %s",
    async (code) => {
      const { clock, slack, refused, show } = setUp();
      slack.fail("chat.startStream", code);
      for (let round = 0; round < 3; round++) await clock.until(show(talk(clock, texts)));
      expect(shownIn(slack)).toEqual([1, 2, 3].map(() => texts.at(-1)));
      expect(slack.count("chat.startStream")).toBe(1);
      expect(refused).toEqual([code]);
      await clock.advance(3_600_000);
      await clock.until(show(talk(clock, texts)));
      expect(slack.count("chat.startStream")).toBe(2);
    },
  );

  it("for a reason of its reader is posted and edited, and others are asked for", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.startStream", "user_is_restricted");
    for (let round = 0; round < 2; round++) await clock.until(show(talk(clock, texts)));
    expect(shownIn(slack)).toEqual([texts.at(-1), texts.at(-1)]);
    expect(slack.count("chat.startStream")).toBe(2);
  });

  it("for its pace is posted and edited", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.startStream", new SlackRefused("chat.startStream", "ratelimited", { retryAfterMs: 30_000 }));
    for (let round = 0; round < 2; round++) await clock.until(show(talk(clock, texts)));
    expect(shownIn(slack)).toEqual([texts.at(-1), texts.at(-1)]);
    expect(slack.count("chat.startStream")).toBe(1);
  });

  it("stands once where its start took effect and the answer was lost", async () => {
    const { clock, slack, show } = setUp();
    slack.loseAnswer("chat.startStream", "network");
    await clock.until(show(talk(clock, texts)));
    expect(shownIn(slack)).toEqual([texts.at(-1)]);
    expect(slack.messages[0]?.streamingSince).toBeUndefined();
  });

  it.each([
    ["message_not_in_streaming_state"],
    ["internal_error"],
    ["network"],
    ["a_code_of_tomorrow"],
    ["invalid_chunks"],
    ["ratelimited"],
    ["network", "message_not_in_streaming_state"],
  ])("in its middle goes on by edits, and stands whole: %s", async (...codes) => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, texts, 1_000));
    await clock.advance(3_000);
    slack.fail("chat.appendStream", ...codes);
    await clock.until(work);
    expect(shownIn(slack)).toEqual([texts.at(-1)]);
    expect(slack.messages[0]?.streamingSince).toBeUndefined();
    expect(clock.pending()).toBe(0);
  });

  it("says nothing twice where an addition took effect and its answer was lost", async () => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, texts, 1_000));
    await clock.advance(3_000);
    slack.loseAnswer("chat.appendStream", "network");
    await clock.until(work);
    expect(shownIn(slack)).toEqual([texts.at(-1)]);
  });

  it.each([["network"], ["http_503"], ["ratelimited"], ["invalid_blocks"], ["message_not_in_streaming_state"]])(
    "at its end stands whole: %s",
    async (...codes) => {
      const { clock, slack, show } = setUp();
      slack.fail("chat.stopStream", ...codes);
      await clock.until(show(talk(clock, texts)));
      // Where Slack says that it has ended, it has.
      if (codes.includes("message_not_in_streaming_state")) slack.messages.forEach((one) => delete one.streamingSince);
      expect(shownIn(slack)).toEqual([texts.at(-1)]);
      expect(slack.messages[0]?.streamingSince).toBeUndefined();
      expect(clock.pending()).toBe(0);
    },
  );

  it("says nothing twice where its end took effect and the answer was lost", async () => {
    const { clock, slack, show } = setUp();
    slack.loseAnswer("chat.stopStream", "network");
    await clock.until(show(talk(clock, texts)));
    expect(shownIn(slack)).toEqual([texts.at(-1)]);
  });

  it("is given up where Slack stays out of order, and nothing hangs", async () => {
    const { clock, slack, show } = setUp();
    const start = clock.now();
    slack.outage = { code: "network", methods: ["chat.stopStream"] };
    await clock.until(show(talk(clock, texts)));
    expect(clock.now() - start).toBeGreaterThanOrEqual(10 * 60_000);
    expect(slack.count("chat.stopStream")).toBeLessThan(40);
    expect(clock.pending()).toBe(0);
  });
});
