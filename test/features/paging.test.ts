import { describe, expect, it } from "vitest";

import { listScreen, searchList } from "../../src/features/paging.ts";
import { buttonsOf } from "../support/answers.ts";

const all = ["Central banks", "Desk 1", "Desk 2", "Top 50", "Élections"];
const foundBy = (text: string) => searchList(text, all, (name) => name).found;

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
