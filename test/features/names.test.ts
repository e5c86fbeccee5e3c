import { describe, expect, it } from "vitest";

import { alike, looksLikeQuery } from "../../src/features/names.ts";

const names = ["Central banks", "Cyber incidents", "Ports & freight", "Île-de-France", "Oil"];

describe("a misspelt name", () => {
  it.each([
    ["Cyber incidnets", ["Cyber incidents"]],
    ["central bank", ["Central banks"]],
    ["ile de frnace", ["Île-de-France"]],
    ["PORTS FRIGHT", ["Ports & freight"]],
    ["oli", []],
    ["ol", ["Oil"]],
    ["weather", []],
    ["😀", []],
    ["*_~", []],
    ["", []],
    ["x".repeat(5_000), []],
  ])("matches names that are spelt nearly the same: “%.20s”", (words, found) => {
    expect(alike(words, names, (name) => name)).toEqual(found);
  });

  it("matches the likeliest first", () => {
    expect(alike("gold desks", ["Gold deals", "Gold desk"], (name) => name)).toEqual(["Gold desk", "Gold deals"]);
  });
});

describe("a name in a search", () => {
  it.each([
    ["", true],
    ["3", true],
    ["central banks", true],
    ['"top ten ports" 2', true],
    ["on oil", false],
    ["oil?", false],
    ["that move the market", false],
  ])("is told from a sentence: %j", (text, expected) => {
    expect(looksLikeQuery(text)).toBe(expected);
  });
});
