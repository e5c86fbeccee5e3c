import { describe, expect, it } from "vitest";

import { trending } from "../../src/features/entities/commands.ts";
import { answerOf, asking, buttonsOf, hintOf, now, services, trendingEntity, wordsOf } from "../support/builders.ts";

const ranking = [
  trendingEntity({ name: "Northwind Energy", type: "Company" }),
  trendingEntity({ name: "Ana Díaz", type: "Person", mentions: 1_234, average: 0, score: -1.25 }),
  trendingEntity({ name: "Contoso", type: "Company" }),
  trendingEntity({ name: "Tariffs", type: "Topic" }),
];

function ranked(entities = ranking) {
  return services({ intelligence: { trending: async () => entities } });
}

describe("/trending", () => {
  it("ranks in the order of the service, in numbers that mean something", async () => {
    const message = await answerOf(trending, asking(""), ranked());
    expect(message).toMatchObject({ shareable: true });
    expect(message.text.split("\n").slice(0, 3)).toEqual([
      "Trending now",
      "1. Northwind Energy, 120 mentions, usually 40 · score 3.1",
      "2. Ana Díaz, 1,234 mentions · score -1.3",
    ]);
    expect(wordsOf(message)).toContain("*1. Northwind Energy* · Company");
    expect(wordsOf(message)).toContain(`<!date^${now / 1000}^{time}|`);
    expect(buttonsOf(message)).toMatchObject({ "Ana Díaz": "entity Ana Díaz" });
  });

  it.each(["company", "Companies", "COMPANY ", "companys"])(
    "filters by a type however it is typed: %s",
    async (text) => {
      const words = wordsOf(await answerOf(trending, asking(text), ranked()));
      expect(words).toContain("Trending: Company");
      expect(words).toContain("*2. Contoso*");
      expect(words).not.toContain("Tariffs");
    },
  );

  it.each(["people", "person", "Persons"])("knows that %s are persons", async (text) => {
    expect(wordsOf(await answerOf(trending, asking(text), ranked()))).toContain("Trending: Person");
  });

  it("finds a type whose name ends in s or is a plural itself", async () => {
    const to = ranked(["Business", "Indices", "People"].map((type) => trendingEntity({ type })));
    const shown = ["businesses", "business", "index", "indices", "person"].map(async (text) =>
      wordsOf(await answerOf(trending, asking(text), to))
        .split("\n")
        .at(0),
    );
    expect(await Promise.all(shown)).toEqual([
      "Trending: Business",
      "Trending: Business",
      "Trending: Indices",
      "Trending: Indices",
      "Trending: People",
    ]);
  });

  it("names the types that there are where it knows no such type", async () => {
    expect(await hintOf(trending, asking("gadgets <!here>"), ranked())).toBe(
      "Nothing of the type “gadgets &lt;!here&gt;” is trending. Try `/trending company`, `/trending person`, `/trending topic`.",
    );
    expect((await hintOf(trending, asking("x".repeat(10_000)), ranked([]))).length).toBeLessThan(200);
  });

  it("names no more types than can be read", async () => {
    const many = ranked(Array.from({ length: 200 }, (_, index) => trendingEntity({ type: `Type ${index}` })));
    expect((await hintOf(trending, asking("gadgets"), many)).match(/\/trending/g)).toHaveLength(10);
  });

  it("says so where nothing is trending", async () => {
    const message = await answerOf(trending, asking(""), ranked([]));
    expect(message.text).toBe("Trending now: nothing stands out at the moment.");
    expect(message.shareable).toBeUndefined();
  });

  it("shows no more than a screen", async () => {
    const many = Array.from({ length: 50 }, (_, index) => trendingEntity({ name: `Name ${index + 1}.` }));
    const words = wordsOf(await answerOf(trending, asking(""), ranked(many)));
    expect(words).toContain("Name 8.");
    expect(words).not.toContain("Name 9.");
  });
});
