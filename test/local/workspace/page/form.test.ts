import { describe, expect, it } from "vitest";
import type { Fields } from "../../../../local/workspace/page/fields.ts";
import {
  carryOver,
  type SelectChoice,
  choose,
  chosenKeys,
  fieldError,
  fieldsIn,
  type FormValues,
  initialValue,
  selectKinds,
  stateOf,
} from "../../../../local/workspace/page/form.ts";

const option = (value: string) => ({ text: { type: "plain_text", text: value.toUpperCase() }, value });
const choice = (key: string, sent: unknown = key): SelectChoice => ({ key, label: key, sent });
const input = (block_id: string, element: Fields, more: Fields = {}) => {
  return { type: "input", block_id, element: { action_id: "in", ...element }, ...more };
};
const oil = input("name", { type: "plain_text_input", initial_value: "oil" });
const pace = (initial: object = {}) => input("pace", { type: "static_select", ...initial });
const typed = (value: string | null) => ({ type: "plain_text_input", value });
const daily = { type: "static_select", selected_option: option("daily") };

describe("the value an element starts with", () => {
  it.each<[Fields, Fields]>([
    [{ type: "static_select" }, { selected_option: null }],
    [{ type: "static_select", initial_option: option("a") }, { selected_option: option("a") }],
    [{ type: "checkboxes" }, { selected_options: [] }],
    [{ type: "plain_text_input" }, { value: null }],
    [{ type: "number_input", initial_value: "7" }, { value: "7" }],
  ])("of %j is %j", (element, value) => {
    expect(initialValue(element)).toEqual({ type: element["type"], ...value });
  });

  it.each(["button", "", "constructor", "__proto__", "toString"])("of a %j is none", (type) => {
    expect(initialValue({ type })).toBeUndefined();
  });
});

describe("choosing", () => {
  it.each(Object.entries(selectKinds))("in a %s takes the first, or all where several may be", (type, kind) => {
    const { chosen, several } = kind;
    expect(choose(type, [choice("a"), choice("b")])).toEqual({ type, [chosen]: several ? ["a", "b"] : "a" });
    expect(choose(type, [])).toEqual({ type, [chosen]: several ? [] : null });
  });

  it("is nothing in what holds no choice", () => {
    expect(choose("constructor", [choice("a")])).toEqual({ type: "constructor" });
    expect(chosenKeys({ type: "constructor", undefined: "a" })).toEqual([]);
  });
});

describe("the fields of a form", () => {
  it("are those elements that hold a value, wherever they stand", () => {
    const blocks = [
      oil,
      { type: "section", block_id: "b2", accessory: { type: "static_select", action_id: "zone" } },
      { type: "section", block_id: "b3", accessory: { type: "button", action_id: "press" } },
      { type: "actions", block_id: "b4", elements: [{ type: "button" }, { type: "checkboxes" }] },
      { type: "divider" },
    ];
    expect(fieldsIn(blocks).map(({ block_id, action_id }) => [block_id, action_id])).toEqual([
      ["name", "in"],
      ["b2", "zone"],
      ["b4", "action-1"],
    ]);
  });

  it("hold what was filled in, else what they start with, else null; buttons hold nothing", () => {
    const buttons = { type: "actions", block_id: "row", elements: [{ type: "button", action_id: "go" }] };
    const values = { pace: { in: daily } };
    expect(stateOf([oil, pace(), buttons], values)).toEqual({ name: { in: typed("oil") }, pace: { in: daily } });
    expect(stateOf([pace()], {})).toEqual({ pace: { in: { type: "static_select", selected_option: null } } });
  });
});

describe("what an update leaves in the fields", () => {
  const after = (values: FormValues, from: Fields[], to: Fields[]) => stateOf(to, carryOver(values, { from, to }));

  it("is forgotten where the field is gone, and only there", () => {
    const values = { name: { in: typed("gas") }, pace: { in: daily } };
    expect(carryOver(values, { from: [oil, pace()], to: [oil] })).toEqual({ name: { in: typed("gas") } });
  });

  it("is the first choice for good; only an empty field takes up a new one", () => {
    const coal = input("name", { type: "plain_text_input", initial_value: "coal" });
    const chosen = pace({ initial_option: option("daily") });
    expect(after({}, [oil, pace()], [coal, chosen])).toEqual({ name: { in: typed("oil") }, pace: { in: daily } });
  });

  it("stays empty where a person has emptied it", () => {
    expect(after({ name: { in: typed(null) } }, [oil], [oil])).toEqual({ name: { in: typed(null) } });
  });
});

describe("what is wrong with a field", () => {
  const problem = (element: Fields, value: Fields, optional = true) => {
    const [field] = fieldsIn([input("b", element, { optional })]);
    return field && fieldError(field, { type: String(element["type"]), ...value });
  };

  it.each([
    [{ type: "plain_text_input" }, { value: null }],
    [{ type: "plain_text_input" }, { value: "" }],
    [{ type: "static_select" }, { selected_option: null }],
    [{ type: "checkboxes" }, { selected_options: [] }],
  ])("is that a required %j is empty: %j", (element, value) => {
    expect(problem(element, value, false)).toBe("Please fill in this field.");
    expect(problem(element, value)).toBeUndefined();
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

  it("is that a text is too short, but not that an optional one is empty", () => {
    const element = { type: "plain_text_input", min_length: 3 };
    expect(problem(element, { value: "ab" })).toBe("Please write at least 3 characters.");
    expect(problem(element, { value: "abc" })).toBeUndefined();
    expect(problem(element, { value: "" })).toBeUndefined();
  });
});
