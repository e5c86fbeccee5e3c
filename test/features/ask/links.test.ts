import { describe, expect, it } from "vitest";

import { checkedLinks } from "../../../src/features/ask/links.ts";
import { answerView } from "../../../src/features/ask/view.ts";
import { wordsOf } from "../../support/answers.ts";
import { article } from "../../support/builders.ts";

const oil = article({ url: "https://news.example/oil", title: "Oil rises" });
const text = "Oil [rose](https://news.example/oil), and [gas](https://elsewhere.example/gas) fell.";

describe("the links of an answer", () => {
  it("count as read if an article was given or read at that address or under that headline", () => {
    expect(checkedLinks(text, [oil], 0)).toEqual({
      all: 2,
      foreign: [{ url: "https://elsewhere.example/gas", label: "gas" }],
    });
    expect(checkedLinks("[Oil rises](https://platform.example/7)", [oil], 0)).toEqual({ all: 1, foreign: [] });
  });

  it("aren’t called unread while the model has read articles of which only the number is known", () => {
    expect(checkedLinks(text, [oil], 1).foreign).toEqual([]);
  });

  it("are marked below the answer if they lead to no article that was read", () => {
    const answer = { question: { text: "Why?" }, text, hasWords: true, articleIds: [], calls: [] };
    const shown = { answer, read: [oil] } as unknown as Parameters<typeof answerView>[0];
    const steps = { key: "k", user: "U1", followUps: [], sources: undefined, links: checkedLinks(text, [oil], 0) };
    expect(wordsOf(answerView(shown, steps))).toContain(
      "1 of 2 links are articles I read. Not read: <https://elsewhere.example/gas|gas>",
    );
  });
});
