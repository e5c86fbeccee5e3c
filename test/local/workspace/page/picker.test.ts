import { describe, expect, it } from "vitest";

import { choicesOf, withCurrentConversation } from "../../../../local/workspace/page/picker.ts";
import { lookup, room } from "./build.ts";

const option = (value: string, text = value) => ({ text: { type: "plain_text", text }, value });

const known = lookup({
  conversations: [
    room("C1", "newsroom"),
    room("C2", "secret", { kind: "private" }),
    room("D1", "Bellwether", { kind: "im" }),
    room("G1", "mpdm-ana--ben--bellwether-1", { kind: "mpim", members: ["U1", "U2", "U9"] }),
    room("C3", "old", { isArchived: true }),
  ],
});

const keys = (element: Parameters<typeof choicesOf>[0]) => choicesOf(element, known).map(({ key }) => key);

describe("the choices of an element", () => {
  it("are its options, whole as they are sent", () => {
    const described = { ...option("oil", "Oil"), description: { type: "plain_text", text: "and gas" } };
    expect(choicesOf({ type: "static_select", options: [described, option("gold", "Gold")] }, known)).toEqual([
      { key: "oil", label: "Oil", description: "and gas", sent: described },
      { key: "gold", label: "Gold", sent: option("gold", "Gold") },
    ]);
  });

  it("stand under the labels of their groups", () => {
    const groups = [
      { label: { type: "plain_text", text: "Metals" }, options: [option("gold"), option("tin")] },
      { label: { type: "plain_text", text: "Fuels" }, options: [option("oil")] },
    ];
    const found = choicesOf({ type: "static_select", option_groups: groups }, known);
    expect(found.map(({ key, group }) => [key, group])).toEqual([
      ["gold", "Metals"],
      ["tin", "Metals"],
      ["oil", "Fuels"],
    ]);
  });

  it("are conversations that are open, with their signs", () => {
    expect(choicesOf({ type: "conversations_select" }, known).map(({ label }) => label)).toEqual([
      "#newsroom",
      "#secret",
      "Bellwether",
      "Ben Okafor, Bellwether",
    ]);
  });

  it("are only the kinds of conversations that the filter includes", () => {
    expect(keys({ type: "conversations_select", filter: { include: ["private", "im"] } })).toEqual(["C2", "D1"]);
    expect(keys({ type: "conversations_select", filter: { include: ["mpim"] } })).toEqual(["G1"]);
    expect(keys({ type: "conversations_select", filter: { include: [] } })).toEqual(["C1", "C2", "D1", "G1"]);
  });

  it("are only public channels where channels are asked for", () => {
    expect(keys({ type: "channels_select" })).toEqual(["C1"]);
  });
});

describe("the current conversation", () => {
  const select = { type: "conversations_select", default_to_current_conversation: true };

  it("is chosen in every place that asks for it and has no choice of its own", () => {
    const own = { type: "input", element: { ...select, initial_conversation: "C2" } };
    const blocks = [
      own,
      { type: "input", element: select },
      { type: "section", accessory: select },
      { type: "actions", elements: [select, { type: "button" }] },
    ];
    expect(withCurrentConversation(blocks, undefined)).toEqual(blocks);
    expect(withCurrentConversation(blocks, "C1")).toEqual([
      own,
      { type: "input", element: { ...select, initial_conversation: "C1" } },
      { type: "section", accessory: { ...select, initial_conversation: "C1" } },
      { type: "actions", elements: [{ ...select, initial_conversation: "C1" }, { type: "button" }] },
    ]);
  });
});
