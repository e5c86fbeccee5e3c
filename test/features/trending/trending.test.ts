import { describe, expect, it } from "vitest";

import type { Trend } from "../../../src/apis/article.ts";
import { trending } from "../../../src/features/trending/commands.ts";
import { createLatestRanking } from "../../../src/features/trending/ranking.ts";
import type { Block } from "../../../src/slack/text/message.ts";
import { answerOf, buttonsOf, hintOf, menuOf, wordsOf } from "../../support/answers.ts";
import {
  type GivenReading,
  article,
  asking,
  credits,
  never,
  readerServices,
  now,
  trendingEntity,
} from "../../support/builders.ts";
import { heightOf, problemsOf } from "../slack-limits.ts";

const ranking = [
  trendingEntity({ name: "Northwind Energy", type: "Company" }),
  trendingEntity({ name: "Ana Díaz", type: "Person", mentions: 1_234, average: 0, score: -1.25 }),
  trendingEntity({ name: "Contoso", type: "Company" }),
  trendingEntity({ name: "Tariffs", type: "Topic" }),
];

/** What a ranking is fetched with, and where the latest one is kept. */
const rankingServices = (given: GivenReading) => ({
  ...readerServices({ directory: { search: () => ({ near: [] }), find: async () => ({ near: [] }) }, ...given }),
  after: never,
  latestRanking: createLatestRanking(() => now),
});

function ranked(entities = ranking) {
  return rankingServices({ intelligence: { trending: async () => entities } });
}

const many = Array.from({ length: 50 }, (_, index) => trendingEntity({ name: `Name ${index + 1}.` }));

/** Slack's types do not know the block yet. */
function blockOf(blocks: Block[] | undefined, type: string): Record<string, unknown> | undefined {
  return blocks?.map((block): Record<string, unknown> => ({ ...block })).find((block) => block["type"] === type);
}

