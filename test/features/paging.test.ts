import { describe, expect, it } from "vitest";

import { pageOfSought, soughtIn } from "../../src/features/paging.ts";

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
});
