import { describe, expect, it } from "vitest";

import { context, section } from "../../src/slack/text/blocks.ts";
import { createPoster } from "../../src/slack/poster.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { createClock } from "../support/clock.ts";
import { createSlack } from "../support/slack.ts";

const message = { text: "Hello", blocks: [section("Hello")] };

function setUp() {
  const clock = createClock();
  const slack = createSlack(clock);
  const poster = createPoster(slack.call, clock);
  const post = (channel = "C1", thread?: string) => poster.post({ channel, thread }, () => message);
  const postTimes = (channel = "C1") =>
    slack.calls
      .filter(({ method, options }) => method === "chat.postMessage" && options["channel"] === channel)
      .map(({ at }) => at);
  return { clock, slack, poster, post, postTimes };
}

async function refusal(work: Promise<unknown>): Promise<SlackRefused> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof SlackRefused)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe("posting", () => {
  it("posts what the message is when its turn comes, and says where", async () => {
    const { clock, slack, poster } = setUp();
    let text = "old";
    const posted = poster.post({ channel: "C1", thread: "1.5" }, () => ({ text }));
    text = "new";
    expect(await clock.until(posted)).toEqual({ channel: "C1", ts: slack.messages[0]?.ts });
    expect(slack.messages).toMatchObject([{ channel: "C1", thread: "1.5", text: "new" }]);
    expect(slack.calls[0]?.options).toMatchObject({ unfurl_links: false, unfurl_media: false });
  });

  it("lets a burst pass, then one post a second", async () => {
    const { clock, post, postTimes } = setUp();
    const start = clock.now();
    await clock.until(Promise.all(Array.from({ length: 8 }, () => post())));
    expect(postTimes().map((at) => at - start - 40)).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 3_000]);
  });

  it("lets what can wait pass last, as what it has become by then and behind what waited before it did", async () => {
    const { clock, slack, poster, post } = setUp();
    await clock.until(Promise.all(Array.from({ length: 5 }, () => post())));
    let text = "sign";
    const say = (words: string) => poster.post({ channel: "C1" }, () => ({ text: words }));
    const later = poster.post({ channel: "C1" }, () => ({ text }), { canWait: () => text === "sign" });
    const sign = poster.post({ channel: "C1" }, () => ({ text: "other sign" }), { canWait: () => true });
    const said = [say("one"), say("three")];
    await clock.until(Promise.race(said));
    text = "two";
    await clock.until(Promise.all([...said, later, sign]));
    expect(slack.messages.slice(5).map((each) => each.text)).toEqual(["one", "three", "two", "other sign"]);
  });

  it("keeps its pace after a rest that was too short", async () => {
    const { clock, post, postTimes } = setUp();
    await clock.until(post());
    await clock.advance(4_700);
    await clock.until(Promise.all(Array.from({ length: 5 }, () => post())));
    await clock.advance(150);
    await clock.until(Promise.all(Array.from({ length: 5 }, () => post())));
    const times = postTimes();
    for (const at of times) {
      const within = times.filter((other) => other >= at && other < at + 1_000).length;
      expect(within).toBeLessThanOrEqual(6);
    }
    expect(times.length).toBe(11);
  });

  it("keeps the pace of each channel by itself", async () => {
    const { clock, post, postTimes } = setUp();
    const start = clock.now();
    const busy = Array.from({ length: 20 }, () => post("C1"));
    await clock.until(post("C2"));
    expect(postTimes("C2")).toEqual([start + 40]);
    await clock.until(Promise.all(busy));
  });

  it("gives up its turn at once where it is called off, and lets those behind it pass", async () => {
    const { clock, slack, poster, post, postTimes } = setUp();
    const start = clock.now();
    await clock.until(Promise.all(Array.from({ length: 5 }, () => post())));
    const ending = new AbortController();
    const called = Array.from({ length: 3 }, () =>
      poster.post({ channel: "C1" }, () => message, { signal: ending.signal }),
    );
    const refused = Promise.allSettled(called);
    const behind = post();
    await clock.advance(100);
    const before = clock.now();
    ending.abort(new Error("restarting"));
    const reason: unknown = expect.objectContaining({ message: "restarting" });
    expect(await clock.until(refused)).toEqual(called.map(() => ({ status: "rejected", reason })));
    expect(clock.now()).toBe(before);
    await clock.until(behind);
    expect(postTimes().at(-1)).toBeCloseTo(start + 1_040, -1);
    await clock.advance(60_000);
    expect(slack.messages.length).toBe(6);
  });

  it("finishes a call that is under way where it is called off", async () => {
    const { clock, slack, poster } = setUp();
    const ending = new AbortController();
    const posted = poster.post({ channel: "C1" }, () => message, { signal: ending.signal });
    await clock.advance(50);
    ending.abort(new Error("restarting"));
    expect(slack.messages).toMatchObject([await clock.until(posted)]);
  });

  it("is not tried again where it is called off while Slack asks to wait", async () => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postMessage", "ratelimited");
    const ending = new AbortController();
    const posted = poster
      .post({ channel: "C1" }, () => message, { signal: ending.signal })
      .catch((error: unknown) => error);
    await clock.advance(1_000);
    ending.abort(new Error("restarting"));
    const before = clock.now();
    expect(await clock.until(posted)).toMatchObject({ message: "restarting" });
    expect(clock.now()).toBe(before);
    expect(slack.messages).toEqual([]);
  });

  it("leaves no timer behind", async () => {
    const { clock, post } = setUp();
    for (let channel = 0; channel < 50; channel++) await clock.until(post(`C${channel}`));
    expect(clock.pending()).toBe(0);
  });

  it("waits as long as Slack asks, then posts once", async () => {
    const { clock, slack, post, postTimes } = setUp();
    const start = clock.now();
    slack.fail("chat.postMessage", new SlackRefused("chat.postMessage", "ratelimited", { retryAfterMs: 30_000 }));
    const first = post();
    await clock.advance(1_000);
    const second = post();
    await clock.until(Promise.all([first, second]));
    expect(slack.messages.length).toBe(2);
    expect(
      postTimes()
        .slice(1)
        .every((at) => at >= start + 30_000),
    ).toBe(true);
  });

  it.each(["ratelimited", "http_503"])("gives up after ten minutes, with what Slack said: %s", async (code) => {
    const { clock, slack, post } = setUp();
    const start = clock.now();
    slack.outage = { code, methods: ["chat.postMessage"] };
    expect(await clock.until(refusal(post()))).toMatchObject({ code, method: "chat.postMessage" });
    expect(clock.now() - start).toBeGreaterThanOrEqual(10 * 60_000);
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

  it.each(["not_in_channel", "is_archived", "missing_scope", "restricted_action", "message_limit_exceeded"])(
    "rejects with %s at once",
    async (code) => {
      const { clock, slack, post } = setUp();
      slack.fail("chat.postMessage", code);
      expect(await clock.until(refusal(post()))).toMatchObject({ code });
      expect(slack.calls.length).toBe(1);
    },
  );
});

