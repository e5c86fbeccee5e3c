import { describe, expect, it } from "vitest";

import type { Jurisdictions } from "../../../src/apis/jurisdictions/client.ts";
import type { JurisdictionLookup, NamedRecord } from "../../../src/apis/jurisdictions/schema.ts";
import { jurisdictions } from "../../../src/features/jurisdictions/commands.ts";
import { answerOf, buttonsOf, menuOf, wordsOf } from "../../support/answers.ts";
import { article, asking, newsChannel, type GivenSources, never, sourceServices } from "../../support/builders.ts";

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

type Jurisdiction = JurisdictionLookup["regions"][number]["jurisdictions"][number];

function jurisdiction(number: number, name: string, about: Partial<Jurisdiction> = {}): Jurisdiction {
  return { id: uuid(number), name, agencyCount: 2, contributorCount: 1, sourceCount: 3, ...about };
}

const named = (first: number, ...names: string[]): NamedRecord[] =>
  names.map((name, index) => ({ id: uuid(first + index), name }));

const france = jurisdiction(11, "France", { agencyChannel: 601, jurisdictionChannel: 602 });
const europe = { id: uuid(1), name: "Europe", jurisdictions: [france, jurisdiction(12, "Sweden")] };
const asia = { id: uuid(2), name: "Asia-Pacific", jurisdictions: [jurisdiction(21, "Côte <&> Land")] };
const totals = { jurisdictions: 3, agencies: 6, contributors: 3, sources: 9 };

function setUp(api: Partial<Jurisdictions> = {}, configured = {}, more: GivenSources = {}) {
  const sources = sourceServices({
    configured,
    jurisdictions: {
      lookup: async () => ({ regions: [europe, asia], totals }),
      agencies: async (id) => (id === uuid(11) ? named(100, "Autorité des marchés", "Autorité de contrôle") : []),
      contributors: async (id) => (id === uuid(11) ? named(200, "Journal officiel") : []),
      sources: async () => [
        { id: uuid(300), name: "Série L", contributor: "Journal officiel", jurisdiction: "France" },
      ],
      ...api,
    },
    intelligence: {
      channel: async (id) => newsChannel({ id }),
      articles: async () => [],
      entities: async () => new Map(),
    },
    ...more,
  });
  return { ...sources, after: never };
}

const show = (text: string, to = setUp()) => answerOf(jurisdictions, asking(text), to);

describe("a name that people type for another", () => {
  const american = { id: uuid(3), name: "North America", jurisdictions: [jurisdiction(31, "US federal")] };

  it.each(["United States", "the USA"])("offers what is listed under its short form: %s", async (typed) => {
    const to = setUp({ lookup: async () => ({ regions: [europe, american], totals }) });
    expect(Object.keys(buttonsOf(await show(typed, to)))).toContain("US federal (North America)");
  });
});

