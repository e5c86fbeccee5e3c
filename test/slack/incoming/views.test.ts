import { describe, expect, it } from "vitest";
import { checkView } from "../../../local/workspace/blocks.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { createWindow, parseOrigin, renderHomeTab, renderModal } from "../../../src/slack/incoming/views.ts";
import { buttons, chart, divider, header, markdown, section, textField } from "../../../src/slack/text/blocks.ts";
import type { Block, Message } from "../../../src/slack/text/message.ts";
import { nasty } from "../nasty.ts";
import * as fc from "../../support/property.ts";

const origin = { channel: "C1" };

function wordsIn({ blocks }: { blocks: Block[] }): string[] {
  return blocks.flatMap((block) => (block.type === "section" && block.text ? [block.text.text] : []));
}

describe("the view of a window", () => {
  it("without a form can be closed only", () => {
    const view = renderModal({ text: "Regions", window: { title: "Regions" } }, origin);
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
    const view = renderModal(
      { text: "Ask", blocks: [textField({ name: "question", label: "Question" })], window: { title: "Ask", form } },
      { channel: "C1", thread: "3.0", isThreadNew: true },
    );
    expect(view).toMatchObject({ callback_id: "about", submit: { text: "Ask" }, close: { text: "Cancel" } });
    expect(parseOrigin(view.private_metadata)).toEqual({
      channel: "C1",
      thread: "3.0",
      isThreadNew: true,
      state: "key",
    });
  });

  it("goes by the heading of its message if that fits into a title", () => {
    const titled = (heading: string) => renderModal({ text: "a", blocks: [header(heading), section("Oil")] }, origin);
    expect(titled("Trending now")).toMatchObject({ title: { text: "Trending now" }, blocks: [section("Oil")] });
    const long = "Trending in the whole world now";
    expect(titled(long)).toMatchObject({ title: { text: "Bellwether" }, blocks: [header(long), section("Oil")] });
  });

  it("shows Markdown as words, and leaves out the chart beside them", () => {
    const drawn = chart({ title: "A", labels: ["Mon"], series: [{ name: "Oil", values: [1] }] });
    const blocks = [drawn, markdown("**Oil** rose, [says X](https://x.example)"), divider];
    expect(renderModal({ text: "a", blocks }, origin).blocks).toEqual([section("Oil rose, says X"), divider]);
  });

  it("shows long words whole, in several parts", () => {
    const text = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
    const parts = wordsIn(renderModal({ text: "a", blocks: [markdown(text)] }, origin));
    expect(parts.join("")).toBe(text);
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(3_000);
  });

  it("has no more blocks than Slack takes", () => {
    const blocks = Array.from({ length: 150 }, () => section("a"));
    expect(checkView(renderModal({ text: "a", blocks }, origin))).toEqual([]);
  });

  it("is one that Slack takes, whatever it says", () => {
    const words = fc.oneof(nasty, fc.string({ unit: "binary" }), fc.lorem({ maxCount: 900 }));
    fc.assert(
      fc.property(words, words, words, (title, text, value) => {
        const blocks = [
          markdown(text),
          section(text),
          chart({ title, labels: [text, value], series: [{ name: title, values: [1, 2] }] }),
          textField({ name: "field", label: text, hint: value, placeholder: text, value }),
          buttons({ action: "run", label: title, value: text, accessibleText: value }),
        ];
        const form = { name: "form", submit: title };
        const view = renderModal({ text, blocks, window: { title, form } }, origin);
        const shown = blocks.filter(({ type }) => type !== "input");
        expect([checkView(view), checkView(renderHomeTab(shown))]).toEqual([[], []]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a window says of where it was opened", () => {
  it.each(["", "null", "7", "[]", "{", "{}", '{"channel":"C1"}', '{"channel":"C1","state":7}', '{"state":""}'])(
    "is nothing if it is %j",
    (metadata) => {
      expect(parseOrigin(metadata)).toBeUndefined();
    },
  );

  it("survives any state that a form needs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (state) => {
        const { private_metadata } = renderModal(
          { text: "a", window: { title: "a", form: { name: "f", submit: "Go", state } } },
          origin,
        );
        expect(parseOrigin(private_metadata)?.state).toBe(state);
      }),
    );
  });
});

const message: Message = { text: "In words", blocks: [section("In blocks")], window: { title: "Title" } };
const form: Message = { ...message, window: { title: "Title", form: { name: "f", submit: "Go" } } };

/** Slack that refuses the first calls with these. */
function setUp(...refusals: (string | SlackRefused)[]) {
  const calls: { method: string; options: Record<string, unknown> }[] = [];
  const call = async (method: string, options: Record<string, unknown>) => {
    calls.push({ method, options });
    const refusal = refusals.shift();
    if (refusal) throw typeof refusal === "string" ? new SlackRefused(method, refusal) : refusal;
    return { view: { id: "V1" } };
  };
  return { call, calls, window: createWindow({ call, origin, trigger: "1.2" }) };
}

const network = new SlackRefused("views.open", "network", { reaction: "lookUp" });

describe("a new window", () => {
  it.each([
    "expired_trigger_id",
    "exchanged_trigger_id",
    "push_limit_reached",
    "ratelimited",
    "internal_error",
    network,
  ])("is not shown, and says so, if Slack answers %s", async (refusal) => {
    const { calls, window } = setUp(refusal);
    expect(await window.show(message)).toBe(false);
    expect(calls.length).toBe(1);
  });

  it.each(["invalid_arguments", "view_too_large"])("is shown in words if Slack answers %s", async (refusal) => {
    const { calls, window } = setUp(refusal);
    expect(await window.show(message)).toBe(true);
    expect(calls.map(({ options }) => options["view"])).toMatchObject([
      { title: { text: "Title" }, blocks: [section("In blocks")] },
      { title: { text: "Title" }, blocks: [section("In words")] },
    ]);
  });

  it("fails if Slack takes not even words, or a form cannot be shown", async () => {
    await expect(setUp("invalid_arguments", "invalid_arguments").window.show(message)).rejects.toThrow(
      "invalid_arguments",
    );
    const { calls, window } = setUp("invalid_arguments");
    await expect(window.show(form)).rejects.toThrow("invalid_arguments");
    expect(calls.length).toBe(1);
  });
});
