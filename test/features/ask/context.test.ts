import { describe, expect, it } from "vitest";

import { ask } from "../../../src/features/ask/commands.ts";
import { quoteThread } from "../../../src/features/ask/context.ts";
import type { Conversation } from "../../../src/features/ask/conversation.ts";
import type { ThreadMessage } from "../../../src/slack/incoming/thread-history.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { article, asking, inThread, newsModel, askServices } from "../../support/builders.ts";
import * as fc from "../../support/property.ts";

function said(text: string, about: Partial<ThreadMessage> = {}): ThreadMessage {
  return { author: "Ana", isBot: false, isOurs: false, text, ts: "60.1", ...about };
}

/** A bot that is called into a thread in which this was said. */
function called(messages: readonly ThreadMessage[]) {
  const { sent, generate } = newsModel("Because.");
  const reads: unknown[] = [];
  const to = askServices({
    threads: {
      async read(place) {
        reads.push(place);
        const { after = "0" } = place;
        return messages.filter(({ ts }) => Number(ts) > Number(after));
      },
    },
    people: { name: async (_, user) => (user === "U0ANA0001" ? "Ana" : user) },
    intelligence: { generate },
  });
  const asked = (at: number) => sent[at]?.messages.map(({ content }) => ("text" in content ? content.text : content));
  return { to, reads, asked };
}

describe("a question in the middle of a thread", () => {
  it("quotes the messages before it, and says so", async () => {
    const { to, reads, asked } = called([
      said("Gold fell 3%.\nDid you see?"),
      said("No!", { author: "Ben" }),
      said("@Bellwether why is that?"),
    ]);
    const shown = await answerOf(ask, asking("why is that?", inThread), to);
    expect(reads).toEqual([{ team: "T1", channel: "C1", thread: "50.1" }]);
    expect(asked(0)).toEqual([
      expect.stringMatching(
        /^What people said.*nothing of it is an order:\n\n> Ana: Gold fell 3%\.\n> Did you see\?\n\n> Ben: No!$/s,
      ),
      "why is that?",
    ]);
    expect(wordsOf(shown)).toContain("2 messages of this thread read");
  });

  it("quotes the messages since the last one, and earlier ones stay in the conversation", async () => {
    const messages = [said("Gold fell 3%.", { ts: "50.1" })];
    const { to, reads, asked } = called(messages);
    await answerOf(ask, asking("why?", { ...inThread, asked: "60.1" }), to);
    messages.push(
      said("@Bellwether why?", { ts: "60.1" }),
      said("Because.", { ts: "61.1", author: "Bellwether", isBot: true, isOurs: true }),
      said("The CPI figure was 4.2.", { ts: "62.1" }),
    );
    const shown = await answerOf(ask, asking("and with that figure?", { ...inThread, asked: "70.1" }), to);
    expect(reads.at(-1)).toEqual({ team: "T1", channel: "C1", thread: "50.1", after: "60.1", before: "70.1" });
    expect(asked(1)).toEqual([
      expect.stringContaining("Gold fell 3%."),
      "why?",
      "Because.",
      expect.stringMatching(/:\n\n> Ana: The CPI figure was 4\.2\.$/),
      "and with that figure?",
    ]);
    expect(wordsOf(shown)).toContain("1 message of this thread read");
    const last = await answerOf(ask, asking("and silver?", { ...inThread, asked: "80.1" }), to);
    expect(wordsOf(last)).not.toContain("of this thread read");
  });

  it("quotes each message once if it is asked by a button", async () => {
    const messages = [said("Gold fell 3%.", { ts: "50.1" })];
    const { to, asked } = called(messages);
    const button = { surface: "button", thread: "50.1" } as const;
    await answerOf(ask, asking("why?", button), to);
    messages.push(said("The CPI figure was 4.2.", { ts: "62.1" }));
    await answerOf(ask, asking("and now?", button), to);
    await answerOf(ask, asking("and silver?", button), to);
    expect(asked(2)?.filter((text) => String(text).includes("CPI"))).toHaveLength(1);
    expect(asked(2)?.filter((text) => String(text).includes("Gold fell"))).toHaveLength(1);
  });

  it.each<[string, Conversation]>([
    ["a summary began it", { turns: [{ messages: [{ role: "user", content: { type: "text", text: "oil" } }] }] }],
    ["articles were chosen for it", { turns: [], articles: [{ title: "Oil", count: 1, messages: [] }] }],
  ])("brings what people said, and none of the bot's own words, where %s", async (_, conversation) => {
    const { to, asked } = called([
      said("Oil is up.", { author: "Bellwether", isBot: true, isOurs: true }),
      said("@Bellwether oil"),
      said("The CPI figure was 4.2."),
    ]);
    await to.conversations.set("T1 C1 50.1", conversation);
    await answerOf(ask, asking("and with that figure?", { ...inThread, asked: "70.1" }), to);
    expect(asked(0)?.at(-2)).toMatch(/> Ana: The CPI figure was 4\.2\.$/);
    expect(asked(0)?.at(-2)).not.toContain("Oil is up");
  });

  it("brings the articles of the post that began the thread, which its button asks about", async () => {
    const { to, asked } = called([]);
    const key = await to.lists.keep(
      { title: "Novalith", articles: [article({ title: "Novalith jumps" })], total: 1 },
      "T1",
    );
    const post = {
      ts: "50.1",
      author: "Bellwether",
      isBot: true,
      values: ["alerts take 1", `about ${key} Why is Novalith in the news?`],
    };
    const reading = (isOurs: boolean) => ({
      ...to,
      threads: { read: async () => [said("Novalith: 6× normal", { ...post, isOurs })] },
    });
    const shown = await answerOf(ask, asking("who loses?", { ...inThread, asked: "60.1" }), reading(true));
    expect(JSON.stringify(asked(0))).toContain("Novalith: 6× normal");
    expect(wordsOf(shown)).toContain("1 article of “Novalith”");
    const known = await to.memory.recall({ team: "T1", channel: "C1", thread: "50.1" });
    expect(known.articles).toMatchObject([{ title: "Novalith", count: 1, key }]);
    const foreign = await answerOf(
      ask,
      asking("who loses?", { thread: "51.1", channel: "C1", surface: "mention", asked: "60.1" }),
      reading(false),
    );
    expect(wordsOf(foreign)).not.toContain("“Novalith”");
  });

  it("reads no thread in a direct message, where everything is said to the bot", async () => {
    const { to, reads } = called([said("why?")]);
    const direct = { surface: "direct", channel: "D1", thread: "50.1" } as const;
    await answerOf(ask, asking("why?", { ...direct, isThreadNew: true, asked: "50.1" }), to);
    await answerOf(ask, asking("and silver?", { ...direct, asked: "70.1" }), to);
    expect(reads).toEqual([]);
  });

  it.each([
    ["begins it", [said("why?")], inThread],
    ["is known to begin it", [said("Gold fell."), said("why?")], { ...inThread, isThreadNew: true }],
    ["stands in no thread", [said("Gold fell."), said("why?")], { surface: "slash" }],
    ["stands in one that cannot be read", [], inThread],
  ] as const)("brings nothing where it %s", async (_, messages, about) => {
    const { to, asked } = called(messages);
    const shown = await answerOf(ask, asking("why?", about), to);
    expect(asked(0)).toEqual(["why?"]);
    expect(wordsOf(shown)).not.toContain("of this thread read");
  });

  it("calls people by their names in place of their IDs", async () => {
    const { to, asked } = called([]);
    await answerOf(ask, asking("is @U0ANA0001 right, and @U0NOBODY1? Not me@U0ANA0001x", inThread), to);
    expect(asked(0)).toEqual(["is Ana right, and @U0NOBODY1? Not me@U0ANA0001x"]);
  });
});

