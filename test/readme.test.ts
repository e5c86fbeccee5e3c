import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { commands } from "../src/features.ts";
import { typed } from "../src/features/help.ts";
import { settings } from "../src/config.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const scripts = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { scripts: object })
  .scripts;

/** The rows of the table between `<!-- name -->` and `<!-- /name -->`, cells trimmed. */
function table(name: string): string[][] {
  const [, body = ""] = new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- /${name} -->`).exec(readme) ?? [];
  const rows = body.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
  return cells.slice(2);
}

describe("README.md", () => {
  it("lists every command, in the order of help", () => {
    expect(table("commands")).toEqual(commands.map((command) => [`\`${typed(command)}\``, command.summary]));
  });

  it("lists every setting with its default", () => {
    expect(table("settings")).toEqual(
      settings.map((setting) => [
        `\`${setting.name}\``,
        setting.meaning,
        setting.default ? `\`${setting.default}\`` : "",
      ]),
    );
  });

  it("names only npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it("shows pictures that exist", () => {
    const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? "");
    expect(pictures.length).toBeGreaterThan(0);
    for (const path of pictures)
      expect(readFileSync(new URL(`../${path}`, import.meta.url)).length).toBeGreaterThan(1_000);
  });
});
