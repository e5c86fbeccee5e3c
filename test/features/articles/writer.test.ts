import { describe, expect, it } from "vitest";

import { writeWhole, writerOf } from "../../../src/features/articles/writer.ts";
import { credits, newsModel, sourceServices } from "../../support/builders.ts";
import { articles } from "../digests/setting.ts";

const writing = {
  articles: articles(2),
  manner: "In one sentence.",
  order: "What happened?",
  settings: { language: "German", model: "small" },
};
const { signal } = new AbortController();

describe("a text about articles", () => {
  it("is written by the news service from the articles alone, with the order as the last message", async () => {
    const { sent, generate } = newsModel("Gold ", "fell.");
    expect(await writeWhole(writing, { most: 100, signal }, sourceServices({ intelligence: { generate } }))).toEqual({
      text: "Gold fell.",
    });
    const [request] = sent;
    expect(request?.model).toBe("small");
    expect(request?.messages.map(({ content }) => content)).toMatchObject([
      { type: "svc_news", articleIds: [1, 2] },
      { text: "In one sentence." },
      { text: "Answer in German." },
      { text: expect.stringContaining("search for no others") },
      { text: "What happened?" },
    ]);
  });

  it("is written by the gateway if only that is set up, with its cost even if the text is cut", async () => {
    const asked: unknown[] = [];
    const to = sourceServices({
      configured: { intelligence: false },
      gateway: {
        async chat({ model, messages }) {
          asked.push(model, ...messages.map(({ content }) => content));
          return { text: "Gold fell.", model: "m", credits: credits() };
        },
      },
    });
    expect(await writeWhole(writing, { most: 3, signal }, to)).toEqual({ text: "Gold fell.", credits: credits() });
    expect(asked).toEqual([
      "small",
      expect.stringMatching(
        /^In one sentence.\nAnswer in German.\n.*these|^In one sentence.\nAnswer in German.\n.*alone/,
      ),
      expect.stringMatching(/Story 1[^]*Story 2[^]*\n\nWhat happened\?$/),
    ]);
    expect(writerOf(writing, to).service).toEqual({ api: "gateway", operation: "chat" });
  });
});
