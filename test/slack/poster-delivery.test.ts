import { describe, expect, it } from "vitest";

import { type Place, type Posting, createPoster } from "../../src/slack/poster.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { createClock } from "../support/clock.ts";
import { createSlack } from "../support/slack.ts";

const message = { text: "Hello" };

function setUp(posting: Posting = {}) {
  const clock = createClock();
  const slack = createSlack(clock);
  const poster = createPoster(slack.call, clock, posting);
  const restarted = () => createPoster(slack.call, clock, posting);
  const post = (place: Partial<Place> = {}, by = poster) =>
    by.post({ channel: "C1", key: "key 1", ...place }, () => message, { isUnasked: true });
  return { clock, slack, poster, post, restarted };
}

const refused = (code: string) => new SlackRefused("conversations.history", code);

describe("a post to a thread", () => {
  it("shows in the channel, too, what goes to a thread of it, where that is wanted", async () => {
    const { clock, slack, post } = setUp();
    await clock.until(post({ thread: "1.5", broadcast: true }));
    await clock.until(post({ broadcast: true }));
    await clock.until(post({ thread: "1.5" }));
    expect(slack.calls.map(({ options }) => options["reply_broadcast"])).toEqual([true, undefined, undefined]);
  });
});

describe("a post that was written down by a process that has ended", () => {
  it("is found where it stands, and not sent again", async () => {
    const { clock, slack, post, restarted } = setUp();
    const sentSince = clock.now();
    const posted = await clock.until(post());
    expect(await clock.until(post({ sentSince }, restarted()))).toEqual(posted);
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("is sent where it does not stand", async () => {
    const { clock, slack, post } = setUp();
    await clock.until(post({ sentSince: clock.now() - 3_600_000 }));
    expect(slack.messages.length).toBe(1);
  });

  it("is found by one read with all others of its channel", async () => {
    const { clock, slack, post, restarted } = setUp();
    const sentSince = clock.now();
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    for (const key of keys) await clock.until(post({ key }));
    const again = restarted();
    await clock.until(Promise.all(keys.map((key) => post({ key, sentSince }, again))));
    expect(slack.messages.length).toBe(20);
    expect(slack.count("conversations.history")).toBe(1);
  });

  it("is looked for no sooner than a call of the dying process can have arrived", async () => {
    const { clock, slack, restarted, post } = setUp();
    const sentSince = clock.now();
    const startedAt = clock.now();
    await clock.until(post({ sentSince }, restarted()));
    const [look] = slack.calls;
    expect(look?.method).toBe("conversations.history");
    expect((look?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(1_500);
  });

  it("waits for a later tick where Slack does not say", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("conversations.history", ...Array.from({ length: 40 }, () => "internal_error"));
    const work = clock.until(post({ sentSince: clock.now() }));
    await expect(work).rejects.toMatchObject({ code: "unsure", reaction: "look" });
    expect(slack.count("chat.postMessage")).toBe(0);
  });
});

describe("a post that may stand where nobody may look", () => {
  it.each(["missing_scope", "not_in_channel"])("is left where it is sent at most once: %s", async (code) => {
    const { clock, slack, post } = setUp();
    slack.fail("conversations.history", refused(code));
    await expect(clock.until(post({ sentSince: clock.now() }))).rejects.toMatchObject({ reaction: "unsure" });
    slack.fail("chat.postMessage", "internal_error");
    slack.fail("conversations.history", refused(code));
    const work = clock.until(post({ key: "key 2" }));
    await expect(work).rejects.toMatchObject({ code: "internal_error", reaction: "unsure" });
    expect(slack.messages.length).toBe(0);
  });

  it.each(["missing_scope", "not_in_channel"])("is sent again where it is sent at least once: %s", async (code) => {
    const { clock, slack, post } = setUp({ delivery: "at-least-once" });
    slack.fail("conversations.history", refused(code));
    await clock.until(post({ sentSince: clock.now() }));
    slack.loseAnswer("chat.postMessage", "network");
    slack.fail("conversations.history", refused(code));
    await clock.until(post({ key: "key 2" }));
    expect(slack.messages.length).toBe(3);
  });

  it.each(["channel_not_found", "account_inactive", "token_revoked"])(
    "is refused with %s, as the post would be, so that it waits until the place is back",
    async (code) => {
      const { clock, slack, post } = setUp({ delivery: "at-least-once" });
      slack.fail("conversations.history", refused(code));
      await expect(clock.until(post({ sentSince: clock.now() }))).rejects.toMatchObject({ code });
      expect(slack.count("chat.postMessage")).toBe(0);
    },
  );
});

describe("what comes just before the call", () => {
  it("comes when the turn has come, each time that it is sent", async () => {
    const { clock, slack, poster, post } = setUp();
    for (let index = 0; index < 5; index++) await clock.until(post({ key: `earlier ${index}` }));
    const started = clock.now();
    const sendsAt: number[] = [];
    slack.fail("chat.postMessage", "internal_error");
    const onSend = async () => void sendsAt.push(clock.now() - started);
    await clock.until(poster.post({ channel: "C1", onSend }, () => message, { isUnasked: true }));
    expect(sendsAt.length).toBe(2);
    expect(sendsAt[0]).toBeGreaterThan(500);
  });

  it("keeps it from being sent where it fails, and holds up nobody", async () => {
    const { clock, slack, post } = setUp();
    const onSend = () => Promise.reject(new Error("the disk is full"));
    const failed = Array.from({ length: 60 }, (_, index) =>
      post({ channel: `C${index}`, onSend }).catch((error: unknown) => String(error)),
    );
    expect(new Set(await clock.until(Promise.all(failed)))).toEqual(new Set(["Error: the disk is full"]));
    await clock.until(post());
    expect(slack.messages.length).toBe(1);
  });
});

describe("a code that nobody knows", () => {
  it("may be gone the next time", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "some_code_of_tomorrow", "some_code_of_tomorrow");
    await clock.until(post());
    expect(slack.messages.length).toBe(1);
  });

  it("is what a post is rejected with the third time", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", ...Array.from({ length: 9 }, () => "some_code_of_tomorrow"));
    await expect(clock.until(post())).rejects.toMatchObject({ code: "some_code_of_tomorrow", reaction: "unknown" });
    expect(slack.count("chat.postMessage")).toBe(3);
  });
});

