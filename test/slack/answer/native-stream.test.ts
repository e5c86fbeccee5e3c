import { describe, expect, it } from "vitest";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { buttons, context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { closeMarkdown } from "../../../src/slack/text/close-markdown.ts";
import { type Message, later } from "../../../src/slack/text/message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../../support/clock.ts";
import { type Limit, createSlack } from "../../support/slack.ts";
import { growing, says, shownIn, talk } from "./showing.ts";

const place = { channel: "C1", thread: "1.5", team: "T1", user: "U1" };

/** A workspace with native streams, and a way to show answers in it. */
function setUp(limit: Limit = "none") {
  const clock = createClock();
  const slack = createSlack(clock, { limit });
  const workspace = createWorkspaces(clock, { native: true })("T1", slack.call);
  const refused: string[] = [];
  let stops = 0;
  const show = (
    states: AsyncIterable<Message>,
    where: typeof place | { channel: string } = place,
    signal?: AbortSignal,
  ) =>
    showGrowingMessage(states, where, {
      ...workspace,
      ...(signal && { signal }),
      onRefused: ({ code }) => refused.push(code),
      onStopped: () => stops++,
    });
  const methods = () => slack.calls.map(({ method }) => method.replace("chat.", ""));
  return { clock, slack, refused, show, methods, stops: () => stops };
}

const texts = growing("Oil rose in the morning and fell in the evening, as supply came back", 30);

describe("an answer as a native stream", () => {
  it("names its reader, begins with its first words, grows by new ones, and ends whole with the blocks below it", async () => {
    const { clock, slack, show, methods } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield* talk(clock, texts);
      yield { text: texts.at(-1) ?? "", blocks: [markdown(texts.at(-1) ?? ""), context("Sources")] };
    }
    const at = await clock.until(show(states()));
    const reader = { recipient_team_id: "T1", recipient_user_id: "U1", thread_ts: "1.5" };
    expect(slack.calls[0]?.options).toMatchObject(reader);
    expect(slack.messages.length).toBe(1);
    expect(slack.messages[0]).toMatchObject({ ts: at?.ts, thread: "1.5", streamingSince: undefined });
    expect(slack.messages[0]?.blocks).toEqual([markdown(texts.at(-1) ?? ""), context("Sources")]);
    expect(new Set(methods())).toEqual(new Set(["startStream", "appendStream", "stopStream"]));
    expect(methods().length).toBeGreaterThan(8);
    expect(clock.pending()).toBe(0);
  });

  it("shows what is being done until there are words, and is whole in the end without it", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield { text: "Thinking…", blocks: [context("Thinking…")], progress: true };
      await clock.sleep(2_000);
      yield { text: "One", blocks: [markdown("One"), context(":mag: Searching for oil")] };
      await clock.sleep(2_000);
      yield* talk(clock, ["One two", "One two three"], 1_000);
    }
    const work = show(states());
    await clock.advance(500);
    expect(slack.messages[0]?.blocks).toMatchObject([{ type: "task_card", title: "Thinking…", status: "in_progress" }]);
    await clock.advance(2_500);
    expect(slack.messages[0]?.blocks).toMatchObject([{ title: "Searching for oil" }, markdown("One")]);
    await clock.advance(1_500);
    expect(slack.messages[0]?.blocks[0]).toMatchObject({ status: "complete" });
    await clock.until(work);
    expect(slack.messages.map(({ blocks }) => blocks)).toEqual([[markdown("One two three")]]);
  });

  it("gets its Stop button even if it began with a sign of work alone", async () => {
    const { clock, slack, show } = setUp();
    const stop = buttons({ action: "stop", label: "Stop", value: "1" });
    async function* states(): AsyncGenerator<Message> {
      yield { text: "Thinking…", blocks: [context("Thinking…")], progress: true };
      await clock.sleep(1_000);
      yield { text: "Searching…", blocks: [context("Searching…"), stop], progress: true };
      await clock.sleep(2_000);
      yield says("One");
    }
    const work = show(states());
    await clock.advance(2_000);
    expect(slack.messages[0]?.blocks).toMatchObject([{ title: "Searching…" }, { type: "actions" }]);
    await clock.until(work);
    expect(slack.messages[0]?.blocks).toEqual([markdown("One")]);
  });

  it("names nobody in the title of its work, which is plain text", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield { text: "Ana asked", blocks: [context("<@U1> asked: why?")], progress: true };
      await clock.sleep(1_000);
      yield says("One");
    }
    const work = show(states());
    await clock.advance(500);
    expect(slack.messages[0]?.blocks).toMatchObject([{ type: "task_card", title: "Writing" }]);
    await clock.until(work);
  });

  it("never shows a mark that is not closed, and takes back no word", async () => {
    const { clock, slack, show } = setUp();
    const whole = "Oil **rose by five** and `x` fell. See [the report](https://a.example/r), then *all* of it again.";
    const states = async function* (): AsyncGenerator<Message> {
      for (const text of growing(whole, whole.length)) {
        yield says(text === whole ? text : closeMarkdown(text));
        await clock.sleep(100);
      }
    };
    const seen: string[] = [];
    slack.onEdit = ({ text }) => seen.push(text);
    await clock.until(show(states()));
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.filter((text) => !whole.startsWith(text) || closeMarkdown(text) !== text)).toEqual([]);
    expect(shownIn(slack)).toEqual([whole]);
    expect(slack.count("chat.update")).toBe(0);
  });

  it("goes on by edits if a state takes back words", async () => {
    const { clock, slack, show } = setUp();
    await clock.until(show(talk(clock, ["one two", "one two three", "one other", "one other end"], 3_000)));
    expect(shownIn(slack)).toEqual(["one other end"]);
    expect(slack.count("chat.stopStream")).toBe(1);
  });

  it("rolls over into further messages, losing and repeating nothing", async () => {
    const { clock, slack, show } = setUp();
    const whole = Array.from({ length: 3_500 }, (_, index) => `word${index}`).join(" ");
    await clock.until(show(talk(clock, growing(whole, 60))));
    expect(shownIn(slack).join("")).toBe(whole);
    expect(slack.messages.length).toBeGreaterThan(2);
    expect(slack.messages.filter(({ streamingSince }) => streamingSince)).toEqual([]);
  });

  it("is not asked for outside threads, for what is whole at once, or if it is switched off", async () => {
    const { clock, slack, show } = setUp();
    await clock.until(show(talk(clock, texts), { channel: "C1" }));
    async function* whole(): AsyncGenerator<Message> {
      yield { ...says("whole"), private: true };
    }
    await clock.until(show(whole()));
    expect(slack.count("chat.startStream")).toBe(0);
    const { streams } = createWorkspaces(clock)("T1", slack.call);
    expect(streams).toBeUndefined();
  });
});

