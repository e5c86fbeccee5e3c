import { describe, expect, it } from "vitest";

import type { Filter } from "../../src/features/alerts/alert.ts";
import { alertKind } from "../../src/features/alerts/kind.ts";
import { alert, minute } from "./alerts-setting.ts";
import { now } from "../support/builders.ts";

const watching = (about: Partial<Filter> = {}) => alert({ filter: { include: [], exclude: [], ...about } });

describe("two alerts", () => {
  it.each<[string, Partial<Filter>, Partial<Filter>, string | undefined]>([
    ["alike, however they are spelt", { type: "Company" }, { type: "companies" }, "same"],
    ["of which the other has all types", { type: "Company" }, {}, "whole"],
    ["of which the other has one type", {}, { type: "Company" }, "part"],
    ["of which the other has one name", { type: "Company" }, { type: "Company", include: ["BASF"] }, "part"],
    ["of which the other leaves out less", { exclude: ["BASF", "Alba"] }, { exclude: ["basf"] }, "whole"],
    ["about different types", { type: "Company" }, { type: "Person" }, undefined],
    ["about different names", { include: ["BASF"] }, { include: ["Alba"] }, undefined],
  ])("%s are told apart", (_, one, other, expected) => {
    expect(alertKind.relation(watching(one), watching(other))).toBe(expected);
  });
});

describe("an alert that is resumed", () => {
  it("posts what waited, and watches anew, because what rose meanwhile is no news", () => {
    const pending = [{ key: "k", since: now, tries: 2, kind: "rise" as const, entities: [], more: 0 }];
    const resumed = alertKind.resumed(alert({ pending, baseline: { at: now - minute, entities: [] } }));
    expect(resumed).toMatchObject({ baseline: undefined, pending: [{ key: "k", tries: 0 }] });
  });
});
