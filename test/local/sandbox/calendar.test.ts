import { afterEach, describe, expect, it } from "vitest";
import {
  articleById,
  articlesBetween,
  recentArticles,
  setCalendar,
  usualCalendar,
} from "../../../local/sandbox/news.ts";

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 22, 12);
const titles = (at: number) => recentArticles(at).map(({ title }) => title);
const ofBreach = (title: string) => title.startsWith("Paylantic investigates theft of card data");

afterEach(() => setCalendar(usualCalendar));

describe("the calendar of the sample news", () => {
  it("moves all of it", () => {
    const before = recentArticles(now);
    setCalendar({ start: 5 * hour, begun: [] });
    expect(recentArticles(now + 5 * hour).map(({ title }) => title)).toEqual(before.map(({ title }) => title));
  });

  it("begins a story at its time, publishes each note when it is due, and repeats it later as other articles", () => {
    expect(articlesBetween(now - 240 * hour, now).filter(({ title }) => /Novalith lifts forecast/.test(title))).toEqual(
      [],
    );
    const begin = (at: number) => ({ story: "forecast", at, hourMs: 60_000 });
    setCalendar({ start: 0, begun: [begin(now - 30_000), begin(now + hour)] });
    expect(titles(now).filter((title) => /^Novalith (posts|lifts)/.test(title))).toHaveLength(1);
    const [first] = recentArticles(now + hour - 1).filter(({ title }) => title.startsWith("Novalith lifts"));
    const [second] = recentArticles(now + 2 * hour).filter(({ title }) => title.startsWith("Novalith lifts"));
    expect(first && articleById(first.id, now + hour)).toEqual(first);
    expect(second && articleById(second.id, now + hour)).toBeUndefined();
    expect(second?.id).not.toBe(first?.id);
  });

  it("begins a story early on request, and not again at its own time", () => {
    setCalendar({ start: 0, begun: [{ story: "breach", at: now, hourMs: 60_000 }] });
    const found = articlesBetween(now - 239 * hour, now + 239 * hour).filter(({ title }) => ofBreach(title));
    expect(found.map(({ published }) => published)).toEqual([now]);
  });

  it("refuses a story that doesn’t exist", () => {
    expect(() => setCalendar({ start: 0, begun: [{ story: "no such", at: now, hourMs: hour }] })).toThrow(/no story/);
  });
});
