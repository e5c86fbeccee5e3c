import { describe, expect, it } from "vitest";

import { buttons, context, header, markdown, section } from "../../src/slack/blocks.ts";
import { limits } from "../../src/slack/limits.ts";
import type { Block } from "../../src/slack/message.ts";

function textOf(block: Block): string {
  return block.type === "section" && block.text ? block.text.text : "";
}

describe("section", () => {
  it("shows text that Slack does not read anything into", () => {
    expect(section("*Oil* rose")).toEqual({
      type: "section",
      text: { type: "mrkdwn", text: "*Oil* rose", verbatim: true },
    });
  });

  it.each(["&amp;", "<https://n.example/a|the story>", "<!date^1^{date}|today>", "😀"])(
    "cuts what is too long, and never inside %s",
    (whole) => {
      for (let before = 0; before <= whole.length; before++) {
        const head = "x".repeat(limits.section - 1 - before);
        const cut = textOf(section(head + whole + "y".repeat(50)));
        expect(cut.length).toBeLessThanOrEqual(limits.section);
        expect([`${head}…`, `${head}${whole}…`]).toContain(cut);
      }
    },
  );
});

describe("header", () => {
  it("fits Slack's limit", () => {
    expect(header("a".repeat(200))).toEqual({
      type: "header",
      text: { type: "plain_text", text: `${"a".repeat(149)}…`, emoji: true },
    });
  });
});

describe("context", () => {
  it("holds as many elements as Slack takes", () => {
    const block = context(...Array.from({ length: 14 }, (_, index) => `part ${index}`));
    expect(block).toMatchObject({ type: "context", elements: { length: limits.contextElements } });
  });
});

describe("markdown", () => {
  it("leaves the text whole: pages cut it", () => {
    expect(markdown("a".repeat(20_000))).toEqual({ type: "markdown", text: "a".repeat(20_000) });
  });
});

describe("buttons", () => {
  it("is a row of buttons with what they run", () => {
    expect(buttons({ action: "run:1", label: "b".repeat(80), value: "news oil", style: "primary" })).toEqual({
      type: "actions",
      elements: [
        {
          type: "button",
          action_id: "run:1",
          text: { type: "plain_text", text: `${"b".repeat(74)}…`, emoji: true },
          value: "news oil",
          style: "primary",
        },
      ],
    });
    expect(buttons({ action: "run", label: "Go", value: "help" })).not.toHaveProperty("elements.0.style");
  });
});
