import { describe, expect, it } from "vitest";

import { listScreen, searchList } from "../../src/features/paging.ts";
import { buttonsOf } from "../support/answers.ts";

const all = ["Central banks", "Desk 1", "Desk 2", "Top 50", "Élections"];
const foundBy = (text: string) => searchList(text, all, (name) => name).found;

describe("a search in a list", () => {
  it.each([
    ["", all],
    ["2", all],
    ["-7", all],
    ["1.5", all],
    ["???", all],
    ["bank", ["Central banks"]],
    ["“central banks”", ["Central banks"]],
    ["desk", ["Desk 1", "Desk 2"]],
    ["Top 50", ["Top 50"]],
    ["Centrla bnaks", ["Central banks"]],
    ["copper", []],
  ])("finds items with the words in their names, however they are written: %j", (text, expected) => {
    expect(foundBy(text)).toEqual(expected);
  });

  it("has pages that are typed after its words", () => {
    const screen = {
      title: "Desks",
      noun: "desk",
      verb: "desks",
      size: 1,
      none: "None.",
      line: (name: string) => name,
    };
    const next = (text: string) => buttonsOf(listScreen({ ...screen, sought: searchList(text, all, (name) => name) }));
    expect(next("desk")).toEqual({ Next: 'desks "desk" 2' });
    expect(next('"desk" 2')).toEqual({ Previous: 'desks "desk" 1' });
    expect(next("3")).toEqual({ Previous: "desks 2", Next: "desks 4" });
  });
});