describe("Slack on a bad day", () => {
  it("gets what people wait for as often as ten minutes allow, and what nobody waits for from its job again", async () => {
    const { clock, slack, poster, post } = setUp();
    const faults = Array.from({ length: 12 }, () => "ratelimited");
    slack.fail("chat.postMessage", ...faults);
    await clock.until(poster.post({ channel: "C2" }, () => message));
    slack.fail("chat.postMessage", ...faults);
    await expect(clock.until(post())).rejects.toThrow("ratelimited");
  });

  it("holds the channel that it refused, and no other", async () => {
    const { clock, slack, post } = setUp();
    const started = clock.now();
    slack.fail("chat.postMessage", new SlackRefused("chat.postMessage", "ratelimited", { retryAfterMs: 60_000 }));
    const held = post({ channel: "C1" });
    await clock.advance(1_000);
    for (let index = 2; index < 20; index++) await clock.until(post({ channel: `C${index}`, key: `key ${index}` }));
    expect(clock.now() - started).toBeLessThan(10_000);
    await clock.until(held);
    expect(clock.now() - started).toBeGreaterThanOrEqual(60_000);
  });

  it.each(["restricted_action", "posting_to_channel_denied", "message_limit_exceeded", "token_revoked"])(
    "is not asked again after %s",
    async (code) => {
      const { clock, slack, post } = setUp();
      slack.fail("chat.postMessage", code);
      await expect(clock.until(post())).rejects.toMatchObject({ code });
      expect(slack.calls.length).toBe(1);
    },
  );
});
