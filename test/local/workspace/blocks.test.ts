import { expect, test } from "vitest";
import type { BlockSurface } from "../../../local/workspace/block-rules.ts";
import { checkBlocks } from "../../../local/workspace/blocks.ts";
import { button, plain, section } from "./support.ts";

const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));
const options = (count: number) => many(count, (index) => ({ text: plain(`o${index}`), value: `${index}` }));
const actions = (...elements: unknown[]) => ({ type: "actions", elements });
const select = (extra: object) => actions({ type: "static_select", action_id: "s", ...extra });
const context = (...elements: unknown[]) => ({ type: "context", elements });
const table = (rows: unknown[], extra: object = {}) => ({ type: "table", rows, ...extra });
const rows = (count: number, cells = 2) => many(count, () => many(cells, () => ({ type: "raw_text", text: "c" })));
const markdown = (length: number) => ({ type: "markdown", text: "x".repeat(length) });
const labels = (count: number) => many(count, (index) => `c${index}`);
const line = (name: string, of: string[], value: unknown = 1) => ({
  name,
  data: of.map((label) => ({ label, value })),
});
const chart = (extra: object, type = "bar") => ({ type: "data_visualization", title: "t", chart: { type, ...extra } });
const bars = (series: unknown[], categories = ["a"]) => chart({ series, axis_config: { categories } });
const rating = (text: string) => ({ text: plain(text), value: "1" });
const feedback = { type: "feedback_buttons", positive_button: rating("Good"), negative_button: rating("Bad") };

test.each<[string, unknown[]]>([
  ["a full section", [{ ...section("x".repeat(3000)), fields: many(10, () => plain("f".repeat(2000))) }]],
  ["50 dividers", many(50, () => ({ type: "divider" }))],
  ["25 buttons of 75 characters", [actions(...many(25, (at) => button(`b${at}`, { text: plain("x".repeat(75)) })))]],
  ["a select with its choice", [select({ options: options(100), initial_option: options(1)[0] })]],
  ["a ⋯ menu of five", [actions({ type: "overflow", action_id: "o", options: options(5) })]],
  ["a ⋯ menu beside a paragraph", [{ ...section("a"), accessory: { type: "overflow", options: options(1) } }]],
  ["a full table", [table(rows(100, 20), { column_settings: [{ align: "right", is_wrapped: true }] })]],
  ["two full charts", many(2, () => bars([...many(6, (at) => line(`s${at}`, labels(20)))], labels(20)))],
  ["a line below zero", [chart({ series: [line("s", ["a"], -1.5)], axis_config: { categories: ["a"] } }, "line")]],
  ["an area", [chart({ series: [line("s", ["a"])], axis_config: { categories: ["a"] } }, "area")]],
  ["12,000 characters of Markdown", [markdown(12_000)]],
  ["a context of ten", [context(...many(10, () => plain("x")))]],
  ["feedback buttons", [{ type: "context_actions", elements: [feedback] }]],
])("Slack takes %s in a message", (_name, blocks) => {
  expect(checkBlocks(blocks, "message")).toEqual([]);
});

const twins = [
  { ...section("a"), block_id: "x" },
  { ...section("b"), block_id: "x" },
];
const longOption = { text: plain("x".repeat(76)), value: "1" };
const strangeChoice = { options: options(1), initial_option: { text: plain("x"), value: "9" } };

