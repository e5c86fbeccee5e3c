import { describe, expect, it } from "vitest";
import {
  amount,
  cleanText,
  identifier,
  quantity,
  readAddress,
  text as shownText,
  timestamp,
  tolerantJson,
} from "../../src/apis/fields.ts";
import { foundSchema, trendingSchema as gatewayTrending } from "../../src/apis/gateway/schema.ts";
import { trendList as newsTrending } from "../../src/apis/article.ts";
import { assert, integer, property, string } from "../support/property.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

describe("timestamps", () => {
  it.each([
    "2026-11-21T12:00:00Z",
    "2026-11-21T13:00:00+01:00",
    "2026-11-21T12:00:00",
    "2026-11-21 12:00:00",
    NOON,
    NOON / 1000,
    String(NOON),
    String(NOON / 1000),
    "2026-11-21T07:00:00-0500",
  ])("reads %j as the same moment", (value) => {
    expect(timestamp.parse(value)).toBe(NOON);
  });

  it.each<unknown>(["soon", "", null, true, {}, 1e20, "9".repeat(30), "21 Nov 2026", "2026-13-40", { toString: 1 }])(
    "refuses %j",
    (value) => {
      expect(timestamp.safeParse(value).success).toBe(false);
    },
  );
});

it("takes a date of the first years after 1970 for what it says, and not for seconds", () => {
  expect(timestamp.parse("1971-05-01T00:00:00Z")).toBe(Date.UTC(1971, 4, 1));
  expect(timestamp.parse("1971-05-01T02:00:00+02:00")).toBe(Date.UTC(1971, 4, 1));
});

describe("numbers", () => {
  it("are read from text too, but only from text that is a number", () => {
    expect([quantity.parse("-1.5"), quantity.parse(" 2e3 "), identifier.parse("42")]).toEqual([-1.5, 2000, 42]);
    for (const bad of ["", "0x10", "1,5", "Infinity", null, [1], "1".repeat(40)]) {
      expect(quantity.safeParse(bad).success).toBe(false);
    }
    for (const bad of [-1, 1.5, 2 ** 60]) expect(identifier.safeParse(bad).success).toBe(false);
  });
});

describe("numbers that nothing real has", () => {
  it.each([-1e12, 1e11, 1.79e308, "1.0e+99", Number.POSITIVE_INFINITY])("are refused: %j", (value) => {
    expect([quantity.safeParse(value).success, amount.safeParse(value).success]).toEqual([false, false]);
  });

  it("are negative where something is counted", () => {
    expect([amount.safeParse(-5).success, amount.parse(0), amount.parse("1200")]).toEqual([false, 0, 1200]);
  });

  it.each([8.64e15, -8.64e15, "0001-01-01T00:00:00Z", "1799-12-31"])("are refused as a time: %j", (value) => {
    expect(timestamp.safeParse(value).success).toBe(false);
  });

  it("leave out the name that they stand beside, or count as missing", () => {
    const entities = ["-5", "1.0e+99", "7"].map((mentions) => ({ name: "Oil", raw_count: mentions, average: -1 }));
    expect(gatewayTrending.parse({ data: { entities } }).data).toMatchObject({ items: [{ mentions: 7 }], dropped: 2 });
    expect(newsTrending.parse({ entities })).toMatchObject({ items: [{ mentions: 7 }], dropped: 2 });
    const articles = [{ title: "Oil", url: "https://wire.example/1", published: 8.64e15 }];
    const found = foundSchema.parse({ data: { articles, total: 1e11 }, meta: { credits_remaining: -1_000 } });
    expect(found).toMatchObject({ data: { total: 1, articles: [{ published: undefined }] }, remaining: undefined });
  });

  it("are no end of time that somebody means: 9999-12-31", () => {
    expect(timestamp.parse("9999-12-31T23:59:59Z")).toBe(Date.UTC(9999, 11, 31, 23, 59, 59));
  });
});

describe("web addresses", () => {
  it("are http and https only", () => {
    expect(readAddress(" https://a.example/x y ")).toBe("https://a.example/x%20y");
    for (const bad of ["javascript:alert(1)", "data:text/html,x", "//a.example", "a.example", "", 5, null]) {
      expect(readAddress(bad)).toBeUndefined();
    }
  });
});

describe("text", () => {
  it("is never longer than asked, never ill-formed, and holds no control characters", () => {
    assert(
      property(string({ unit: "binary" }), integer({ min: 1, max: 20 }), (value, max) => {
        const clean = cleanText(value, max);
        expect(clean.length).toBeLessThanOrEqual(max);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toMatch(/[^\n\P{Cc}]/u);
      }),
    );
  });

  it("keeps lines, joined emoji and scripts that need joiners", () => {
    expect(cleanText("a\r\nb\tc 👩‍👩‍👧 می‌خواهم", 100)).toBe("a\nb c 👩‍👩‍👧 می‌خواهم");
  });

  it.each(["", "  ", "\u200b", "\u200d \u2060", "\u202e", "\u00ad", "\u0301"])(
    "is none where nothing of it can be seen: %j",
    (value) => expect(shownText(100).safeParse(value).success).toBe(false),
  );

  it.each(["a", "3", "中", "?", "👍🏽", "مر"])("is what can be seen: %s", (value) => {
    expect(shownText(100).parse(value)).toBe(value);
  });
});

it.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("%s within each other without end are no JSON, and brackets in a text are only text", (_, open, close) => {
  const nested = (times: number) => `${open.repeat(times)}1${close.repeat(times)}`;
  expect(tolerantJson(nested(200_000))).toBeUndefined();
  expect(tolerantJson(nested(100))).toEqual(JSON.parse(nested(100)));
  const article = {
    title: `“${open}\\"`,
    summary: open.repeat(100_000),
    list: Array.from({ length: 5_000 }, () => [[{}]]),
  };
  expect(tolerantJson(JSON.stringify(article))).toEqual(article);
});
