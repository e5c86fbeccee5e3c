import { describe, expect, it } from "vitest";

import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import { Unavailable } from "../../src/apis/errors.ts";
import { summary } from "../../src/features/summaries/commands.ts";
import { article, asking, credits, hintOf, services, statesOf, streamOf, wordsOf } from "../support/builders.ts";

const says = (text: string): SummaryEvent => ({ type: "text", text });

async function summarised(text: string, ...events: (SummaryEvent | Error)[]) {
  const asked: string[] = [];
  const streamSummary = (query: string) => {
    asked.push(query);
    return streamOf(...events);
  };
  const shown = await statesOf(summary.run(asking(text), services({ gateway: { streamSummary } })));
  return { ...shown, asked };
}

describe("/summary QUERY", () => {
  it("grows as it is written and ends with its sources and its cost", async () => {
    const { states, asked } = await summarised(
      '"bank capital" rules',
      says("## Banks\n"),
      says("Rules **tighten**."),
      { type: "sources", articles: [article({ title: "A|B" }), article({ title: "C", url: "https://c.example/" })] },
      { type: "credits", credits: credits({ used: 5, remaining: 1_234 }) },
    );
    expect(asked).toEqual(["bank capital rules"]);
    expect(states.map(({ text }) => text)).toEqual([
      "Summary: bank capital rules\nBanks",
      ...Array.from({ length: 3 }, () => "Summary: bank capital rules\nBanks\nRules tighten."),
    ]);
    expect(states.at(-1)?.blocks).toMatchObject([
      { type: "header", text: { text: "Summary: bank capital rules" } },
      { type: "markdown", text: "## Banks\nRules **tighten**." },
      { elements: [{ text: "*Sources* <https://news.example.com/oil|A¦B> · <https://c.example/|C>" }] },
      { elements: [{ text: "5 credits used, 1,234 left" }] },
    ]);
  });

  it("shows nothing before there are words, whatever else comes first", async () => {
    const { states } = await summarised("banks", { type: "sources", articles: [article()] }, says("Words"));
    expect(states).toHaveLength(1);
    expect(wordsOf(states[0] ?? { text: "" })).toMatch(/Words[^]*Sources/);
  });

  it("names six sources and how many more there are", async () => {
    const articles = Array.from({ length: 9 }, (_, index) => article({ title: `Source ${index}` }));
    const { states } = await summarised("banks", says("Words"), { type: "sources", articles });
    const words = wordsOf(states.at(-1) ?? { text: "" });
    expect(words).toContain("Source 5");
    expect(words).not.toContain("Source 6");
    expect(words).toContain("3 more");
  });

  it("keeps what was written before an error", async () => {
    const cut = new Unavailable({ api: "gateway", operation: "summary", reason: "cut" });
    const { states, error } = await summarised("banks", says("Half"), cut);
    expect(states.at(-1)?.text).toContain("Half");
    expect(error).toBe(cut);
  });

  it.each([
    ["", "What are you looking for? Type `/summary QUERY`"],
    ["banks --long", "`--long` is not an option here"],
    ["x".repeat(10_000), "500 fit"],
  ])("costs nothing where the query is no query: %.20j", async (text, hint) => {
    expect(await hintOf(summary, asking(text))).toContain(hint);
  });
});
