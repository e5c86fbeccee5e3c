import { describe, expect, it } from "vitest";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEditBudget } from "../../../src/slack/answer/edit-budget.ts";
import { restOf, showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { createPoster } from "../../../src/slack/delivery/post.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { buttons, context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { closeMarkdown } from "../../../src/slack/text/close-markdown.ts";
import { limits } from "../../../src/slack/text/limits.ts";
import { type Message, type Posted, later } from "../../../src/slack/text/message.ts";
import { createClock } from "../../support/clock.ts";
import * as fc from "../../support/property.ts";
import { createSlack } from "../../support/slack.ts";
import { failure, growing, place, says, setUp, shownIn, talk } from "./showing.ts";

const sign = (text: string): Message => ({ text, blocks: [context(text)], progress: true });

describe("an answer that grows", () => {
  it("is one message that is edited to its last state, and tells its place", async () => {
    const { clock, slack, posted, show } = setUp();
    const at = await clock.until(show(talk(clock, growing("one two three four", 9)), { channel: "C1", thread: "1.5" }));
    expect(shownIn(slack)).toEqual(["one two three four"]);
    expect(slack.messages[0]).toMatchObject({ ...at, thread: "1.5" });
    expect(posted).toEqual([at]);
    expect(clock.pending()).toBe(0);
  });

  it("posts nothing if there is no state", async () => {
    const { clock, slack, show } = setUp();
    expect(await clock.until(show(talk(clock, [])))).toBeUndefined();
    expect(slack.calls).toEqual([]);
  });

  it("shows the last state if all of them come before the post stands", async () => {
    const { clock, slack, show } = setUp();
    await clock.until(show(talk(clock, growing("one two three", 10), 1)));
    expect(shownIn(slack)).toEqual(["one two three"]);
    expect(slack.count("chat.update")).toBeLessThanOrEqual(1);
  });

  it("shows the newest state at each edit, never an older one after it, with one call at a time", async () => {
    const { clock, slack, show } = setUp();
    const seen: number[] = [];
    slack.onEdit = (message) => seen.push(message.text.length);
    await clock.until(show(talk(clock, growing("x".repeat(500), 100), 50)));
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(seen.at(-1)).toBe(500);
    const at = slack.calls.map((call) => call.at);
    expect(at.every((time, index) => index === 0 || time - (at[index - 1] ?? 0) >= 80)).toBe(true);
  });

  it("spends no edit on a state that looks the same", async () => {
    const { clock, slack, show } = setUp();
    await clock.until(
      show(
        talk(
          clock,
          Array.from({ length: 10 }, () => "same"),
        ),
      ),
    );
    expect(slack.count("chat.update")).toBe(0);
  });

  it("shows first words at once after a sign of work", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield { text: "Thinking…", progress: true };
      await clock.sleep(200);
      yield says("first");
      await clock.sleep(10_000);
      yield says("first and last");
    }
    const work = show(states());
    await clock.advance(330);
    expect(shownIn(slack)).toEqual(["first"]);
    await clock.until(work);
  });
});

describe("the last state", () => {
  it.each([
    ["ratelimited"],
    ["internal_error"],
    ["http_503"],
    ["network"],
    ["network", "network", "ratelimited", "http_500", "update_failed"],
    ["token_expired"],
    ["a_code_of_tomorrow"],
  ])("stands also after %s", async (...codes) => {
    const { clock, slack, refused, show } = setUp();
    const work = show(talk(clock, ["one", "one two", "one two three"], 1_000));
    await clock.advance(500);
    slack.fail("chat.update", ...codes);
    await clock.until(work);
    expect(shownIn(slack)).toEqual(["one two three"]);
    expect(refused).toEqual(codes);
    expect(clock.pending()).toBe(0);
  });

  it("is given up if Slack stays out of order for minutes, and nothing hangs", async () => {
    const { clock, slack, show } = setUp();
    const start = clock.now();
    slack.outage = { code: "network", methods: ["chat.update"] };
    await clock.until(show(talk(clock, ["one", "one two"], 1)));
    expect(clock.now() - start).toBeGreaterThanOrEqual(10 * 60_000);
    expect(slack.count("chat.update")).toBeLessThan(40);
    expect(clock.pending()).toBe(0);
  });

  it("stands in a new message if the first one is gone", async () => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, ["one", "one two", "one two three"], 2_000));
    await clock.advance(1_000);
    slack.messages.length = 0;
    await clock.until(work);
    expect(shownIn(slack)).toEqual(["one two three"]);
    expect(slack.messages[0]?.thread).toBeUndefined();
  });

  it.each(["edit_window_closed", "cant_update_message"])(
    "stands in the thread of a message that takes no more edits, without what that says: %s",
    async (code) => {
      const { clock, slack, show } = setUp();
      slack.fail("chat.update", code);
      const root = await clock.until(show(talk(clock, ["one", "one two", "one two three"], 2_000)));
      expect(shownIn(slack)).toEqual(["one", " two three"]);
      expect(slack.messages[1]?.thread).toBe(root?.ts);
    },
  );
});

