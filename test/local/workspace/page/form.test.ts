import { describe, expect, it } from "vitest";
import type { Fields } from "../../../../local/workspace/page/fields.ts";
import { carryOver, type FormValues, stateOf } from "../../../../local/workspace/page/form.ts";

const option = (value: string) => ({ text: { type: "plain_text", text: value.toUpperCase() }, value });
const input = (block_id: string, element: Fields, more: Fields = {}) => {
  return { type: "input", block_id, element: { action_id: "in", ...element }, ...more };
};
const oil = input("name", { type: "plain_text_input", initial_value: "oil" });
const pace = (initial: object = {}) => input("pace", { type: "static_select", ...initial });
const typed = (value: string | null) => ({ type: "plain_text_input", value });
const daily = { type: "static_select", selected_option: option("daily") };

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
