import { describe, expect, it } from "vitest";

import { Unavailable, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import type { GenerateEvent, GenerateRequest, GenerativeMessage } from "../../../src/apis/intelligence/generate.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import { conversationSchema } from "../../../src/features/ask/conversation.ts";
import type { Message } from "../../../src/features/feature.ts";
import { linksOf } from "../../../src/features/text.ts";
import { hintOf, statesOf, wordsOf } from "../../support/answers.ts";
import { asking, inThread, memory, askServices, streamOf } from "../../support/builders.ts";

const words = (text: string): GenerateEvent => ({ type: "text", text });
const user = (text: string): GenerativeMessage => ({ role: "user", content: { type: "text", text } });
const assistant = (text: string): GenerativeMessage => ({ role: "assistant", content: { type: "text", text } });

function call(id: string, query = "oil"): GenerateEvent & { type: "tool_start" } {
  const calls = [{ id, name: "search", args: { query }, type: "tool_call" as const }];
  const content = { type: "text" as const, text: "", metadata: { tool_calls: calls } };
  return { type: "tool_start", calls, message: { role: "assistant", content } };
}

function result(callId: string, articleIds: number[]): GenerateEvent & { type: "tool_finish" } {
  const content = { type: "svc_news" as const, articleIds, metadata: { tool_call_id: callId } };
  return { type: "tool_finish", callId, articleIds, message: { role: "tool", content } };
}

const cut = new Unavailable({ api: "intelligence", operation: "generate", reason: "cut" });

/** A bot that answers each question with the next of these streams. */
function chat(...answers: (GenerateEvent | Error)[][]) {
  const sent: GenerateRequest[] = [];
  const conversations = memory<Conversation>();
  const to = askServices({
    conversations,
    intelligence: {
      generate(request) {
        sent.push(request);
        return streamOf(...(answers.shift() ?? []));
      },
    },
  });
  const says = (text: string, about: Parameters<typeof asking>[1] = {}) => statesOf(ask.run(asking(text, about), to));
  return { sent, conversations, says };
}

function markdownIn(message: Message | undefined): string {
  const block = message?.blocks?.find(({ type }) => type === "markdown");
  return block?.type === "markdown" ? block.text : "";
}

describe("an answer", () => {
  it("shows each piece as it comes, and its sources when it is finished", async () => {
    const { says: question, sent } = chat([
      call("c1", "gold price"),
      result("c1", [11, 12]),
      words("Gold **rises** on "),
      words("[demand](https://a.example/1) and [demand](https://a.example/1)"),
    ]);
    const { states } = await question("Why is gold rising?", inThread);
    expect(states.map(({ text }) => text)).toEqual([
      "Searching articles: gold price",
      "Thinking…",
      "Gold rises on",
      "Gold rises on demand and demand",
      "Gold rises on demand and demand\nWritten by AI from 2 articles · Sources 1 link not checked · 1 more read",
    ]);
    expect(states.map(({ progress }) => progress)).toEqual([true, true, undefined, undefined, undefined]);
    const [searching, thinking, first, , last] = states.map(wordsOf);
    expect(searching).toBe(":mag: Searching articles: gold price\nStop");
    expect(thinking).toBe("Thinking…\nStop");
    expect(first).toBe("Gold **rises** on \nStop");
    expect(last).toContain("*Sources* 1 link not checked · 1 more read");
    expect(last).not.toContain("Stop");
    expect(sent).toMatchObject([{ messages: [user("Why is gold rising?")], directUrls: true }]);
  });

  it("keeps its first 40,000 characters if it never ends, even if they come as one piece", async () => {
    const { says: question, conversations } = chat([words(`Gold ${"x".repeat(60_000)}`)]);
    const { states, error } = await question("What?", inThread);
    expect(error).toBeInstanceOf(UsageError);
    expect(markdownIn(states.at(-1))).toBe(`Gold ${"x".repeat(39_995)}`);
    expect(JSON.stringify(await conversations.get("T1 C1 50.1")).length).toBeLessThan(41_000);
  });

  it.each([
    ["[a](https://a.example/1), [b](https://a.example/1)", [["https://a.example/1", "a"]]],
    ["[*Bold* `code`](https://a.example/)", [["https://a.example/", "Bold code"]]],
    [String.raw`[a \[1\]](<https://a.example/>)`, [["https://a.example/", "a [1]"]]],
    ["[`](https://a.example/x)", [["https://a.example/x", "a.example"]]],
    [
      "[a](https://a.example/Oil_(fuel)), [b](https://b.example 'B')",
      [
        ["https://a.example/Oil_(fuel)", "a"],
        ["https://b.example", "b"],
      ],
    ],
    ["![image](https://a.example/i.png)", [["https://a.example/i.png", "image"]]],
    [
      "see **https://a.example/1**, <https://b.example>.",
      [
        ["https://a.example/1", "a.example"],
        ["https://b.example", "b.example"],
      ],
    ],
    ["[m](mailto:a@b.c) [r](/relative)", []],
  ])("finds the links of its words: %s", (markdown, links) => {
    expect(linksOf(markdown).map(({ url, label }) => [url, label])).toEqual(links);
  });

  it("is an error, not a bot that thinks for ever, if the model says nothing", async () => {
    const { says: question, conversations } = chat([call("c1"), result("c1", [1])]);
    const { error } = await question("What?", inThread);
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect((await conversations.get("T1 C1 50.1"))?.turns).toEqual([
      { messages: [user("What?")], unanswered: "stop-1" },
    ]);
  });

  it.each([
    ["slash", undefined, true],
    ["button", undefined, true],
    ["button", "50.1", true],
    ["mention", "50.1", false],
    ["direct", "50.1", false],
  ] as const)("begins with who asked what where the question is not to be seen: %s in thread %s", async (...given) => {
    const [surface, thread, isShown] = given;
    const { says: question } = chat([words("Because.")]);
    const { states } = await question("Why <!here>?", { surface, thread });
    const lead = "<@U1> asked: Why &lt;!here&gt;?";
    expect(states.map((state) => wordsOf(state).startsWith(lead))).toEqual(states.map(() => isShown));
    expect(states.at(-1)?.text.startsWith("Asked: Why &lt;!here&gt;?\n")).toBe(isShown);
  });

  it("begins with who asked what if it waited for another in its thread and doesn’t stand below its question", async () => {
    const { says: question } = chat([words("First.")], [words("Second.")], [words("Third.")]);
    const [first, second] = await Promise.all([question("One?", inThread), question("Two?", inThread)]);
    const third = await question("Three?", inThread);
    expect([first, second, third].map(({ states }) => wordsOf(states.at(-1) ?? { text: "" }).split("\n")[0])).toEqual([
      "First.",
      "<@U1> asked: Two?",
      "Third.",
    ]);
  });
});

describe("a question", () => {
  it.each([
    ["", "What would you like to know?"],
    [" \n ", "What would you like to know?"],
    ["x".repeat(10_000), "Your question is 10,000 characters long, and 3,000 fit"],
  ])("that cannot be asked is answered with what to type: %.10j", async (text, hint) => {
    expect(await hintOf(ask, asking(text), askServices())).toContain(hint);
  });

  it("in the same thread goes with everything that was said and fetched before", async () => {
    const { says: question, sent } = chat(
      [call("c1"), result("c1", [1, 2]), words("First "), words("answer")],
      [words("Second answer")],
    );
    await question("First question", inThread);
    await question("Second question", inThread);
    expect(sent[1]?.messages).toEqual([
      user("First question"),
      call("c1").message,
      result("c1", [1, 2]).message,
      assistant("First answer"),
      user("Second question"),
    ]);
  });

  it("after /ask goes on in the thread of the answer", async () => {
    const { says: question, sent } = chat([words("First answer")], [words("Second answer")]);
    await question("First question", { posted: Promise.resolve({ channel: "C1", ts: "70.1" }) });
    await question("Second question", { surface: "mention", thread: "70.1" });
    expect(sent[1]?.messages).toHaveLength(3);
  });

  it.each([
    ["another thread", { thread: "51.1" }],
    ["another channel", { channel: "C2" }],
    ["another workspace", { team: "T2" }],
  ])("in %s knows nothing of it", async (_, about) => {
    const { says: question, sent } = chat([words("First answer")], [words("Second answer")]);
    await question("First question", inThread);
    await question("Second question", { ...inThread, ...about });
    expect(sent[1]?.messages).toEqual([user("Second question")]);
  });
});

describe("the memory of a thread", () => {
  it("is not the reader’s worry: an answer stands if the store fails, and the operator is told", async () => {
    const lines: string[] = [];
    const conversations = { ...memory<Conversation>(), set: () => Promise.reject(new Error("disk full")) };
    const intelligence = { generate: () => streamOf(words("Gold rises.")) };
    const to = askServices({ conversations, intelligence, write: (line) => lines.push(line) });
    const { states, error } = await statesOf(ask.run(asking("Why?"), to));
    expect(error).toBeUndefined();
    expect(states.at(-1)?.text).toBe("Asked: Why?\nGold rises.\nWritten by AI");
    expect(lines.join()).toContain("disk full");
  });

  it("includes the words before a failure", async () => {
    const { says: question, sent } = chat([words("Half an "), cut], [words("More")]);
    const { states, error } = await question("First question", inThread);
    expect(states.at(-1)?.text).toBe("Half an\nWritten by AI");
    expect(error).toBe(cut);
    await question("Second question", inThread);
    expect(sent[1]?.messages).toEqual([user("First question"), assistant("Half an "), user("Second question")]);
  });

  it("is only the question if nothing was said, until it is asked again", async () => {
    const { says: question, sent } = chat([call("c1"), cut], [cut], [words("Answer")], [words("More")]);
    expect((await question("First question", inThread)).error).toBe(cut);
    await question("Second question", { ...inThread, stopKey: "stop-2" });
    await question("First question", { ...inThread, stopKey: "stop-3" });
    await question("Second question", { ...inThread, stopKey: "stop-4" });
    expect(sent.slice(1).map(({ messages }) => messages)).toEqual([
      [user("First question"), user("Second question")],
      [user("Second question"), user("First question")],
      [user("First question"), assistant("Answer"), user("Second question")],
    ]);
  });

  it("includes the question and its options as soon as its turn has come", async () => {
    const never = Promise.withResolvers<void>();
    const conversations = memory<Conversation>();
    async function* generate(): AsyncGenerator<GenerateEvent> {
      yield words("Half");
      await never.promise;
    }
    const states = (await ask.run(
      asking("Why? --since 7d", inThread),
      askServices({ conversations, intelligence: { generate } }),
    )) as AsyncGenerator<Message>;
    await states.next();
    expect(await conversations.get("T1 C1 50.1")).toEqual({
      turns: [{ messages: [user("Why?")], unanswered: "stop-1" }],
      scope: { since: { count: 7, unit: "d" } },
    });
  });

  it("fits its schema, so that it is still known after a restart", async () => {
    const { says: question, conversations } = chat([call("c1"), result("c1", [1]), words("Answer")]);
    await question("Question", inThread);
    const kept: unknown = JSON.parse(JSON.stringify(await conversations.get("T1 C1 50.1")));
    expect(conversationSchema.parse(kept)).toEqual(await conversations.get("T1 C1 50.1"));
    const strange = { turns: [{ messages: [{ role: "system", content: {} }] }] };
    expect(conversationSchema.safeParse(strange).success).toBe(false);
  });
});
