import { describe, expect, it } from "vitest";

import { context, section } from "../../../src/slack/text/blocks.ts";
import {
  type Respond,
  createReplacement,
  createPrivateReply,
  deliverStates,
  respondInThread,
} from "../../../src/slack/answer/private-reply.ts";
import type { Message } from "../../../src/slack/text/message.ts";

type Body = Parameters<Respond>[0];

/** `refuses` counts the calls of the response_url that fail, from one. */
function setUp({ refuses = [] }: { refuses?: number[] } = {}) {
  const bodies: Body[] = [];
  const respond: Respond = async (body) => {
    bodies.push(body);
    if (refuses.includes(bodies.length)) throw new Error("expired_url");
  };
  const published: Message[] = [];
  const publish = async (states: AsyncIterable<Message>) => {
    for await (const state of states) published.push(state);
  };
  return { bodies, respond, published, publish };
}

async function* given(...messages: Message[]): AsyncGenerator<Message> {
  yield* messages;
}

const working: Message = { text: "Working…", progress: true, private: true };
const sign = "Working… The result follows below.";
const result: Message = { text: "Result", blocks: [section("Result")], private: true };

async function refuse(shown: AsyncIterable<Message>): Promise<void> {
  for await (const { text } of shown) throw new Error(`no place for ${text}`);
}

describe("a reply", () => {
  it("shows a private reply to the asker alone, below a sign of work that stays true", async () => {
    const { bodies, respond, published, publish } = setUp();
    await deliverStates(given(working, result), { replyPrivately: createPrivateReply(respond) }, publish);
    expect(bodies).toEqual([
      { response_type: "ephemeral", replace_original: false, text: sign, blocks: [context(sign)] },
      { response_type: "ephemeral", replace_original: false, text: "Result", blocks: result.blocks },
    ]);
    expect(published).toEqual([]);
  });

  it("publishes the first public state and all that follow, also a sign of work", async () => {
    const { bodies, respond, published, publish } = setUp();
    const all = given({ text: "Writing…", progress: true }, { text: "one" }, { text: "end", private: true });
    await deliverStates(all, { replyPrivately: createPrivateReply(respond) }, publish);
    expect(published.map(({ text }) => text)).toEqual(["Writing…", "one", "end"]);
    expect(bodies).toEqual([]);
  });

  it("that may be private shows its sign of work to the asker alone, whatever it becomes", async () => {
    const reading = { ...working, isPrivate: true as const };
    for (const last of [{ text: "Card", isPrivate: true as const }, { text: "Answer" }]) {
      const { published, publish } = setUp();
      const alone: Message[] = [];
      const ephemeral = async (message: Message) => void alone.push(message);
      await deliverStates(given(reading, last), { ephemeral }, publish);
      expect([alone, published]).toEqual(last.isPrivate ? [[reading, last], []] : [[reading], [last]]);
    }
  });

  it("uses a response_url five times at most, and shows the last state", async () => {
    const { bodies, respond, publish } = setUp();
    const many = Array.from({ length: 30 }, (_, index) => ({ ...working, text: `step ${index}` }));
    const grown = Array.from({ length: 30 }, (_, index) => ({ ...result, text: `result ${index}` }));
    await deliverStates(given(...many, ...grown), { replyPrivately: createPrivateReply(respond) }, publish);
    expect(bodies.length).toBeLessThanOrEqual(3);
    expect(bodies.at(-1)).toMatchObject({ text: "result 29", replace_original: false });
  });

  it("goes on if the sign of work cannot be shown", async () => {
    const { bodies, respond, publish } = setUp({ refuses: [1] });
    await deliverStates(given(working, result), { replyPrivately: createPrivateReply(respond) }, publish);
    expect(bodies.map(({ text }) => text)).toEqual([sign, "Result"]);
  });

  it("ends its source if publishing fails", async () => {
    const { respond } = setUp();
    let isEnded = false;
    async function* source(): AsyncGenerator<Message> {
      try {
        yield { text: "one" };
        yield { text: "two" };
      } finally {
        isEnded = true;
      }
    }
    await expect(deliverStates(source(), { replyPrivately: createPrivateReply(respond) }, refuse)).rejects.toThrow(
      "no place for one",
    );
    expect(isEnded).toBe(true);
  });
});

