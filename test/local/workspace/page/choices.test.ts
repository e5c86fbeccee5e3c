import { describe, expect, it } from "vitest";

import { choicesOf, withCurrentConversation } from "../../../../local/workspace/page/choices.ts";
import { lookup, person, room } from "./build.ts";

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

  it("are people by the names that they go by", () => {
    const users = [person("U1", "Ana Lima"), person("U2", "", { name: "ben" })];
    expect(choicesOf({ type: "multi_users_select" }, lookup({ users }))).toEqual([
      { key: "U1", label: "Ana Lima", sent: "U1" },
      { key: "U2", label: "ben", sent: "U2" },
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
    expect(keys({ type: "multi_conversations_select", filter: { include: [] } })).toEqual(["C1", "C2", "D1", "G1"]);
  });

  it("are only public channels where channels are asked for", () => {
    expect(keys({ type: "channels_select" })).toEqual(["C1"]);
    expect(keys({ type: "multi_channels_select" })).toEqual(["C1"]);
  });

  it("are none where the app sent none", () => {
    expect(keys({ type: "static_select" })).toEqual([]);
    expect(keys({ type: "static_select", options: ["oil", null] })).toEqual([]);
  });
});

describe("the current conversation", () => {
  const select = { type: "conversations_select", default_to_current_conversation: true };

  it("is chosen in every place that asks for it", () => {
    const blocks = [
      { type: "input", element: select },
      { type: "section", accessory: { ...select, type: "multi_conversations_select" } },
      { type: "actions", elements: [select, { type: "button" }] },
    ];
    expect(withCurrentConversation(blocks, "C1")).toEqual([
      { type: "input", element: { ...select, initial_conversation: "C1" } },
      {
        type: "section",
        accessory: { ...select, type: "multi_conversations_select", initial_conversations: ["C1"] },
      },
      { type: "actions", elements: [{ ...select, initial_conversation: "C1" }, { type: "button" }] },
    ]);
  });

  it("does not replace the app's own choice", () => {
    const block = { type: "input", element: { ...select, initial_conversation: "C2" } };
    expect(withCurrentConversation([block], "C1")).toEqual([block]);
  });

  it("is not chosen where nothing asks for it or there is none", () => {
    const asking = [{ type: "input", element: select }];
    const other = [{ type: "input", element: { type: "conversations_select" } }, { type: "divider" }];
    expect(withCurrentConversation(asking, undefined)).toEqual(asking);
    expect(withCurrentConversation(other, "C1")).toEqual(other);
  });
});
