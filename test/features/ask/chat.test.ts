import { describe, expect, it } from "vitest";

import { OutOfCredits } from "../../../src/apis/errors.ts";
import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { Model } from "../../../src/apis/gateway/schema.ts";
import { chat, chatForm, models } from "../../../src/features/ask/chat.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import { answerOf, hintOf, statesOf, wordsOf } from "../../support/answers.ts";
import { asking, credits, memory, askServices } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";

const known: Model[] = [
  { id: "swift-1", name: "Swift One", contextWindow: 128_000, isDefault: true },
  { id: "deep-2", name: "Deep Two", isDefault: false },
];

type Sent = Parameters<Gateway["chat"]>[0];

function setUp(text = "Guten Tag", about: Parameters<typeof askServices>[0] = {}) {
  const sent: Sent[] = [];
  const to = askServices({
    conversations: memory<Conversation>(),
    ...about,
    gateway: {
      models: async () => ({ models: known, credits: credits({ used: 0 }) }),
      async chat(request) {
        sent.push(request);
        return { text, model: request.model ?? "swift-1", credits: credits({ used: 1, remaining: 41 }) };
      },
      ...about.gateway,
    },
  });
  return { sent, to };
}

describe("a model that says nothing", () => {
  it("can be stopped after a second; the reader is told after ten, and it is given up after ninety", async () => {
    const clock = createClock();
    let told: AbortSignal | undefined;
    const { to } = setUp("", {
      after: (ms, call) => clock.after(ms, call),
      gateway: {
        chat({ signal }) {
          told = signal;
          return new Promise(() => undefined);
        },
      },
    });
    const { states, error } = await clock.until(statesOf(chat.run(asking("hello"), to)));
    expect(states.map(wordsOf)).toEqual([
      "<@U1> asked: hello\nThinking…\nStop",
      "<@U1> asked: hello\n:hourglass_flowing_sand: Still waiting…\nStop",
    ]);
    expect(states.map(({ text, progress }) => [text, progress])).toEqual([
      ["Thinking…", true],
      ["Still waiting…", true],
    ]);
    expect(error).toMatchObject({ api: "gateway", operation: "chat", reason: "timeout" });
    expect(told?.aborted).toBe(true);
  });
});

