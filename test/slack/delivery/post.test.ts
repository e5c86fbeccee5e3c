import { describe, expect, it } from "vitest";

import type { Waiting } from "../../../src/slack/delivery/channel-queue.ts";
import { type PostTarget, createPoster } from "../../../src/slack/delivery/post.ts";
import { SlackRefused, isUnposted } from "../../../src/slack/delivery/refusal.ts";
import { context, section } from "../../../src/slack/text/blocks.ts";
import { createClock } from "../../support/clock.ts";
import { createSlack } from "../../support/slack.ts";

const message = { text: "Hello", blocks: [section("Hello")] };

function setUp() {
  const clock = createClock();
  const slack = createSlack(clock);
  const start = clock.now();
  const begin = () => createPoster(slack.call, clock);
  const poster = begin();
  const post = (target: Partial<PostTarget> = {}, waiting: Waiting = {}, by = poster) =>
    by.post({ channel: "C1", ...target }, () => message, waiting);
  const postTimes = () =>
    slack.calls.filter(({ method }) => method === "chat.postMessage").map(({ at }) => at - start - 40);
  return { clock, slack, start, poster, begin, post, postTimes };
}

async function refusal(work: Promise<unknown>): Promise<SlackRefused> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof SlackRefused)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

const background: Waiting = { isBackground: true };
const bothKinds = [{}, background];

describe("posting", () => {
  it("posts the newest message when its turn comes, and gives its place", async () => {
    const { clock, slack, poster } = setUp();
    let text = "old";
    const posted = poster.post({ channel: "C1", thread: "1.5" }, () => ({ text }));
    text = "new";
    expect(await clock.until(posted)).toEqual({ channel: "C1", ts: slack.messages[0]?.ts });
    expect(slack.messages).toMatchObject([{ channel: "C1", thread: "1.5", text: "new" }]);
    expect(slack.calls[0]?.options).toMatchObject({ unfurl_links: false, unfurl_media: false });
  });

  it("shows a reply in the thread's channel, too, if that is wanted", async () => {
    const { clock, slack, post } = setUp();
    await clock.until(post({ thread: "1.5", broadcast: true }));
    await clock.until(post({ broadcast: true }));
    await clock.until(post({ thread: "1.5" }));
    expect(slack.calls.map(({ options }) => options["reply_broadcast"])).toEqual([true, undefined, undefined]);
  });

  it("finishes a call that is under way if it is called off", async () => {
    const { clock, slack, post } = setUp();
    const ending = new AbortController();
    const posted = post({}, { signal: ending.signal });
    await clock.advance(50);
    ending.abort(new Error("restarting"));
    expect(slack.messages).toMatchObject([await clock.until(posted)]);
  });

  it.each(["ratelimited", "network"])("is not tried again if it is called off after %s", async (code) => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", code);
    slack.fail("conversations.history", "network");
    const ending = new AbortController();
    const posted = post({}, { signal: ending.signal }).catch((error: unknown) => error);
    await clock.advance(1_000);
    ending.abort(new Error("restarting"));
    expect(await clock.until(posted)).toMatchObject({ message: "restarting" });
    expect(slack.messages).toEqual([]);
  });

  it("waits as long as Slack asks in its channel, while others are posted, then posts once", async () => {
    const { clock, slack, post, postTimes } = setUp();
    slack.fail("chat.postMessage", new SlackRefused("chat.postMessage", "ratelimited", { retryAfterMs: 30_000 }));
    const first = post();
    await clock.advance(1_000);
    await clock.until(Promise.all([first, post({ channel: "C2" }), post({ channel: "C3" }, background)]));
    expect(slack.messages.map(({ channel }) => channel)).toEqual(["C2", "C3", "C1"]);
    expect(postTimes().slice(1)).toEqual([1_000, 1_000, 30_080]);
  });

  it.each([
    ["ten minutes", "ratelimited", {}, 10],
    ["ten minutes", "http_503", {}, 10],
    ["two minutes if its job will try again", "http_503", background, 2],
  ])("gives up after %s, with what Slack said: %s", async (_, code, waiting, minutes) => {
    const { clock, slack, start, post } = setUp();
    slack.outage = { code, methods: ["chat.postMessage"] };
    expect(await clock.until(refusal(post({}, waiting)))).toMatchObject({ code, method: "chat.postMessage" });
    expect((clock.now() - start) / 60_000).toBeGreaterThanOrEqual(minutes);
    expect((clock.now() - start) / 60_000).toBeLessThan(minutes + 1);
    expect(clock.pending()).toBe(0);
  });

  it("posts as plain text what Slack finds malformed, and tries that once", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "invalid_blocks");
    await clock.until(post());
    expect(slack.messages).toMatchObject([{ text: "Hello", blocks: [] }]);
    slack.fail("chat.postMessage", "invalid_blocks", "no_text");
    expect(await clock.until(refusal(post()))).toMatchObject({ code: "no_text" });
    expect(slack.count("chat.postMessage")).toBe(4);
  });

  it.each(["not_in_channel", "missing_scope", "restricted_action", "message_limit_exceeded", "a_code_of_tomorrow"])(
    "rejects with %s at once, and says that it is not posted",
    async (code) => {
      for (const waiting of bothKinds) {
        const { clock, slack, post } = setUp();
        slack.fail("chat.postMessage", code);
        const error = await clock.until(refusal(post({}, waiting)));
        expect([error.code, isUnposted(error), slack.calls.length]).toEqual([code, true, 1]);
      }
    },
  );

  it("calls `onSend` when the turn has come, before each try", async () => {
    const { clock, slack, start, post } = setUp();
    for (let index = 0; index < 5; index++) await clock.until(post());
    const sendsAt: number[] = [];
    slack.fail("chat.postMessage", "internal_error");
    await clock.until(post({ onSend: async () => void sendsAt.push(clock.now() - start) }, background));
    expect(sendsAt).toHaveLength(2);
    expect(sendsAt[0]).toBe(1_000);
  });

  it("is not sent if `onSend` fails", async () => {
    const { clock, slack, post } = setUp();
    const onSend = () => Promise.reject(new Error("the disk is full"));
    await expect(clock.until(post({ onSend }))).rejects.toThrow("the disk is full");
    expect(slack.calls).toEqual([]);
  });
});

