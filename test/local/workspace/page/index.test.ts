import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { refusalText } from "../../../../local/workspace/page/actions.ts";
import { importsOf, read } from "../../../support/sources.ts";

const folder = new URL("../../../../local/workspace/page/", import.meta.url);
const index = readFileSync(new URL("index.html", folder), "utf8");
const sources = read("local/workspace/page/*.ts");

const policy = new Map(
  (/http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(index)?.[1] ?? "").split(";").map((part) => {
    const [name = "", ...allowed] = part.trim().split(/\s+/);
    return [name, allowed];
  }),
);

/** Every script that stands in the page itself. */
const inline = [...index.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)]
  .map(([, attributes = "", text = ""]) => ({ attributes, text }))
  .filter(({ attributes }) => !/\bsrc=/.test(attributes));

const { imports } = Object(JSON.parse(inline[0]?.text ?? "null"));
const libraries = new Set(Object.keys(imports ?? {}));

/** What a browser is asked to load: every specifier as it stands in the code. */
const specifiers = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/\b(?:from|import\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => ({ path, specifier })),
);

const lines = sources.flatMap(({ path, text }) =>
  text.split("\n").map((line, at) => ({ where: `${path}:${at + 1}`, line })),
);

const offences = (pattern: RegExp) => lines.filter(({ line }) => pattern.test(line)).map(({ where }) => where);

describe("the page's policy", () => {
  it("allows the import map by its hash, and no other script in the page", () => {
    const hashes = inline.map(({ text }) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(inline.map(({ attributes }) => attributes.trim())).toEqual(['type="importmap"']);
    expect(policy.get("script-src")).toEqual(["'self'", ...hashes]);
  });

  it("loads the rest from its own server alone", () => {
    expect(policy.get("default-src")).toEqual(["'self'"]);
    expect(policy.get("object-src")).toEqual(["'none'"]);
    expect(policy.get("base-uri")).toEqual(["'none'"]);
    expect(index).not.toMatch(/unsafe-(inline|eval)|\son\w+=|\sstyle=|<style/);
  });
});

test("the page loads its own files alone, every style sheet once", () => {
  const addresses = [...index.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
  expect(
    addresses.filter((address) => !/^(\/page\/|\/vendor\/inter-latin\.woff2$|data:image\/svg\+xml,)/.test(address)),
  ).toEqual([]);
  const named = addresses.filter((address) => address.startsWith("/page/")).map((address) => address.slice(6));
  expect(named).toContain("main.ts");
  expect(named.filter((name) => !existsSync(new URL(name, folder)))).toEqual([]);
  const sheets = named.filter((name) => name.endsWith(".css"));
  expect(sheets.toSorted()).toEqual(globSync("*.css", { cwd: folder }).toSorted());
});

describe("what the page imports", () => {
  it("is a file with its ending or a library of the import map", () => {
    expect(specifiers.length).toBeGreaterThan(100);
    const strays = specifiers.filter(
      ({ specifier }) => !/^\.\.?\/[\w./-]+\.ts$/.test(specifier) && !libraries.has(specifier),
    );
    expect(strays).toEqual([]);
  });

  it("exists, and beside the page's own files is only types of the protocol", () => {
    const files = sources
      .flatMap((source) => importsOf(source))
      .filter(({ target }) => target.includes("/") && !libraries.has(target));
    expect(files.filter(({ target }) => !existsSync(new URL(`../../../../${target}`, import.meta.url)))).toEqual([]);
    const outside = files.filter(({ target }) => !target.startsWith("local/workspace/page/"));
    const kinds = new Set(outside.map(({ target, kind }) => `${kind} ${target}`));
    expect([...kinds]).toEqual(["type local/workspace/protocol.ts"]);
  });
});

describe("the page's code", () => {
  it("turns no text into markup or code", () => {
    const doors =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|createContextualFragment|DOMParser|\beval\b|new Function\b|setTimeout\(\s*["'`]/;
    expect(offences(doors)).toEqual([]);
  });

  it("follows an address only if it was found safe or leads inside the page", () => {
    const addresses = lines.filter(({ line }) => /\bhref=\$\{/.test(line));
    expect(addresses.length).toBeGreaterThan(3);
    expect(addresses.filter(({ line }) => !/\bhref=\$\{(href|back|hashOf\(|`#)/.test(line))).toEqual([]);
  });
});

test("a person reads a sentence for every code with which a person's deed is refused", () => {
  const deeds = read("local/workspace/{interact,say}.ts");
  const codes = deeds.flatMap(({ text }) =>
    [...text.matchAll(/new SlackError\("(\w+)"/g)].map(([, code = ""]) => code),
  );
  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => refusalText(code).includes("refused this"))).toEqual([]);
});
