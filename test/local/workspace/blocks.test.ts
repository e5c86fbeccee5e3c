import { expect, test } from "vitest";
import { checkBlocks, type Surface } from "../../../local/workspace/blocks.ts";
import { button, plain, section } from "./bench.ts";

const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));
const options = (count: number) => many(count, (index) => ({ text: plain(`o${index}`), value: `${index}` }));
const actions = (...elements: unknown[]) => ({ type: "actions", elements });
const rows = (count: number, cells = 2) => many(count, () => many(cells, () => ({ type: "raw_text", text: "c" })));
const point = (label: string, value: unknown = 1) => ({ label, value });
const labels = (count: number) => many(count, (index) => `c${index}`);
const line = (name: string, of: string[]) => ({ name, data: of.map((label) => point(label)) });
const chart = (type: string, rest: Record<string, unknown>) => ({
  type: "data_visualization",
  title: "t",
  chart: { type, ...rest },
});
const bars = (series: unknown[], categories: string[]) => chart("bar", { series, axis_config: { categories } });
const select = (extra: Record<string, unknown>) => ({ type: "static_select", action_id: "s", ...extra });

test.each<[string, unknown[]]>([
  [
    "a section of 3,000 characters with ten fields",
    [{ ...section("x".repeat(3000)), fields: many(10, () => plain("f")) }],
  ],
  ["50 dividers", many(50, () => ({ type: "divider" }))],
  ["25 buttons of 75 characters", [actions(...many(25, (at) => button(`b${at}`, { text: plain("x".repeat(75)) })))]],
  ["a select with its choice", [actions(select({ options: options(100), initial_option: options(1)[0] }))]],
  ["a full table", [{ type: "table", rows: rows(100, 20), column_settings: [{ align: "right", is_wrapped: true }] }]],
  ["a data table", [{ type: "data_table", caption: "Prices", rows: rows(101) }]],
  [
    "a chart of six series with twenty points",
    [
      bars(
        many(6, (at) => line(`s${at}`, labels(20))),
        labels(20),
      ),
    ],
  ],
  ["a line below zero", [bars([{ name: "s", data: [point("c0", -1.5)] }], labels(1))]],
  ["two pies", many(2, () => chart("pie", { segments: many(6, (at) => point(`s${at}`)) }))],
  ["12,000 characters of Markdown", [{ type: "markdown", text: "x".repeat(12_000) }]],
  ["a context of ten", [{ type: "context", elements: many(10, () => plain("x")) }]],
  [
    "feedback buttons",
    [
      {
        type: "context_actions",
        elements: [
          {
            type: "feedback_buttons",
            action_id: "f",
            positive_button: { text: plain("Good"), value: "1" },
            negative_button: { text: plain("Bad"), value: "0" },
          },
        ],
      },
    ],
  ],
])("Slack takes %s in a message", (_name, blocks) => {
  expect(checkBlocks(blocks, "message")).toEqual([]);
});

