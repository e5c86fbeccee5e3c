import { describe, expect, it } from "vitest";

import { createWriting, linksOf, plural, readableSoFar } from "../../src/features/text.ts";
import { legible, safeMarkdown } from "../../src/slack/text/mrkdwn.ts";
import { nasty } from "../slack/nasty.ts";
import * as fc from "../support/property.ts";

it("more than one of a thing are named as English does", () => {
  const counts = [plural(1, "agency"), plural(2, "agency"), plural(7, "day"), plural(1_200, "article")];
  expect(counts).toEqual(["1 agency", "2 agencies", "7 days", "1,200 articles"]);
});

const made = (text: string) => safeMarkdown(legible(readableSoFar(text)));

describe("a text that is being written", () => {
  it("is shown as if it were made from its beginning each time", () => {
    const paragraphs = fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join("\n\n"));
    fc.assert(
      fc.property(paragraphs, fc.array(fc.nat(400), { maxLength: 12 }), (text, ends) => {
        const write = createWriting();
        for (const end of [...ends.toSorted((one, other) => one - other), text.length]) {
          const soFar = text.slice(0, end);
          expect(write(soFar).trimEnd()).toBe(made(soFar).trimEnd());
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["``\r`\n\n```ts<!channel>\n\n", "\\\r\r<!channel>"])(
    "ends a line of %j where a lone return does",
    (text) => {
      expect(createWriting()(text)).toBe(made(text));
    },
  );

  it("is made anew where it does not go on as it began", () => {
    const write = createWriting();
    expect(write("One\n\n**two")).toBe("One\n\n**two**");
    expect(write("Other\n\n**two")).toBe("Other\n\n**two**");
    expect(write("Oth")).toBe("Oth");
  });
});

describe("the links of a text", () => {
  const pieces = [
    "[",
    "]",
    "](",
    "![",
    "(",
    ")",
    "<",
    ">",
    "\\",
    "https://a.b",
    "http://c",
    "x y",
    "*",
    " ",
    "\n",
    "\u2028",
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(""));

  it("are those that one look at all of it finds", () => {
    const link = /(?<!!)\[((?:[^[\]\\]|\\.)+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/g;
    fc.assert(
      fc.property(text, (markdown) => {
        const urls = new Set(Array.from(markdown.matchAll(link), ([, , url]) => url));
        expect(linksOf(markdown).map(({ url }) => url)).toEqual([...urls]);
      }),
      { numRuns: 5_000 },
    );
  });

  // Looking at the rest of the text from each bracket, the test would run out of time.
  it.each(["\\[", "[*\\", "[a](https://a"])("are soon found in 1,000,000 characters of %j", (piece) => {
    expect(linksOf(piece.repeat(1_000_000 / piece.length))).toEqual([]);
  });
});