describe("browsing", () => {
  it("begins with the regions, their counts, and a way into each, in a window", async () => {
    const shown = await show("");
    expect(wordsOf(shown)).toContain("3 jurisdictions · 6 agencies · 3 contributors · 9 sources in 2 regions");
    expect(wordsOf(shown)).toContain("*Europe*\n2 jurisdictions · 4 agencies");
    expect(menuOf(shown)).toEqual({
      "Europe (2)": `jurisdictions in ${uuid(1)}`,
      "Asia-Pacific (1)": `jurisdictions in ${uuid(2)}`,
    });
    expect(shown.window).toEqual({ title: "Jurisdictions" });
  });

  it("goes on to a region, a jurisdiction, its contributors and their sources, and back again", async () => {
    const region = await show(`in ${uuid(1)}`);
    expect(menuOf(region)).toEqual({
      France: `jurisdictions at ${uuid(11)}`,
      Sweden: `jurisdictions at ${uuid(12)}`,
    });
    expect(buttonsOf(region)).toEqual({
      "Read the news": `news jurisdiction ${uuid(1)}`,
      "Get a digest": `follow jurisdiction ${uuid(1)}`,
      "Get alerts": `alerts add jurisdiction ${uuid(1)}`,
      Back: "jurisdictions",
    });
    const place = await show(`at ${uuid(11)}`);
    expect(wordsOf(place)).toContain("Europe · 2 agencies · 1 contributor · 3 sources");
    expect(wordsOf(place)).toContain("*Agencies:* Autorité des marchés, Autorité de contrôle");
    expect(buttonsOf(place)).toEqual({
      "Agencies (2)": `jurisdictions agencies ${uuid(11)}`,
      "Contributors (1)": `jurisdictions contributors ${uuid(11)}`,
      "Read agency news": "news channel 601",
      "Read jurisdiction news": "news channel 602",
      "Get a digest": `follow jurisdiction ${uuid(11)}`,
      "Get alerts": `alerts add jurisdiction ${uuid(11)}`,
      Back: `jurisdictions in ${uuid(1)}`,
    });
    const contributors = await show(`contributors ${uuid(11)}`);
    expect(menuOf(contributors)).toEqual({ "Journal officiel": `jurisdictions sources ${uuid(200)}` });
    expect(buttonsOf(contributors)).toEqual({ Back: `jurisdictions at ${uuid(11)}` });
    const sources = await show(`sources ${uuid(200)}`);
    expect(wordsOf(sources)).toContain("Sources: Journal officiel\nFrance · Europe · 1 source\n• Série L");
    expect(buttonsOf(sources)).toEqual({ Back: `jurisdictions contributors ${uuid(11)}` });
  });

  it("turns long lists over", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `Agency ${index + 1}`);
    const to = setUp({ agencies: async () => named(100, ...names) });
    const line = `jurisdictions agencies ${uuid(11)}`;
    const second = await show(`agencies ${uuid(11)} 2`, to);
    expect(wordsOf(second)).toContain("25 agencies · page 2 of 3\n• Agency 11");
    expect(buttonsOf(second)).toEqual({
      Previous: `${line} 1`,
      Next: `${line} 3`,
      Back: `jurisdictions at ${uuid(11)}`,
    });
  });

  it("offers no news if the news service is not set up, or there is no channel", async () => {
    expect(buttonsOf(await show(`at ${uuid(11)}`, setUp({}, { intelligence: false })))).not.toHaveProperty(
      "Get a digest",
    );
    expect(buttonsOf(await show(`at ${uuid(12)}`))).not.toHaveProperty("Read the news");
    expect(buttonsOf(await show(`in ${uuid(2)}`))).toEqual({ Back: "jurisdictions" });
    expect(buttonsOf(await show(`in ${uuid(1)}`, setUp({}, { intelligence: false })))).toEqual({
      Back: "jurisdictions",
    });
  });

  it("goes from the agencies of a jurisdiction to each of them", async () => {
    const list = await show(`agencies ${uuid(11)}`);
    const [line = ""] = Object.values(menuOf(list));
    expect(wordsOf(await show(line.replace("jurisdictions ", "")))).toContain("Autorité des marchés\nAgency · France");
    await expect(show(`agency ${uuid(999)}`)).rejects.toThrow("no longer listed");
  });

  it("asks for no agencies if there are none", async () => {
    const empty = jurisdiction(13, "Nowhere", { agencyCount: 0, contributorCount: 0, sourceCount: 0 });
    const to = setUp({ lookup: async () => ({ regions: [{ ...europe, jurisdictions: [empty] }], totals }) });
    expect(wordsOf(await show(`at ${uuid(13)}`, to))).toContain("No agencies or contributors are listed here");
  });

  it("leaves out unknown counts, and asks for the names all the same", async () => {
    const unknown = { agencyCount: undefined, contributorCount: undefined, sourceCount: undefined };
    const regions = [{ ...europe, jurisdictions: [jurisdiction(11, "France", unknown), jurisdiction(12, "Spain")] }];
    const to = setUp({ lookup: async () => ({ regions, totals: { jurisdictions: 2 } }) });
    const shown = await show(`at ${uuid(11)}`, to);
    expect(wordsOf(shown)).toMatch(/^France\nEurope\n\*Agencies:\* /);
    expect(Object.keys(buttonsOf(shown))).toEqual(expect.arrayContaining(["Agencies", "Contributors"]));
    expect(wordsOf(await show(`in ${europe.id}`, to))).toMatch(
      /^Europe\n2 jurisdictions\n\*France\*\n\*Spain\*\n2 agencies/,
    );
    expect(wordsOf(await show("", to))).toMatch(/\n2 jurisdictions in 1 region\n\*Europe\*\n2 jurisdictions$/m);
  });
});

