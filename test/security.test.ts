import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { scopes } from "../src/manifest.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const document = read("docs/security.md");

describe("docs/security.md", () => {
  it("lists every scope that the manifest asks for", () => {
    for (const [scope, why] of Object.entries(scopes)) expect(document).toContain(`| \`${scope}\` | ${why} |`);
  });
});
