import { describe, expect, it } from "vitest";

import type { Stage } from "../../../src/apis/intelligence/schema.ts";
import { company as lookUp } from "../../../src/features/entities/commands.ts";
import { openDirectory } from "../../../src/features/sources/directory.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import {
  article,
  asking,
  entity,
  fakeIntelligence,
  memory,
  newsChannel,
  now,
  readerServices,
} from "../../support/builders.ts";

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
    readerServices({
      configured,
      directory,
      intelligence: {
        channels: async () => [],
        async articles(stages) {
          asked.push(stages);
          return [
            article({ title: "Old", published: now - 2, url: "https://news.example.com/old" }),
            article({ title: "New", published: now - 1 }),
          ];
        },
        entities: async (ids) =>
          new Map(
            [...known, entity({ id: 99 })].filter(({ id }) => ids.includes(id)).map((each) => [each.id, each] as const),
          ),
      },
    }),
  );
  return { message, asked };
}

describe("/company", () => {
  it("shows what it is and its latest news, newest first", async () => {
    const { message, asked } = await lookedUp("SPAG");
    expect(message.text).toMatch(/^São Paulo Águas S\.A\.\nCompany · B3: SPAG\n• New · .*\n• Old · /);
    expect(message.shareable).toBe(true);
    expect(asked).toEqual([[{ not: false, entities: [{ type: "entity", value: 2 }] }]]);
    expect(buttonsOf(message)).toEqual({
      "Ask about it":
        "ask --in-source entity 2 What is new about São Paulo Águas S.A. (Company, B3: SPAG), and why does it matter?",
      Summarise: "summary entity 2",
      "All news": "news entity 2",
      "Get a digest": "follow entity 2",
      "Get alerts": "alerts add entity 2",
    });
  });

  it("shows further metadata, and asks with the FIGI", async () => {
    const metadata = { country_code: "BR", homeRegion: "South", figi: "BBG000X", ceo: "A & B" };
    const { message } = await lookedUp("SPAG", [{ ...sao, metadata }]);
    expect(wordsOf(message)).toContain(
      "Company · B3: SPAG · Country code: BR · Home region: South · FIGI: BBG000X · CEO: A &amp; B\n",
    );
    expect(buttonsOf(message)["Ask about it"]).toContain("(Company, B3: SPAG, FIGI BBG000X)");
  });

  it("is found by its FIGI", async () => {
    const { message } = await lookedUp("bbg000x", [european, { ...sao, metadata: { figi: "BBG000X" } }]);
    expect(message.text).toMatch(/^São Paulo/);
  });

  it.each(["SPAG, European Union", "2,1", "Sao Paulo aguas SA,european union,2"])(
    "shows several in brief, and acts on all of them together: %s",
    async (text) => {
      const { message, asked } = await lookedUp(text);
      expect(message.text.split("\n")).toEqual([
        "São Paulo Águas S.A., European Union",
        "São Paulo Águas S.A. · Company · B3: SPAG",
        expect.stringMatching(/^New · /),
        "European Union · Region",
        expect.stringMatching(/^New · /),
        "2 names",
      ]);
      expect(asked).toHaveLength(2);
      expect(buttonsOf(message)).toEqual({
        "Ask about them": expect.stringMatching(
          /^about [\da-f-]{36} What is new about São Paulo Águas S\.A\. and European Union, and/,
        ),
        Summarise: 'summary entity "2,1"',
        "All news": 'news entity "2,1"',
        "Get a digest": 'follow entity "2,1"',
        "Get alerts": 'alerts add entity "2,1"',
      });
    },
  );

  it("takes a name with a comma for one name", async () => {
    const { message } = await lookedUp("Alphabet, Inc.", [entity({ name: "Alphabet Inc." }), sao]);
    expect(message.text).toMatch(/^Alphabet Inc\.\nCompany/);
  });

  it("says which of several it could not find", async () => {
    const { message } = await lookedUp("SPAG, European, qqqqqq");
    expect(message.text).toContain("I couldn’t find “European”. Did you mean European Union, European Central Bank?");
    expect(message.text).toContain("I couldn’t find “qqqqqq”.\n");
    expect(buttonsOf(message)["Find 2 names (up to 2 credits)"]).toBe(
      'find "European" "qqqqqq" SPAG, European, qqqqqq',
    );
    const to = readerServices({
      directory: await directoryOf(sao),
      intelligence: { channels: async () => [], entities: async () => new Map() },
    });
    expect(await hintOf(lookUp, asking("qqqqqq, zzzzzz"), to)).toBe("I couldn’t find “qqqqqq” or “zzzzzz”.");
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

  it.each([
    ["European", "Which “European”?"],
    ["georgia", "Which “georgia”?"],
    ["qqqqqq", "I couldn’t find “qqqqqq”. Try the full name or the ticker symbol."],
    ["<@U1>", "I couldn’t find “&lt;@U1&gt;”. Try the full name or the ticker symbol."],
  ])("asks which name is meant if none is meant clearly: %s", async (text, words) => {
    const georgias = ["Country", "State"].map((typeName, at) => entity({ id: 4 + at, name: "Georgia", typeName }));
    const to = readerServices({
      directory: await directoryOf(european, bank, ...georgias),
      intelligence: { channels: async () => [], entities: async () => new Map() },
    });
    expect(await hintOf(lookUp, asking(text), to)).toBe(words);
  });

  it("learns names once if it does not know one, and never if it does", async () => {
    const directory = await directoryOf(european);
    let learned = 0;
    const to = readerServices({
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
  it("learns once for all who ask at the same time, and not again until an hour has passed", async () => {
    let time = now;
    let requests = 0;
    const intelligence = fakeIntelligence({
      channels: async () => [newsChannel({ stages: [{ entities: [{ type: "entity", value: 7 }] }] })],
      articles: async () => [],
      async entities(ids) {
        requests++;
        expect(ids).toEqual([7]);
        return new Map();
      },
    });
    const directory = await openDirectory(memory(), () => time);
    await Promise.all([directory.learn(intelligence), directory.learn(intelligence)]);
    time += 59 * 60_000;
    await directory.learn(intelligence);
    expect(requests).toBe(1);
    time += 61_000;
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
    const intelligence = fakeIntelligence({
      channels: async () => [newsChannel({ stages }), newsChannel({ id: 8 })],
      async articles(given) {
        if (given.length === 0) throw new Error("this channel cannot be read");
        return [article({ entities: { primary: [2, 1], secondary: [3], tertiary: [4, 2] } })];
      },
      async entities(ids) {
        asked.push(ids);
        return new Map();
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
