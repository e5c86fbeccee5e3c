import { describe, expect, it } from "vitest";

import { before, quotationOf } from "../../../src/features/ask/threadContext.ts";
import type { ThreadMessage } from "../../../src/slack/incoming/thread-history.ts";
import * as fc from "../../support/property.ts";

function said(text: string, about: Partial<ThreadMessage> = {}): ThreadMessage {
  return { author: "Ana", isBot: false, isOurs: false, text, ts: "60.1", ...about };
}

describe("what was said before a question", () => {
  it("is all of it where the question is not there, and ends with the last time that it was asked", () => {
    const messages = [said("why?"), said("So."), said("hey “why?”   now"), said("After")];
    expect(before(messages, "why?")).toEqual(messages.slice(0, 2));
    expect(before(messages, "where?")).toEqual(messages);
    expect(before(messages, "")).toEqual(messages);
    expect(before([said("why?", { isOurs: true })], "why?")).toHaveLength(1);
  });

  it("keeps how it began and what was said last, says what is left out between, and which are the bot's own", () => {
    const many = Array.from({ length: 50 }, (_, index) => said(`message ${index} ${"x".repeat(300)}`));
    const ours = said("I said", { isOurs: true, author: "Bellwether" });
    const { text = "", count = 0 } = quotationOf([said("How it began"), ...many, ours]) ?? {};
    expect(text).toMatch(/message 49 x+\n\n> Bellwether \(you\): I said$/);
    expect(text).not.toContain("message 0 ");
    expect(text).toContain(`:\n\n> Ana: How it began\n\n(${52 - count} messages are left out here)\n\n> Ana: message `);
    expect(count).toBe(text.match(/\n\n> /g)?.length);
    expect(count).toBeGreaterThan(10);
    expect(quotationOf([])).toBeUndefined();
    expect(quotationOf([said(" \n")])).toBeUndefined();
  });

  it("shortens a long beginning, so that what was said last has room", () => {
    const { text = "", count } =
      quotationOf([said(`First ${"a".repeat(4_000)}`), said(`Last ${"b".repeat(3_900)}`)]) ?? {};
    expect(text).toMatch(/> Ana: First a{1000,}…\n\n> Ana: Last b{3900}$/);
    expect(count).toBe(2);
  });

  it("counts what was not even read among what is left out", () => {
    const { text } = quotationOf([said("First"), said("Newest", { skipped: 70 })]) ?? {};
    expect(text).toContain("> Ana: First\n\n(70 messages are left out here)\n\n> Ana: Newest");
    const { text: one } = quotationOf([said("First"), said("Newest", { skipped: 1 })]) ?? {};
    expect(one).toContain("(1 message is left out here)");
  });

  it("never is longer than 6,000 characters, loses its frame or leaves the quotation", () => {
    const message = fc.record({ author: fc.string(), text: fc.string({ unit: "binary", maxLength: 9_000 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), (messages) => {
        const quotation = quotationOf(messages.map(({ author, text }) => said(text, { author })));
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
