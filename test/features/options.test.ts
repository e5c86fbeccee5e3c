import {
  array,
  assert,
  boolean,
  constantFrom,
  integer,
  property,
  record,
  string,
  uniqueArray,
} from "../support/property.ts";
import { describe, expect, it } from "vitest";

import {
  type OptionValues,
  choiceOption,
  helpOfOptions,
  namesOption,
  numberOption,
  optionFields,
  parseOptions,
  storedOptions,
  quote,
  readFields,
  switchOption,
  tokenize,
  wordsOfOptions,
  writeOptions,
} from "../../src/features/options.ts";

const table = {
  limit: numberOption({
    name: "max",
    least: 1,
    most: 20,
    isWhole: true,
    help: "At most so many stories",
    example: "--max 5",
    words: (limit) => `at most ${limit} stories`,
    field: { label: "Stories at most" },
  }),
  isCompact: switchOption({
    name: "compact",
    off: "full",
    bare: { compact: "on", full: "off" },
    help: "One line a story",
    example: "--compact",
    words: (isCompact) => (isCompact ? "compact" : undefined),
    field: {
      label: "Stories",
      choices: [
        { label: "Headline and summary", value: "off" },
        { label: "One line each", value: "on" },
      ],
      initial: "off",
    },
  }),
  sensitivity: choiceOption({
    name: "sensitivity",
    choices: ["quiet", "balanced", "eager"],
    bare: { quiet: "quiet", balanced: "balanced", eager: "eager" },
    help: "How much it takes to fire",
    example: "--sensitivity eager",
  }),
  include: namesOption({
    name: "include",
    aliases: ["only"],
    bare: { include: "", only: "" },
    most: 3,
    longest: 20,
    help: "Only these names",
    example: '--include "BASF","Bayer"',
    field: { label: "Only these names" },
  }),
};

type Values = OptionValues<typeof table>;

const parse = (line: string, allowsBare = false) => parseOptions(line, table, { allowsBare });

describe("options of a command", () => {
  it.each<[line: string, rest: string, values: Values]>([
    ["oil price", "oil price", {}],
    ["oil --max 5", "oil", { limit: 5 }],
    ["--max=5 oil", "oil", { limit: 5 }],
    ["oil --compact price", "oil price", { isCompact: true }],
    ["oil --compact --full", "oil", { isCompact: false }],
    ["oil —max 5", "oil", { limit: 5 }],
    ["oil — the price", "oil — the price", {}],
    ["oil –price", "oil –price", {}],
    ['oil --include "Shell, plc","BP"', "oil", { include: ["Shell, plc", "BP"] }],
    ["oil --only Shell, BP", "oil", { include: ["Shell", "BP"] }],
    ["oil --include none", "oil", { include: [] }],
    ["“oil --max 5” --max 3", "“oil --max 5”", { limit: 3 }],
    ["what does `--force` do?", "what does `--force` do?", {}],
    ["first line\n--max 2\nthird", "first line\n\nthird", { limit: 2 }],
    ["why --max 2 gold?", "why gold?", { limit: 2 }],
    ["in  2   spaces", "in  2   spaces", {}],
    ["why?\n\n> run --max 7 --force", "why?\n\n> run --max 7 --force", {}],
    ["is it — more or less — over?", "is it — more or less — over?", {}],
  ])("reads %j", (line, rest, values) => {
    expect(parse(line)).toMatchObject({ rest, values });
  });

  it("reads words without dashes if the command allows them", () => {
    expect(parse('company eager include "BASF", Bayer full', true)).toMatchObject({
      rest: "company",
      values: { sensitivity: "eager", include: ["BASF", "Bayer"], isCompact: false },
    });
    expect(parse("compact cars eager").values).toEqual({});
  });

  it.each([
    ["oil --maxx 5", /--max`/],
    ["oil --fox 5", /`--fox` isn’t an option here\. There’s/],
    ["what does git --force do?", /--force.*isn’t an option.*--max.*quotation marks/],
    ["oil --sinse 5", /--compact/],
    ["oil --max", /1 to 20/],
    ["oil --max 21", /1 to 20.*21/],
    ["oil --max five", /five/],
    ["oil --max --compact", /1 to 20/],
    ["oil --sensitivity loud", /quiet.*balanced.*eager/],
    ["oil --include a,b,c,d", /3 names/],
  ])("refuses %j and says what would do", (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it("gives the values back as they were, however they are written down", () => {
    const name = string({ minLength: 1, maxLength: 20, unit: "grapheme-ascii" }).filter((text) => text.trim() === text);
    const values = record<Values>(
      {
        limit: integer({ min: 1, max: 20 }),
        isCompact: boolean(),
        sensitivity: constantFrom("quiet", "balanced", "eager"),
        include: uniqueArray(name, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    assert(
      property(values, (set) => {
        expect(parse(writeOptions(table, set)).values).toEqual(set);
        expect(storedOptions(table).parse(set)).toEqual(set);
      }),
    );
  });

  it("reads any text without a crash, and leaves quoted text as it is", () => {
    assert(
      property(string({ unit: "grapheme" }), (text) => {
        expect(parse(quote(text))).toMatchObject({ values: {} });
        expect(tokenize(quote(text)).map((token) => token.text)).toEqual([text.replace(/[“”„«»]/g, "'")]);
      }),
    );
  });

  it("splits a line into the same words as a pattern over the whole line", () => {
    const pattern = /["“”„«»]((?:\\.|[^"“”„«»\\])*)["“”„«»]|`[^`\n]*`|,|[^\s,"“”„«»]+/gu;
    const pieces = ['"', "“", "\\", "`", ",", " ", "a", "\n", "\u2028", "😀", "--b"];
    assert(
      property(array(constantFrom(...pieces), { maxLength: 20 }), (parts) => {
        const line = parts.join("");
        const whole = Array.from(
          line.matchAll(pattern),
          ([typed, quoted]) => quoted?.replace(/\\(.)/gu, "$1") ?? typed,
        );
        expect(tokenize(line).map(({ text }) => text)).toEqual(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  // Looking at the rest of the line from each mark, the test would run out of time.
  it.each(["“\\", "\\“", " \t", ",", "> --a\n", "> ,", "`"])(
    "soon reads a line of 400,000 characters of %j",
    (piece) => {
      const line = `a\n${piece.repeat(400_000 / piece.length)}z`;
      expect(tokenize(line).length).toBeGreaterThan(0);
      expect(parse(line).rest.length).toBeGreaterThan(0);
    },
  );

  it("says set values on a card, in the order of the table", () => {
    expect(wordsOfOptions(table, { isCompact: true, limit: 5 })).toEqual(["at most 5 stories", "compact"]);
  });

  it("makes the fields of a form, and reads them back", () => {
    const fields = optionFields(table, { limit: 5 });
    expect(fields.map((field) => field.block_id)).toEqual(["limit", "isCompact", "include"]);
    expect(readFields(table, { limit: "7", isCompact: "off", include: "Shell, BP" })).toEqual({
      values: { limit: 7, include: ["Shell", "BP"] },
    });
    expect(readFields(table, { isCompact: "off" }, { keepsInitial: true })).toEqual({ values: { isCompact: false } });
    expect(readFields(table, { limit: "seven" })).toMatchObject({
      errors: { limit: expect.stringMatching(/1 to 20/) },
    });
  });

  it("describes every option for help", () => {
    expect(helpOfOptions(table)[1]).toEqual({
      name: "compact",
      typed: "--compact | --full",
      help: "One line a story",
      example: "--compact",
    });
  });
});
