import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

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
