import { describe, expect, it } from "vitest";

import { UsageError } from "../../../src/apis/errors.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import { languageOrder, readLanguage } from "../../../src/features/question/language.ts";
import { summary } from "../../../src/features/summaries/commands.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, newsModel, askServices } from "../../support/builders.ts";

describe("a language", () => {
  it.each([
    ["German", "German"],
    ["deutsch", "German"],
    ["DE", "German"],
    ["de-AT", "German"],
    ["de_DE", "German"],
    ["Français", "French"],
    ["francais", "French"],
    ["日本語", "Japanese"],
    ["zh-TW", "Chinese (Taiwan)"],
    ["pt_BR", "Brazilian Portuguese"],
    ["english", "English"],
    ["auto", "auto"],
  ])("goes by its names and its code: %s", (typed, name) => {
    expect(readLanguage(typed)).toBe(name);
  });

  it.each(["", "klingonian", "x", "<!here>", "q".repeat(200)])(
    "is refused if there is none of that name: %j",
    (typed) => {
      expect(() => readLanguage(typed)).toThrow(UsageError);
      expect(() => readLanguage(typed)).toThrow(/`--language \w+`|its code, such as `de`/);
    },
  );

  it("is asked for in a few words, and not at all if it is the question's own", () => {
    expect(languageOrder("German")).toBe("Answer in German.");
    expect([languageOrder("auto"), languageOrder(undefined)]).toEqual([undefined, undefined]);
  });
});

describe("without a named language", () => {
  const direct = { channel: "D1", surface: "direct" } as const;
  const setUp = (locale: string | undefined) => {
    const { sent, generate } = newsModel("Words.");
    const to = askServices({
      intelligence: { generate },
      gateway: { search: async (query) => ({ query, articles: [article()], total: 1, credits: credits() }) },
      people: { localeKnown: () => locale },
    });
    const ordered = () => sent.map(({ messages }) => /Answer in [^."]*/.exec(JSON.stringify(messages))?.[0]);
    return { to, ordered };
  };

  it.each([
    ["de-DE", direct, "Answer in German"],
    ["pt-BR", direct, "Answer in Brazilian Portuguese"],
    ["de-DE", { channel: "U1", surface: "button" } as const, "Answer in German"],
    ["de-DE", { channel: "C1" }, undefined],
    ["en-GB", direct, undefined],
    ["nonsense!", direct, undefined],
    [undefined, direct, undefined],
  ])("an answer for somebody with %s at %j says: %s", async (locale, at, words) => {
    const { to, ordered } = setUp(locale);
    const shown = await answerOf(ask, asking("why?", at), to);
    expect(ordered()).toEqual([words]);
    expect(wordsOf(shown)).not.toMatch(/in German/);
  });

  it("the thread's language counts before the asker's", async () => {
    const { to, ordered } = setUp("de-DE");
    for (const text of ["why? --language fr", "and then?", "and now? --language auto", "and next?"]) {
      await answerOf(ask, asking(text, direct), to);
    }
    expect(ordered()).toEqual(["Answer in French", "Answer in French", undefined, undefined]);
  });

  it("a private summary is written by the news service in the asker's, because the search service writes English alone", async () => {
    const { to, ordered } = setUp("de-DE");
    const shown = await answerOf(summary, asking("oil", direct), to);
    expect(ordered()).toEqual(["Answer in German"]);
    expect(wordsOf(shown)).toContain("1 credit used");
  });
});