describe("a post that Slack may have taken", () => {
  it.each(["network", "http_500", "internal_error"])("is found after %s and not posted twice", async (code) => {
    for (const waiting of bothKinds) {
      for (const thread of [undefined, "1.5"]) {
        const { clock, slack, post } = setUp();
        slack.loseAnswer("chat.postMessage", code);
        const posted = await clock.until(post({ thread }, waiting));
        expect(slack.messages).toMatchObject([posted]);
        expect(slack.count(thread ? "conversations.replies" : "conversations.history")).toBe(1);
      }
    }
  });

  it.each(["network", "http_500", "internal_error"])("is posted again after %s if it is not there", async (code) => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", code);
    await clock.until(post());
    expect(slack.messages.length).toBe(1);
    expect(slack.count("chat.postMessage")).toBe(2);
  });

  it("is not taken for another post of ours", async () => {
    const { clock, slack, post } = setUp();
    const other = await clock.until(post());
    slack.fail("chat.postMessage", "network");
    expect((await clock.until(post())).ts).not.toBe(other.ts);
  });

  it("is found though our clock is ahead of Slack's", async () => {
    const { clock, slack } = setUp();
    const ahead = { ...clock, now: () => clock.now() + 40_000 };
    slack.loseAnswer("chat.postMessage", "network");
    await clock.until(createPoster(slack.call, ahead).post({ channel: "C1" }, () => message));
    expect(slack.messages.length).toBe(1);
  });

  it("is looked for until Slack answers again", async () => {
    const { clock, slack, post } = setUp();
    slack.loseAnswer("chat.postMessage", "network");
    slack.fail("conversations.history", "network", "ratelimited", "http_503");
    await clock.until(post());
    expect(slack.messages.length).toBe(1);
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("is given up if Slack does not answer for long, and may stand", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "network");
    slack.outage = { code: "network", methods: ["conversations.history"] };
    const error = await clock.until(refusal(post()));
    expect(error).toMatchObject({ code: "network", method: "chat.postMessage" });
    expect(isUnposted(error)).toBe(false);
    expect(slack.count("chat.postMessage")).toBe(1);
  });
});

