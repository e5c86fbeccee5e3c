import { describe, expect, it } from "vitest";

import { pageOfSought, soughtIn } from "../../src/features/paging.ts";
import { alike, canBeSought } from "../../src/features/names.ts";

const all = ["Central banks", "Desk 1", "Desk 2", "Top 50", "Élections"];
const foundBy = (text: string) => soughtIn(text, all, (name) => name).found;

describe("what is sought in a list", () => {
  it.each([
    ["", all],
    ["2", all],
    ["-7", all],
    ["1.5", all],
    ["???", all],
    ["bank", ["Central banks"]],
    ["  CENTRAL banks ", ["Central banks"]],
    ["“central banks”", ["Central banks"]],
    ["desk", ["Desk 1", "Desk 2"]],
    ["Top 50", ["Top 50"]],
    ["elections", ["Élections"]],
    ["Centrla bnaks", ["Central banks"]],
    ["copper", []],
  ])("is what has the words in its name, however they are written: %j", (text, expected) => {
    expect(foundBy(text)).toEqual(expected);
  });

  it("is turned over by what names its pages, whatever the names end with", () => {
    const first = soughtIn("desk", all, (name) => name);
    const text = pageOfSought(first, 2);
    expect(soughtIn(text, all, (name) => name)).toEqual({ ...first, page: 2 });
    expect(soughtIn(pageOfSought({ words: "" }, 3), all, (name) => name)).toMatchObject({ words: "", page: 3 });
  });

  it.each([
    ["", true],
    ["3", true],
    ["central banks", true],
    ['"top ten ports" 2', true],
    ["on oil", false],
    ["oil?", false],
    ["that move the market", false],
  ])("is not what is said to somebody: %j", (text, expected) => {
    expect(canBeSought(text)).toBe(expected);
  });
});

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
