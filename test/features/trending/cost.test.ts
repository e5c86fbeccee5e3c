import { describe, expect, it } from "vitest";

import { OutOfCredits, Unavailable, UnexpectedAnswer } from "../../../src/apis/errors.ts";
import type { Trend } from "../../../src/apis/article.ts";
import { trending } from "../../../src/features/trending/commands.ts";
import type { Ranking } from "../../../src/features/trending/ranking.ts";
import { answerOf, asking, credits, memory, services, trendingEntity, wordsOf } from "../../support/builders.ts";

const ranking = [trendingEntity({ name: "Tariffs", type: "Topic" }), trendingEntity({ name: "Contoso" })];

const many = Array.from({ length: 50 }, (_, index) => trendingEntity({ name: `Name ${index + 1}.` }));

/** Services of a gateway alone, which counts how often it is paid. */
function charging(entities: Trend[] = ranking, rankings = memory<Ranking>()) {
  const paid: unknown[] = [];
  const to = services({
    configured: { intelligence: false },
    rankings,
    gateway: {
      async trending(request) {
        paid.push(request?.limit);
        return { entities, credits: credits() };
      },
    },
  });
  return { paid, to };
}

describe("a ranking from the gateway", () => {
  it("costs nothing by button, and what is typed asks anew", async () => {
    const { paid, to } = charging(many);
    const typed = await answerOf(trending, asking(""), to);
    expect(wordsOf(typed)).toContain(" · 1 credit used, 4,999 left");
    const turned = await answerOf(trending, asking("company 2", { surface: "button" }), to);
    expect(turned.text).toMatch(/^Trending: Company, page 2 of 5/);
    expect(wordsOf(turned)).not.toContain("credit");
    expect(paid).toEqual([50]);
    await answerOf(trending, asking(""), to);
    expect(paid).toHaveLength(2);
  });

  it("is fetched again by a button where nothing is kept, and shown where nothing can be kept", async () => {
    const failing = async () => {
      throw new Error("the store is out of order");
    };
    const { paid, to } = charging(many, { ...memory<Ranking>(), get: failing, set: failing });
    expect((await answerOf(trending, asking("2", { surface: "button" }), to)).text).toContain("page 2 of 5");
    expect(paid).toHaveLength(1);
  });

  it("says what it cost even where nothing is trending", async () => {
    expect(wordsOf(await answerOf(trending, asking(""), charging([]).to))).toContain("1 credit used");
  });
});

describe("a ranking that the news service cannot give", () => {
  const broken = new UnexpectedAnswer({ api: "intelligence", operation: "trending", detail: "HTML" });
  const failing = async () => {
    throw broken;
  };
  const paying = async () => ({ entities: ranking, credits: credits() });

  it.each([broken, new Unavailable({ api: "intelligence", operation: "trending" })])(
    "comes from the gateway, and says so: %s",
    async (error) => {
      const to = services({
        intelligence: { trending: () => Promise.reject(error) },
        gateway: { trending: paying },
      });
      const words = wordsOf(await answerOf(trending, asking("company"), to));
      expect(words).toContain("*1. Contoso*");
      expect(words).toContain("from the developer gateway, because the news service cannot answer now · 1 credit used");
    },
  );

  it("is explained by the first failure where the gateway cannot help or is not there", async () => {
    const poor = async () => {
      throw new OutOfCredits({ api: "gateway", operation: "trending" });
    };
    const both = services({ intelligence: { trending: failing }, gateway: { trending: poor } });
    await expect(answerOf(trending, asking(""), both)).rejects.toBe(broken);
    const alone = services({ intelligence: { trending: failing }, configured: { gateway: false } });
    await expect(answerOf(trending, asking(""), alone)).rejects.toBe(broken);
  });
});
