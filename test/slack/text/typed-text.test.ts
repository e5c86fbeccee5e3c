import { describe, expect, it } from "vitest";

import { unescapeText, splitVerb } from "../../../src/slack/text/typed-text.ts";
import * as fc from "../../support/property.ts";

/** As Slack sends what somebody typed. */
function sent(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

describe("text as Slack escapes it", () => {
  it("gives back what was typed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\p{Cc}\p{Cf}]/u.test(text));
        expect(unescapeText(sent(text))).toBe(text.trim());
      }),
    );
  });

  it("reads entities once", () => {
    expect(unescapeText("a &amp;lt; b &amp;amp; c")).toBe("a &lt; b &amp; c");
  });

  it.each([
    ["<@U1|ana>", "@ana"],
    ["<@U1>", "@U1"],
    ["<#C1|general>", "#general"],
    ["<#C1|>", "#C1"],
    ["oil --in <#C1|general>", "oil --in C1"],
    ["oil --escalate-to <#C1|general>", "oil --escalate-to C1"],
    ["oil --escalate-to=<@U1|ana>", "oil --escalate-to=U1"],
    ["oil —escalate-to <!subteam^S1|@desk>", "oil —escalate-to S1@desk"],
    ["oil escalate to <!subteam^S1>", "oil escalate to S1"],
    ["oil --escalate-to <!channel>", "oil --escalate-to @channel"],
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
    expect(unescapeText(text)).toBe(expected);
  });
});

describe("a line that somebody typed", () => {
  it.each([
    ["news oil and gas", "news", "oil and gas"],
    ["/NEWS  oil", "news", "oil"],
    ["  news\noil\ngas", "news", "oil\ngas"],
    ["news", "news", ""],
    ["", "", ""],
  ])("begins with its verb: %j", (text, verb, rest) => {
    expect(splitVerb(text)).toEqual({ verb, rest });
  });
});