describe("chat", () => {
  it("passes the words on to the gateway’s default model, and says which model answered and the cost", async () => {
    const { sent, to } = setUp();
    const answer = await answerOf(chat, asking("translate “hello”"), to);
    expect(sent).toMatchObject([{ messages: [{ role: "user", content: "translate “hello”" }] }]);
    expect(sent[0]?.model).toBeUndefined();
    expect(wordsOf(answer)).toBe(
      "<@U1> asked: translate “hello”\nGuten Tag\nWritten by AI (`swift-1`), without the news · 1 credit used, 41 left\nHelpful\nNot helpful",
    );
    expect(answer.text).toBe("Guten Tag");
  });

  it.each([
    ["--model deep-2 hello", "deep-2", "hello"],
    ["hello --model=DEEP-2", "deep-2", "hello"],
    ['--model "Deep Two" hello', "deep-2", "hello"],
    ["hello —model swift-1?", "swift-1", "hello"],
    ["--model deep-2 note: hello", "deep-2", "note: hello"],
  ])("takes the model as an option: %s", async (text, model, content) => {
    const { sent, to } = setUp();
    await answerOf(chat, asking(text), to);
    expect(sent).toMatchObject([{ messages: [{ content }] }]);
    expect(sent[0]?.model).toBe(model);
  });

  it.each([
    ["--model deep-3 hello", /find a model called “deep-3”/],
    ["--model zzz hello", /find a model called “zzz”. `\/bellwether models` lists all/],
    ["hello --model", /Which model\?.*`\/bellwether chat --model NAME TEXT`/],
    ["--modl deep-2 hello", /Did you mean `--model`\?/],
    ["hello --until 2d", /`--until` isn’t an option here/],
  ])("refuses what is no model or no option of it: %s", async (text, hint) => {
    const { sent, to } = setUp();
    expect(await hintOf(chat, asking(text), to)).toMatch(hint);
    expect(sent).toEqual([]);
  });

  it("opens a window for the words if only a model is named, and says how to type them elsewhere", async () => {
    const { to } = setUp();
    const shown = await answerOf(chat, asking("--model deep-2", { surface: "button" }), to);
    expect(shown.window?.form).toEqual({ name: "chat", submit: "Send", state: "deep-2" });
    expect(chatForm.read({ fields: { prompt: "hello: you" }, state: "deep-2" })).toEqual({
      line: 'chat --model "deep-2" hello: you',
    });
    expect(await hintOf(chat, asking("--model deep-2", { surface: "mention" }), to)).toMatch(
      /What should I ask the model\?/,
    );
    expect(await hintOf(chat, asking(""), to)).toMatch(/What should I ask the model\?/);
  });

  it("refuses what is too long before it costs anything", async () => {
    const { sent, to } = setUp();
    expect(await hintOf(chat, asking("a".repeat(6_001)), to)).toMatch(/6,001 characters long, and 6,000 fit/);
    expect(sent).toEqual([]);
  });

  it("goes on with the model that was named in a thread, until another one is", async () => {
    const { sent, to } = setUp("One.");
    const thread = { surface: "mention", thread: "50.1" } as const;
    for (const text of ["--model deep-2 count", "go on", "--model swift-1 you", "go on"]) {
      await answerOf(chat, asking(text, thread), { ...to, chatModel: "house-3" });
    }
    expect(sent.map(({ model }) => model)).toEqual(["deep-2", "deep-2", "swift-1", "swift-1"]);
    await answerOf(chat, asking("count", { ...thread, thread: "60.1" }), { ...to, chatModel: "house-3" });
    expect(sent.at(-1)?.model).toBe("house-3");
  });

  it("brings what people said in the thread, and says so", async () => {
    const { sent, to } = setUp("One.", {
      threads: {
        read: async () => [{ author: "Ana", isBot: false, isOurs: false, text: "Gold fell 3%.", ts: "50.1" }],
      },
    });
    const thread = { surface: "mention", thread: "50.1", asked: "60.1" } as const;
    const answer = await answerOf(chat, asking("shorten what was said above", thread), to);
    expect(sent[0]?.messages).toEqual([
      { role: "user", content: expect.stringContaining("> Ana: Gold fell 3%.") },
      { role: "user", content: "shorten what was said above" },
    ]);
    expect(wordsOf(answer)).toContain(
      "Written by AI (`swift-1`), without the news · 1 message of this thread read · 1 credit",
    );
  });

  it("remembers the question if the model fails", async () => {
    const { to } = setUp("", {
      gateway: {
        chat: async () => {
          throw new OutOfCredits({ api: "gateway", operation: "chat" });
        },
      },
    });
    const { states, error } = await statesOf(chat.run(asking("hello", { thread: "50.1" }), to));
    expect(states).toEqual([]);
    expect(error).toBeInstanceOf(OutOfCredits);
    const message = { role: "user", content: { type: "text", text: "hello" } };
    const kept = await to.conversations.get("T1 C1 50.1");
    expect(kept?.turns).toEqual([{ messages: [message], unanswered: "stop-1" }]);
  });
});

describe("models", () => {
  it("lists the models, with the default", async () => {
    const { to } = setUp();
    const shown = await answerOf(models, asking(""), to);
    expect(wordsOf(shown)).toContain("*Swift One* · default\n`swift-1` · 128,000 tokens\n*Deep Two*\n`deep-2`");
    expect(shown.text).toContain("Deep Two\ndeep-2");
    const menu = JSON.stringify(shown.blocks);
    expect(menu).toContain('"value":"chat --model \\"swift-1\\""');
  });

  it("finds models by name or ID, and says so if there is none", async () => {
    const { to } = setUp();
    const found = await answerOf(models, asking("deep-2"), to);
    expect(found.text).toContain("Deep Two\ndeep-2");
    expect(found.text).not.toContain("Swift One");
    expect((await answerOf(models, asking("gold"), to)).text).toMatch(
      /find a model called “gold”. \/bellwether models shows all/,
    );
  });
});