describe("a state that Slack finds malformed", () => {
  /** Answers whose first state is a sign of work. */
  async function* afterSign(clock: ReturnType<typeof setUp>["clock"], texts: string[]): AsyncGenerator<Message> {
    yield sign("Thinking…");
    await clock.sleep(1_000);
    yield* talk(clock, texts, 40);
  }
  const texts = growing("one two three four five", 20);

  it.each(["invalid_blocks", "a_code_of_tomorrow"])(
    "goes out as plain text, is not edited again as it grows, and is whole in the end: %s",
    async (code) => {
      const { clock, slack, show, unshown } = setUp();
      slack.fail("chat.update", code);
      const seen: unknown[] = [];
      slack.onEdit = ({ blocks }) => seen.push(blocks);
      await clock.until(show(afterSign(clock, growing("one two three four five", 600))));
      expect(seen).toEqual([[], [markdown("one two three four five")]]);
      expect(slack.count("chat.update")).toBe(3);
      expect(unshown).toEqual([]);
    },
  );

  it("leaves the workspace's edits to other answers", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.update", "invalid_blocks", "no_text");
    const other = show(afterSign(clock, growing("one two three four five", 600)));
    await clock.advance(5_000);
    expect(slack.count("chat.update")).toBe(2);
    await clock.until(Promise.all([other, show(talk(clock, texts, 40), { channel: "C2" })]));
    expect(shownIn(slack)).toEqual(["one two three four five", "one two three four five"]);
  });

  it("is shown at the end if not even plain text was taken before", async () => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, texts, 1_000));
    await clock.advance(1_500);
    slack.fail("chat.update", "invalid_blocks", "no_text");
    await clock.advance(10_000);
    expect(slack.count("chat.update")).toBeLessThanOrEqual(4);
    await clock.until(work);
    expect(shownIn(slack)).toEqual(["one two three four five"]);
  });

  it("is plain text at the end if every state is malformed, after four edits at most", async () => {
    const clock = createClock();
    const slack = createSlack(clock);
    const call: Call = async (method, options) => {
      if (method === "chat.update" && JSON.stringify(options["blocks"]) !== "[]") slack.fail(method, "invalid_blocks");
      return slack.call(method, options);
    };
    const options = { poster: createPoster(call, clock), editBudget: createEditBudget(clock), timer: clock };
    await clock.until(showGrowingMessage(talk(clock, texts, 1_000), place, options));
    expect(slack.messages).toMatchObject([{ text: texts.at(-1), blocks: [] }]);
    expect(slack.count("chat.update")).toBe(4);
  });

  it("gets a further message only once the one before it is whole", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.update", "invalid_blocks");
    const text = numberedWords(2_500);
    await clock.until(show(afterSign(clock, growing(text, 600))));
    expect(shownIn(slack).join("")).toBe(text);
  });
});