describe("a native stream", () => {
  it("that dies after five minutes goes on by edits", async () => {
    const { clock, slack, refused, show } = setUp();
    const long = growing("word ".repeat(400).trim(), 400);
    await clock.until(show(talk(clock, long, 1_000)));
    expect(refused).toEqual(["message_not_in_streaming_state"]);
    expect(shownIn(slack)).toEqual([long.at(-1)]);
    expect(slack.count("chat.update")).toBeGreaterThan(10);
  });

  it("that its reader stops says so once, and takes its last state as an edit", async () => {
    const { clock, slack, stops, show } = setUp();
    const work = show(talk(clock, texts, 1_000));
    await clock.advance(3_000);
    slack.messages.forEach((one) => delete one.streamingSince);
    slack.fail("chat.appendStream", "stopped_by_user");
    await clock.until(work);
    expect(stops()).toBe(1);
    expect(shownIn(slack)).toEqual([texts.at(-1)]);
  });

  it("keeps the blocks around the words, and puts them in their place at the end", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      for (const text of texts) {
        yield { text, blocks: [section("Ana asked"), markdown(text)] };
        await clock.sleep(300);
      }
    }
    const work = show(states());
    await clock.advance(2_000);
    expect(slack.messages[0]?.blocks.map(({ type }) => type)).toEqual(["section", "markdown"]);
    await clock.until(work);
    expect(slack.messages[0]?.blocks).toEqual([section("Ana asked"), markdown(texts.at(-1) ?? "")]);
  });
});

