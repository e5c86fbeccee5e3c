import { describe, expect, it } from "vitest";

import { checkView } from "../../../local/workspace/blocks.ts";
import { fieldNames } from "../../../src/slack/incoming/form-state.ts";
import { parseOrigin, renderModal } from "../../../src/slack/incoming/views.ts";
import {
  channelField,
  chipsField,
  choiceField,
  personField,
  pickerField,
  textField,
} from "../../../src/slack/text/blocks.ts";
import type { Block } from "../../../src/slack/text/message.ts";

const choices = ["off", "on"].map((value) => ({ label: value, value }));
const further = [
  textField({ name: "most", label: "Most", value: "5" }),
  choiceField({ name: "lead", label: "Lead", choices, chosen: "on" }),
  pickerField({
    name: "hours",
    label: "Hours",
    action: "pick:h",
    placeholder: "None",
    chosen: { label: "A", value: "a" },
  }),
  chipsField({ name: "only", label: "Only", action: "pick:n", placeholder: "A name", most: 9, chosen: choices }),
  channelField({ name: "channel", label: "Channel", isElsewhere: true, chosen: "C1" }),
  personField({ name: "person", label: "Person", chosen: "U1" }),
];
const stored = { most: "5", lead: "on", hours: "a", only: "off,on", channel: "C1", person: "U1" };
const names = Object.keys(stored);

/** A window with one field, and others behind a button. */
function windowOf(state: { values?: Record<string, string>; isOpen?: boolean } = {}, behind: Block[] = further) {
  const blocks = [textField({ name: "name", label: "Name" }), ...behind];
  const form = { name: "digest", submit: "Save", more: fieldNames(behind) };
  const view = renderModal({ text: "", blocks, window: { title: "New", form } }, { channel: "C1", ...state });
  expect(checkView(view)).toEqual([]);
  const elements = Object.fromEntries(
    view.blocks.flatMap((block) => (block.type === "input" ? [[block.block_id ?? "", block.element]] : [])),
  );
  return { view, elements, origin: parseOrigin(view.private_metadata) };
}

describe("the further fields of a form", () => {
  it("stand behind a button, and their values are kept", () => {
    const { view, elements, origin } = windowOf();
    expect(Object.keys(elements)).toEqual(["name"]);
    expect(view.blocks.at(-1)).toMatchObject({ type: "actions", elements: [{ text: { text: "More options" } }] });
    expect(origin).toMatchObject({ values: stored });
  });

  it("are shown with what they hold", () => {
    const { view, elements, origin } = windowOf({ isOpen: true, values: { most: "7", lead: "off", channel: "C2" } });
    expect(Object.keys(elements)).toEqual(["name", ...names]);
    expect(view.blocks[1]).toMatchObject({ type: "actions", elements: [{ text: { text: "Fewer options" } }] });
    expect(elements).toMatchObject({
      most: { initial_value: "7" },
      lead: { initial_option: { value: "off" } },
      hours: { initial_option: { value: "a" } },
      channel: { initial_conversation: "C2" },
      person: { initial_user: "U1" },
    });
    expect(origin?.values).toBeUndefined();
  });

  it("are empty again if they were emptied", () => {
    const emptied = Object.fromEntries(names.map((name) => [name, ""]));
    expect(windowOf({ values: emptied }).origin?.values).toEqual(emptied);
    const { lead: _, ...others } = windowOf({ values: emptied, isOpen: true }).elements;
    expect(JSON.stringify(others)).not.toContain("initial_");
  });

  it("are shown at once if the window can't keep what they hold", () => {
    const long = textField({ name: "most", label: "Most", value: "x".repeat(2_990) });
    const { elements, view } = windowOf({}, [long]);
    expect(elements).toMatchObject({ most: { initial_value: expect.stringContaining("xxx") } });
    expect(view.private_metadata.length).toBeLessThan(3_000);
  });

  it("keep what was filled in for another choice", () => {
    expect(windowOf({ values: { "source-search": "gold" } }).origin?.values).toMatchObject({ "source-search": "gold" });
  });
});
