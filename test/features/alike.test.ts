import { describe, expect, it } from "vitest";

import { alike } from "../../src/features/alike.ts";

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
