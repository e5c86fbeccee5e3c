import { describe, expect, it } from "vitest";

import { bringTo, stateValues, valueKey } from "../../../../local/workspace/page/surface.ts";
import type { Value } from "../../../../local/workspace/page/values.ts";

const field = (block_id: string, element: Record<string, unknown>) => ({
  type: "input",
  block_id,
  label: { type: "plain_text", text: block_id },
  element: { action_id: "in", ...element },
});
const name = field("name", { type: "plain_text_input", initial_value: "oil" });
const hour = field("hour", { type: "timepicker" });
const buttons = { type: "actions", block_id: "row", elements: [{ type: "button", action_id: "go" }] };

const filled = (...entries: [string, Value][]) =>
  new Map(entries.map(([block, value]) => [valueKey(block, "in"), value]));

describe("what the fields hold", () => {
  it("is what was filled in, else what they start with, else null; buttons hold nothing", () => {
    const values = filled(["hour", { selected_time: "09:30" }]);
    expect(stateValues([name, hour, buttons], values)).toEqual({
      name: { in: { type: "plain_text_input", value: "oil" } },
      hour: { in: { type: "timepicker", selected_time: "09:30" } },
    });
    expect(stateValues([hour], filled())).toEqual({ hour: { in: { type: "timepicker", selected_time: null } } });
  });

  it("counts fields inside a container", () => {
    expect(stateValues([{ type: "container", child_blocks: [name] }], filled())).toHaveProperty("name.in.value", "oil");
  });

  it("is forgotten where the field is gone, and only there", () => {
    const values = filled(["name", { value: "gas" }], ["hour", { selected_time: "09:30" }]);
    bringTo([name], values);
    expect([...values]).toEqual([[valueKey("name", "in"), { value: "gas" }]]);
  });

  it("is the first choice for good; only an empty field takes up a new one", () => {
    const values = filled();
    bringTo([name, hour], values);
    const later = field("name", { type: "plain_text_input", initial_value: "coal" });
    const eight = field("hour", { type: "timepicker", initial_time: "08:00" });
    bringTo([later, eight], values);
    expect(stateValues([later, eight], values)).toMatchObject({
      name: { in: { value: "oil" } },
      hour: { in: { selected_time: "08:00" } },
    });
  });

  it("stays empty where a person has emptied it", () => {
    const values = filled(["name", { value: null }]);
    bringTo([name], values);
    expect(stateValues([name], values)).toMatchObject({ name: { in: { value: null } } });
  });
});
