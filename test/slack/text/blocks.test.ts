import { describe, expect, it } from "vitest";

import {
  button,
  buttons,
  channelField,
  chart,
  choiceField,
  context,
  divider,
  header,
  withoutEmptyRows,
  menu,
  moreMenu,
  row,
  section,
  sectionWith,
  textField,
} from "../../../src/slack/text/blocks.ts";
import { limits } from "../../../src/slack/text/limits.ts";
import type { Block } from "../../../src/slack/text/message.ts";
import { checkBlocks } from "../../../local/workspace/blocks.ts";
import { nasty } from "../nasty.ts";
import * as fc from "../../support/property.ts";

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

  it("gives each an action of its own, of which Slack takes none twice in a row", () => {
    const each = { action: "run:a", label: "Go", value: "help" };
    const block = row(
      button(each),
      button({ ...each, action: "run" }),
      button(each),
      button({ ...each, action: "run" }),
    );
    expect(block).toMatchObject({
      elements: [{ action_id: "run:a" }, { action_id: "run" }, { action_id: "run:a:2" }, { action_id: "run:2" }],
    });
  });

  it("says more to screen readers if the label says too little", () => {
    const block = button({
      action: "run",
      label: "Next",
      value: "list key 2",
      accessibleText: "Next page of articles",
    });
    expect(block).toHaveProperty("accessibility_label", "Next page of articles");
  });
});

describe("menu", () => {
  const choices = [
    { label: "Daily", value: "daily" },
    { label: "Weekly", value: "weekly" },
  ];

  it("offers its choices, one of them chosen at first", () => {
    const option = { text: { type: "plain_text", text: "Weekly", emoji: true }, value: "weekly" };
    const menuOf = (chosen?: string) => menu({ action: "turn:a", placeholder: "How often?", choices, chosen });
    expect(menuOf("weekly")).toMatchObject({ placeholder: { text: "How often?" }, initial_option: option });
    expect(menuOf("never")).not.toHaveProperty("initial_option");
    expect(menuOf()).not.toHaveProperty("initial_option");
  });

  it("leaves out what Slack cannot hold", () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ label: `${index}`, value: `${index}` }));
    const odd = [{ label: "long", value: "v".repeat(76) }, { label: "none", value: "" }, ...many];
    expect(menu({ action: "run", placeholder: "a", choices: odd })).toMatchObject({
      options: { length: 100, 0: { value: "0" } },
    });
  });
});

describe("a field", () => {
  it("is known by its name, and says whether it may be left empty", () => {
    expect(textField({ name: "query", label: "Query" })).toMatchObject({
      block_id: "query",
      element: { action_id: "query", multiline: false },
      optional: false,
    });
    const choice = { name: "often", label: "How often?", choices: [{ label: "Daily", value: "daily" }] };
    expect(choiceField({ ...choice, chosen: "daily", isOptional: true })).toMatchObject({
      block_id: "often",
      element: { action_id: "often", initial_option: { value: "daily" } },
      optional: true,
    });
  });

  it("never begins with more text than it takes", () => {
    expect(textField({ name: "a", label: "A", value: "12345", most: 3 })).toMatchObject({
      element: { initial_value: "123", max_length: 3 },
    });
    expect(textField({ name: "a", label: "A", value: "x".repeat(4_000), most: 9_000 })).toMatchObject({
      element: { initial_value: "x".repeat(3_000), max_length: 3_000 },
    });
  });

  it("for a channel begins with the one that the window was opened in", () => {
    expect(channelField({ name: "to", label: "To" })).toMatchObject({
      element: { default_to_current_conversation: true },
    });
    const chosen = channelField({ name: "to", label: "To", chosen: "C7" });
    expect(chosen).toMatchObject({ element: { initial_conversation: "C7" } });
    expect(chosen).not.toHaveProperty("element.default_to_current_conversation");
  });
});

describe("chart", () => {
  it("gives each label and each series a name of its own", () => {
    const labels = ["a", "a", "a 2", "a very long label that goes on", "a very long label that ends"];
    const series = [
      { name: "Oil", values: [1, 2, 3, 4, 5] },
      { name: "Oil", values: [] },
    ];
    const short = ["a", "a 2", "a 2 2", "a very long label t…", "a very long label…2"];
    expect(chart({ title: "T", labels, series })).toMatchObject({
      chart: {
        axis_config: { categories: [...short.slice(0, 4), expect.stringMatching(/^a very long .*… 2$/)] },
        series: [{ name: "Oil" }, { name: "Oil 2", data: labels.map(() => ({ value: 0 })) }],
      },
    });
  });

  it("draws what is no number as nothing", () => {
    const series = [{ name: "Oil", values: [Number.NaN, Number.POSITIVE_INFINITY, -2] }];
    expect(chart({ title: "T", labels: ["a", "b", "c"], series })).toMatchObject({
      chart: { series: [{ data: [{ value: 0 }, { value: 0 }, { value: -2 }] }] },
    });
  });
});

describe("every builder", () => {
  it("makes what Slack takes, whatever it is given", () => {
    const words = fc.oneof(nasty, fc.string({ unit: "binary" }), fc.lorem({ maxCount: 600 }), fc.constant("  "));
    const texts = fc.array(words, { minLength: 1, maxLength: 30, size: "max" });
    const numbers = fc.array(fc.double(), { maxLength: 30 });
    fc.assert(
      fc.property(texts, numbers, (many, values) => {
        const [text = ""] = many;
        const choices = many.map((label, index) => ({ label, value: `${index} ${label}` }));
        const blocks = [
          section(text),
          sectionWith(text, button({ action: text || "run", label: text, value: text })),
          header(text),
          context(...many),
          buttons(...many.map((label) => ({ action: label || "run", label, value: label, accessibleText: label }))),
          row(menu({ action: text || "run", placeholder: text, choices: [{ label: text, value: "a" }, ...choices] })),
          sectionWith(text, moreMenu({ action: "run:more", choices: [{ label: text, value: "a" }, ...choices] })),
          chart({ title: text, labels: many, series: many.map((name) => ({ name, values })) }),
          divider,
        ];
        expect(checkBlocks(blocks, "message")).toEqual([]);
        const fields = [
          textField({ name: "a", label: text, hint: text, placeholder: text, value: text, most: 50 }),
          choiceField({ name: "b", label: text, choices: [{ label: text, value: "a" }, ...choices], chosen: "a" }),
          channelField({ name: "c", label: text, hint: text }),
        ];
        expect(checkBlocks(fields, "modal")).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a row in which nothing is left", () => {
  it("is left out of what is sent, with the menus that have no choices", () => {
    const none = menu({ action: "run:a", placeholder: "Choose", choices: [{ label: "a", value: "a".repeat(76) }] });
    const one = button({ action: "run:b", label: "Go", value: "go" });
    const noMore = moreMenu({ action: "run:c", choices: [] });
    expect(withoutEmptyRows([section("a"), row(none, noMore), row(none, one)])).toEqual([section("a"), row(one)]);
  });
});
