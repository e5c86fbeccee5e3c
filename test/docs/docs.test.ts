import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { documents } from "./documents.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("the documentation says what the code says; else run `npm run docs`", async () => {
  for (const { path, text } of await documents(read)) {
    expect(read(path), `${path} is out of date: run \`npm run docs\``).toBe(text);
  }
});