describe("a name", () => {
  it.each(["France", "france", "FRANCE", "  franc  "])(
    "“%s” shows the jurisdiction as an answer to be shared",
    async (name) => {
      const shown = await show(name);
      expect(wordsOf(shown)).toContain("*Agencies:*");
      expect(shown).toMatchObject({ shareable: true });
      expect(shown.window).toBeUndefined();
    },
  );

  it("of a region shows what lies in it; accents do not count", async () => {
    expect(wordsOf(await show("asia pacific"))).toContain("Côte &lt;&amp;&gt; Land");
    expect(wordsOf(await show("cote land"))).toContain("Asia-Pacific · 2 agencies");
  });

  it("that may mean several things is asked about", async () => {
    const shown = await show("an");
    expect(buttonsOf(shown)).toEqual({
      "France (Europe)": `jurisdictions at ${uuid(11)}`,
      "Côte <&> Land (Asia-Pacific)": `jurisdictions at ${uuid(21)}`,
    });
    expect(buttonsOf(await show("Swedn"))).toEqual({ "Sweden (Europe)": `jurisdictions at ${uuid(12)}` });
  });

  it("of an agency shows where it regulates, its newest articles and its sources", async () => {
    const to = setUp(
      { contributors: async (id) => (id === uuid(11) ? named(200, "Autorité de contrôle") : []) },
      {},
      {
        intelligence: {
          channel: async (id) => newsChannel({ id }),
          articles: async () => [
            article({ title: "Autorité de contrôle fines a bank" }),
            article({ title: "Oil rises" }),
          ],
          entities: async () => new Map(),
        },
      },
    );
    const shown = await show("autorite de controle", to);
    expect(wordsOf(shown)).toMatch(
      /^Autorité de contrôle\nAgency · France · Europe\n• .*Autorité de contrôle fines a bank[^\n]*\n/,
    );
    expect(wordsOf(shown)).not.toContain("Oil rises");
    expect(buttonsOf(shown)).toMatchObject({
      "Read agency news": `news agency ${uuid(101)}`,
      "Get a digest": `follow agency ${uuid(101)}`,
      "Get alerts": `alerts add agency ${uuid(101)}`,
      France: `jurisdictions at ${uuid(11)}`,
      "Its sources": `jurisdictions sources ${uuid(200)}`,
    });
    expect(shown.window).toBeUndefined();
  });

  it("of an agency says if there’s no news channel, or no news", async () => {
    const regions = [{ ...europe, jurisdictions: [jurisdiction(11, "Sweden")] }];
    const none = await show("Autorité de contrôle", setUp({ lookup: async () => ({ regions, totals }) }));
    expect(wordsOf(none)).toContain("There’s no news channel for Sweden.");
    expect(buttonsOf(none)).not.toHaveProperty("Get a digest");
    expect(wordsOf(await show("Autorité de contrôle"))).toContain("Nothing about it in the news of France right now.");
  });

  it("of a contributor, or of one of its sources, shows its sources and where it reports from", async () => {
    expect(wordsOf(await show("Journal officiel"))).toMatch(
      /^Sources: Journal officiel\nFrance · Europe · 1 source\n• Série L/,
    );
    expect(wordsOf(await show("serie l"))).toContain("• Série L");
  });

  it("that several agencies have is asked about, with the jurisdiction of each", async () => {
    expect(buttonsOf(await show("Autorité"))).toEqual({
      "Autorité des marchés (France)": `jurisdictions agency ${uuid(100)}`,
      "Autorité de contrôle (France)": `jurisdictions agency ${uuid(101)}`,
    });
    expect(Object.keys(buttonsOf(await show("Autorite de controlle")))[0]).toBe("Autorité de contrôle (France)");
  });

  it("that many have shows five of them, and says how many there are", async () => {
    const agencies = Array.from({ length: 9 }, (_, at) => `Securities Board ${at}`);
    const to = setUp({ agencies: async (id) => (id === uuid(11) ? named(100, ...agencies) : []) });
    const shown = await show("securities", to);
    expect(shown.text).toContain("“securities” fits 9 names. Type more of it");
    expect(Object.keys(buttonsOf(shown))).toHaveLength(5);
  });

  it("that is unknown gets a hint, and can ping nobody", async () => {
    const { text } = await show("<!channel> zzzz");
    expect(text).toContain("“&lt;!channel&gt; zzzz”");
    expect(text).toContain("/bellwether jurisdictions");
  });
});
