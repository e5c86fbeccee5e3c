import { describe, expect, it } from "vitest";

import { openDirectory } from "../../../src/features/sources/directory.ts";
import { saveFilled, watchlists } from "../../../src/features/watchlists/commands.ts";
import { offerNames } from "../../../src/features/sources/entity.ts";
import { readWatchlist, watchlistForm, watchlistWindow } from "../../../src/features/watchlists/form.ts";
import type { Block } from "../../../src/slack/text/message.ts";
import { answerOf, buttonsOf, wordsOf } from "../../support/answers.ts";
import { article, asking, entity, memory, newsChannel, now, subscriptionServices } from "../../support/builders.ts";

const person = { team: "T1", user: "U1" };
const asker = { ...person, channel: "C1", surface: "form" } as const;
const novalith = entity({ id: 1, name: "Novalith Semiconductor", symbol: "NVLT", exchange: "Nasdaq" });
const known = [novalith, entity({ id: 2, name: "Ardenne Lithography" })];

function withEntities() {
  return subscriptionServices({
    intelligence: {
      articles: async () => [article({ title: "Chips rise" })],
      entities: async (ids) => new Map(known.flatMap((each) => (ids.includes(each.id) ? [[each.id, each]] : []))),
    },
    directory: {
      find: async (text) => ({ ...(text === "1" && { match: novalith }), near: [] }),
    },
  });
}

const fieldsIn = (blocks: Block[] = []) =>
  Object.fromEntries(blocks.flatMap((block) => (block.type === "input" ? [[block.block_id, block.element]] : [])));

describe("the window of a watchlist", () => {
  const filled = { name: 'Chips "A"', "group-1": "1,2", "group-3": "4", never: "3", sharing: "shared" };
  const entry = (id: number) => ({ id, name: `Entity ${id}` });
  const content = { groups: [[entry(1)], [entry(2)], [entry(3)]], excluded: [entry(4)] };

  const list = { id: "w-1", name: "Chips", isShared: true, ...content };

  it("asks for names as chips, offered as somebody types", () => {
    const { blocks = [] } = watchlistWindow({ now });
    expect(Object.keys(fieldsIn(blocks))).toEqual(["name", "group-1", "group-2", "never", "sharing"]);
    const first = blocks.find(({ block_id: name }) => name === "group-1");
    expect(first).toMatchObject({
      dispatch_action: true,
      optional: false,
      element: { type: "multi_external_select", action_id: "pick:entity", max_selected_items: 100 },
    });
  });

  it("of an existing one holds its names, its groups and an empty group", () => {
    const message = watchlistWindow({ list, content, lastDay: { count: 14, newest: article() }, now });
    const fields = fieldsIn(message.blocks);
    expect(Object.keys(fields)).toEqual(["name", "group-1", "group-2", "group-3", "group-4", "never", "sharing"]);
    expect(fields["never"]).toMatchObject({ initial_options: [{ value: "4", text: { text: "Entity 4" } }] });
    expect(fields["sharing"]).toMatchObject({ initial_option: { value: "shared" } });
    expect(wordsOf(message)).toContain("This matches 14 articles from the last 24 hours.\nNewest: <");
    expect(message.window).toMatchObject({ title: "Edit watchlist", form: { name: "watchlist", state: "w-1" } });
  });

  it("says that its articles cannot be counted right now", () => {
    expect(wordsOf(watchlistWindow({ list, content, now }))).toContain("The article count isn’t available right now.");
  });

  it("hands over its values, and searches first for names that nobody has used yet", () => {
    const name = "Chip rules";
    const terms = { groups: [["1", "2"], ["4"]], excluded: ["3"] };
    expect(readWatchlist({ fields: { ...filled, name }, state: "" })).toEqual({
      id: "",
      name,
      isShared: true,
      terms,
      unmet: [],
    });
    const fields = { name: "Metals", "group-1": "1,?silver", never: "?gold mining" };
    expect(readWatchlist({ fields, state: "w-1" })).toEqual({
      id: "w-1",
      name: "Metals",
      isShared: false,
      terms: { groups: [["1", "silver"]], excluded: ["gold mining"] },
      unmet: ["silver", "gold mining"],
    });
  });

  it("saves a new list and what is changed in it, with what was shared before as it is now", async () => {
    const to = withEntities();
    const save = (fields: Record<string, string>, state = "") =>
      saveFilled({ fields, state }, asking("", { surface: "form" }), to);
    const made = await save({ name: "Chips", "group-1": "1", sharing: "shared" });
    expect(made).toMatchObject({ text: expect.stringContaining("Chips is saved"), shareable: true });
    const [saved] = await to.watchlists.visible(person);
    const changed = await save({ name: "Chip makers", "group-1": "1", sharing: "private" }, saved?.id);
    expect(changed).toMatchObject({ text: expect.stringContaining("Chip makers is private again"), isPrivate: true });
    const undo = (buttonsOf(changed)["Undo"] ?? "").replace(/^watchlists /, "");
    await answerOf(watchlists, asking(undo), to);
    expect(await to.watchlists.visible(person)).toMatchObject([{ name: "Chips", isShared: true }]);
    const [, id = ""] = /^undo (\S+)/.exec(undo) ?? [];
    await expect(answerOf(watchlists, asking(`undo ${id} 5`), to)).rejects.toThrow("changed since");
  });

  it("is saved without a name that isn’t found, and says so", async () => {
    const to = withEntities();
    const save = (fields: Record<string, string>) =>
      saveFilled({ fields: { name: "Metals", sharing: "private", ...fields }, state: "" }, asking(""), to);
    expect(wordsOf(await save({ "group-1": "1,?silver" }))).toContain(
      "I couldn’t find “silver”, so it’s saved without.",
    );
    expect(await to.watchlists.visible(person)).toMatchObject([{ groups: [[{ id: 1 }]] }]);
    await expect(save({ name: "Silver", "group-1": "?silver" })).rejects.toThrow("silver");
  });

  it("says at each field what is wrong before anything is saved", async () => {
    const to = withEntities();
    await answerOf(watchlists, asking("new Chips: 1"), to);
    expect(watchlistForm.read({ fields: filled, state: "" })).toEqual({
      errors: { name: "A name can’t hold quotation marks." },
    });
    expect(watchlistForm.read({ fields: { name: "A" }, state: "" })).toMatchObject({ errors: { "group-1": /./ } });
    const check = (fields: Record<string, string>) => watchlistForm.check?.({ fields, state: "" }, asker, to);
    expect(await check({ name: "CHIPS", "group-1": "1" })).toMatchObject({
      name: expect.stringContaining("You already have"),
    });
    expect(await check({ name: "New", "group-1": "1", never: "1" })).toEqual({
      never: "“Novalith Semiconductor” is both included and excluded. Remove one.",
    });
    expect(await check({ name: "New", "group-1": "1" })).toEqual({});
  });

  it("previews the last day again when a name is chosen", async () => {
    const rebuild = (fields: Record<string, string>) =>
      watchlistForm.rebuild?.({ fields, state: "" }, person, withEntities());
    const message = await rebuild({ "group-1": "1", "group-2": "2" });
    expect(wordsOf(message ?? { text: "" })).toContain("This matches 1 article from the last 24 hours.\nNewest:");
    expect(fieldsIn(message?.blocks)["group-2"]).toMatchObject({
      initial_options: [{ text: { text: "Ardenne Lithography" } }],
    });
    expect(wordsOf((await rebuild({})) ?? { text: "" })).toContain("Choose names to preview");
  });

  it("offers a further group once all are filled in, and leaves each where it is", async () => {
    const groupsOf = async (fields: Record<string, string>) => {
      const message = await watchlistForm.rebuild?.({ fields, state: "" }, person, withEntities());
      return Object.entries(fieldsIn(message?.blocks)).flatMap(([name, field]) =>
        name.startsWith("group-") ? [[name, JSON.stringify(field).includes("initial_options")]] : [],
      );
    };
    expect(await groupsOf({ "group-1": "1", "group-2": "2" })).toEqual([
      ["group-1", true],
      ["group-2", true],
      ["group-3", false],
    ]);
    expect(await groupsOf({ "group-3": "2" })).toEqual([
      ["group-1", false],
      ["group-2", false],
      ["group-3", true],
      ["group-4", false],
    ]);
  });
});

