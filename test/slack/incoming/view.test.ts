import { describe, expect, it } from "vitest";

import { buttons, chart, divider, markdown, section, table, textField } from "../../../src/slack/text/blocks.ts";
import type { Block, Message } from "../../../src/slack/text/message.ts";
import { homeView, modalView, originOf } from "../../../src/slack/incoming/views.ts";
import { checkView } from "../../../local/workspace/blocks.ts";
import { nasty } from "../nasty.ts";
import * as fc from "../../support/property.ts";

const origin = { channel: "C1" };

function wordsIn({ blocks }: { blocks: Block[] }): string[] {
  return blocks.flatMap((block) => (block.type === "section" && block.text ? [block.text.text] : []));
}

describe("a window", () => {
  it("without a form can be closed only", () => {
    const view = modalView({ text: "Regions", window: { title: "Regions" } }, origin);
    expect(view).toMatchObject({
      title: { type: "plain_text", text: "Regions" },
      close: { text: "Close" },
      callback_id: "window",
      blocks: [section("Regions")],
    });
    expect(view).not.toHaveProperty("submit");
  });

  it("with a form can be sent off, and says where it was opened and what the form needs to know", () => {
    const form = { name: "about", submit: "Ask", state: "key" };
    const view = modalView(
      { text: "Ask", blocks: [textField({ name: "question", label: "Question" })], window: { title: "Ask", form } },
      { channel: "C1", thread: "3.0", isThreadNew: true },
    );
    expect(view).toMatchObject({ callback_id: "about", submit: { text: "Ask" }, close: { text: "Cancel" } });
    expect(originOf(view.private_metadata)).toEqual({ channel: "C1", thread: "3.0", isThreadNew: true, state: "key" });
  });

  it("cuts a title that is too long, and never a character", () => {
    for (const before of [21, 22, 23, 24]) {
      const { title } = modalView({ text: "a", window: { title: `${"a".repeat(before)}😀😀` } }, origin);
      expect(title.text.length).toBeLessThanOrEqual(24);
      expect(title.text.isWellFormed()).toBe(true);
      expect(title.text.endsWith("…")).toBe(true);
    }
  });

  it("shows Markdown, tables and charts as words", () => {
    const blocks = [
      markdown("**Oil** rose, [says X](https://x.example)"),
      table(["Name", "Articles"], [["Oil <b>", "7"]]),
      chart({ title: "A & B", labels: ["Mon", "Tue"], series: [{ name: "Oil", values: [1_200, 2] }] }),
      chart({
        title: "Two",
        labels: ["Mon"],
        series: [
          { name: "Oil", values: [1] },
          { name: "Gas", values: [2] },
        ],
      }),
      divider,
    ];
    const view = modalView({ text: "a", blocks }, origin);
    expect(wordsIn(view)).toEqual([
      "Oil rose, says X",
      "*Name · Articles*\nOil &lt;b&gt; · 7",
      "*A &amp; B*\nMon: 1,200\nTue: 2",
      "*Two*\nMon: Oil 1, Gas 2",
    ]);
    expect(view.blocks.at(-1)).toEqual(divider);
  });

  it("leaves out a picture that a message can do without", () => {
    const drawn = chart({ title: "A", labels: ["Mon"], series: [{ name: "Oil", values: [1] }] });
    const message = { text: "a", blocks: [drawn, section("Oil: 1 on Monday")], instead: [section("A table")] };
    expect(wordsIn(modalView(message, origin))).toEqual(["Oil: 1 on Monday"]);
  });

  it("shows long words whole, in several parts", () => {
    const text = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
    const parts = wordsIn(modalView({ text: "a", blocks: [markdown(text)] }, origin));
    expect(parts.join("")).toBe(text);
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(3_000);
  });

  it.each<[string, Message]>([
    ["nothing at all", { text: "" }],
    ["empty Markdown", { text: "a", blocks: [markdown("")] }],
    ["a title of nothing", { text: "a", window: { title: "" } }],
    ["150 blocks", { text: "a", blocks: Array.from({ length: 150 }, () => section("a")) }],
  ])("with %s is one that Slack takes", (_, message) => {
    expect(checkView(modalView(message, origin))).toEqual([]);
  });

  it("is one that Slack takes, whatever it says", () => {
    const words = fc.oneof(nasty, fc.string({ unit: "binary" }), fc.lorem({ maxCount: 900 }));
    fc.assert(
      fc.property(words, words, words, (title, text, value) => {
        const blocks = [
          markdown(text),
          section(text),
          table([title, text], [[text, value]]),
          chart({ title, labels: [text, value], series: [{ name: title, values: [1, 2] }] }),
          textField({ name: "field", label: text, hint: value, placeholder: text, value }),
          buttons({ action: "run", label: title, value: text, spoken: value }),
        ];
        const form = { name: "form", submit: title };
        const view = modalView({ text, blocks, window: { title, form } }, origin);
        const shown = blocks.filter(({ type }) => type !== "input");
        expect([checkView(view), checkView(homeView(shown))]).toEqual([[], []]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a window says of where it was opened", () => {
  it.each(["", "null", "7", "[]", "{", "{}", '{"channel":"C1"}', '{"channel":"C1","state":7}', '{"state":""}'])(
    "is nothing where it is %j",
    (metadata) => {
      expect(originOf(metadata)).toBeUndefined();
    },
  );

  it("survives any state that a form needs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (state) => {
        const { private_metadata } = modalView(
          { text: "a", window: { title: "a", form: { name: "f", submit: "Go", state } } },
          origin,
        );
        expect(originOf(private_metadata)?.state).toBe(state);
      }),
    );
  });
});
