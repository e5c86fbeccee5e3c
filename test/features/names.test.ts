import { describe, expect, it } from "vitest";

import { alike, looksLikeQuery } from "../../src/features/names.ts";

const names = ["Central banks", "Cyber incidents", "Ports & freight", "Île-de-France", "Oil"];

describe("what is misspelt", () => {
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
  ])("means what is spelt nearly the same: “%.20s”", (words, found) => {
    expect(alike(words, names, (name) => name)).toEqual(found);
  });

  it("means the likeliest first", () => {
    expect(alike("gold desks", ["Gold deals", "Gold desk"], (name) => name)).toEqual(["Gold desk", "Gold deals"]);
  });
});

describe("what is sought by its name", () => {
  it.each([
    ["", true],
    ["3", true],
    ["central banks", true],
    ['"top ten ports" 2', true],
    ["on oil", false],
    ["oil?", false],
    ["that move the market", false],
  ])("is not what is said to somebody: %j", (text, expected) => {
    expect(looksLikeQuery(text)).toBe(expected);
  });
});
