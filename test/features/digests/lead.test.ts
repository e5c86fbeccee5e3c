import { describe, expect, it } from "vitest";

import { Unavailable } from "../../../src/apis/errors.ts";
import type { Intelligence } from "../../../src/apis/intelligence/client.ts";
import { writeLead } from "../../../src/features/digests/lead.ts";
import { credits, newsModel, now, askServices, streamOf } from "../../support/builders.ts";
import { articles } from "./setting.ts";
import type { ArticleList } from "../../../src/features/articles/list.ts";

describe("a lead paragraph", () => {
  const list: ArticleList = {
    title: "Gold wire",
    articles: articles(5),
    total: 5,
    source: { kind: "channel", id: 501, name: "Gold wire" },
  };

  it("is written from exactly the articles of the digest, in plain words, and says nothing of a cost where there is none", async () => {
    const { sent, generate } = newsModel("# **Gold** [fell](https://x.example) & ", "<!channel> rose.");
    expect(await writeLead(list, {}, askServices({ intelligence: { generate } }))).toEqual({
      text: "Gold fell &amp; &lt;!channel&gt; rose.",
    });
    expect(sent.map(({ messages }) => messages[0])).toEqual([
      { role: "user", content: { type: "svc_news", articleIds: [1, 2, 3, 4, 5] } },
    ]);
    expect(JSON.stringify(sent)).toContain("search for no others");
    expect(sent[0]?.messages.at(-1)?.content.metadata?.news_context).toEqual({ start: now - 1, end: now });
  });

  it("is written by the gateway where only that is set up, and its price is shown", async () => {
    const to = askServices({
      configured: { intelligence: false },
      gateway: { chat: async () => ({ text: "Gold fell.", model: "m", credits: credits() }) },
    });
    expect(await writeLead(list, {}, to)).toEqual({
      text: "Gold fell.",
      small: "AI intro: 1 credit used, 4,999 left",
    });
  });

  it.each([
    [
      () => streamOf(new Unavailable({ api: "intelligence", operation: "generate" })),
      "The news service couldn’t be reached",
    ],
    [() => streamOf({ type: "text", text: "  " } as const), "I can’t read what the news service answered"],
  ])("that cannot be written is missed, and the digest comes without it", async (generate, why) => {
    const to = askServices({ intelligence: { generate: generate as Intelligence["generate"] } });
    expect(await writeLead(list, {}, to)).toEqual({ small: `No AI intro this time: ${why}` });
  });

  it("is not waited for longer than a minute", async () => {
    let ring = () => {};
    const to = askServices({
      after: (ms, call) => {
        expect(ms).toBe(60_000);
        ring = call;
        return () => {};
      },
      intelligence: {
        async *generate({ signal }) {
          ring();
          signal?.throwIfAborted();
          yield { type: "text", text: "never" };
        },
      },
    });
    expect(await writeLead(list, {}, to)).toEqual({
      small: "No AI intro this time: The news service couldn’t be reached",
    });
  });

  it("ends where a model does not", async () => {
    const to = askServices({
      intelligence: {
        async *generate() {
          for (;;) yield { type: "text", text: "gold & silver and so on " };
        },
      },
    });
    const { text = "" } = await writeLead(list, {}, to);
    expect(text.length).toBeLessThanOrEqual(700);
    expect(text).not.toMatch(/&[a-z]*…/);
  });
});
