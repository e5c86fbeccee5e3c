import { describe, expect, it } from "vitest";

import {
  type Choice,
  type FormField,
  SELECTS,
  type Value,
  actionId,
  blockId,
  chosenKeys,
  fieldError,
  formFields,
  initialValue,
  inputField,
  valueOf,
} from "../../../../local/workspace/page/values.ts";
import type { Fields } from "../../../../local/workspace/page/read.ts";
import * as fc from "../../../support/property.ts";

const option = (value: string) => ({ text: { type: "plain_text", text: value.toUpperCase() }, value });

const choice = (key: string, sent: unknown = key): Choice => ({ key, label: key, sent });

/** A field of a form with this element. */
function field(element: Fields, more: Partial<FormField> = {}): FormField {
  return { block_id: "b", action_id: "a", element, required: false, label: "", ...more };
}

const problem = (element: Fields, value: Value) => fieldError(field(element), value);

const input = (element: Fields, more: Fields = {}) => ({ type: "input", block_id: "b1", element, ...more });

describe("the value an element starts with", () => {
  it.each<[Fields, Value]>([
    [{ type: "static_select" }, { selected_option: null }],
    [{ type: "static_select", initial_option: option("a") }, { selected_option: option("a") }],
    [{ type: "multi_users_select" }, { selected_users: [] }],
    [{ type: "multi_users_select", initial_users: ["U1"] }, { selected_users: ["U1"] }],
    [{ type: "checkboxes" }, { selected_options: [] }],
    [{ type: "plain_text_input" }, { value: null }],
    [{ type: "number_input", initial_value: "7" }, { value: "7" }],
    [{ type: "datepicker", initial_date: "2026-11-20" }, { selected_date: "2026-11-20" }],
    [{ type: "datetimepicker", initial_date_time: 1_700_000_000 }, { selected_date_time: 1_700_000_000 }],
  ])("of %j is %j", (element, value) => {
    expect(initialValue(element)).toEqual(value);
  });

  it.each(["button", "overflow", "image", "", "constructor", "__proto__", "toString"])("of a %j is none", (type) => {
    expect(initialValue({ type })).toBeUndefined();
    expect(inputField(type)).toBeUndefined();
  });
});

describe("choosing", () => {
  it.each(Object.entries(SELECTS).filter(([, { several }]) => !several))(
    "in a %s takes the first",
    (type, { chosen }) => {
      expect(valueOf(type, [choice("a"), choice("b")])).toEqual({ [chosen]: "a" });
      expect(valueOf(type, [])).toEqual({ [chosen]: null });
    },
  );

  it.each(Object.entries(SELECTS).filter(([, { several }]) => several))("in a %s takes all", (type, { chosen }) => {
    expect(valueOf(type, [choice("a"), choice("b")])).toEqual({ [chosen]: ["a", "b"] });
    expect(valueOf(type, [])).toEqual({ [chosen]: [] });
  });

  it("is nothing in what holds no choice", () => {
    expect(valueOf("constructor", [choice("a")])).toEqual({});
    expect(chosenKeys("constructor", { undefined: "a" })).toEqual([]);
  });

  it("keeps what was chosen, be it IDs or options", () => {
    const several = Object.keys(SELECTS).filter((type) => SELECTS[type]?.several);
    const keys = fc.uniqueArray(fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...several), keys, fc.boolean(), (type, chosen, asOptions) => {
        const choices = chosen.map((key) => choice(key, asOptions ? option(key) : key));
        expect(chosenKeys(type, valueOf(type, choices))).toEqual(chosen);
      }),
    );
  });

  it("reads what an element starts with as chosen", () => {
    expect(chosenKeys("static_select", { selected_option: option("a") })).toEqual(["a"]);
    expect(chosenKeys("static_select", { selected_option: null })).toEqual([]);
    expect(chosenKeys("multi_static_select", { selected_options: [option("a"), 7, null] })).toEqual(["a"]);
  });
});