describe("a post that Slack may have taken", () => {
  it.each(["network", "http_500", "internal_error"])("is found after %s and not posted twice", async (code) => {
    for (const thread of [undefined, "1.5"]) {
      const { clock, slack, post } = setUp();
      slack.loseAnswer("chat.postMessage", code);
      const posted = await clock.until(post("C1", thread));
      expect(slack.messages).toMatchObject([posted]);
      expect(slack.count(thread ? "conversations.replies" : "conversations.history")).toBe(1);
    }
  });

  it.each(["network", "http_500", "internal_error"])("is posted again after %s where it is not there", async (code) => {
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
    const clock = createClock();
    const slack = createSlack(clock);
    const ahead = { ...clock, now: () => clock.now() + 40_000 };
    slack.loseAnswer("chat.postMessage", "network");
    await clock.until(createPoster(slack.call, ahead).post({ channel: "C1" }, () => message));
    expect(slack.messages.length).toBe(1);
  });

  it("is not posted again where nobody may look: the refusal is the post's own", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "internal_error");
    slack.fail("conversations.history", "missing_scope");
    expect(await clock.until(refusal(post()))).toMatchObject({ code: "internal_error", method: "chat.postMessage" });
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("is looked for until Slack answers again", async () => {
    const { clock, slack, post } = setUp();
    slack.loseAnswer("chat.postMessage", "network");
    slack.fail("conversations.history", "network", "ratelimited", "http_503");
    await clock.until(post());
    expect(slack.messages.length).toBe(1);
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("is given up where Slack does not answer for long", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "network");
    slack.outage = { code: "network", methods: ["conversations.history"] };
    expect(await clock.until(refusal(post()))).toMatchObject({ code: "network", method: "chat.postMessage" });
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("is looked for after the last attempt, too", async () => {
    const { clock, slack, post } = setUp();
    slack.fail("chat.postMessage", "network", "network", "network");
    slack.loseAnswer("chat.postMessage", "network");
    const posted = await clock.until(post());
    expect(slack.messages).toMatchObject([posted]);
  });
});

describe("editing", () => {
  it("replaces text and blocks", async () => {
    const { clock, slack, poster, post } = setUp();
    const posted = await clock.until(post());
    await clock.until(poster.update(posted, { text: "New", blocks: [context("new")] }));
    expect(slack.messages).toMatchObject([{ text: "New", blocks: [context("new")] }]);
  });

  it("is one call, whatever Slack says", async () => {
    const { clock, slack, poster, post } = setUp();
    const posted = await clock.until(post());
    slack.fail("chat.update", "invalid_blocks");
    expect(await clock.until(refusal(poster.update(posted, message)))).toMatchObject({ reaction: "plainer" });
    expect(slack.count("chat.update")).toBe(1);
  });
});

describe("whispering", () => {
  it("shows a message to one person", async () => {
    const { clock, slack, poster } = setUp();
    await clock.until(poster.whisper({ channel: "C1", thread: "1.5", user: "U1" }, { text: "Hush" }));
    expect(slack.calls).toMatchObject([
      { method: "chat.postEphemeral", options: { channel: "C1", thread_ts: "1.5", user: "U1", text: "Hush" } },
    ]);
  });

  it("shows what Slack finds malformed as what the message brings along, then as words", async () => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postEphemeral", "invalid_blocks", "invalid_blocks");
    const drawn = { ...message, instead: [section("in words")] };
    await clock.until(poster.whisper({ channel: "C1", user: "U1" }, drawn));
    expect(slack.calls.map(({ options }) => options["blocks"])).toEqual([message.blocks, drawn.instead, undefined]);
  });

  it.each(["user_not_in_channel", "network"])("rejects at once where Slack answers %s", async (code) => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postEphemeral", code);
    const work = refusal(poster.whisper({ channel: "C1", user: "U1" }, message));
    expect(await clock.until(work)).toMatchObject({ code });
    expect(slack.count("chat.postEphemeral")).toBe(1);
  });

  it("rejects where not even words are taken", async () => {
    const { clock, slack, poster } = setUp();
    slack.fail("chat.postEphemeral", "invalid_blocks", "invalid_blocks");
    const work = refusal(poster.whisper({ channel: "C1", user: "U1" }, message));
    expect(await clock.until(work)).toMatchObject({ code: "invalid_blocks" });
  });
});
