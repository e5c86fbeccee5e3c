import { describe, expect, it } from "vitest";

import { articleOptions, isFiltering, selectArticles } from "../../../src/features/articles/filter.ts";
import { storedOptions } from "../../../src/features/options.ts";
import { article, now } from "../../support/builders.ts";

const tiers = (primary: number[], secondary: number[], tertiary: number[] = []) => ({ primary, secondary, tertiary });
const all = [
  article({ id: 1, published: now - 3, source: "Café Économique", entities: tiers([7], [8]) }),
  article({ id: 2, published: now - 1, source: undefined, entities: tiers([8], [7]) }),
  article({ id: 3, published: undefined, source: "The Cafe Economique", entities: tiers([], [], [7]) }),
  article({ id: 4, published: now - 2, source: "Ledger", entities: tiers([9], [9]) }),
];

const chosen = (selection: Parameters<typeof selectArticles>[1]) => selectArticles(all, selection).map(({ id }) => id);

describe("choosing articles", () => {
  it.each([
    ["nothing", {}, [2, 4, 1, 3]],
    ["the order of the service", { sort: "relevance" }, [1, 2, 3, 4]],
    ["the newest two", { limit: 2 }, [2, 4]],
    ["an outlet, without regard to case and accents", { outlet: "CAFE éco" }, [1, 3]],
    ["all outlets", { outlet: "all" }, [2, 4, 1, 3]],
    ["what is mainly about one", { tier: "primary", entities: [7] }, [1]],
    ["what is mainly about one of several", { tier: "primary", entities: [7, 9] }, [4, 1]],
    ["what is partly about one", { tier: "secondary", entities: [7] }, [2, 1]],
    ["any mention", { tier: "all", entities: [7] }, [2, 4, 1, 3]],
    ["a time", { isWithin: ({ published = 0 }) => published > now - 3 }, [2, 4]],
    ["everything together", { tier: "secondary", entities: [7], outlet: "cafe", limit: 5 }, [1]],
  ] satisfies [string, Parameters<typeof selectArticles>[1], number[]][])("by %s", (_, selection, ids) => {
    expect(chosen(selection)).toEqual(ids);
  });

  it.each([
    ["news.example", ["https://news.example/1", "https://www.news.example/2"]],
    ["https://www.news.example/oil", ["https://news.example/1", "https://www.news.example/2"]],
    ["Harbour Ledger", ["https://harbour-ledger.example/3", "https://uk.harbourledger.example/4"]],
    ["AP", ["https://apwire.example/5"]],
    ["ft.example", ["https://ft.example/6"]],
    ["Gazette", []],
  ])("finds the outlet “%s” by the host of an address if articles name no outlet", (outlet, urls) => {
    const hosts = ["news.example/1", "www.news.example/2", "harbour-ledger.example/3", "uk.harbourledger.example/4"];
    const places = [...hosts, "apwire.example/5", "japantoday.example/gazette", "ft.example/6", "soft.example/7"].map(
      (each) => `https://${each}`,
    );
    const nameless = places.map((url) => article({ url, source: undefined, published: undefined }));
    expect(selectArticles(nameless, { outlet, sort: "relevance" }).map(({ url }) => url)).toEqual(urls);
  });

  it("leaves the list that it chooses from as it is", () => {
    chosen({ limit: 1 });
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it("limits nothing if no filter was stored", () => {
    const stored = storedOptions(articleOptions).parse({});
    expect(isFiltering(stored)).toBe(false);
    expect(isFiltering({ tier: "all", outlet: "all" })).toBe(false);
    expect(isFiltering({ outlet: "Ledger" })).toBe(true);
  });
});
