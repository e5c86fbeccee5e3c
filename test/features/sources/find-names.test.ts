import { describe, expect, it } from "vitest";

import type { Entity } from "../../../src/apis/intelligence/schema.ts";
import { UnknownNames, WhichName } from "../../../src/features/names.ts";
import { openDirectory } from "../../../src/features/sources/directory.ts";
import {
  findButton,
  matchKnown,
  missedNames,
  readFindLine,
  searchForNames,
} from "../../../src/features/sources/find-names.ts";
import { wantedIfKnown } from "../../../src/features/sources/typed.ts";
import { article, credits, entity, memory, now } from "../../support/builders.ts";

const novalith = entity({ id: 1, name: "Novalith Semiconductor", symbol: "NVLT" });
const goldman = entity({ id: 2, name: "Goldman Sachs" });
const robots = entity({ id: 3, name: "Robots", type: "topic", typeName: "Topic" });
const mercuries = ["Company", "Topic"].map((typeName, at) => entity({ id: 4 + at, name: "Mercury", typeName }));
const all = [novalith, goldman, robots, ...mercuries];

async function directoryOf(...known: Entity[]) {
  const directory = await openDirectory(memory(), () => now);
  await directory.setMany(known);
  return directory;
}

describe("a typed name", () => {
  it.each([
    ["NVLT", "Novalith Semiconductor"],
    ["novalith", "Novalith Semiconductor"],
    ["robot", "Robots"],
    ["mercury (topic)", "Mercury"],
  ])("means what a person would mean by it: %s", async (typed, name) => {
    expect((await directoryOf(...all)).search(typed).match?.name).toBe(name);
  });

  it("is no part of a longer word", async () => {
    const found = (await directoryOf(...all)).search("gold");
    expect(found.match).toBeUndefined();
    expect(found.near.map(({ name }) => name)).toEqual(["Goldman Sachs"]);
  });

  it("is found among a few by its ticker as well", async () => {
    const directory = await directoryOf(...all);
    const trending = [{ name: "Paylantic" }, { name: "Novalith Semiconductor" }];
    expect(matchKnown("NVLT", trending, directory)).toEqual([{ name: "Novalith Semiconductor" }]);
    expect(matchKnown("robot", trending, directory)).toEqual([]);
  });

  it("that several have is asked about, each with its type", async () => {
    const directory = await directoryOf(...all);
    const error = missedNames([{ name: "mercury", match: directory.search("mercury") }]);
    expect(error).toBeInstanceOf(WhichName);
    expect(error.linesAfter("news entity mercury --since 2d")).toEqual({
      "Mercury (Company)": 'news entity "Mercury (Company)" --since 2d',
      "Mercury (Topic)": 'news entity "Mercury (Topic)" --since 2d',
    });
  });

  it("behind its type is a source only if it is known as one of them", async () => {
    const directory = await directoryOf(...all);
    expect(wantedIfKnown("company Novalith", directory)).toEqual({ kind: "entity", what: "Novalith" });
    expect(wantedIfKnown("topic Novalith", directory)).toBeUndefined();
    expect(wantedIfKnown("company earnings", directory)).toBeUndefined();
  });
});

describe("names that are not known", () => {
  it("may be followed as words, or corrected", () => {
    const error = new UnknownNames([{ name: "silver", near: ["Silverton"] }], { canBeWords: true });
    expect(error.linesAfter("alerts add company silver hourly")).toEqual({
      Silverton: 'alerts add company "Silverton" hourly',
      "Use the words “silver”": 'alerts add search "silver" hourly',
    });
    expect(error.linesAfter("alerts add silver hourly")["Use the words “silver”"]).toBe(
      'alerts add search "silver" hourly',
    );
  });

  it("are searched for one after the other, but for those that a search before brought", async () => {
    const directory = await directoryOf();
    const searched: string[] = [];
    const deps = {
      directory,
      gateway: {
        async search(query: string) {
          searched.push(query);
          const articles = [article({ entities: { primary: [1], secondary: [2], tertiary: [] } })];
          return { query, articles, total: 1, credits: credits() };
        },
      },
      intelligence: {
        async entities(ids: number[]) {
          const found = all.filter(({ id }) => ids.includes(id));
          await directory.setMany(found);
          return new Map(found.map((each) => [each.id, each]));
        },
      },
    };
    const bill = await searchForNames(["Novalith", "Goldman Sachs", "Xyz"], deps, new AbortController().signal);
    expect(searched).toEqual(["Novalith", "Xyz"]);
    expect(bill).toMatchObject({ used: 2 });
  });

  it("are found by a button that says the price and goes on with the line", () => {
    const line = 'watchlists new "Metals": gold, -oil';
    const [button] = findButton(["gold", 'the "oil"'], line, "U1", {});
    expect(button?.label).toBe("Find 2 names (up to 2 credits)");
    expect(readFindLine((button?.value ?? "").replace(/^find /, ""))).toEqual({ names: ["gold", 'the "oil"'], line });
    expect(findButton(["gold"], line, "U1", { isTest: true })[0]?.label).toBe("Find “gold”");
    expect(findButton(["gold"], "x".repeat(2_000), "U1", {})).toEqual([]);
  });
});

describe("articles that are read", () => {
  it("teach the names that are not known yet", async () => {
    const directory = await directoryOf(novalith);
    const asked: number[][] = [];
    const entities = async (ids: number[]) => {
      asked.push(ids);
      return new Map<number, Entity>();
    };
    directory.learnFrom([article({ entities: { primary: [1], secondary: [2, 2], tertiary: [3] } })], { entities });
    directory.learnFrom([article({ entities: { primary: [1], secondary: [], tertiary: [] } })], { entities });
    expect(asked).toEqual([[2, 3]]);
  });
});