describe.each<Limit>(["window", "bucket"])("many answers by streams and edits, with the limit as a %s", (limit) => {
  it.each([1, 5, 20, 50, 90])("%i: no call is refused, and every last state stands", async (answers) => {
    const { clock, slack, show } = setUp(limit);
    const whole = "word ".repeat(200).trim();
    const run = async (index: number) => {
      await clock.sleep((index * 1_000) / answers);
      await show(talk(clock, growing(whole, 200), 100), { ...place, channel: `C${index}` });
    };
    await clock.until(Promise.all(Array.from({ length: answers }, (_, index) => run(index))));
    expect(slack.refusals).toBe(0);
    expect(shownIn(slack)).toEqual(slack.messages.map(() => whole));
    expect(slack.messages.length).toBe(answers);
    expect(clock.pending()).toBe(0);
  });

  it("are refused once at most over many minutes of answers that come and go", async () => {
    const { clock, slack, show } = setUp(limit);
    const all: Promise<unknown>[] = [];
    for (let round = 0; round < 150; round++) {
      const whole = "word ".repeat(5 + ((round * 37) % 150)).trim();
      all.push(show(talk(clock, growing(whole, 5 + ((round * 7) % 40)), 500), { ...place, channel: `C${round}` }));
      await clock.advance(2_600);
    }
    await clock.until(Promise.all(all));
    expect(slack.refusals).toBeLessThanOrEqual(limit === "window" ? 1 : 0);
    expect(slack.count("chat.startStream")).toBeGreaterThan(40);
    expect(slack.count("chat.update")).toBeGreaterThan(100);
  });
});

describe("a state that is never shown", () => {
  it.each(["streams", "edits"])("is never made, by %s", async (lane) => {
    const { clock, slack, show } = setUp("window");
    let made = 0;
    async function* states(): AsyncGenerator<Message> {
      for (let token = 1; token <= 1_000; token++) {
        yield later(() => {
          made++;
          return says("word ".repeat(token).trim());
        });
        await clock.sleep(20);
      }
    }
    await clock.until(show(states(), lane === "streams" ? place : { channel: "C1" }));
    expect(shownIn(slack)).toEqual(["word ".repeat(1_000).trim()]);
    expect(made).toBeLessThanOrEqual(slack.calls.length + 2);
    expect(made).toBeLessThan(130);
  });
});

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

  it.each([
    ["for a reason of its reader", "the next one is asked for", "user_is_restricted", 2],
    [
      "because it came too soon",
      "the next one waits",
      new SlackRefused("chat.startStream", "ratelimited", { retryAfterMs: 30_000 }),
      1,
    ],
  ])("%s becomes an edited message, and %s", async (_reason, _next, refusal, starts) => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.startStream", refusal);
    for (let round = 0; round < 2; round++) await clock.until(show(talk(clock, texts)));
    expect(shownIn(slack)).toEqual([texts.at(-1), texts.at(-1)]);
    expect(slack.count("chat.startStream")).toBe(starts);
  });

  it.each(["startStream", "appendStream", "stopStream"])(
    "says nothing twice if %s took effect and Slack's answer was lost",
    async (method) => {
      const { clock, slack, show } = setUp();
      slack.loseAnswer(`chat.${method}`, "network");
      await clock.until(show(talk(clock, texts)));
      expect(shownIn(slack)).toEqual([texts.at(-1)]);
      expect(slack.messages[0]?.streamingSince).toBeUndefined();
    },
  );

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

  it("is ended plainly if Slack refuses its end for a reason that is not known, and nothing is left streaming", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.stopStream", "some_code_of_tomorrow");
    // Only what has ended takes edits, and this Slack doesn't say so.
    slack.fail("chat.update", "some_code_of_tomorrow", "some_code_of_tomorrow");
    await clock.until(show(talk(clock, texts)));
    expect(slack.count("chat.stopStream")).toBe(2);
    expect(slack.messages[0]?.streamingSince).toBeUndefined();
  });

  it("is given up if Slack stays out of order, and nothing hangs", async () => {
    const { clock, slack, show } = setUp();
    const start = clock.now();
    slack.outage = { code: "network", methods: ["chat.stopStream"] };
    await clock.until(show(talk(clock, texts)));
    expect(clock.now() - start).toBeGreaterThanOrEqual(10 * 60_000);
    expect(slack.count("chat.stopStream")).toBeLessThan(40);
    expect(clock.pending()).toBe(0);
  });
});
