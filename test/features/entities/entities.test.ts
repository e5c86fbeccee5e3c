import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Stage } from "../../../src/apis/intelligence/schema.ts";
import { entity as lookUp } from "../../../src/features/entities/commands.ts";
import { openDirectory } from "../../../src/features/entities/directory.ts";
import { answerOf, buttonsOf } from "../../support/answers.ts";
import { article, asking, entity, memory, newsChannel, now, services } from "../../support/builders.ts";

const european = entity({ id: 1, name: "European Union", type: "region", typeName: "Region" });
const sao = entity({ id: 2, name: "São Paulo Águas S.A.", symbol: "SPAG", exchange: "B3" });
const bank = entity({ id: 3, name: "European Central Bank" });

async function directoryOf(...entities: (typeof european)[]) {
  return openDirectory(memory(entities.map((each) => [String(each.id), each])), () => now);
}

async function lookedUp(text: string, known = [european, sao, bank], configured = {}) {
  const directory = await directoryOf(...known);
  const asked: Stage[][] = [];
  const message = await answerOf(
    lookUp,
    asking(text),
    services({
      configured,
      directory,
      intelligence: {
        channels: async () => [],
        async articles(stages) {
          asked.push(stages);
          return [article({ title: "Old", published: now - 2 }), article({ title: "New", published: now - 1 })];
        },
        entities: async (ids) => new Map(ids.filter((id) => id === 99).map((id) => [id, entity({ id })])),
      },
    }),
  );
  return { message, asked };
}

describe("/entity", () => {
  it("shows what it is and its latest news, newest first", async () => {
    const { message, asked } = await lookedUp("SPAG");
    expect(message.text).toMatch(/^São Paulo Águas S\.A\., Company · B3: SPAG\n• New · .*\n• Old · /);
    expect(message.shareable).toBe(true);
    expect(asked).toEqual([[{ not: false, entities: [{ type: "entity", value: 2 }] }]]);
    expect(buttonsOf(message)).toEqual({
      "All news": 'news "São Paulo Águas S.A."',
      Summarise: 'summary "São Paulo Águas S.A."',
      "Ask why it matters": "ask What is new about São Paulo Águas S.A., and why does it matter?",
    });
  });

  it.each([
    ["1", "European Union"],
    ["european union", "European Union"],
    ["EUROPEAN  UNION", "European Union"],
    ["spag", "São Paulo"],
    ["Sao Paulo aguas SA", "São Paulo"],
    ["paulo", "São Paulo"],
    ["99", "Northwind Energy"],
  ])("finds by ID, symbol and name, without regard to case and accents: %s", async (text, name) => {
    expect((await lookedUp(text)).message.text).toMatch(new RegExp(`^${name}`));
  });

  it("asks which one is meant where several are near", async () => {
    const { message } = await lookedUp("European");
    expect(message.text).toBe(
      "I couldn’t find “European”. Did you mean one of these? European Union, European Central Bank",
    );
    expect(buttonsOf(message)).toEqual({ "European Union": "entity 1", "European Central Bank": "entity 3" });
  });

  it("asks which one is meant where several have the very name", async () => {
    const country = entity({ id: 4, name: "Georgia", typeName: "Country" });
    const state = entity({ id: 5, name: "Georgia", typeName: "State" });
    const { message } = await lookedUp("georgia", [country, state]);
    expect(message.text).toMatch(/^“georgia” can be one of these\. Which one do you mean\?/);
    expect(buttonsOf(message)).toEqual({ "Georgia (Country)": "entity 4", "Georgia (State)": "entity 5" });
  });

  it.each(["qqqqqq", "🛢️", "12345", "<@U1>"])("says what to try where nothing is near: %s", async (text) => {
    const { message } = await lookedUp(text);
    expect(message.text).toMatch(/^I couldn’t find .*the ticker symbol/);
    expect(message.text).not.toContain("<@");
  });

  it("shows what it is where its news cannot be had", async () => {
    const to = services({
      directory: await directoryOf(sao),
      intelligence: { articles: () => Promise.reject(new Unavailable({ api: "intelligence", operation: "articles" })) },
    });
    const message = await answerOf(lookUp, asking("SPAG"), to);
    expect(message.text).toBe("São Paulo Águas S.A., Company · B3: SPAG\nIts latest news isn’t available right now.");
  });

  it("learns names once where it does not know one, and never where it does", async () => {
    const directory = await directoryOf(european);
    let learned = 0;
    const to = services({
      directory,
      intelligence: {
        async channels() {
          learned++;
          await directory.setMany([bank]);
          return [];
        },
        articles: async () => [],
        entities: async () => new Map(),
      },
    });
    expect((await answerOf(lookUp, asking("European Central Bank"), to)).text).toMatch(/^European Central Bank/);
    expect(learned).toBe(1);
    await answerOf(lookUp, asking("European Central Bank"), to);
    await answerOf(lookUp, asking("European Union"), to);
    expect(learned).toBe(1);
  });
});

const numbered = (id: number) => entity({ id, name: `Entity number ${id}`, symbol: `S${id}` });

describe("the directory", () => {
  it("learns once for all who ask at the same time, and not again until ten minutes have passed", async () => {
    let time = now;
    let requests = 0;
    const intelligence = services({
      intelligence: {
        channels: async () => [newsChannel({ stages: [{ entities: [{ type: "entity", value: 7 }] }] })],
        articles: async () => [],
        async entities(ids) {
          requests++;
          expect(ids).toEqual([7]);
          return new Map();
        },
      },
    }).intelligence;
    const directory = await openDirectory(memory(), () => time);
    await Promise.all([directory.learn(intelligence), directory.learn(intelligence)]);
    time += 9 * 60_000;
    await directory.learn(intelligence);
    expect(requests).toBe(1);
    time += 60_000;
    await directory.learn(intelligence);
    expect(requests).toBe(2);
  });

  const stages: Stage[] = [
    {
      entities: [
        { type: "entity", value: 1 },
        { type: "topic", value: 77 },
        { type: "entity", value: "" },
      ],
    },
  ];

  it("learns every entity that saved channels and their articles name, each once", async () => {
    const asked: number[][] = [];
    const { intelligence } = services({
      intelligence: {
        channels: async () => [newsChannel({ stages }), newsChannel({ id: 8 })],
        async articles(given) {
          if (given.length === 0) throw new Error("this channel cannot be read");
          return [article({ entities: { primary: [2, 1], secondary: [3], tertiary: [4, 2] } })];
        },
        async entities(ids) {
          asked.push(ids);
          return new Map();
        },
      },
    });
    await (await directoryOf()).learn(intelligence);
    expect(asked).toEqual([[1, 2, 3, 4]]);
  });

  it("remembers across a restart", async () => {
    const records = memory<typeof european>();
    await (await openDirectory(records, () => now)).setMany([european]);
    const reopened = await openDirectory(records, () => now);
    expect(reopened.search("European Union").match).toEqual(european);
    expect(await reopened.getMany([1, 2])).toEqual(new Map([[1, european]]));
  });

  it("forgets what was not seen for longest when it is full", async () => {
    const directory = await directoryOf();
    await directory.setMany(Array.from({ length: 50_000 }, (_, id) => numbered(id)));
    await directory.setMany([numbered(0), numbered(50_000)]);
    expect(directory.search("S0").match?.id).toBe(0);
    expect(directory.search("S50000").match?.id).toBe(50_000);
    expect(directory.search("S1").match).toBeUndefined();
  });
});
