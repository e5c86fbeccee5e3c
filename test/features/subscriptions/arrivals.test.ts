import { describe, expect, it } from "vitest";

import { arrivalsAfter, createArrivals } from "../../../src/features/subscriptions/arrivals.ts";
import { article, memory, now } from "../../support/builders.ts";

const day = 24 * 60 * 60_000;
const at = (id: number, published?: number) => article({ id, url: `https://news.example.com/${id}`, published });

describe("the arrival of an article in a source", () => {
  it("is its publication time at the first read, and the time it was first found later", () => {
    const [old, undated, late] = [at(1, now - day), at(2), at(3, now - 2 * day)];
    const first = arrivalsAfter(undefined, [old, undated], now);
    expect([...first.times.values()]).toEqual([now - day, now]);
    const next = arrivalsAfter(first.after, [old, undated, late], now + day);
    expect([...next.times.values()]).toEqual([now - day, now, now + day]);
    expect(arrivalsAfter(next.after, [late, old], now + 2 * day)).toEqual({
      times: new Map([
        [late, now + day],
        [old, now - day],
      ]),
    });
  });

  it("stays the same if its address changes and its ID doesn’t", () => {
    const first = arrivalsAfter(undefined, [at(1, now - day)], now);
    const moved = article({ id: 1, url: "https://news.example.com/elsewhere" });
    expect(arrivalsAfter(first.after, [moved], now + day).times.get(moved)).toBe(now - day);
  });

  it("is recorded for all articles that a digest and an alert find at once", async () => {
    const arrivals = createArrivals(memory());
    await arrivals.of("source", [], now - day);
    await Promise.all([arrivals.of("source", [at(1)], now), arrivals.of("source", [at(2)], now + 1)]);
    const later = await arrivals.of("source", [at(1), at(2)], now + day);
    expect([...later.values()]).toEqual([now, now + 1]);
  });

  it("is remembered for eight days after the article left, and as long as it stays", () => {
    const [stays, leaves] = [at(1, now - 20 * day), at(2, now - day)];
    const first = arrivalsAfter(undefined, [stays, leaves], now);
    const later = arrivalsAfter(first.after, [stays, at(3)], now + 6 * day);
    expect(arrivalsAfter(later.after, [leaves], now + 6 * day).times.get(leaves)).toBe(now - day);
    const last = arrivalsAfter(later.after, [stays, at(4)], now + 9 * day);
    expect(arrivalsAfter(last.after, [stays, leaves], now + 9 * day).times.get(leaves)).toBe(now + 9 * day);
    expect(last.times.get(stays)).toBe(now - 20 * day);
  });
});
