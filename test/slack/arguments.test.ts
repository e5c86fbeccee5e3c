import { describe, expect, it } from "vitest";

import { parseArguments, readable, splitVerb } from "../../src/slack/arguments.ts";
import * as fc from "../support/property.ts";

/** As Slack sends what somebody typed. */
function sent(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function parse(text: string) {
  const { text: words, flags, unknown } = parseArguments(text, ["limit", "since", "channel"]);
  return { text: words, flags: Object.fromEntries(flags), unknown };
}

describe("readable", () => {
  it("gives back what was typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\p{Cc}\p{Cf}]/u.test(text));
        expect(readable(sent(text))).toBe(text.trim());
      }),
    );
  });

  it("reads entities once", () => {
    expect(readable("a &amp;lt; b &amp;amp; c")).toBe("a &lt; b &amp; c");
  });

  it.each([
    ["<@U1|ana>", "@ana"],
    ["<@U1>", "@U1"],
    ["<#C1|general>", "#general"],
    ["<#C1|>", "#C1"],
    ["oil --in <#C1|general>", "oil --in C1"],
    ["<!here>", "@here"],
    ["<!subteam^S1|@desk>", "@desk"],
    ["<!date^1770091506^{date}|3 February>", "3 February"],
    ["<http://x.example|x.example>", "x.example"],
    ["<https://x.example/?a=1&amp;b=2>", "https://x.example/?a=1&b=2"],
    ["<mailto:a@x.example|a@x.example>", "a@x.example"],
    ["<tel:+4912345|012345>", "012345"],
    ["oil\u0000\u0007\tgas", "oil gas"],
    ["\u200eoil\u202e \ufeffgas", "oil gas"],
    ["one\ntwo", "one\ntwo"],
  ])("reads %j as %j", (text, expected) => {
    expect(readable(text)).toBe(expected);
  });
});

describe("splitVerb", () => {
  it.each([
    ["news oil and gas", "news", "oil and gas"],
    ["/NEWS  oil", "news", "oil"],
    ["  news\noil\ngas", "news", "oil\ngas"],
    ["news", "news", ""],
    ["", "", ""],
  ])("splits %j", (text, verb, rest) => {
    expect(splitVerb(text)).toEqual({ verb, rest });
  });
});

describe("parseArguments", () => {
  it.each([
    ["oil gas", { text: "oil gas", flags: {}, unknown: [] }],
    ["oil --limit 5 gas", { text: "oil gas", flags: { limit: "5" }, unknown: [] }],
    ["oil --limit=5", { text: "oil", flags: { limit: "5" }, unknown: [] }],
    ["--LIMIT 5", { text: "", flags: { limit: "5" }, unknown: [] }],
    ["oil —limit 5 –since 7d", { text: "oil", flags: { limit: "5", since: "7d" }, unknown: [] }],
    ["“oil price” --channel “my own”", { text: "oil price", flags: { channel: "my own" }, unknown: [] }],
    ['--channel="my own" oil', { text: "oil", flags: { channel: "my own" }, unknown: [] }],
    ['--channel="two\nlines"', { text: "", flags: { channel: "two\nlines" }, unknown: [] }],
    ["oil --limit", { text: "oil", flags: { limit: "" }, unknown: [] }],
    ["oil --limit=", { text: "oil", flags: { limit: "" }, unknown: [] }],
    ["oil --limit --since 7d", { text: "oil", flags: { limit: "", since: "7d" }, unknown: [] }],
    ["oil --size 5", { text: "oil 5", flags: {}, unknown: ["size"] }],
    ["oil — why now", { text: "oil — why now", flags: {}, unknown: [] }],
    ["oil —why now", { text: "oil —why now", flags: {}, unknown: [] }],
    ["--limit 5 --limit 6", { text: "", flags: { limit: "6" }, unknown: [] }],
    ['"--limit" 5', { text: "--limit 5", flags: {}, unknown: [] }],
    ['12" pipe', { text: '12" pipe', flags: {}, unknown: [] }],
    ['"never closed', { text: '"never closed', flags: {}, unknown: [] }],
    ['"" oil', { text: "oil", flags: {}, unknown: [] }],
    ["oil --constructor x", { text: "oil x", flags: {}, unknown: ["constructor"] }],
    ["-5 - --", { text: "-5 - --", flags: {}, unknown: [] }],
  ])("reads %j", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it("loses no word and makes up none", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word), fc.option(word), (words, limit) => {
        const typed = [...words, ...(limit === null ? [] : ["--limit", limit])].join("  ");
        expect(parse(typed)).toEqual({ text: words.join(" "), flags: limit === null ? {} : { limit }, unknown: [] });
      }),
    );
  });
});
