import { describe, expect, it } from "vitest";

import { createFindAgency, formsOf } from "../../../src/features/sources/agency.ts";
import { article } from "../../support/builders.ts";

const agencies = [
  "Securities and Exchange Commission",
  "Commodity Futures Trading Commission",
  "Board of Governors of the Federal Reserve System",
  "Office of the Comptroller of the Currency",
  "Federal Financial Supervisory Authority (BaFin)",
].map((name) => ({ name }));

const find = createFindAgency(agencies);
const about = (names = {}, ...[parts]: Parameters<typeof article>) => find(article(parts), names)?.name;

describe("what an agency goes by", () => {
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
  ])("is its name, what of it is more than formal, and its initials: %s", (name, phrases, acronyms) => {
    expect(formsOf(name)).toEqual({ phrases, acronyms });
  });
});

describe("an article is an agency’s", () => {
  it.each([
    ["SEC’s new chair sets out her plans", "Securities and Exchange Commission"],
    ["S.E.C. fines a broker", "Securities and Exchange Commission"],
    ["Comptroller of the Currency warns banks", "Office of the Comptroller of the Currency"],
    ["Federal Reserve’s Whitlow sees no cut", "Board of Governors of the Federal Reserve System"],
    ["The Fed holds rates", "Board of Governors of the Federal Reserve System"],
    ["Bafin fines Rhenmark Bank", "Federal Financial Supervisory Authority (BaFin)"],
    ["CFTC and SEC agree on crypto", "Commodity Futures Trading Commission"],
  ])("by its headline, and of the one that is named first: %s", (title, agency) => {
    expect(about({}, { title })).toBe(agency);
  });

  it.each([
    "Sprinter is 3 sec faster",
    "SECTOR ROTATION GOES ON",
    "WHAT THE SEC DID NEXT",
    "Fedora maker profits rise",
  ])("and not where a word only looks like its initials: %s", (title) => {
    expect(about({}, { title })).toBeUndefined();
  });

  it("by its outlet first, then by what it’s about, whatever the headline says", () => {
    const entities = { primary: [7], secondary: [], tertiary: [] };
    const names = { 7: "Commodity Futures Trading Commission" };
    expect(about(names, { title: "SEC sues", entities })).toBe("Commodity Futures Trading Commission");
    expect(about(names, { title: "A speech", entities, source: "BaFin press releases" })).toContain("BaFin");
    expect(about(names, { title: "SEC sues", entities: { primary: [], secondary: [], tertiary: [7] } })).toBe(
      "Securities and Exchange Commission",
    );
  });
});
