import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Jurisdictions } from "../../../src/apis/jurisdictions/client.ts";
import type { JurisdictionLookup, NamedRecord } from "../../../src/apis/jurisdictions/schema.ts";
import { jurisdictions } from "../../../src/features/jurisdictions/commands.ts";
import { answerOf, buttonsOf, menuOf, wordsOf } from "../../support/answers.ts";
import { asking, services } from "../../support/builders.ts";

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

function setUp(api: Partial<Jurisdictions> = {}, configured = {}) {
  return services({
    configured,
    jurisdictions: {
      lookup: async () => ({ regions: [europe, asia], totals }),
      agencies: async () => named(100, "Autorité des marchés", "Autorité de contrôle"),
      contributors: async () => named(200, "Journal officiel"),
      sources: async () => [
        { id: uuid(300), name: "Série L", contributor: "Journal officiel", jurisdiction: "France" },
      ],
      ...api,
    },
  });
}

const show = (text: string, to = setUp()) => answerOf(jurisdictions, asking(text), to);

describe("a name that people type for another", () => {
  const american = { id: uuid(3), name: "North America", jurisdictions: [jurisdiction(31, "US federal")] };

  it.each(["United States", "the USA"])("offers what is listed under its short form: %s", async (typed) => {
    const to = setUp({ lookup: async () => ({ regions: [europe, american], totals }) });
    expect(Object.keys(menuOf(await show(typed, to)))).toContain("US federal (North America)");
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
    expect(buttonsOf(region)).toEqual({ Back: "jurisdictions" });
    const place = await show(`at ${uuid(11)}`);
    expect(wordsOf(place)).toContain("Europe · 2 agencies · 1 contributor · 3 sources");
    expect(wordsOf(place)).toContain("*Agencies:* Autorité des marchés, Autorité de contrôle");
    expect(buttonsOf(place)).toEqual({
      "Agencies (2)": `jurisdictions agencies ${uuid(11)}`,
      "Contributors (1)": `jurisdictions contributors ${uuid(11)}`,
      "Read agency news": "news channel 601",
      "Read jurisdiction news": "news channel 602",
      "Get a digest": "follow channel 602",
      Back: `jurisdictions in ${uuid(1)}`,
    });
    const contributors = await show(`contributors ${uuid(11)}`);
    expect(menuOf(contributors)).toEqual({ "Journal officiel": `jurisdictions sources ${uuid(200)}` });
    expect(buttonsOf(contributors)).toEqual({ Back: `jurisdictions at ${uuid(11)}` });
    const sources = await show(`sources ${uuid(200)}`);
    expect(wordsOf(sources)).toContain("Sources: Journal officiel\n1 source\n• Série L");
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

  it("offers no news where the news service is not set up, or there is no channel", async () => {
    expect(buttonsOf(await show(`at ${uuid(11)}`, setUp({}, { intelligence: false })))).not.toHaveProperty(
      "Get a digest",
    );
    expect(buttonsOf(await show(`at ${uuid(12)}`))).not.toHaveProperty("Read the news");
  });

  it("shows a jurisdiction also where its agencies cannot be had, and asks for none where there are none", async () => {
    const failing = setUp({
      agencies: async () => {
        throw new Unavailable({ api: "jurisdictions", operation: "agencies" });
      },
    });
    expect(wordsOf(await show(`at ${uuid(11)}`, failing))).toContain("*Contributors:* Journal officiel");
    const empty = jurisdiction(13, "Nowhere", { agencyCount: 0, contributorCount: 0, sourceCount: 0 });
    const to = services({
      jurisdictions: { lookup: async () => ({ regions: [{ ...europe, jurisdictions: [empty] }], totals }) },
    });
    expect(wordsOf(await show(`at ${uuid(13)}`, to))).toContain("No agencies or contributors are listed here");
  });

  it("says nothing of counts that are not known, and asks for the names all the same", async () => {
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
    expect(menuOf(shown)).toEqual({
      "France (Europe)": `jurisdictions at ${uuid(11)}`,
      "Côte <&> Land (Asia-Pacific)": `jurisdictions at ${uuid(21)}`,
    });
    expect(menuOf(await show("Swedn"))).toEqual({ "Sweden (Europe)": `jurisdictions at ${uuid(12)}` });
  });

  it("that means nothing gets a way on, and can ping nobody", async () => {
    const { text } = await show("<!channel> zzzz");
    expect(text).toContain("“&lt;!channel&gt; zzzz”");
    expect(text).toContain("/bellwether jurisdictions");
  });
});
