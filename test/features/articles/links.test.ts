import { describe, expect, it } from "vitest";

import { checkedLinks, linksWords } from "../../../src/features/articles/links.ts";
import { article } from "../../support/builders.ts";

const oil = article({ url: "https://news.example/oil", title: "Oil rises" });
const text = "Oil [rose](https://news.example/oil), and [gas](https://elsewhere.example/gas) fell.";
const gas = { url: "https://elsewhere.example/gas", label: "gas" };

describe("the links of a text by a model", () => {
  it.each([
    "https://news.example/oil",
    "http://www.news.example/oil/?utm_source=bot",
    "https://news.example/oil#:~:text=Oil",
  ])("count as checked if an article was given or read at that address, however it is written: %s", (url) => {
    expect(checkedLinks(`[It](${url}) rose.`, { articles: [oil] })).toEqual({ all: 1, checked: 1, foreign: [] });
  });

  it("are foreign if no article was given or read there, whatever they say", () => {
    expect(checkedLinks(text, { articles: [oil] })).toEqual({ all: 2, checked: 1, foreign: [gas] });
    const lure = { url: "https://lure.example/", label: "Oil rises" };
    expect(checkedLinks("[Oil rises](https://lure.example/)", { articles: [oil] }).foreign).toEqual([lure]);
    const bare = checkedLinks("Log in at https://lure.example/now.", { articles: [oil] });
    expect(bare.foreign).toEqual([{ url: "https://lure.example/now", label: "lure.example" }]);
  });

  it("are told by their headlines if they lead to the news service’s own pages", () => {
    const found = checkedLinks("[Oil rises](https://platform.example/7)", { articles: [oil], isPlatform: true });
    expect(found).toEqual({ all: 1, checked: 1, foreign: [] });
  });

  it("aren’t called foreign while the model has read articles of which only the number is known", () => {
    expect(checkedLinks(text, { articles: [oil], unknown: 1 })).toEqual({ all: 2, checked: 1, foreign: [] });
  });
});

describe("the small print on links", () => {
  it("says how many were checked", () => {
    const words = (all: number, checked: number) => linksWords({ all, checked, foreign: [] });
    expect([words(5, 5), words(1, 1), words(5, 3), words(2, 0), words(0, 0)]).toEqual([
      "5 of 5 links checked",
      "1 of 1 link checked",
      "3 of 5 links checked",
      "2 links not checked",
      undefined,
    ]);
  });

  it("marks links that lead to no article that was read, three by their words", () => {
    expect(linksWords({ all: 2, checked: 1, foreign: [gas] })).toBe(
      ":warning: 1 of 2 links checked, not an article I read: <https://elsewhere.example/gas|gas>",
    );
    const many = linksWords({ all: 5, checked: 0, foreign: [gas, gas, gas, gas, gas] });
    expect(many).toMatch(/^:warning: 0 of 5 links checked, not an article I read: .*gas>, .*gas>, .*gas> and 2 more$/);
  });
});
