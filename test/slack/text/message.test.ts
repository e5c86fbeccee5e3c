import { describe, expect, it } from "vitest";

import { context, markdown, section } from "../../../src/slack/text/blocks.ts";
import { limits } from "../../../src/slack/text/limits.ts";
import { fitText, later } from "../../../src/slack/text/message.ts";
import { pages } from "../../../src/slack/text/pages.ts";
import * as fc from "../../support/property.ts";

describe("fitText", () => {
  it("fits into Slack's bytes and is a beginning of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), fc.nat(3_000), (unit, times) => {
        const text = unit.repeat(times);
        const fitted = fitText(text);
        expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(limits.textBytes);
        expect(fitted === text || (fitted.endsWith("…") && text.startsWith(fitted.slice(0, -1)))).toBe(true);
        expect(fitted.isWellFormed()).toBe(true);
      }),
    );
  });

  it.each(["&lt;", "&amp;", "<https://n.example/a|the story>", "<!date^1^{date}|today>", "<@U1>"])(
    "cuts no %s in two",
    (whole) => {
      for (let before = 0; before <= whole.length; before++) {
        const head = "x".repeat(limits.textBytes - 3 - before);
        const fitted = fitText(head + whole + "y".repeat(100));
        expect([`${head}…`, `${head}${whole}…`]).toContain(fitted);
      }
    },
  );

  it("gives no half of a character, however short the text", () => {
    expect(fitText("Up \ud83d")).toBe("Up \ufffd");
  });

  it("keeps a lone angle bracket", () => {
    expect(fitText(`a < b ${"x".repeat(5_000)}`)).toMatch(/^a < b x+…$/);
  });
});

describe("a message that is made later", () => {
  it("is made once, when it is first read, and its flags are known before", () => {
    let made = 0;
    const message = later(
      () => {
        made++;
        return { text: "Hello", blocks: [section("Hello")] };
      },
      { progress: true },
    );
    expect(message.progress).toBe(true);
    expect(message.private).toBeUndefined();
    expect(made).toBe(0);
    expect(message.text).toBe("Hello");
    expect(message.blocks).toEqual([section("Hello")]);
    expect({ ...message, private: true }).toMatchObject({ text: "Hello", progress: true, private: true });
    expect(made).toBe(1);
  });

  it("is shown like any other", () => {
    const message = { text: "Hello", blocks: [context("small"), markdown("**Hello**")] };
    expect(pages(later(() => message))).toEqual(pages(message));
    expect(pages(later(() => ({ text: "Hello" })))[0]?.text).toBe("Hello");
  });
});
