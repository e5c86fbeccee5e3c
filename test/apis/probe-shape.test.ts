import { describe, expect, it } from "vitest";
import {
  fieldFindings,
  hasProse,
  kindOf,
  listFindings,
  listIn,
  nameList,
  pathTo,
  timeOf,
} from "../../src/apis/probe/shape.ts";
import * as fc from "../support/property.ts";

describe("the format of a time", () => {
  it.each([
    ["2026-11-21T08:00:00Z", "ISO text"],
    ["2026-11-21 08:00:00.5+01:00", "ISO text"],
    ["2026-11-21T08:00:00", "ISO text without a zone, taken as UTC"],
    ["2026-11-21", "an ISO date without a time"],
    ["Sat, 21 Nov 2026 08:00:00 GMT", "text of another date format"],
    ["soon", "text that cannot be read as a time"],
    [1_795_161_600, "epoch seconds"],
    [1_795_161_600_000, "epoch milliseconds"],
    ["1795161600000", "epoch milliseconds as text"],
    [true, "no time: true or false"],
    [null, "no time: nothing"],
  ])("of %j is %s", (value, format) => {
    expect(timeOf(value)).toBe(format);
  });
});

describe("the kind of a value", () => {
  it.each([
    [3, "a number"],
    ["-3.5", "a number as text"],
    ["three", "text"],
    ["c2a4b7de-14c1-4f0f-8f0e-5f4b8d8f1b02", "a UUID"],
    [false, "true or false"],
    [{}, "an object"],
    [undefined, "nothing"],
    [[], "an empty list"],
    [[1, "2", 3], "a list, each a number or a number as text"],
    [[[1]], "a list, each a list"],
  ])("of %j is %s", (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});

describe("fields", () => {
  const id = { matter: "ID", names: ["id", "_id"], form: kindOf, isDocumented: true };

  it.each([
    ["the documented name", [{ id: 1 }], "`id`, a number", true],
    ["another name", [{ _id: 1 }], "`_id`, a number", false],
    ["both names", [{ _id: 1 }, { id: "a" }], "`_id`, a number or `id`, text", false],
    ["the first of two names in one element", [{ _id: 1, id: 2 }], "`id`, a number", true],
    ["some elements only", [{ id: 1 }, { id: null }], "`id`, a number (in 1 of 2)", true],
    ["no element", [{}], "not there", false],
    ["no element with a value", [{ id: null }], "`id`, always empty", true],
  ])("are found under %s", (_, elements, text, isDocumented) => {
    expect(fieldFindings(elements, [id])[0]).toEqual({ matter: "ID", found: text, isDocumented });
  });

  it("are as documented only in the documented form", () => {
    const [finding] = fieldFindings([{ id: "1" }], [{ ...id, shownForm: "a number" }]);
    expect(finding).toMatchObject({ isDocumented: false });
  });

  it("that nobody knows are named, unless the name might be somebody's data", () => {
    const element = { id: 1, "desk@harbour.example": 1, "*bold*": 2, 7301: 3, plan: 4 };
    const further = fieldFindings([element], [id]).at(-1);
    expect(further).toEqual({ matter: "further fields", found: "a name that is not shown, `plan`" });
  });

  it("are not looked for where there is no element", () => {
    expect(fieldFindings([], [id])).toEqual([]);
    expect(fieldFindings(["text", null], [id])).toEqual([]);
  });
});

describe("a list", () => {
  it.each([
    ["a bare list", [1], []],
    ["a member", { articles: [1] }, ["articles"]],
    ["a known member before others", { errors: [], data: [1] }, ["data"]],
    ["a member of a member", { result: { items: [1] } }, ["result", "items"]],
  ])("is found as %s", (_, raw, under) => {
    expect(listIn(raw)).toEqual({ under, elements: [1] });
  });

  it.each<unknown>([{}, null, "text", { a: { b: { c: [1] } } }, { toString: 1 }])("is not found in %j", (raw) => {
    expect(listFindings(raw, [], true)).toMatchObject([
      { found: expect.stringMatching(/^no list/), isDocumented: false },
    ]);
  });
});

describe("the place of a text in a payload", () => {
  it.each([
    ["all is calm", ""],
    [{ delta: "all is calm" }, "delta"],
    [{ choices: [{}, { delta: { content: "all is calm" } }] }, "choices[1].delta.content"],
    [{ message: { content: [{ text: "all is \u202Ecalm" }] } }, "message.content[0].text"],
    [["all is calm"], "[0]"],
    [{ parts: ["all", "is calm"] }, undefined],
    [null, undefined],
  ])("of %j is %s", (payload, place) => {
    expect(pathTo(payload, "all is calm")).toBe(place);
  });

  it("is told from names and numbers by its words", () => {
    expect(hasProse({ a: [{ b: "all is calm" }] })).toBe(true);
    expect(hasProse({ type: "tool_start", id: 3, state: "in progress" })).toBe(false);
  });
});

describe("whatever an upstream sends", () => {
  it("is described in text that could not be markup, and without a fall", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const findings = listFindings(raw, [{ matter: "ID", names: ["id"], form: kindOf }], true);
        for (const { found } of findings) expect(found).toMatch(/^[\w`.,:()[\]' -]+$/);
        expect(() => [timeOf(raw), pathTo(raw, "x"), hasProse(raw)]).not.toThrow();
      }),
    );
  });

  it("is named in a text of moderate length", () => {
    const names = Array.from({ length: 400 }, (_, at) => `field_${at}`);
    expect(nameList(names)).toMatch(/^`field_0`, .*`field_11` and 388 more$/);
  });
});