describe("the names that a window offers", () => {
  async function offered(typed: string, seen = known) {
    const directory = await openDirectory(memory(), () => now);
    await directory.setMany(seen);
    const to = subscriptionServices({
      directory,
      intelligence: {
        channels: async () => [newsChannel({ stages: [{ not: false, entities: [{ type: "entity", value: 2 }] }] })],
        articles: async () => [],
        entities: async (ids) => {
          await directory.setMany(known.filter(({ id }) => ids.includes(id)));
          return new Map();
        },
      },
    });
    return (await offerNames(typed, { ...to, configured: { gateway: false } })).map(({ label, description }) => [
      label,
      description,
    ]);
  }

  it.each([
    ["", ["Ardenne Lithography", "Novalith Semiconductor"]],
    ["semi", ["Novalith Semiconductor"]],
    ["nvl", ["Novalith Semiconductor"]],
    ["Ardene", ["Ardenne Lithography"]],
    ["xyz", []],
  ])("begin like the typed text in a word or a symbol, or are spelt like it: %j", async (typed, expected) => {
    expect((await offered(typed)).map(([label]) => label)).toEqual(expected);
  });

  it("say what they are, and where they are listed", async () => {
    expect(await offered("nov")).toEqual([["Novalith Semiconductor", "Company · Nasdaq: NVLT"]]);
  });

  it.each<[string, { gateway: boolean; isTest?: boolean }, string[]]>([
    ["silver", { gateway: true }, ["Find “silver” (1 credit)"]],
    ["silver", { gateway: true, isTest: true }, ["Find “silver”"]],
    ["silver", { gateway: false }, []],
    ["Novalith Semiconductor", { gateway: true }, ["Novalith Semiconductor"]],
  ])("offer to find one that nobody has used yet: %j with %j", async (typed, { gateway, isTest = false }, labels) => {
    const directory = await openDirectory(memory(), () => now);
    await directory.setMany(known);
    const services = subscriptionServices({ directory });
    const to = { ...services, configured: { gateway }, isTest };
    expect((await offerNames(typed, to)).map(({ label }) => label)).toEqual(labels);
  });

  it("are looked up in the news service if no known name fits", async () => {
    expect(await offered("ardenne", [])).toEqual([["Ardenne Lithography", "Company"]]);
  });
});