describe("the fields of a form", () => {
  it("are those elements that hold a value, wherever they stand", () => {
    const blocks = [
      input({ type: "plain_text_input", action_id: "name" }, { label: { type: "plain_text", text: "Name" } }),
      { type: "section", block_id: "b2", accessory: { type: "static_select", action_id: "zone" } },
      { type: "section", block_id: "b3", accessory: { type: "button", action_id: "press" } },
      {
        type: "actions",
        block_id: "b4",
        elements: [{ type: "button" }, { type: "datepicker", action_id: "day" }, { type: "timepicker" }],
      },
      { type: "container", child_blocks: [input({ type: "checkboxes", action_id: "in" }, { block_id: "b5" })] },
      { type: "divider" },
    ];
    expect(formFields(blocks).map(({ block_id, action_id, label }) => [block_id, action_id, label])).toEqual([
      ["b1", "name", "Name"],
      ["b2", "zone", ""],
      ["b4", "day", ""],
      ["b4", "action-2", ""],
      ["b5", "in", ""],
    ]);
  });

  it("are required in inputs that are not optional", () => {
    const element = { type: "plain_text_input" };
    const blocks = [
      input(element),
      input(element, { optional: true }),
      { type: "actions", elements: [{ type: "checkboxes" }] },
    ];
    expect(formFields(blocks).map(({ required }) => required)).toEqual([true, false, false]);
  });

  it("have names made up by their places where the app gave none", () => {
    expect([blockId({}, 3), blockId({ block_id: "x" }, 3)]).toEqual(["block-3", "x"]);
    expect([actionId({}, 2), actionId({ action_id: "y" }, 2)]).toEqual(["action-2", "y"]);
  });
});

describe("what is wrong with a field", () => {
  it.each<[string, Value]>([
    ["plain_text_input", { value: null }],
    ["plain_text_input", { value: "" }],
    ["static_select", { selected_option: null }],
    ["multi_users_select", { selected_users: [] }],
  ])("is that a required %s is empty: %j", (type, value) => {
    expect(fieldError(field({ type }, { required: true }), value)).toBe("Please fill in this field.");
    expect(fieldError(field({ type }), value)).toBeUndefined();
  });

  it.each([
    ["ana@desk.example", undefined],
    ["ana@desk", "Please enter an e-mail address."],
    ["ana lima@desk.example", "Please enter an e-mail address."],
  ])("as an e-mail address, %j: %s", (value, wrong) => {
    expect(problem({ type: "email_text_input" }, { value })).toBe(wrong);
  });

  it.each([
    ["https://a.example", undefined],
    ["a.example", "Please enter a web address that starts with https://"],
    ["javascript:alert(1)", "Please enter a web address that starts with https://"],
  ])("as a web address, %j: %s", (value, wrong) => {
    expect(problem({ type: "url_text_input" }, { value })).toBe(wrong);
  });

  it.each([
    ["7", undefined],
    ["many", "Please enter a number."],
    ["7.5", "Please enter a whole number."],
    ["1", "Please enter 2 or more."],
    ["11", "Please enter 10 or less."],
  ])("as a whole number from 2 to 10, %j: %s", (value, wrong) => {
    expect(problem({ type: "number_input", min_value: "2", max_value: "10" }, { value })).toBe(wrong);
  });

  it("is not that a number has decimals where it may", () => {
    expect(problem({ type: "number_input", is_decimal_allowed: true }, { value: "7.5" })).toBeUndefined();
  });

  it("is that a text is too short, but not that an optional one is empty", () => {
    const element = { type: "plain_text_input", min_length: 3 };
    expect(problem(element, { value: "ab" })).toBe("Please write at least 3 characters.");
    expect(problem(element, { value: "abc" })).toBeUndefined();
    expect(problem(element, { value: "" })).toBeUndefined();
  });
});