describe("a reply with more than one way to its asker", () => {
  const form: Message = { text: "Ask", private: true, window: { title: "Ask", form: { name: "f", submit: "Ask" } } };
  const shownIn = (shown: string[], name: string) => async (message: Message) =>
    void shown.push(`${name} ${message.text}`);
  const ways = (shown: string[], isOpen: boolean) => ({
    replyPrivately: shownIn(shown, "whisper"),
    replace: shownIn(shown, "replace"),
    window: { show: async ({ text }: Message) => (shown.push(`window ${text}`), isOpen) },
  });

  it.each<[string, Message[], boolean, string[]]>([
    ["puts a result in the place of what was pressed", [working, result], true, ["replace Result"]],
    ["never puts a failure there", [{ ...result, failed: true }], true, ["whisper Result"]],
    ["opens a form in a window", [form], true, ["window Ask"]],
    [
      "never shows a form without a window",
      [form],
      false,
      ["window Ask", "whisper The window didn’t open in time. Try again."],
    ],
    ["shows nothing if there is only a sign of work", [working], true, []],
  ])("%s", async (_, states, isOpen, expected) => {
    const shown: string[] = [];
    await deliverStates(given(...states), ways(shown, isOpen), setUp().publish);
    expect(shown).toEqual(expected);
  });

  it.each([
    [true, ["window Result"]],
    [false, ["window Result", "whisper Result"]],
  ])("opens what is meant for a window, or whispers it: opens %s", async (isOpen, expected) => {
    const shown: string[] = [];
    const { replace: _, ...without } = ways(shown, isOpen);
    await deliverStates(given({ ...result, window: { title: "a" } }), without, setUp().publish);
    expect(shown).toEqual(expected);
  });

  it("says that an answer grows elsewhere before it is posted, and goes on if that cannot be said", async () => {
    const shown: string[] = [];
    const { publish, published } = setUp();
    const answeringElsewhere: Message = { text: "Over there" };
    await deliverStates(
      given({ text: "one" }),
      { replyPrivately: shownIn(shown, "whisper"), answeringElsewhere },
      publish,
    );
    const broken = () => Promise.reject(new Error("gone"));
    await deliverStates(given({ text: "two" }), { replyPrivately: broken, answeringElsewhere }, publish);
    expect([shown, published.map(({ text }) => text)]).toEqual([["whisper Over there"], ["one", "two"]]);
  });
});

describe("a replacement", () => {
  it.each(["ephemeral", "in_channel"] as const)("tells Slack that what it replaces is seen %s", async (seenBy) => {
    const { bodies, respond } = setUp();
    await createReplacement(respond, seenBy)(result);
    expect(bodies).toEqual([{ response_type: seenBy, replace_original: true, text: "Result", blocks: result.blocks }]);
  });

  it("falls back to the message's simpler blocks, then to plain text, if Slack refuses more", async () => {
    const { bodies, respond } = setUp({ refuses: [1, 2] });
    await createReplacement(respond, "in_channel")({ ...result, fallbackBlocks: [section("instead")] });
    expect(bodies.map(({ blocks }) => blocks)).toEqual([result.blocks, [section("instead")], undefined]);
  });
});

describe("a way into a thread", () => {
  it("leads there, but for what is taken away", async () => {
    const { bodies, respond } = setUp();
    const there = respondInThread(respond, "3.0");
    await there({ response_type: "ephemeral", text: "a" });
    await there({ response_type: "ephemeral", text: "", delete_original: true });
    await respondInThread(respond, undefined)({ response_type: "ephemeral", text: "b" });
    expect(bodies.map(({ thread_ts: thread }) => thread)).toEqual(["3.0", undefined, undefined]);
  });
});

describe("a private reply", () => {
  it("tries plain text if a message is refused", async () => {
    const { bodies, respond } = setUp({ refuses: [1] });
    await createPrivateReply(respond)(result);
    expect(bodies[1]).toEqual({ response_type: "ephemeral", replace_original: false, text: "Result" });
  });
});