describe("the closing edit", () => {
  const withSources = { text: "one two", blocks: [markdown("one two"), context("sources")] };

  async function close(codes: string[], last: Message = withSources) {
    const { clock, slack, show, unshown } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield { text: "one", blocks: [markdown("one"), context("working")] };
      await clock.sleep(5_000);
      yield { text: "one two", blocks: [markdown("one two"), context("working")] };
      await clock.sleep(5_000);
      slack.fail("chat.update", ...codes);
      yield last;
    }
    await clock.until(show(states()));
    return { messages: slack.messages, unshown };
  }

  it("is tried once plainly if Slack refuses it for a reason that is not known", async () => {
    const { messages, unshown } = await close(["some_code_of_tomorrow"]);
    expect(messages).toMatchObject([{ text: "one two", blocks: [] }]);
    expect(unshown).toEqual([]);
  });

  it("loses no word if it's plain and its words are longer than a text may be", async () => {
    const words = "word ".repeat(1_500).trim();
    const { messages } = await close(["invalid_blocks"], {
      text: words,
      blocks: [markdown(words), context("sources")],
    });
    expect(messages.map(({ blocks }) => blocks)).toEqual([[markdown(words)]]);
  });

  it("leaves an answer that stands with all its words without a word about it", async () => {
    expect((await close(["some_code_of_tomorrow", "some_code_of_tomorrow"])).unshown).toEqual([]);
    expect((await close(["is_archived"])).unshown).toEqual([]);
  });

  it("is reported if it has words that do not stand, or says what went wrong", async () => {
    const refused = ["some_code_of_tomorrow", "some_code_of_tomorrow"];
    expect((await close(refused, says("one two three"))).unshown).toEqual(["some_code_of_tomorrow"]);
    expect((await close(refused, { ...withSources, failed: true })).unshown).toEqual(["some_code_of_tomorrow"]);
  });
});

describe("an answer whose post is refused", () => {
  it("rejects with Slack's refusal and ends its source", async () => {
    const { clock, slack, posted, show } = setUp();
    slack.fail("chat.postMessage", "not_in_channel");
    let isEnded = false;
    async function* states(): AsyncGenerator<Message> {
      try {
        for (;;) {
          yield says("more");
          await clock.sleep(300);
        }
      } finally {
        isEnded = true;
      }
    }
    expect(await clock.until(failure(show(states())))).toMatchObject({ code: "not_in_channel" });
    await clock.advance(1_000);
    expect(isEnded).toBe(true);
    expect(posted).toEqual([undefined]);
    expect(clock.pending()).toBe(0);
  });

  it("rejects without waiting for a source that is silent", async () => {
    const { clock, slack, show } = setUp();
    slack.fail("chat.postMessage", "is_archived");
    async function* states(): AsyncGenerator<Message> {
      yield says("one");
      await clock.sleep(600_000);
    }
    const start = clock.now();
    expect(await clock.until(failure(show(states())))).toBeInstanceOf(SlackRefused);
    expect(clock.now() - start).toBeLessThan(1_000);
  });

  it("does not keep a source waiting that asks for the place of its message", async () => {
    const { clock, slack } = setUp();
    slack.fail("chat.postMessage", "is_archived");
    const where = Promise.withResolvers<Posted | undefined>();
    let heard: unknown = "nothing";
    async function* states(): AsyncGenerator<Message> {
      try {
        yield says("one");
        yield says("two");
      } finally {
        heard = await where.promise;
      }
    }
    const poster = createPoster(slack.call, clock);
    const options = { poster, editBudget: createEditBudget(clock), timer: clock, onPosted: where.resolve };
    await clock.until(failure(showGrowingMessage(states(), place, options)));
    await clock.advance(1);
    expect(heard).toBeUndefined();
  });
});

describe("a state that cannot be made", () => {
  it.each([
    [["two"], "two"],
    [[], "one"],
  ])("is passed over and told, and the answer goes on or ends", async (rest, last) => {
    const { clock, slack, refused, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield says("one");
      await clock.sleep(2_000);
      yield later(() => {
        throw new Error("no words");
      });
      await clock.sleep(5_000);
      yield* rest.map(says);
    }
    await clock.until(show(states()));
    expect(shownIn(slack)).toEqual([last]);
    expect(refused).toEqual(["unmade"]);
    expect(clock.pending()).toBe(0);
  });
});