test.each<[string, unknown[], string, string]>([
  ["51 blocks", many(51, () => ({ type: "divider" })), "too_many", "/blocks"],
  ["an unknown block", [{ type: "banner" }], "unsupported_type", "/blocks/0"],
  ["a section without text", [{ type: "section" }], "missing_field", "/blocks/0"],
  ["a section of 3,001 characters", [section("x".repeat(3001))], "too_long", "/blocks/0/text/text"],
  ["an empty text", [section("")], "too_short", "/blocks/0/text/text"],
  ["a text that is a string", [{ type: "section", text: "x" }], "invalid_type", "/blocks/0/text"],
  ["eleven fields", [{ type: "section", fields: many(11, () => plain("f")) }], "too_many", "/blocks/0/fields"],
  [
    "a field of 2,001 characters",
    [{ type: "section", fields: [plain("f".repeat(2001))] }],
    "too_long",
    "/blocks/0/fields/0/text",
  ],
  ["an mrkdwn header", [{ type: "header", text: { type: "mrkdwn", text: "x" } }], "unsupported_type", "/blocks/0/text"],
  ["26 buttons", [actions(...many(26, (at) => button(`b${at}`)))], "too_many", "/blocks/0/elements"],
  [
    "a label of 76 characters",
    [actions(button("b", { text: plain("x".repeat(76)) }))],
    "too_long",
    "/blocks/0/elements/0/text/text",
  ],
  [
    "a value of 2,001 characters",
    [actions(button("b", { value: "v".repeat(2001) }))],
    "too_long",
    "/blocks/0/elements/0/value",
  ],
  ["an unknown style", [actions(button("b", { style: "loud" }))], "invalid_value", "/blocks/0/elements/0/style"],
  [
    "two equal action_ids",
    [actions(button("b"), button("b"))],
    "duplicate_action_id",
    "/blocks/0/elements/1/action_id",
  ],
  [
    "two equal block_ids",
    [
      { ...section("a"), block_id: "x" },
      { ...section("b"), block_id: "x" },
    ],
    "duplicate_block_id",
    "/blocks/1/block_id",
  ],
  ["an unknown field", [{ ...section("a"), colour: "red" }], "unknown_field", "/blocks/0/colour"],
  ["101 options", [actions(select({ options: options(101) }))], "too_many", "/blocks/0/elements/0/options"],
  [
    "six overflow options",
    [{ ...section("a"), accessory: { type: "overflow", options: options(6) } }],
    "too_many",
    "/blocks/0/accessory/options",
  ],
  [
    "an option of 76 characters",
    [actions(select({ options: [{ text: plain("x".repeat(76)), value: "1" }] }))],
    "too_long",
    "/blocks/0/elements/0/options/0/text/text",
  ],
  [
    "a choice that is none",
    [actions(select({ options: options(1), initial_option: { text: plain("x"), value: "9" } }))],
    "invalid_initial_option",
    "/blocks/0/elements/0",
  ],
  [
    "eleven in a context",
    [{ type: "context", elements: many(11, () => plain("x")) }],
    "too_many",
    "/blocks/0/elements",
  ],
  ["a button in a context", [{ type: "context", elements: [button("b")] }], "unsupported_type", "/blocks/0/elements/0"],
  ["an image without alt text", [{ type: "image", image_url: "https://x.test/a.png" }], "missing_field", "/blocks/0"],
  ["101 rows", [{ type: "table", rows: rows(101) }], "too_many", "/blocks/0/rows"],
  ["21 cells", [{ type: "table", rows: rows(1, 21) }], "too_many", "/blocks/0/rows/0"],
  ["two tables", many(2, () => ({ type: "table", rows: rows(1) })), "too_many", "/blocks"],
  [
    "a table of more than 10,000 characters",
    [{ type: "table", rows: [[{ type: "raw_text", text: "x".repeat(10_001) }]] }],
    "too_long",
    "/blocks/0/rows",
  ],
  [
    "a data table with a short row",
    [{ type: "data_table", caption: "x", rows: [...rows(2), ...rows(1, 1)] }],
    "invalid_value",
    "/blocks/0/rows/2",
  ],
  [
    "rich text in the head of a data table",
    [
      {
        type: "data_table",
        caption: "x",
        rows: [
          [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: [] }] }],
          [{ type: "raw_text", text: "" }],
        ],
      },
    ],
    "unsupported_type",
    "/blocks/0/rows/0/0",
  ],
  ["an unknown chart", [chart("radar", {})], "unsupported_type", "/blocks/0/chart"],
  [
    "a chart title of 51",
    [{ ...bars([line("s", ["a"])], ["a"]), title: "t".repeat(51) }],
    "too_long",
    "/blocks/0/title",
  ],
  ["a pie without slices", [chart("pie", { segments: [] })], "too_few", "/blocks/0/chart/segments"],
  [
    "seven slices",
    [chart("pie", { segments: many(7, (at) => point(`s${at}`)) })],
    "too_many",
    "/blocks/0/chart/segments",
  ],
  [
    "a slice of nothing",
    [chart("pie", { segments: [point("a", 0)] })],
    "too_small",
    "/blocks/0/chart/segments/0/value",
  ],
  [
    "a value in words",
    [chart("pie", { segments: [point("a", "12")] })],
    "invalid_type",
    "/blocks/0/chart/segments/0/value",
  ],
  [
    "a label of 21 characters",
    [chart("pie", { segments: [point("a".repeat(21))] })],
    "too_long",
    "/blocks/0/chart/segments/0/label",
  ],
  [
    "a line without an axis",
    [chart("line", { series: [{ name: "s", data: [point("a")] }] })],
    "missing_field",
    "/blocks/0/chart",
  ],
  [
    "two series of one name",
    [bars([line("s", ["a"]), line("s", ["a"])], ["a"])],
    "duplicate_name",
    "/blocks/0/chart/series/1/name",
  ],
  ["a point short", [bars([line("s", ["a"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["a foreign label", [bars([line("s", ["a", "x"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["a label twice", [bars([line("s", ["a", "a"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["three charts", many(3, () => chart("pie", { segments: [point("a")] })), "too_many", "/blocks"],
  ["a data table without caption", [{ type: "data_table", rows: rows(2) }], "missing_field", "/blocks/0"],
  [
    "12,001 characters over two Markdown blocks",
    [
      { type: "markdown", text: "x".repeat(6000) },
      { type: "markdown", text: "x".repeat(6001) },
    ],
    "too_long",
    "/blocks",
  ],
  [
    "a rich text leaf without text",
    [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text" }] }] }],
    "missing_field",
    "/blocks/0/elements/0/elements/0",
  ],
])("Slack refuses %s", (_name, blocks, code, pointer) => {
  expect(checkBlocks(blocks, "message")).toEqual([expect.objectContaining({ code, pointer })]);
});

test.each<[string, Surface, boolean]>([
  ["markdown", "message", true],
  ["markdown", "modal", false],
  ["markdown", "home", false],
  ["alert", "modal", true],
  ["alert", "message", false],
])("a block of type %s in a %s: %s", (type, surface, isTaken) => {
  const block = { type, text: type === "markdown" ? "x" : plain("x") };
  expect(checkBlocks([block], surface).length === 0).toBe(isTaken);
});
