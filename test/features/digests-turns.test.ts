import { describe, expect, it } from "vitest";

import { parted } from "../../src/features/digests/again/rule.ts";
import { type Told, toldOf } from "../../src/features/subscriptions/told.ts";
import courses from "../fixtures/headlines.json" with { type: "json" };
import { article, now } from "../support/builders.ts";

const hour = 60 * 60_000;
let id = 0;

/** A report about the same two, so many hours after the first one. */
function report(title: string, hours: number, summary = "") {
  id++;
  const entities = { primary: [1, 2], secondary: [30], tertiary: [] };
  const url = `https://news.example.com/${id}`;
  return article({ id, title, summary, url, published: now + hours * hour, entities });
}

/** A headline told at its hour, and what the place was told before. */
const told = (title: string, hours: number, summary?: string) =>
  toldOf([report(title, hours, summary)], now + (hours + 1) * hour);

function isNews(title: string, before: Told[], names: Record<string, string> = {}, hours = 8): boolean {
  const fresh = report(title, hours);
  return parted([fresh], { found: [fresh], told: before, names }).news.length > 0;
}

/** Of headlines of one kind, the part that is news. */
function newsIn(kind: "again" | "later", isKnown: boolean): number {
  const all = courses.flatMap(({ about, told: first, summary, ...rest }) => {
    const names = isKnown ? Object.fromEntries(about.map((name, at) => [at + 1, name])) : {};
    return rest[kind].map((title) => isNews(title, [told(first, 0, summary)], names));
  });
  expect(all.length).toBeGreaterThan(150);
  return all.filter(Boolean).length / all.length;
}

describe("headlines on what was told, by other outlets and of what came of it", () => {
  it.each([true, false])(
    "lose hardly any development, and few are told twice, where names are known: %s",
    (isKnown) => {
      expect(newsIn("later", isKnown)).toBeGreaterThan(0.94);
      expect(newsIn("again", isKnown)).toBeLessThan(0.25);
    },
  );

  it.each([
    ["Regulator blocks Northwind’s takeover of Ostara", "Regulator approves Northwind’s takeover of Ostara"],
    ["Northwind raises prices of Ostara parts", "Northwind cuts prices of Ostara parts"],
    ["Court rejects Northwind’s appeal in Ostara case", "Court upholds Northwind’s appeal in Ostara case"],
    ["Northwind’s talks with Ostara collapse", "Northwind’s talks with Ostara resume"],
    ["Workers begin strike at Northwind’s Ostara plant", "Workers call off strike at Northwind’s Ostara plant"],
    ["Northwind to buy Ostara for $41 billion", "Northwind won’t buy Ostara for $41 billion"],
  ])("bring a reversal, either way: %s", (one, other) => {
    const names = { 1: "Northwind", 2: "Ostara" };
    expect(isNews(other, [told(one, 0)], names)).toBe(true);
    expect(isNews(one, [told(other, 0)], names)).toBe(!one.includes("to buy"));
  });

  it("bring a reversal also where a summary had said that it may come", () => {
    const before = told("Watchdog blocks takeover of Ostara", 0, "Northwind may appeal; a court could clear the deal.");
    expect(isNews("Court clears takeover of Ostara", [before])).toBe(true);
  });

  it("bring what is so again after it was not", () => {
    const closed = told("Northwind halts output at Ostara plant", 0);
    const open = told("Northwind resumes output at Ostara plant", 4);
    expect(isNews("Output halted at Northwind’s Ostara plant", [closed])).toBe(false);
    expect(isNews("Output halted at Northwind’s Ostara plant", [open, closed])).toBe(true);
    expect(isNews("Output resumes at Northwind’s Ostara plant", [open, closed])).toBe(false);
  });
});

describe("an article that is dated ahead", () => {
  const ahead = toldOf([report("Northwind to buy Ostara for $41 billion", 20)], now);

  it("is no later than when it was told, so that what becomes of its story is news", () => {
    expect(isNews("Watchdog stops Northwind’s takeover plans", [ahead])).toBe(true);
    expect(isNews("Northwind to buy Ostara", [ahead])).toBe(false);
  });

  it("does not change what it was told with", () => {
    expect(isNews("Ostara chief speaks at trade fair", [ahead], {}, -1)).toBe(false);
  });
});