describe("/trending", () => {
  it("ranks in the order of the service, in numbers that mean something", async () => {
    const message = await answerOf(trending, asking(""), ranked());
    expect(message).toMatchObject({ shareable: true });
    expect(message.text.split("\n").slice(0, 3)).toEqual([
      "Trending now",
      "1. Northwind Energy · 120 articles · 3× normal",
      "2. Ana Díaz · 1,234 articles · normally none",
    ]);
    const lines = wordsOf(message).replaceAll("\u00a0", " ");
    expect(lines).toContain("*1. Northwind Energy* · 120 articles · 3× normal\n*2. Ana Díaz* · 1,234 articles");
    expect(wordsOf(message)).toContain(`Most unusual first · as of <!date^${now / 1000}^{time}|09:00 UTC>`);
    expect(menuOf(message, "run:company")).toHaveProperty("Ana Díaz", 'company "Ana Díaz"');
  });

  it("shows a picture of now and normally, which is left out if Slack refuses pictures", async () => {
    const message = await answerOf(trending, asking(""), ranked());
    const point = (label: string, value: number) => ({ label, value });
    expect(blockOf(message.blocks, "data_visualization")).toMatchObject({
      title: "Articles now and normally",
      chart: {
        type: "bar",
        axis_config: { categories: ["Northwind Energy", "Ana Díaz", "Contoso", "Tariffs"] },
        series: [
          { name: "Now", data: [point("Northwind Energy", 120), point("Ana Díaz", 1_234), {}, {}] },
          { name: "Normal", data: [point("Northwind Energy", 40), point("Ana Díaz", 0), {}, {}] },
        ],
      },
    });
    const chart = blockOf(message.blocks, "data_visualization");
    expect([message.fallbackBlocks?.length, chart === undefined]).toEqual([(message.blocks?.length ?? 0) - 1, false]);
    expect(blockOf(message.fallbackBlocks, "data_visualization")).toBeUndefined();
  });

  it("draws whole articles, and nothing of three names or fewer", async () => {
    const uneven = ranking.map((entity) => ({ ...entity, mentions: 3.7, average: 0.89 }));
    const message = await answerOf(trending, asking(""), ranked(uneven));
    expect(JSON.stringify(blockOf(message.blocks, "data_visualization"))).not.toMatch(/\d\.\d/);
    const few = await answerOf(trending, asking(""), ranked(ranking.slice(0, 3)));
    expect(blockOf(few.blocks, "data_visualization")).toBeUndefined();
  });

  it("says why a name trends by the headline of its most covered story of the day", async () => {
    const on = (id: number, title: string, source: string, published = now - 3_600_000) =>
      article({
        id,
        title,
        summary: title,
        source,
        published,
        url: `https://${source}/${id}`,
        entities: { primary: [7], secondary: [], tertiary: [] },
      });
    const to = rankingServices({
      directory: {
        find: async (name) =>
          name === "Contoso"
            ? { match: { id: 7, name, type: "company", typeName: "Company" }, near: [] }
            : { near: [] },
      },
      intelligence: {
        trending: async () => ranking,
        articles: async () => [
          on(1, "Award ceremony for charity swimmers held in Leeds", "one.example.com", now),
          on(2, "Contoso shares jump on record profit", "two.example.com"),
          on(3, "Contoso shares jump on record profit and forecast", "three.example.com"),
          on(4, "Contoso wins prize for old factory hall", "four.example.com", now - 3 * 86_400_000),
        ],
      },
    });
    const message = await answerOf(trending, asking(""), to);
    expect(wordsOf(message)).toMatch(/\*3\. Contoso\*[^\n]*· <https:\/\/t[^\n]*\|Contoso shares jump on record profit/);
    expect(wordsOf(message)).toMatch(/\*4\. Tariffs\*[^\n<]*$/m);
  });

  it.each([
    [{ mentions: 3, average: 0.004 }, "3 articles · normally none"],
    [{ mentions: 1, average: 0.11 }, "1 article · 9.1× normal"],
    [{ mentions: 4, average: 8 }, "4 articles · 0.5× normal"],
    [{ mentions: -2, average: -1 }, "-2 articles"],
    [{ mentions: 1e300, average: 1e-300 }, "1.0e+300 articles · normally none"],
  ])("says how %o compares with what is normal", async (numbers, words) => {
    const message = await answerOf(trending, asking(""), ranked([trendingEntity({ ...numbers, score: -0.001 })]));
    expect(message.text).toContain(`1. Northwind Energy · ${words}\n`);
  });

  it.each(["company", "Companies", "COMPANY ", "companys"])(
    "filters by a type however it is typed: %s",
    async (text) => {
      const words = wordsOf(await answerOf(trending, asking(text), ranked()));
      expect(words).toContain("Trending: Company");
      expect(words).toContain("*2. Contoso*");
      expect(words).not.toContain("*3.");
    },
  );

  it("takes a type that is spelt in several ways for one", async () => {
    const to = ranked(["Company", "company", "COMPANIES", "Topic"].map((type) => trendingEntity({ type })));
    const message = await answerOf(trending, asking("company"), to);
    expect(wordsOf(message)).toContain("*3. Northwind Energy*");
    expect(menuOf(message, "turn:type")).toEqual({
      "All types": "trending",
      Company: "trending Company",
      Topic: "trending Topic",
    });
  });

  it("shows one name with its rank, by the beginning of it, and asks which one if there are two", async () => {
    const named = ["Alba Steel", "Northwind Energy", "Northwind Rail"].map((name) => trendingEntity({ name }));
    const message = await answerOf(trending, asking("energy"), ranked(named));
    expect(wordsOf(message)).toMatch(/^Trending: Northwind Energy\n[^]*\*2\. Northwind Energy\*/);
    expect(wordsOf(message)).not.toContain("Alba Steel");
    expect(await hintOf(trending, asking("northwind"), ranked(named))).toBe("Which “northwind”?");
  });

  it("names the types that there are if it knows no such type", async () => {
    expect(await hintOf(trending, asking("gadgets <!here>"), ranked())).toBe(
      "Nothing called “gadgets &lt;!here&gt;” is trending. Try `/trending company`, `/trending person`, `/trending topic`.",
    );
    expect(await hintOf(trending, asking("companeis 2"), ranked())).toBe(
      "Nothing called “companeis 2” is trending. Did you mean `/trending company`?",
    );
    expect((await hintOf(trending, asking("x".repeat(10_000)), ranked([]))).length).toBeLessThan(200);
  });

  it("says so if nothing is trending", async () => {
    const message = await answerOf(trending, asking(""), ranked([]));
    expect(message.text).toMatch(/^Trending now: nothing stands out at the moment\./);
    expect(message.shareable).toBeUndefined();
  });
});