describe("a source that throws", () => {
  it("leaves its newest state on the screen, and its lane to others", async () => {
    const { clock, slack, show } = setUp();
    async function* states(): AsyncGenerator<Message> {
      yield says("one");
      await clock.sleep(1_000);
      yield says("one two");
      throw new Error("cut");
    }
    expect(await clock.until(failure(show(states())))).toMatchObject({ message: "cut" });
    expect(shownIn(slack)).toEqual(["one two"]);
    expect(clock.pending()).toBe(0);
  });

  it("rejects with what it throws before its first state", async () => {
    const { clock, slack, show } = setUp();
    const states = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("cut")) }) };
    expect(await clock.until(failure(show(states)))).toMatchObject({ message: "cut" });
    expect(slack.calls).toEqual([]);
  });
});

function numberedWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
}

describe("an answer that is too long for one message", () => {
  it("goes on in the thread, losing and repeating nothing", async () => {
    const { clock, slack, show } = setUp();
    const text = numberedWords(3_500);
    const root = await clock.until(show(talk(clock, growing(text, 30))));
    expect(shownIn(slack).join("")).toBe(text);
    expect(slack.messages.length).toBe(Math.ceil(text.length / limits.markdown));
    expect(slack.messages.slice(1).every(({ thread }) => thread === root?.ts)).toBe(true);
  });

  it("to a person goes on in line in the channel that their direct message turned out to be", async () => {
    const { clock, slack, show } = setUp();
    const text = numberedWords(3_500);
    await clock.until(show(talk(clock, growing(text, 30)), { channel: "U1" }));
    const channels = slack.calls
      .filter(({ method }) => method === "chat.postMessage")
      .map(({ options }) => options["channel"]);
    expect(channels.length).toBeGreaterThan(1);
    expect(channels).toEqual(["U1", ...channels.slice(1).map(() => "D1")]);
    expect(slack.messages.every(({ thread }) => thread === undefined)).toBe(true);
  });

  it("does so whatever Slack refuses on the way", async () => {
    const code = fc.constantFrom("ratelimited", "network", "internal_error", "http_502");
    const text = numberedWords(2_500);
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

  it("posts a further message once even if Slack does not say whether it took it", async () => {
    const { clock, slack, show } = setUp();
    const text = numberedWords(2_000);
    const work = show(talk(clock, ["start", text], 2_000));
    await clock.advance(1_000);
    slack.loseAnswer("chat.postMessage", "network");
    await clock.until(work);
    expect(shownIn(slack).join("")).toBe(text);
    expect(slack.messages.length).toBe(2);
  });

  it("leaves out a further message rather than post it twice, and ends", async () => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, ["start", numberedWords(2_000)], 2_000));
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

const manyWords = Array.from({ length: 600 }, (_, index) => `word${index}`).join(" ");
const inThread = { channel: "C1", thread: "1.5" };
const stands = ["edit_window_closed", "cant_update_message"];

function refuseAll(slack: ReturnType<typeof setUp>["slack"], code: string): void {
  slack.fail("chat.update", ...Array.from({ length: 1_000 }, () => code));
}

describe("an answer whose message takes no more edits", () => {
  it.each(stands)("goes on below it, repeating nothing: %s", async (code) => {
    const { clock, slack, show } = setUp();
    const work = show(talk(clock, growing(manyWords, 600), 40), inThread);
    await clock.advance(5_000);
    slack.fail("chat.update", code);
    await clock.until(work);
    expect(shownIn(slack)).toHaveLength(2);
    expect(shownIn(slack).join("")).toBe(manyWords);
  });

  it.each(stands)("is three messages at most if none takes an edit: %s", async (code) => {
    const { clock, slack, show } = setUp();
    refuseAll(slack, code);
    await clock.until(show(talk(clock, growing(manyWords, 600), 40), inThread));
    expect(slack.messages.length).toBeLessThanOrEqual(3);
    expect(shownIn(slack).join("")).toBe(manyWords);
    expect(clock.pending()).toBe(0);
  });

  it("loses nothing either if it is longer than a message", async () => {
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

  it("is posted anew, whole, in the end if each message is said to be gone", async () => {
    const { clock, slack, show } = setUp();
    refuseAll(slack, "message_not_found");
    await clock.until(show(talk(clock, growing(manyWords, 600), 40), inThread));
    expect(slack.messages.map(({ thread }) => thread)).toEqual(["1.5", "1.5"]);
    expect(shownIn(slack).at(-1)).toBe(manyWords);
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

  it("leaves a new root if it was one", async () => {
    const { clock, slack, show, posted } = setUp();
    slack.fail("chat.update", "cant_update_message");
    const at = await clock.until(show(working(clock)));
    expect(slack.messages).toMatchObject([{ ts: at?.ts, thread: undefined }]);
    expect(posted).toHaveLength(2);
  });

  it("stays if it cannot be taken away, with nothing between it and the words", async () => {
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

  it("is reported if edits are refused for good, and if Slack stays out of order", async () => {
    const texts = growing("one two three", 3);
    expect(await endOf((slack) => slack.fail("chat.update", ...forGood("is_archived")), texts)).toEqual([
      "is_archived",
    ]);
    expect(await endOf((slack) => slack.fail("chat.update", ...forGood("network")), texts)).toEqual(["network"]);
  });

  it("is reported if a further message is refused", async () => {
    const refuse = (slack: ReturnType<typeof setUp>["slack"]) =>
      slack.fail("chat.postMessage", ...forGood("restricted_action_thread_locked"));
    expect(await endOf(refuse, ["one", `one ${manyWords} `.repeat(4)])).toEqual(["restricted_action_thread_locked"]);
  });

  it("is not reported if the last state stands after all", async () => {
    expect(await endOf((slack) => slack.fail("chat.update", "is_archived"), growing("one two three", 3))).toEqual([]);
  });
});

const lacking = (text: string, said: string) => restOf(says(text), said)?.blocks;

describe("what a state has besides words that stand already", () => {
  it("is the words that follow, and what stands below them", () => {
    const state = { text: "one two", blocks: [section("head"), markdown("one two"), context("sources")] };
    expect(restOf(state, "one")).toEqual({ text: "two", blocks: [markdown(" two"), context("sources")] });
  });

  it("is what stands below the words if these are all there, or nothing", () => {
    expect(lacking("one", "one")).toBeUndefined();
    expect(restOf({ text: "one", blocks: [markdown("one"), context("sources")] }, "one")).toEqual({
      text: "The answer stands above.",
      blocks: [context("sources")],
    });
  });

  it("is all of it if no words stand, or if it has none", () => {
    expect(restOf(says("one"), "")).toEqual(says("one"));
    expect(restOf({ text: "Sorry.", blocks: [section("Sorry.")] }, "one")?.blocks).toEqual([section("Sorry.")]);
  });

  it("goes on before what was closed for show", () => {
    expect(lacking("Gold is **up again** today", "Gold is **up**")).toEqual([markdown(" **up again** today")]);
  });

  it("opens code again that goes on", () => {
    const said = closeMarkdown("```js\nlet a;\nlet b");
    expect(lacking("```js\nlet a;\nlet b = 1;\n```\nDone.", said)).toEqual([markdown("```js\n = 1;\n```\nDone.")]);
  });

  it("loses no word, whatever was closed and wherever it stopped", () => {
    const piece = fc.constantFrom(
      "word ",
      "**bold** ",
      "_it_ ",
      "\n\n",
      "\n- item ",
      "`code` ",
      "[link](https://a.example) ",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.nat(), (pieces, at) => {
        const text = pieces.join("");
        const said = closeMarkdown(text.slice(0, at % (text.length + 1)));
        const rest = lacking(text, said)?.[0];
        const words = rest?.type === "markdown" ? rest.text : "";
        expect(text.trimEnd().endsWith(words.trimEnd())).toBe(true);
        expect(said.length + words.length).toBeGreaterThanOrEqual(text.trimEnd().length);
      }),
    );
  });
});

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

describe("an answer of many states", () => {
  it("keeps none but the newest", async () => {
    const { clock, show } = setUp();
    const given: WeakRef<Message>[] = [];
    let alive = Number.NaN;
    async function* states(): AsyncGenerator<Message> {
      for (let count = 0; count < 200; count++) {
        const state = says(`word ${count}`);
        given.push(new WeakRef(state));
        yield state;
      }
      // What a WeakRef gave is kept until the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      alive = given.filter((state) => state.deref() !== undefined).length;
    }
    const shown = show(states());
    while (Number.isNaN(alive)) await clock.advance(60_000);
    await clock.advance(60_000);
    await shown;
    expect(alive).toBeLessThan(10);
  });
});
