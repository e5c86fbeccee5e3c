import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";

import { describe, expect, it } from "vitest";

import { commands } from "../src/features.ts";
import { settings } from "../src/config.ts";
import { read } from "./support/sources.ts";

const root = new URL("../", import.meta.url);
const scripts = (JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { scripts: object }).scripts;
const pages = [...read("README.md"), ...read("docs/*.md")];
const written = pages.filter(({ text }) => !text.startsWith("<!-- Generated"));

/** The part of an address that leads to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : posix.join(posix.dirname(from), file);
  if (!existsSync(new URL(path, root))) return false;
  const headings = readFileSync(new URL(path, root), "utf8").matchAll(/^#+ (.+)$/gm);
  return anchor === undefined || [...headings].some(([, heading = ""]) => anchorOf(heading) === anchor);
}

describe.each(pages)("$path", ({ path, text }) => {
  it("links files and headings that exist, pictures too", () => {
    const linked = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, source]) => link ?? source,
    );
    const own = linked.filter((link) => link !== undefined && !/^https?:/.test(link));
    expect(own.filter((link) => !leadsSomewhere(path, link ?? ""))).toEqual([]);
  });
});

describe.each(written)("$path, written by hand,", ({ text }) => {
  it("names only npm scripts, settings, commands and files that exist", () => {
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named(/npm run ([\w:]+)/g)));
    const known = ["TEST_POSTGRES_URL", ...settings.map(({ name }) => name)];
    expect(known).toEqual(expect.arrayContaining(named(/`([A-Z]+(?:_[A-Z]+)+)[=`]/g)));
    const verbs = commands.map(({ verb }) => verb);
    expect(verbs).toEqual(expect.arrayContaining(named(/`\/bellwether ([a-z]+)/g)));
    const files = named(/`((?:src|local|test|bench)\/[\w./-]*)`/g);
    expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });
});