describe("the pages of a ranking", () => {
  it("turn in place, five at a time, up to the 25th", async () => {
    const first = await answerOf(trending, asking(""), ranked(many));
    expect(wordsOf(first)).toContain("1–5 of 25 · most unusual first");
    expect(wordsOf(first)).not.toContain("*6.");
    expect(buttonsOf(first)).toEqual({
      Next: "trending 2",
      "Get a digest": "digests add trending all",
      "Get alerts": "alerts add all",
    });
    const last = await answerOf(trending, asking("company 5"), ranked(many));
    expect(last.text).toMatch(/^Trending: Company\n21\. Name 21\./);
    expect(buttonsOf(last)).toEqual({
      Previous: "trending Company 4",
      "Get a digest": 'digests add trending "Company"',
      "Get alerts": 'alerts add "Company"',
    });
  });
});

describe("names from outside", () => {
  it.each([
    "<!channel> & <b>",
    '"quoted" “curly” --flag',
    "*x* `y` |z|",
    "\u202Eright to left",
    "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 ".repeat(20),
    "x".repeat(200),
    "\u0007\u0000",
    "12",
  ])("are harmless in words, picture and menus: %.30j", async (text) => {
    const entities = [1, 2, 3].map(() => trendingEntity({ name: text, type: text }));
    const message = await answerOf(trending, asking(""), ranked([...entities, trendingEntity()]));
    const { fallbackBlocks, ...rest } = message;
    expect(problemsOf(message)).toEqual([]);
    expect(problemsOf({ ...rest, blocks: fallbackBlocks ?? [] })).toEqual([]);
    expect(heightOf(message)).toBeLessThan(60);
  });

  it("that are too long for a menu are found by their beginning", async () => {
    const name = `${"Northwind ".repeat(12)}Energy`;
    const message = await answerOf(trending, asking(""), ranked([trendingEntity({ name })]));
    const [[label, line] = ["", ""]] = Object.entries(menuOf(message, "run:company"));
    expect(label).toMatch(/^Northwind .*…$/);
    expect(line.length).toBeLessThanOrEqual(75);
    expect(name.startsWith(line.slice('company "'.length, -1))).toBe(true);
  });
});

/** Services of a gateway alone, which counts how often it is paid. */
function charging(entities: Trend[] = ranking) {
  const paid: unknown[] = [];
  const given: GivenReading = {
    configured: { intelligence: false },
    gateway: {
      async trending() {
        paid.push("all");
        return { entities, credits: credits() };
      },
    },
  };
  return { paid, to: rankingServices(given) };
}

describe("a ranking from the gateway", () => {
  it("costs nothing by button, and a typed command asks anew", async () => {
    const { paid, to } = charging(many);
    const typed = await answerOf(trending, asking(""), to);
    expect(wordsOf(typed)).toContain(" · 1 credit used, 4,999 left");
    const turned = await answerOf(trending, asking("company 2", { surface: "button" }), to);
    expect(turned.text).toMatch(/^Trending: Company\n6\. /);
    expect(wordsOf(turned)).not.toContain("credit");
    expect(paid).toEqual(["all"]);
    await answerOf(trending, asking(""), to);
    expect(paid).toHaveLength(2);
  });

  it("is fetched again by a button if none was fetched lately", async () => {
    const { paid, to } = charging(many);
    expect((await answerOf(trending, asking("2", { surface: "button" }), to)).text).toContain("6–10 of 25");
    expect(paid).toHaveLength(1);
  });

  it("says its cost even if nothing is trending", async () => {
    expect(wordsOf(await answerOf(trending, asking(""), charging([]).to))).toContain("1 credit used");
  });
});
