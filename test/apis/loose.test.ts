import { describe, expect, it } from "vitest";
import { readArticle } from "../../src/apis/article.ts";
import { identifier, quantity, text as shownText, timestamp } from "../../src/apis/loose.ts";
import { events } from "../../src/apis/sse.ts";
import { cleanText, readAddress } from "../../src/apis/values.ts";
import {
  anything,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  property,
  string,
} from "../support/property.ts";

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
    "Sat, 21 Nov 2026 12:00:00 GMT",
  ])("reads %j as the same moment", (value) => {
    expect(timestamp.parse(value)).toBe(NOON);
  });

  it.each(["soon", "", null, true, {}, 1e20, "9".repeat(30)])("refuses %j", (value) => {
    expect(timestamp.safeParse(value).success).toBe(false);
  });
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

describe("web addresses", () => {
  it("are http and https only", () => {
    expect(readAddress(" https://a.example/x y ")).toBe("https://a.example/x%20y");
    for (const bad of ["javascript:alert(1)", "data:text/html,x", "//a.example", "a.example", "", 5, null]) {
      expect(readAddress(bad)).toBeUndefined();
    }
  });
});

const near = (parts: string) => string({ unit: constantFrom(...Array.from(parts)), maxLength: 12 });

it("leaves of web addresses only those as they are that are in normal form", () => {
  assert(
    property(near("aZ1-./"), near("aZ1_~-./?#=&%:@ \\"), (host, rest) => {
      const value = `https://${host}.example/${rest}`;
      const url = URL.parse(value.trim());
      expect(readAddress(value)).toBe(url?.href);
      expect(readAddress(`http://${host}/${rest}`)).toBe(URL.parse(`http://${host}/${rest}`.trim())?.href);
    }),
  );
  for (const odd of [
    "https://xn--a.example/",
    "https://1.2/",
    "http://0x7f.1/",
    "https://a.0x1/",
    "https://a.example",
  ]) {
    expect(readAddress(odd)).toBe(URL.parse(odd)?.href);
  }
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

describe("hostile answers", () => {
  it("never make an article that breaks its promise", () => {
    assert(
      property(anything(), anything(), anything(), (id, published, primary) => {
        const raw = { id, title: "T", url: "https://a.example", published, primary_entities: primary };
        const article = readArticle(raw);
        if (article === undefined) throw new Error("no article");
        expect(article.id === undefined || Number.isSafeInteger(article.id)).toBe(true);
        expect(article.published === undefined || Number.isFinite(article.published)).toBe(true);
        expect(article.entities.primary.every(Number.isSafeInteger)).toBe(true);
      }),
    );
    assert(property(anything(), (raw) => void readArticle(raw)));
  });

  it("yield the same events however the bytes are cut", async () => {
    const datum = string({ unit: "grapheme" }).filter((text) => !/[\r\n\0]/.test(text) && text !== "");
    const cuts = array(integer({ min: 1, max: 9 }), { minLength: 1 });
    await assert(
      asyncProperty(array(datum, { maxLength: 5 }), cuts, async (texts, sizes) => {
        const bytes = Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(""));
        const received: string[] = [];
        for await (const { data } of events(inPieces(bytes, sizes))) received.push(data);
        expect(received).toEqual(texts);
      }),
    );
  });
});

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncIterable<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