describe("a post of a process that has ended", () => {
  it("is found and not sent again", async () => {
    const { clock, slack, start, begin, post } = setUp();
    for (const channel of ["C1", "U1"]) {
      const posted = await clock.until(post({ channel, key: channel }));
      expect(await clock.until(post({ channel, key: channel, sentSince: start }, background, begin()))).toEqual(posted);
    }
    expect(slack.count("chat.postMessage")).toBe(2);
  });

  it("is sent if it does not stand", async () => {
    const { clock, slack, post } = setUp();
    await clock.until(post({ sentSince: clock.now() - 3_600_000 }));
    expect(slack.messages.length).toBe(1);
  });

  it("waits for a later try of its job if Slack does not say", async () => {
    const { clock, slack, post } = setUp();
    slack.outage = { code: "internal_error", methods: ["conversations.history"] };
    const work = clock.until(post({ sentSince: clock.now() }, background));
    await expect(work).rejects.toMatchObject({ code: "unsure", reaction: "lookUp" });
    expect(slack.count("chat.postMessage")).toBe(0);
  });
});

describe("a post that may stand in a history that cannot be read", () => {
  it.each(["missing_scope", "not_in_channel"])("is not sent a second time: %s", async (code) => {
    const { clock, slack, post } = setUp();
    slack.fail("conversations.history", code, code);
    await expect(clock.until(post({ sentSince: clock.now() }))).rejects.toMatchObject({ reaction: "unsure" });
    slack.fail("chat.postMessage", "internal_error");
    const error = await clock.until(refusal(post()));
    expect(error).toMatchObject({ code: "internal_error", method: "chat.postMessage", reaction: "unsure" });
    expect(isUnposted(error)).toBe(false);
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it.each(["channel_not_found", "account_inactive", "token_revoked"])(
    "is refused with %s, as the post would be, so that it waits until the channel is back",
    async (code) => {
      const { clock, slack, post } = setUp();
      slack.fail("conversations.history", code);
      await expect(clock.until(post({ sentSince: clock.now() }))).rejects.toMatchObject({ code });
      expect(slack.count("chat.postMessage")).toBe(0);
    },
  );
});

describe("editing", () => {
  it("replaces text and blocks with one call, whatever Slack says", async () => {
    const { clock, slack, poster, post } = setUp();
    const posted = await clock.until(post());
    await clock.until(poster.update(posted, { text: "New", blocks: [context("new")] }));
    expect(slack.messages).toMatchObject([{ text: "New", blocks: [context("new")] }]);
    slack.fail("chat.update", "invalid_blocks");
    expect(await clock.until(refusal(poster.update(posted, message)))).toMatchObject({ reaction: "plainer" });
    expect(slack.count("chat.update")).toBe(2);
  });
});

describe("posting to one person alone", () => {
  it("shows what Slack finds malformed as what the message brings along, then as text, then rejects", async () => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postEphemeral", "invalid_blocks", "invalid_blocks", "invalid_blocks");
    const drawn = { ...message, fallbackBlocks: [section("in words")] };
    const work = refusal(poster.postEphemeral({ channel: "C1", user: "U1" }, drawn));
    expect(await clock.until(work)).toMatchObject({ code: "invalid_blocks" });
    expect(slack.calls.map(({ options }) => options["blocks"])).toEqual([
      message.blocks,
      drawn.fallbackBlocks,
      undefined,
    ]);
  });

  it.each(["user_not_in_channel", "network"])("rejects at once if Slack answers %s", async (code) => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postEphemeral", code);
    const work = refusal(poster.postEphemeral({ channel: "C1", user: "U1" }, message));
    expect(await clock.until(work)).toMatchObject({ code });
    expect(slack.count("chat.postEphemeral")).toBe(1);
  });
});
