import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { scopes } from "../src/manifest.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const document = read("docs/security.md");

describe("docs/security.md", () => {
  it("names a test for each threat, and there is that test", () => {
    const rows = [...document.matchAll(/^\| .* \| \[.*\]\(\.\.\/(test\/\S+)\): “(.+)” \|$/gm)];
    expect(rows.length).toBeGreaterThan(20);
    const missing = rows.filter(([, path = "", title = ""]) => !read(path).includes(`it("${title}"`));
    expect(missing.map(([row]) => row)).toEqual([]);
  });

  it("lists every scope that the manifest asks for", () => {
    for (const [scope, why] of Object.entries(scopes)) expect(document).toContain(`| \`${scope}\` | ${why} |`);
  });
});
