import { describe, expect, it } from "vitest";

import { Unavailable, UsageError } from "../../../src/apis/errors.ts";
import type { SummaryEvent } from "../../../src/apis/gateway/client.ts";
import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { ask } from "../../../src/features/ask/commands.ts";
import type { Message } from "../../../src/features/feature.ts";
import { summary } from "../../../src/features/summaries/commands.ts";
import { article, asking, services, statesOf, streamOf, wordsOf } from "../../support/builders.ts";
import { createClock, settled } from "../../support/clock.ts";

const says = (text: string): SummaryEvent & GenerateEvent => ({ type: "text", text });

async function summarised(text: string, ...events: (SummaryEvent | Error)[]) {
  const to = services({ gateway: { streamSummary: () => streamOf(...events) } });
  const { states, error } = await statesOf(summary.run(asking(text), to));
  const last: Message = states.at(-1) ?? { text: "" };
  return { last, error };
}

describe("a summary that is being written", () => {
  it("names below it what its words do not link to, and counts the rest", async () => {
    const articles = [article({ title: "Oil" }), article({ title: "Gas", url: "https://a.example/gas" })];
    const { last } = await summarised("banks", says("See [this](https://news.example.com/oil)."), {
      type: "sources",
      articles,
    });
    expect(wordsOf(last)).toMatch(/^\*Sources\* <https:\/\/a\.example\/gas\|Gas> · 1 linked above$/m);
  });

  it("keeps its first 40,000 characters where it does not come to an end", async () => {
    const { last, error } = await summarised("banks", says(`Rules ${"x".repeat(60_000)}`));
    expect(error).toBeInstanceOf(UsageError);
    expect(wordsOf(last).match(/Rules x+/)?.[0]).toHaveLength(40_000);
  });

  it("ends without what it had only begun where it breaks off", async () => {
    const cut = new Unavailable({ api: "gateway", operation: "summary", reason: "cut" });
    const { last } = await summarised("banks", says("Rules **tighten** ([Wire](https://a.exa"), cut);
    expect(last.blocks?.[1]).toEqual({ type: "markdown", text: "Rules **tighten**" });
  });

  it("says that it still waits after ten silent seconds, with a way to stop, and gives up after ninety", async () => {
    const clock = createClock();
    let told: AbortSignal | undefined;
    async function* silent(first: SummaryEvent[]): AsyncGenerator<SummaryEvent> {
      yield* first;
      await new Promise(() => undefined);
    }
    const of = (...first: SummaryEvent[]) => {
      const streamSummary = (_: string, signal?: AbortSignal) => {
        told = signal;
        return silent(first);
      };
      const to = services({ gateway: { streamSummary }, after: (ms, call) => clock.after(ms, call) });
      return clock.until(statesOf(summary.run(asking("banks"), to)));
    };
    const mute = await of();
    expect(mute.states.map(wordsOf)).toEqual([
      "Summary: banks\nReading the articles…\nStop",
      "Summary: banks\n:hourglass_flowing_sand: Still waiting for the news service…\nStop",
    ]);
    expect(mute.states.map(({ text, progress }) => [text, progress])).toEqual([
      ["Summary: banks\nReading the articles…", true],
      ["Summary: banks\nStill waiting for the news service…", true],
    ]);
    expect(mute.error).toMatchObject({ api: "gateway", operation: "summary", reason: "timeout" });
    expect(told?.aborted).toBe(true);
    const half = await of(says("Half"));
    expect(half.states.map(({ text, progress }) => [text, progress])).toEqual([
      ["Summary: banks\nHalf", undefined],
      ["Summary: banks\nHalf\nStill waiting for the news service…", undefined],
      ["Summary: banks\nHalf", undefined],
    ]);
    expect(half.error).toMatchObject({ reason: "timeout" });
  });

  it("is known to a question that is asked below it meanwhile, which waits for its end", async () => {
    const rest = Promise.withResolvers<void>();
    const sent: GenerateRequest[] = [];
    const to = services({
      gateway: {
        async *streamSummary(): AsyncGenerator<SummaryEvent> {
          yield { type: "sources", articles: [article({ id: 5 })] };
          yield says("Rules tighten.");
          await rest.promise;
        },
      },
      intelligence: {
        generate(request) {
          sent.push(request);
          return streamOf(says("Because."));
        },
      },
    });
    const first = statesOf(summary.run(asking("banks"), to));
    await settled();
    const below = statesOf(ask.run(asking("why?", { surface: "mention", thread: "100.1", user: "U2" }), to));
    await settled();
    expect(sent).toEqual([]);
    rest.resolve();
    await first;
    const { states } = await below;
    expect(states.map(({ text }) => text).slice(0, 1)).toEqual([expect.stringContaining("in the queue")]);
    expect(sent[0]?.messages.map(({ content }) => ("text" in content ? content.text : content))).toEqual([
      { type: "svc_news", articleIds: [5] },
      "Summarise these articles.",
      "Rules tighten.",
      "why?",
    ]);
    expect(JSON.stringify(states.at(-1))).toContain("Show sources");
  });
});
