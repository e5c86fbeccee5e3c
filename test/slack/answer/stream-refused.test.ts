import { describe, expect, it } from "vitest";

import { buttons, context, markdown } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { growing, says, setUp, shownIn, talk } from "./showing.ts";

const words = Array.from({ length: 600 }, (_, index) => `word${index}`).join(" ");
const inThread = { channel: "C1", thread: "1.5" };
const stands = ["edit_window_closed", "cant_update_message"];

const sign = (text: string): Message => ({ text, blocks: [context(text)], progress: true });

function refuseAll(slack: ReturnType<typeof setUp>["slack"], code: string): void {
  slack.fail("chat.update", ...Array.from({ length: 1_000 }, () => code));
}

describe("an answer whose message takes no more edits", () => {
  it.each(stands)("goes on below it, repeating nothing: %s", async (code) => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, growing(words, 600), 40), inThread);
    await clock.advance(5_000);
    slack.fail("chat.update", code);
    await clock.until(work);
    expect(shownIn(slack)).toHaveLength(2);
    expect(shownIn(slack).join("")).toBe(words);
  });

  it.each(stands)("is three messages at most where none takes an edit: %s", async (code) => {
    const { clock, slack, show } = setUp();
    refuseAll(slack, code);
    await clock.until(show(talk(clock, growing(words, 600), 40), inThread));
    expect(slack.messages.length).toBeLessThanOrEqual(3);
    expect(shownIn(slack).join("")).toBe(words);
    expect(clock.pending()).toBe(0);
  });

  it("loses nothing either where it is longer than a message", async () => {
    const { clock, slack, show } = setUp();
    const text = Array.from({ length: 4_000 }, (_, index) => `word${index}`).join(" ");
    const work = show(talk(clock, growing(text, 60), 500), inThread);
    await clock.advance(12_000);
    refuseAll(slack, "edit_window_closed");
    await clock.until(work);
    expect(shownIn(slack).join("")).toBe(text);
  });

  it("gets what belongs below its words in a message of its own", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield says("All of it.");
      await clock.sleep(5_000);
      yield { text: "All of it.", blocks: [markdown("All of it."), context("sources")] };
    }
    slack.fail("chat.update", "edit_window_closed");
    await clock.until(show(states(), inThread));
    expect(slack.messages.map(({ blocks }) => blocks)).toEqual([[markdown("All of it.")], [context("sources")]]);
  });

  it("is posted anew, whole, in the end where each message is said to be gone", async () => {
    const { clock, slack, show } = setUp();
    refuseAll(slack, "message_not_found");
    await clock.until(show(talk(clock, growing(words, 600), 40), inThread));
    expect(slack.messages).toHaveLength(2);
    expect(shownIn(slack).at(-1)).toBe(words);
  });
});

describe("a sign of work that takes no edits", () => {
  async function* working(clock: ReturnType<typeof setUp>["clock"]): AsyncGenerator<Message> {
    yield sign("1 question before yours.");
    await clock.sleep(2_000);
    yield {
      ...sign("Thinking…"),
      blocks: [context("Thinking…"), buttons({ action: "stop", label: "Stop", value: "1" })],
    };
    await clock.sleep(2_000);
    yield says("one");
    await clock.sleep(2_000);
    yield says("one two");
  }

  it("is taken away, and the words are posted", async () => {
    const { clock, slack, show, posted } = setUp();
    slack.fail("chat.update", "cant_update_message");
    const at = await clock.until(show(working(clock), inThread));
    expect(shownIn(slack)).toEqual(["one two"]);
    expect(posted.at(-1)).toEqual(at);
    expect(slack.messages[0]).toMatchObject({ ts: at?.ts, thread: "1.5" });
  });

  it("leaves a new root where it was one", async () => {
    const { clock, slack, show, posted } = setUp();
    slack.fail("chat.update", "cant_update_message");
    const at = await clock.until(show(working(clock)));
    expect(slack.messages).toMatchObject([{ ts: at?.ts, thread: undefined }]);
    expect(posted).toHaveLength(2);
  });

  it("stays where it cannot be taken away, with nothing between it and the words", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.update", "cant_update_message");
    slack.fail("chat.delete", "cant_delete_message");
    await clock.until(show(working(clock), inThread));
    expect(shownIn(slack)).toEqual(["1 question before yours.", "one two"]);
  });
});

describe("an answer of which Slack will not have the rest", () => {
  async function endOf(fail: (slack: ReturnType<typeof setUp>["slack"]) => void, texts: string[]) {
    const { clock, slack, show, unshown } = setUp();
    const work = show(talk(clock, texts, 2_000), inThread);
    await clock.advance(500);
    fail(slack);
    await clock.until(work);
    expect(clock.pending()).toBe(0);
    return unshown;
  }
  const forGood = (code: string) => Array.from({ length: 100 }, () => code);

  it("is told of where edits are refused for good, and where Slack stays out of order", async () => {
    const texts = growing("one two three", 3);
    expect(await endOf((slack) => slack.fail("chat.update", ...forGood("is_archived")), texts)).toEqual([
      "is_archived",
    ]);
    expect(await endOf((slack) => slack.fail("chat.update", ...forGood("network")), texts)).toEqual(["network"]);
  });

  it("is told of where a further message is refused", async () => {
    const refuse = (slack: ReturnType<typeof setUp>["slack"]) =>
      slack.fail("chat.postMessage", ...forGood("restricted_action_thread_locked"));
    expect(await endOf(refuse, ["one", `one ${words} `.repeat(4)])).toEqual(["restricted_action_thread_locked"]);
  });

  it("is not told of where the last state stands after all", async () => {
    expect(await endOf((slack) => slack.fail("chat.update", "is_archived"), growing("one two three", 3))).toEqual([]);
  });
});
