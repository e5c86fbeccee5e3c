import { describe, expect, it } from "vitest";

import { buttons, context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { closeMarkdown } from "../../../src/slack/text/close-markdown.ts";
import { type Message, later } from "../../../src/slack/text/message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces.ts";
import type { Limit } from "../../support/slack.ts";
import { place, setUp, texts } from "./native-shown.ts";
import { growing, says, shownIn, talk } from "./showing.ts";

describe("an answer as a native stream", () => {
  it("begins with its first words, grows by what is new, and ends whole with what stands below it", async () => {
    const { clock, slack, show, methods } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield* talk(clock, texts);
      yield { text: texts.at(-1) ?? "", blocks: [markdown(texts.at(-1) ?? ""), context("Sources")] };
    }
    const at = await clock.until(show(states()));
    expect(slack.messages.length).toBe(1);
    expect(slack.messages[0]).toMatchObject({ ts: at?.ts, thread: "1.5", streamingSince: undefined });
    expect(slack.messages[0]?.blocks).toEqual([markdown(texts.at(-1) ?? ""), context("Sources")]);
    expect(new Set(methods())).toEqual(new Set(["startStream", "appendStream", "stopStream"]));
    expect(methods().length).toBeGreaterThan(8);
    expect(clock.pending()).toBe(0);
  });

  it("names its reader", async () => {
    const { clock, slack, show } = setUp();
    await clock.until(show(talk(clock, texts)));
    expect(slack.calls[0]?.options).toMatchObject({
      recipient_team_id: "T1",
      recipient_user_id: "U1",
      thread_ts: "1.5",
    });
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

  it("gets its Stop button also where it began with a sign of work alone", async () => {
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

  it("goes on by edits where a state takes back words", async () => {
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

  it("is not asked for outside threads, for what is whole at once, or where nobody switched it on", async () => {
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

  it("keeps what stands around the words, in the end where it belongs", async () => {
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

  it("is never refused over many minutes of answers that come and go", async () => {
    const { clock, slack, show } = setUp(limit);
    const all: Promise<unknown>[] = [];
    for (let round = 0; round < 150; round++) {
      const whole = "word ".repeat(5 + ((round * 37) % 150)).trim();
      all.push(show(talk(clock, growing(whole, 5 + ((round * 7) % 40)), 500), { ...place, channel: `C${round}` }));
      await clock.advance(2_600);
    }
    await clock.until(Promise.all(all));
    expect(slack.refusals).toBe(0);
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