test.each<[string, unknown[], string, string]>([
  ["51 blocks", many(51, () => ({ type: "divider" })), "too_many", "/blocks"],
  ["an unknown block", [{ type: "banner" }], "unsupported_type", "/blocks/0"],
  ["an unknown field", [{ ...section("a"), colour: "red" }], "unknown_field", "/blocks/0/colour"],
  ["two equal block_ids", twins, "duplicate_block_id", "/blocks/1/block_id"],
  ["a section without text", [{ type: "section" }], "missing_field", "/blocks/0"],
  ["a section of 3,001 characters", [section("x".repeat(3001))], "too_long", "/blocks/0/text/text"],
  ["an empty text", [section("")], "too_short", "/blocks/0/text/text"],
  ["a text that is a string", [{ type: "section", text: "x" }], "invalid_type", "/blocks/0/text"],
  ["eleven fields", [{ type: "section", fields: many(11, () => plain("f")) }], "too_many", "/blocks/0/fields"],
  ["a long field", [{ type: "section", fields: [plain("f".repeat(2001))] }], "too_long", "/blocks/0/fields/0/text"],
  ["an mrkdwn header", [{ type: "header", text: { type: "mrkdwn", text: "x" } }], "unsupported_type", "/blocks/0/text"],
  ["26 buttons", [actions(...many(26, (at) => button(`b${at}`)))], "too_many", "/blocks/0/elements"],
  [
    "a long label",
    [actions(button("b", { text: plain("x".repeat(76)) }))],
    "too_long",
    "/blocks/0/elements/0/text/text",
  ],
  ["a long value", [actions(button("b", { value: "v".repeat(2001) }))], "too_long", "/blocks/0/elements/0/value"],
  ["an unknown style", [actions(button("b", { style: "loud" }))], "invalid_value", "/blocks/0/elements/0/style"],
  ["equal action_ids", [actions(button("b"), button("b"))], "duplicate_action_id", "/blocks/0/elements/1/action_id"],
  ["101 options", [select({ options: options(101) })], "too_many", "/blocks/0/elements/0/options"],
  ["a long option", [select({ options: [longOption] })], "too_long", "/blocks/0/elements/0/options/0/text/text"],
  ["a ⋯ menu of six", [actions({ type: "overflow", options: options(6) })], "too_many", "/blocks/0/elements/0/options"],
  ["a choice that is none", [select(strangeChoice)], "invalid_initial_option", "/blocks/0/elements/0"],
  ["eleven in a context", [context(...many(11, () => plain("x")))], "too_many", "/blocks/0/elements"],
  ["a button in a context", [context(button("b"))], "unsupported_type", "/blocks/0/elements/0"],
  ["101 rows", [table(rows(101))], "too_many", "/blocks/0/rows"],
  ["21 cells", [table(rows(1, 21))], "too_many", "/blocks/0/rows/0"],
  ["two tables", many(2, () => table(rows(1))), "too_many", "/blocks"],
  [
    "a table too long",
    [table([many(2, () => ({ type: "raw_text", text: "x".repeat(5001) }))])],
    "too_long",
    "/blocks/0/rows",
  ],
  ["an unknown chart", [chart({}, "radar")], "unsupported_type", "/blocks/0/chart"],
  ["a long title", [{ ...bars([line("s", ["a"])]), title: "t".repeat(51) }], "too_long", "/blocks/0/title"],
  ["no axis", [chart({ series: [line("s", ["a"])] })], "missing_field", "/blocks/0/chart"],
  ["a value in words", [bars([line("s", ["a"], "12")])], "invalid_type", "/blocks/0/chart/series/0/data/0/value"],
  [
    "two series of a name",
    [bars([line("s", ["a"]), line("s", ["a"])])],
    "duplicate_name",
    "/blocks/0/chart/series/1/name",
  ],
  ["a point short", [bars([line("s", ["a"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["a foreign label", [bars([line("s", ["a", "x"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["a label twice", [bars([line("s", ["a", "a"])], ["a", "b"])], "invalid_value", "/blocks/0/chart/series/0/data"],
  ["three charts", many(3, () => bars([line("s", ["a"])])), "too_many", "/blocks"],
  ["12,001 characters over two Markdown blocks", [markdown(6000), markdown(6001)], "too_long", "/blocks"],
])("Slack refuses %s", (_name, blocks, code, pointer) => {
  expect(checkBlocks(blocks, "message")).toEqual([expect.objectContaining({ code, pointer })]);
});

test.each<[BlockSurface, boolean]>([
  ["message", true],
  ["modal", false],
  ["home", false],
])("Markdown on a %s is taken: %s", (surface, isTaken) => {
  expect(checkBlocks([markdown(1)], surface).length === 0).toBe(isTaken);
});
