import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { documents } from "./documents.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Whether a file has a test of this title, or of its end below a `describe` of its beginning. */
function hasTitle(source: string, title: string): boolean {
  const plain = source.replaceAll("’", "'");
  const isQuoted = (words: string) => ['"', "`"].some((mark) => plain.includes(`${mark}${words}${mark}`));
  const words = title.replaceAll("’", "'").split(" ");
  return words.some((_, at) => {
    const [group, test] = [words.slice(0, at).join(" "), words.slice(at).join(" ")];
    return isQuoted(test) && (group === "" || isQuoted(group));
  });
}

it("the page on security quotes tests that exist", () => {
  const quotes = [...read("docs/security.md").matchAll(/\]\(\.\.\/(test\/[^)]+)\): “([^”]+)”/g)];
  expect(quotes.length).toBeGreaterThan(30);
  const missing = quotes.filter(([, path = "", title = ""]) => !hasTitle(read(path), title));
  expect(missing.map(([quote]) => quote)).toEqual([]);
});

it("the documentation says what the code says; else run `npm run docs`", async () => {
  for (const { path, text } of await documents(read)) {
    expect(read(path), `${path} is out of date: run \`npm run docs\``).toBe(text);
  }
});

describe("no screen", () => {
  const shown = [...read("docs/screens.md").matchAll(/```text\n([^]*?)```/g)].flatMap(([, text = ""]) =>
    text.split("\n"),
  );
  // Code is copied as it is, and a button or a choice never wraps.
  const prose = shown.map((line) => line.replaceAll(/`[^`]*`|\[[^\]]*\]/g, ""));

  it.each([
    // Slack itself writes how long ago something was.
    [
      "lets a line break between a number and its unit",
      /\d (?:min|h|days?|articles?|stories|story|credits?)\b(?! ago)/,
    ],
    ["has a day with a capital in mid-sentence", /[a-z,] (?:Today|Tomorrow|Yesterday)\b/],
    ["says the year of a date near by", /\b(?:2026|2027)\b/],
    ["says entity", /\bentit(?:y|ies)\b/i],
  ])("%s", (_, wrong) => {
    expect(shown.length).toBeGreaterThan(500);
    expect(prose.filter((line) => wrong.test(line) && !isWrittenElsewhere(line))).toEqual([]);
  });

  /** Headlines, and words of a model, are shown as they were written. */
  function isWrittenElsewhere(line: string): boolean {
    return / · [A-Z][^·]* · \d+ (?:min|h) ago| — \*/.test(line);
  }
});
