import { describe, expect, it } from "vitest";

import { createIsAbout } from "../../../src/features/sources/agency.ts";
import { findSource, readSource, stagesOf } from "../../../src/features/sources/index.ts";
import { article, entity, newsChannel, sourceServices } from "../../support/builders.ts";
import { formsOf } from "../../../src/features/sources/regulators.ts";

describe("the names of an agency", () => {
  it.each([
    ["Securities and Exchange Commission", ["securities and exchange commission"], ["SEC"]],
    ["Autorité des marchés financiers", ["autorite des marches financiers"], ["AMF"]],
    ["Swiss Financial Market Supervisory Authority (FINMA)", expect.anything(), ["SFMSA", "FINMA"]],
    ["Revenu Québec", ["revenu quebec"], []],
    [
      "Board of Governors of the Federal Reserve System",
      ["board of governors of the federal reserve system", "federal reserve"],
      ["BGFRS", "Fed"],
    ],
  ])("are its full name, the name without its formal part, and its initials: %s", (name, phrases, acronyms) => {
    expect(formsOf(name)).toEqual({ phrases, acronyms });
  });
});

describe("an article is an agency’s", () => {
  const isAbout = (name: string, about: Parameters<typeof article>[0], names = {}) =>
    createIsAbout({ name })(article(about), names);
  const sec = "Securities and Exchange Commission";

  it.each([
    ["SEC’s new chair sets out her plans", sec],
    ["S.E.C. fines a broker", sec],
    ["CFTC and SEC agree on crypto", sec],
    ["Comptroller of the Currency warns banks", "Office of the Comptroller of the Currency"],
    ["Federal Reserve’s Whitlow sees no cut", "Board of Governors of the Federal Reserve System"],
    ["The Fed holds rates", "Board of Governors of the Federal Reserve System"],
    ["Bafin fines Rhenmark Bank", "Federal Financial Supervisory Authority (BaFin)"],
  ])("by its headline: %s", (title, agency) => {
    expect(isAbout(agency, { title })).toBe(true);
  });

  it.each([
    ["Sprinter is 3 sec faster", sec],
    ["SECTOR ROTATION GOES ON", sec],
    ["WHAT THE SEC DID NEXT", sec],
    ["Fedora maker profits rise", "Board of Governors of the Federal Reserve System"],
  ])("only if its initials stand there as a word of their own: %s", (title, agency) => {
    expect(isAbout(agency, { title })).toBe(false);
  });

  it("by its outlet, or by what it’s mainly about", () => {
    const named = { 7: sec };
    expect(isAbout(sec, { title: "A speech", source: "SEC press releases" })).toBe(true);
    expect(isAbout(sec, { title: "A speech", entities: { primary: [7], secondary: [], tertiary: [] } }, named)).toBe(
      true,
    );
    expect(isAbout(sec, { title: "A speech", entities: { primary: [], secondary: [], tertiary: [7] } }, named)).toBe(
      false,
    );
  });
});

describe("an agency as a source", () => {
  const place = (id: string, name: string, channels: object) => ({ id, name, ...channels });
  const lookup = {
    regions: [
      {
        id: "na",
        name: "North America",
        jurisdictions: [
          place("us", "US federal", { agencyChannel: 501, jurisdictionChannel: 601 }),
          place("qc", "Québec", { jurisdictionChannel: 607 }),
          place("tx", "Texas", {}),
        ],
      },
      { id: "eu", name: "Europe", jurisdictions: [place("fr", "France", { agencyChannel: 614 })] },
    ],
    totals: { jurisdictions: 4 },
  };
  const listed: Record<string, string[]> = {
    us: ["Securities and Exchange Commission", "Capital Market, Insurance and Savings Office"],
    qc: ["Autorité des marchés financiers"],
    fr: ["Autorité des marchés financiers"],
    tx: ["State Securities Board"],
  };
  const entities = { primary: [7], secondary: [], tertiary: [] };
  const asker = { team: "T1", user: "U1", signal: new AbortController().signal };

  function desk() {
    const asked: number[] = [];
    return {
      asked,
      ...sourceServices({
        jurisdictions: {
          lookup: async () => lookup,
          agencies: async (id) => (listed[id] ?? []).map((name, at) => ({ id: `${id}-${at}`, name })),
          contributors: async () => [{ id: "c-1", name: "Canada Gazette" }],
          sources: async () => [],
        },
        intelligence: {
          channel: async (id) => {
            asked.push(id);
            return newsChannel({ id });
          },
          articles: async () => [
            article({ title: "SEC fines a broker" }),
            article({ title: "Oil rises" }),
            article({ title: "A speech on clearing", entities }),
          ],
          entities: async () => new Map([[7, entity({ id: 7, name: "Securities & Exchange Commission" })]]),
        },
      }),
    };
  }
  const find = (what: string, deps = desk()) => findSource({ kind: "agency", what }, deps, asker);

  it.each([
    ["SEC", { id: "us-0", name: "Securities and Exchange Commission", place: "US federal", channel: 501 }],
    ["capital market, insurance and savings office", { id: "us-1" }],
    ["AMF, France", { id: "fr-0", channel: 614 }],
    ["Autorité des marchés financiers, quebec", { id: "qc-0", channel: 607 }],
    ["fr-0", { id: "fr-0" }],
  ])("is found by its name or initials and, if several share them, with its jurisdiction: %s", async (what, found) => {
    expect(await find(what)).toMatchObject({ kind: "agency", ...found });
  });

  it.each([
    ["AMF", /“AMF”\. Did you mean one of these\?\n• Autorité des marchés financiers, Québec\n• Autorité .*, France/],
    ["zzzz", "I couldn’t find the agency “zzzz”. `/bellwether jurisdictions` shows who regulates where."],
    ["Canada Gazette", /couldn’t find the agency “Canada Gazette”/],
    ["State Securities Board", /no news channel for the agencies of Texas.*`\/news "State Securities Board"`/],
  ])("gets an error with a hint if it is unclear, unknown or without news: %s", async (what, words) => {
    await expect(find(what)).rejects.toThrow(words);
  });

  it("brings what its jurisdiction’s agency channel has about it, and nothing else", async () => {
    const deps = desk();
    const source = await find("SEC", deps);
    const { articles } = await readSource(source, deps, undefined);
    expect(articles.map(({ title }) => title)).toEqual(["SEC fines a broker"]);
    expect(deps.asked).toEqual([501]);
    expect(await stagesOf(source, deps, undefined)).toBeUndefined();
  });

  it("is empty if its channel has nothing about it, and shares the read with others of its jurisdiction", async () => {
    const deps = desk();
    const other = await find("capital market, insurance and savings office", deps);
    await readSource(await find("SEC", deps), deps, undefined);
    expect(await readSource(other, deps, undefined)).toEqual({ articles: [] });
    expect(deps.asked).toEqual([501]);
  });
});
