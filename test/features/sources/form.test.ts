import { describe, expect, it } from "vitest";

import { checkView } from "../../../local/workspace/blocks.ts";
import {
  createOfferedChoices,
  readSourceFields,
  sourceFields,
  sourcePickers,
} from "../../../src/features/sources/form.ts";
import { sourceKinds } from "../../../src/features/sources/index.ts";
import { renderModal } from "../../../src/slack/incoming/views.ts";
import { credits, newsChannel, now, sourceServices } from "../../support/builders.ts";

const samples = { since: async () => [{ at: now, entities: [{ type: "Company" }, { type: "Instrument" }] }] } as never;

const person = { team: "T1", user: "U1" };

/** The field for one of a kind, as Slack takes it. */
async function fieldFor(kind: string) {
  const { fields } = await sourceFields(kind, sourceServices({ samples }), person);
  const [chosen, block] = fields;
  const window = { title: "New digest", form: { name: "digest", submit: "Save" } };
  expect(checkView(renderModal({ text: "", blocks: fields, window }, { channel: "C1" }))).toEqual([]);
  expect(chosen).toMatchObject({ block_id: "kind", dispatch_action: true });
  if (block?.type !== "input") throw new Error("no field");
  return block;
}

describe("the fields of a source", () => {
  it.each(sourceKinds)(
    "of the kind $kind are a field of its own, which is read as what was chosen in it",
    async (kind) => {
      const { block_id: name = "" } = await fieldFor(kind.kind);
      const wanted = { kind: kind.kind, what: "x y" };
      expect(readSourceFields({ kind: kind.kind, [name]: " x y " })).toMatchObject({ wanted });
      expect(Object.keys((readSourceFields({ kind: kind.kind }) as { errors: object }).errors)).toEqual([name]);
    },
  );

  it.each([
    ["entity", { type: "multi_external_select", action_id: "pick:entity", max_selected_items: 20 }],
    ["search", { type: "plain_text_input", max_length: 500 }],
    ["channel", { type: "external_select", action_id: "pick:channel", min_query_length: 0 }],
    ["collection", { type: "external_select", action_id: "pick:collection" }],
    ["jurisdiction", { type: "external_select", action_id: "pick:jurisdiction" }],
    ["insight", { type: "external_select", action_id: "pick:insight" }],
    ["trending", { type: "static_select", initial_option: { value: "all" } }],
  ])("of the kind %s ask for one with %j", async (kind, element) => {
    expect((await fieldFor(kind)).element).toMatchObject(element);
  });

  it("of a ranking offer everything, the types that trend, and the usual types", async () => {
    const { element } = await fieldFor("trending");
    const options = element.type === "static_select" ? (element.options ?? []) : [];
    expect(options.map(({ value }) => value)).toEqual(["all", "Company", "Instrument", "person", "region", "topic"]);
  });

  it("begin with a kind that can be read, whatever was chosen", async () => {
    const deps = sourceServices({ samples, configured: { gateway: false, jurisdictions: false } });
    expect((await sourceFields("search", deps, person)).kind).toBe("entity");
  });
});

describe("a list of sources", () => {
  const region = (name: string, ...jurisdictions: object[]) => ({ id: name, name, jurisdictions }) as never;
  const named = (kind: string) => sourcePickers.find(({ name }) => name === kind);

  it.each([
    ["channel", [{ label: "Copper" }, { label: "Gold wire", value: "501" }]],
    ["collection", [{ label: "Gold desk", value: "c-1" }]],
    ["insight", [{ label: "Chip policy", value: "i-1", description: "Export rules" }]],
    [
      "jurisdiction",
      [
        { label: "Europe", value: "Europe", description: "All of the region" },
        { label: "Germany", value: "j-1", description: "Europe" },
      ],
    ],
    ["agency", [{ label: "BaFin", value: "a-1", description: "Germany" }]],
  ])("of the kind %s names all, each with what it is found by", async (kind, expected) => {
    const deps = sourceServices({
      intelligence: {
        channels: async () => [
          newsChannel({ id: 501, name: "Gold wire" }),
          newsChannel({ id: 9, name: "Copper" }),
          newsChannel({ id: 3, name: "" }),
        ],
      },
      gateway: {
        collections: async () => ({ collections: [{ id: "c-1", name: "Gold desk" }], credits: credits() }),
        insightChannels: async () => ({
          channels: [{ id: "i-1", name: "Chip policy", description: "Export rules" }],
          credits: credits(),
        }),
      },
      jurisdictions: {
        lookup: async () => ({
          regions: [region("Europe", { id: "j-1", name: "Germany", agencyChannel: 7 }, { id: "j-2", name: "Nowhere" })],
          totals: { jurisdictions: 2 },
        }),
        agencies: async (id) => [
          id === "j-1" ? { id: "a-1", name: "BaFin" } : { id: "a-2", name: "No Channel Office" },
        ],
        contributors: async () => [],
      },
    });
    expect(await named(kind)?.choices("", person, { ...deps, offered: createOfferedChoices(() => now) })).toMatchObject(
      expected,
    );
  });

  it("is asked for once while somebody types, and again after half a minute or a failure", async () => {
    let time = now;
    let asked = 0;
    let isDown = true;
    const offered = createOfferedChoices(() => time);
    const ground = sourceServices({
      intelligence: {
        async channels() {
          asked++;
          if (isDown) throw new Error("down");
          return [];
        },
      },
    });
    const ask = async () => named("channel")?.choices("", person, { ...ground, offered });
    await expect(ask()).rejects.toThrow("down");
    isDown = false;
    await Promise.all([ask(), ask()]);
    await ask();
    expect(asked).toBe(2);
    time += 31_000;
    await ask();
    expect(asked).toBe(3);
  });
});
