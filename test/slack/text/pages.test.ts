import { describe, expect, it } from "vitest";

import { context, markdown, row, section } from "../../../src/slack/text/blocks.ts";
import { limits } from "../../../src/slack/text/limits.ts";
import type { Block } from "../../../src/slack/text/message.ts";
import { pages, splitMarkdown } from "../../../src/slack/text/pages.ts";
import * as fc from "../../support/property.ts";

/** Lines of prose, of code, and of what must not be cut. */
const line = fc.oneof(
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom("", "&lt;!channel>", "a&amp;b&lt;c", "😀".repeat(30), "x".repeat(70), "- one", "# head"),
);
const prose = fc.array(line, { minLength: 1, maxLength: 40 }).map((lines) => lines.join("\n"));

function markdownIn(blocks: Block[] = []): string {
  return blocks.map((block) => (block.type === "markdown" ? block.text : "")).join("");
}

describe("splitMarkdown", () => {
  it("gives parts that joined are the whole, none of them too long", () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 120, max: 400 }), (text, length) => {
        const parts = splitMarkdown(text, length);
        expect(parts.join("")).toBe(text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(length);
          expect(part.isWellFormed()).toBe(true);
          expect(part).not.toMatch(/&[a-z]{0,4}$/);
        }
      }),
    );
  });

  it("begins the parts of a longer text with the same full parts", () => {
    const fenced = fc.array(
      fc.oneof(
        prose,
        prose.map((code) => `\n\`\`\`ts\n${code}\n\`\`\`\n`),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fenced, fc.nat(2_000), fc.integer({ min: 120, max: 400 }), (texts, short, length) => {
        const text = texts.join("");
        const earlier = splitMarkdown(text.slice(0, short), length);
        expect(splitMarkdown(text, length).slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
      }),
    );
  });

  it("closes a fence at the end of a part and opens it again in the next", () => {
    const codeLine = fc.stringMatching(/^[a-z]{1,30}$/);
    const code = fc.array(codeLine, { minLength: 20, maxLength: 60 });
    const fence = fc.constantFrom("```ts", "~~~", "````md", '```js title="a b"', "```");
    fc.assert(
      fc.property(fence, code, fc.integer({ min: 120, max: 400 }), (opening, lines, length) => {
        const marks = /^[`~]+/.exec(opening)?.[0] ?? "";
        const parts = splitMarkdown(`${opening}\n${lines.join("\n")}\n${marks}`, length);
        const shown = parts.flatMap((part) => {
          expect(part.length).toBeLessThanOrEqual(length);
          const [first, ...rest] = part.split("\n");
          expect(first).toBe(opening);
          expect(rest.at(-1)).toBe(marks);
          return rest.slice(0, -1);
        });
        expect(shown).toEqual(lines);
      }),
    );
  });

  it("closes and reopens a fence whatever ends its lines, and cuts no ending in two", () => {
    for (const ending of ["\n", "\r\n", "\r"]) {
      for (let length = 150; length < 170; length++) {
        const parts = splitMarkdown(
          `\`\`\`js${ending}${`let a = 1;${ending}`.repeat(120)}\`\`\`${ending}after`,
          length,
        );
        expect(parts.length).toBeGreaterThan(5);
        for (const part of parts.slice(0, -1)) expect(part).toMatch(/^```js(\r\n|\n|\r)[^`]*[\r\n]```$/);
        for (const part of parts.slice(1)) expect(part).not.toMatch(/^```js\n\n/);
        const lines = parts.flatMap((part) => part.split(/\r\n|\r|\n/)).filter((text) => text.startsWith("let"));
        expect(lines).toEqual(Array(120).fill("let a = 1;"));
      }
    }
  });

  it("treats a fence inside a longer fence as what it holds", () => {
    const parts = splitMarkdown(
      `\`\`\`\`md\n\`\`\`\n${"word ".repeat(60)}\n\`\`\`\n\`\`\`\`\n${"after ".repeat(40)}`,
      200,
    );
    expect(parts.filter((part) => part.startsWith("````md\n")).length).toBeGreaterThan(1);
    expect(parts.at(-1)).not.toContain("`");
  });

  it("does not choke on a fence that is longer than a part", () => {
    for (const fence of ["`".repeat(1_000), `\`\`\`${"a".repeat(1_000)}`]) {
      const parts = splitMarkdown(`${fence}\n${"code ".repeat(100)}`, 200);
      expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(200);
      expect(parts.join("").replaceAll(/`|\n/g, "")).toContain("code code");
    }
  });

  it("prefers paragraphs to lines and lines to words", () => {
    expect(splitMarkdown(`${"a".repeat(70)}\n\n${"b".repeat(20)}\n${"c ".repeat(40)}`, 120)[0]).toBe(
      `${"a".repeat(70)}\n\n`,
    );
    expect(splitMarkdown(`${"a".repeat(70)}\n${"b ".repeat(40)}`, 120)[0]).toBe(`${"a".repeat(70)}\n`);
    expect(splitMarkdown("word ".repeat(40), 120)[0]).toMatch(/^(word )+$/);
  });
});

describe("pages", () => {
  const head = context("Ana asked");
  const foot = context("Sources");

  it("leaves a message that fits as it is", () => {
    const message = { text: "Hello", blocks: [section("Hello")] };
    expect(pages(message)).toEqual([message]);
    expect(pages({ text: "Hello" })).toEqual([{ text: "Hello" }]);
  });

  it("puts what stands before the Markdown on the first page and what stands after it on the last", () => {
    const text = "word ".repeat(4_000);
    const [first, ...rest] = pages({ text, blocks: [head, markdown(text), foot], progress: true });
    const last = rest.at(-1);
    expect(first?.blocks?.[0]).toEqual(head);
    expect(last?.blocks?.at(-1)).toEqual(foot);
    expect(rest.length).toBe(2);
    const blocks = [first, ...rest].flatMap((page) => page?.blocks ?? []);
    expect(blocks.filter((block) => block.type === "context").length).toBe(2);
    expect(markdownIn(blocks)).toBe(text);
    for (const page of [first, ...rest]) {
      expect(markdownIn(page?.blocks).length).toBeLessThanOrEqual(limits.markdown);
      expect(Buffer.byteLength(page?.text ?? "")).toBeLessThanOrEqual(limits.textBytes);
    }
  });

  it("shows full pages unchanged as an answer grows", () => {
    const whole = "Some words, and more of them.\n\n".repeat(900);
    const at = (length: number) => pages({ text: "", blocks: [head, markdown(whole.slice(0, length)), foot] });
    let before = at(100);
    for (let length = 200; length < whole.length; length += 977) {
      const now = at(length);
      const full = before.length - 1;
      expect(now.slice(0, full)).toEqual(before.slice(0, full));
      before = now;
    }
    expect(before.length).toBeGreaterThan(2);
  });

  it("reads each page as plain words, and a single one as it was given", () => {
    const body = "# Head\n\n**Bold** words, [a link](https://a.example).\n\n".repeat(400);
    const [first, second] = pages({ text: "ignored", blocks: [markdown(body)] });
    expect(first?.text).toMatch(/^Head\n\nBold words, a link\.\n\nHead/);
    expect(second?.text).not.toMatch(/[#*[\]]/);
    expect(pages({ text: "As given", blocks: [markdown("**Bold**")] })[0]?.text).toBe("As given");
    expect(pages({ text: "", blocks: [markdown("**Bold**")] })[0]?.text).toBe("Bold");
  });

  it("lets no half of a character out in any field", () => {
    const half = "x\ud83d";
    for (const body of [half, half.repeat(8_000)]) {
      const made = pages({ text: half, blocks: [context(half), markdown(body), section(half)] });
      const strings: string[] = [];
      JSON.stringify(made, (_, value: unknown) => (typeof value === "string" && strings.push(value), value));
      expect(strings.length).toBeGreaterThan(5);
      expect(strings.filter((text) => !text.isWellFormed())).toEqual([]);
    }
    expect(pages({ text: "a", blocks: [section(half)] })[0]?.blocks).toEqual([section("x\ufffd")]);
  });

  it("lets nothing in the text beside Markdown ping, though it is harmless in the Markdown itself", () => {
    const code = "```\n<!channel> <https://evil.example|bank>\n```\n";
    for (const body of [code, code + "word ".repeat(3_000)]) {
      for (const page of pages({ text: body, blocks: [markdown(body)] })) expect(page.text).not.toContain("<");
    }
  });
});

describe("a row without buttons", () => {
  it("is left out of every page, because Slack refuses the whole message for it", () => {
    const blocks = [markdown("Oil rose."), row(), context("Written by AI")];
    expect(pages({ text: "", blocks }).map((page) => page.blocks?.map(({ type }) => type))).toEqual([
      ["markdown", "context"],
    ]);
    expect(pages({ text: "Oil rose.", blocks: [section("Oil rose."), row()] })[0]?.blocks).toHaveLength(1);
  });
});
