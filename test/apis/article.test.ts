import { describe, expect, it } from "vitest";
import { readArticle } from "../../src/apis/article.ts";
import { anything, assert, constantFrom, property, string } from "../support/property.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

describe("an article", () => {
  const read = (more: object) => readArticle({ title: "T", url: "https://a.example/", ...more });

  it.each([
    ["AT&amp;T&#8217;s deal &#x2013; &eacute;t&eacute;", "AT&T’s deal – été"],
    ["The <em>oil</em> price", "The oil price"],
    ['See <a href="https://b.example/?a=1&amp;b=2" target=_blank>this</a>', "See this"],
    ["R&D, AT&T; 3 < 4 and 5 > 4, a<b and c>d", "R&D, AT&T; 3 < 4 and 5 > 4, a<b and c>d"],
    ["Use &lt;em&gt; &amp;lt;", "Use <em> &lt;"],
    ["&lt;!channel&gt; &#x202e;gold &nbsp;&bogus; &#0; &#xFFFFFF;", "<!channel> gold &bogus; \uFFFD \uFFFD"],
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
    [{ published_at: "2026-11-21T12:00:00Z", source_name: "Reuters" }],
    [{ date: NOON / 1000, publisher: "Reuters" }],
    [{ publishedAt: NOON, source: { name: "Reuters" } }],
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
});
