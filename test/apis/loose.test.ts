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
    "20261121120000",
    20261121120000,
    "20261121T120000Z",
    "2026-11-21 12:00:00.000+00",
    "2026-11-21 07:00:00 -0500",
    "2026-11-21 12:00:00 +0000 UTC",
    "2026-11-21 12:00:00 UTC",
    "2026-11-21T12:00:00Z[UTC]",
    "2026-11-21T12:00:00,000",
    "2026/11/21 12:00:00",
    "Nov 21, 2026 12:00 PM",
    "21 Nov 2026 12:00",
    "Sat, 21 Nov 2026 13:00:00 +0100",
    "Sat Nov 21 2026 13:00:00 GMT+0100 (CET)",
    NOON * 1e3,
    String(NOON * 1e3),
    NOON * 1e6,
    String(NOON * 1e6),
  ])("reads %j as the same moment", (value) => {
    expect(timestamp.parse(value)).toBe(NOON);
  });

  it.each(["20261121", 20261121, "2026-11-21", "Sat, 21 Nov 2026", "2026/11/21"])(
    "reads %j as that day in UTC",
    (value) => {
      expect(timestamp.parse(value)).toBe(Date.UTC(2026, 10, 21));
    },
  );

  it("reads a time without a zone as UTC wherever the process runs", () => {
    const before = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      const written = ["2026/11/21 12:00:00", "Nov 21, 2026 12:00 PM", "2026-11-21T12:00", "21 Nov 2026 12:00"];
      expect(written.map((value) => timestamp.parse(value))).toEqual(written.map(() => NOON));
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  it.each<unknown>(["soon", "", null, true, {}, 1e20, "9".repeat(30), "page 5", "5 hours ago", { toString: 1 }])(
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

describe("an article", () => {
  const read = (more: object) => readArticle({ title: "T", url: "https://a.example/", ...more });

  it.each([
    ["AT&amp;T&#8217;s deal &#x2013; &eacute;t&eacute;", "AT&T’s deal – été"],
    ["The <em>oil</em> price", "The oil price"],
    ['See <a href="https://b.example/?a=1&amp;b=2" target=_blank>this</a>', "See this"],
    ["R&D, AT&T; 3 < 4 and 5 > 4, a<b and c>d", "R&D, AT&T; 3 < 4 and 5 > 4, a<b and c>d"],
    ["Use &lt;em&gt; &amp;lt;", "Use <em> &lt;"],
    ["&lt;!channel&gt; &#x202e;gold &nbsp;&bogus; &#0; &#xFFFFFF;", "<!channel> gold &bogus; &#0; &#xFFFFFF;"],
  ])("has a headline without HTML: %s", (title, shown) => {
    expect(read({ title })?.title).toBe(shown);
  });

  it("has a summary without HTML, in lines where it had paragraphs", () => {
    const summary =
      "<style>p { color: red }</style><p>The <em>oil</em> price &amp; more.</p>\n<!-- ad --><p class='x'>Up<br/>down.</p>";
    expect(read({ summary })?.summary).toBe("The oil price & more.\nUp\ndown.");
    expect(read({ summary: "One.\n\nTwo & three." })?.summary).toBe("One.\n\nTwo & three.");
  });

  it.each([
    [{ publishedDate: "2026-11-21T12:00:00Z", sourceName: "Reuters" }],
    [{ timestamp: NOON / 1000, source: { title: "Reuters" } }],
    [{ published_date: NOON, source: { name: "Reuters" } }],
  ])("has its time and publisher under other names: %j", (more) => {
    expect(read(more)).toMatchObject({ published: NOON, source: "Reuters" });
  });

  it("has words that are short and shown, whatever markup comes", () => {
    const titles = string({
      unit: constantFrom("<", ">", "&", ";", "/", "=", '"', " ", "b", "p", "amp", "#60"),
      maxLength: 40,
    });
    assert(
      property(titles, (title) => {
        const shown = read({ title })?.title;
        expect(shown === undefined || shown.length <= title.length).toBe(true);
      }),
    );
    const slow = ["<a x=", "<!--", "<style>", "&#", "<p ", "<a x='"].map((part) => part.repeat(4_000));
    for (const summary of slow) expect(read({ summary })?.summary.length).toBeLessThanOrEqual(5_000);
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
