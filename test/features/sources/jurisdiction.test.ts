import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { readSource, stagesOf } from "../../../src/features/sources/index.ts";
import { article, newsChannel, sourceServices } from "../../support/builders.ts";

const lookup = {
  regions: [
    {
      id: "eu",
      name: "Europe",
      jurisdictions: [
        { id: "uk", name: "United Kingdom", agencyChannel: 511, jurisdictionChannel: 611 },
        { id: "fr", name: "France", agencyChannel: 614, jurisdictionChannel: 614 },
        { id: "mo", name: "Monaco", agencyChannel: 614 },
        { id: "no", name: "Nowhere" },
      ],
    },
    { id: "as", name: "Asia", jurisdictions: [{ id: "jp", name: "Japan", agencyChannel: 514 }] },
  ],
  totals: { jurisdictions: 5 },
};

const agencies: Record<string, string[]> = {
  uk: ["Financial Conduct Authority", "Prudential Regulation Authority"],
  fr: ["Autorité des marchés financiers"],
};

const titled = (title: string) => article({ title, url: `https://news.example.com/${title.replaceAll(" ", "-")}` });
const news: Record<number, Article[]> = {
  611: [titled("FCA fines a broker"), titled("PRA writes to insurers"), titled("Rain in London")],
  614: [titled("AMF warns of a scam"), titled("FCA fines a broker"), titled("FCA is no agency here")],
};

function desk(failing: number[] = []) {
  const asked: number[] = [];
  const deps = sourceServices({
    jurisdictions: {
      lookup: async () => lookup,
      agencies: async (id) => (agencies[id] ?? []).map((name) => ({ id: name, name })),
    },
    intelligence: {
      async channel(id) {
        asked.push(id);
        if (failing.includes(id)) throw new Unavailable({ api: "intelligence", operation: `channel ${id}` });
        return newsChannel({ id, stages: [{ not: false, entities: [{ type: "entity", value: id }] }] });
      },
      articles: async ([stage]) => news[Number(stage?.entities?.[0]?.value)] ?? [],
    },
  });
  return { ...deps, asked };
}

const europe = { kind: "jurisdiction", region: "eu", name: "Europe" } as const;
const uk = { kind: "jurisdiction", id: 611, name: "United Kingdom" } as const;

describe("the news of a region", () => {
  it("is that of all its jurisdictions, each channel read once and each article shown once", async () => {
    const deps = desk();
    const { articles } = await readSource(europe, deps, undefined);
    expect(articles.map(({ title }) => title).toSorted()).toEqual([
      "AMF warns of a scam",
      "FCA fines a broker",
      "FCA is no agency here",
      "PRA writes to insurers",
      "Rain in London",
    ]);
    expect(deps.asked).toEqual([611, 614]);
    await readSource(uk, deps, undefined);
    expect(deps.asked).toEqual([611, 614]);
  });

  it("leaves out channels that cannot be read, and fails only if none can be read", async () => {
    const { articles } = await readSource(europe, desk([614]), undefined);
    expect(articles).toHaveLength(3);
    await expect(readSource(europe, desk([611, 614]), undefined)).rejects.toThrow("channel 611");
  });

  it("cannot be read once the region is no longer listed", async () => {
    await expect(readSource({ ...europe, region: "gone" }, desk(), undefined)).rejects.toThrow("doesn’t list Europe");
  });

  it("is no single query", async () => {
    expect(await stagesOf(europe, desk(), undefined)).toBeUndefined();
  });
});

describe("the news of a jurisdiction", () => {
  it("is that of its channel, and one query", async () => {
    const deps = desk();
    const { articles } = await readSource(uk, deps, undefined);
    expect(articles).toHaveLength(3);
    expect(await stagesOf(uk, deps, undefined)).toEqual([{ not: false, entities: [{ type: "entity", value: 611 }] }]);
  });
});