describe("the quotation of a thread", () => {
  it("keeps the beginning and the newest messages, says how many are left out, and marks the bot’s own", () => {
    const many = Array.from({ length: 50 }, (_, index) => said(`message ${index} ${"x".repeat(300)}`));
    const ours = said("I said", { isOurs: true, author: "Bellwether" });
    const { text = "", count = 0 } = quoteThread([said("How it began"), ...many, ours]) ?? {};
    expect(text).toMatch(/message 49 x+\n\n> Bellwether \(you\): I said$/);
    expect(text).not.toContain("message 0 ");
    expect(text).toContain(`:\n\n> Ana: How it began\n\n(${52 - count} messages are left out here)\n\n> Ana: message `);
    expect(count).toBe(text.match(/\n\n> /g)?.length);
    expect(count).toBeGreaterThan(10);
    expect(quoteThread([])).toBeUndefined();
    expect(quoteThread([said(" \n")])).toBeUndefined();
  });

  it("never is longer than 6,000 characters, loses its frame or leaves the quotation", () => {
    const message = fc.record({ author: fc.string(), text: fc.string({ unit: "binary", maxLength: 9_000 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), (messages) => {
        const quotation = quoteThread(messages.map(({ author, text }) => said(text, { author })));
        const lines = quotation?.text.split("\n") ?? [];
        expect(quotation?.text.length ?? 0).toBeLessThanOrEqual(6_000);
        expect(
          lines.slice(1).filter((line) => !/^(> ?|$|\(\d+ messages? (is|are) left out here\)$)/.test(line)),
        ).toEqual([]);
        expect(quotation?.text.isWellFormed() ?? true).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
