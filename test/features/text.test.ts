import { describe, expect, it } from "vitest";

import { linksOf, plural, writtenSoFar } from "../../src/features/text.ts";
import * as fc from "../support/property.ts";

it("plurals are English", () => {
  const counts = [plural(1, "agency"), plural(2, "agency"), plural(7, "day"), plural(1_200, "article")];
  expect(counts).toEqual(["1 agency", "2 agencies", "7 days", "1,200 articles"]);
});

it.each(["``\r`\n\n```ts<!channel>\n\n", "\\\r\r<!channel>"])(
  "a text that is being written ends a line of %j where a lone return does",
  (text) => {
    expect(writtenSoFar(text)).toBe(writtenSoFar(text.replaceAll("\r", "\n")));
  },
);

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
    const address = /https?:\/\/(?:[^\s<>()[\]*]|\([^\s<>()]*\))+/.source;
    const target = String.raw`(?:<(https?:\/\/[^\s<>]+)>|(https?:\/\/(?:[^\s<>()]|\([^\s<>()]*\))+))(?:\s[^)\n]*)?`;
    const link = new RegExp(String.raw`\[((?:[^[\]\\]|\\.)+)\]\(\s*${target}\)|(${address})`, "g");
    fc.assert(
      fc.property(text, (markdown) => {
        const found = Array.from(
          markdown.matchAll(link),
          ([, , one, other, alone]) => one ?? other ?? alone?.replace(/!+$/, ""),
        );
        const urls = new Set(found);
        expect(linksOf(markdown).map(({ url }) => url)).toEqual([...urls]);
      }),
      { numRuns: 2_000 },
    );
  });

  // Looking at the rest of the text from each bracket, the test would run out of time.
  it.each(["\\[", "[*\\", "[a](https://a", "[a](https://a(", "https://a ", "[a](https://a b ", "https://a..."])(
    "are soon found in 1,000,000 characters of %j",
    (piece) => {
      expect(linksOf(piece.repeat(Math.floor(1_000_000 / piece.length))).length).toBeLessThan(2);
    },
  );
});
