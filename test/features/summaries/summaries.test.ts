import { describe, expect, it } from "vitest";

import { Unavailable, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import type { SummaryEvent } from "../../../src/apis/gateway/client.ts";
import type { GenerateEvent } from "../../../src/apis/intelligence/generate.ts";
import type { Message } from "../../../src/features/feature.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { sum, summary } from "../../../src/features/summaries/commands.ts";
import { answerOf, buttonsOf, hintOf, statesOf, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, memory, newsModel, now, askServices, streamOf } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";
import type { ArticleList } from "../../../src/features/articles/list.ts";

const says = (text: string): SummaryEvent & GenerateEvent => ({ type: "text", text });
const cut = new Unavailable({ api: "gateway", operation: "summary", reason: "cut" });
const nothing: Message = { text: "" };

async function summarised(text: string, ...events: (SummaryEvent | Error)[]) {
  const asked: string[] = [];
  const streamSummary = (query: string) => {
    asked.push(query);
    return streamOf(...events);
  };
  const to = askServices({ gateway: { streamSummary } });
  const shown = await statesOf(summary.run(asking(text), to));
  const { lists, conversations } = to;
  return { ...shown, asked, last: shown.states.at(-1) ?? nothing, lists, conversations };
}

describe("/summary with a limit", () => {
  const channel = { id: 7, name: "Central banks", stages: [{ entities: [{ type: "entity", value: 9 }] }] };
  const day = 24 * 60 * 60_000;
  const gold = { primary: [9], secondary: [], tertiary: [] };
  const fresh = article({ id: 1, title: "Banks lend more", published: now - day });
  const old = article({ id: 2, title: "Bank rules", published: now - 9 * day });
  const other = article({ id: 3, title: "Gold", summary: "", published: now - day, entities: gold });

  /** What was read of which articles, and the last state. */
  async function limited(text: string, own: Parameters<typeof askServices>[0] = {}) {
    const read: number[][] = [];
    const to = askServices({
      gateway: {
        search: async (query) => ({
          query,
          articles: [old, fresh],
          total: 2,
          credits: credits({ used: 1, remaining: 9 }),
        }),
      },
      intelligence: {
        channels: async () => [channel],
        channel: async () => channel,
        articles: async () => [old, fresh, other],
        generate({ messages }) {
          read.push(
            messages.flatMap(({ content }) => ("articleIds" in content ? (content.articleIds as number[]) : [])),
          );
          return streamOf<GenerateEvent>(says("Words"));
        },
      },
      ...own,
    });
    const { states, error } = await statesOf(summary.run(asking(text), to));
    return { read, last: states.at(-1) ?? nothing, error, to };
  }

  it.each([
    ["banks --since 7d", [1], /last 7 days · 1 credit used, 9 left/],
    ['bank --channel "Central banks"', [1, 2], /channel Central banks/],
    ["--channel central --since 2d", [1, 3], /last 2 days · channel Central banks/],
    ["banks --since all", [1, 2], /1 credit used/],
    ["banks --until 2d", [2], /until 2 days ago/],
    ["banks --sort relevance", [2, 1], /by relevance/],
    ["banks --limit 1", [1], /at most 1 article/],
    ["banks --source example", [1, 2], /from example only/],
    ["--channel central --tier primary", [3], /channel Central banks · mainly about it/],
    ["banks --language German", [1, 2], /in German/],
    ["--channel central --full --links platform", [1, 3, 2], /full texts · platform links/],
  ])("sums up what is left: %s", async (text, ids, small) => {
    const { read, last } = await limited(text);
    expect(read).toEqual([ids]);
    expect(wordsOf(last)).toMatch(small);
  });

  it("lets neither the model nor its thread search for others if the articles are told in words", async () => {
    const told = article({ id: undefined, gatewayId: 7, title: "Gold rises", published: now - day });
    const { sent, generate } = newsModel("Gold rises.");
    const { to } = await limited("gold --since 2d --language German", {
      gateway: { search: async (query) => ({ query, articles: [told, old], total: 2, credits: credits() }) },
      intelligence: { generate },
    });
    const { messages = [] } = sent[0] ?? {};
    expect(messages[0]?.content).toMatchObject({ type: "text", text: expect.stringContaining("Gold rises") });
    expect(JSON.stringify(messages)).toContain("search for no others");
    expect(messages.at(-1)?.content.metadata?.news_context).toEqual({ start: now - 1, end: now });
    expect((await to.conversations.get("T1 C1 100.1"))?.scope).toMatchObject({ isOnly: true, since: { count: 2 } });
  });

  it("refuses a tier if nobody is named", async () => {
    const { error, read } = await limited("banks --tier primary");
    expect(String(error)).toContain("`--tier` asks how much an article is about");
    expect(read).toEqual([]);
  });

  it("holds in the thread of the summary", async () => {
    const { to } = await limited("banks --since 7d");
    expect(await to.conversations.get("T1 C1 100.1")).toMatchObject({
      scope: { since: { count: 7, unit: "d" } },
      articles: [{ count: 1 }],
    });
  });

  it("says so to the asker if nothing is left, with the cost of the search", async () => {
    const { read, last } = await limited("banks --since 2h");
    expect([read, last.private]).toEqual([[], true]);
    expect(wordsOf(last)).toMatch(/no articles on “banks”[^]*last 2 hours · 1 credit used, 9 left/i);
  });

  it("is written by the search service from these articles alone if the news service is not set up", async () => {
    const asked: string[] = [];
    const { last } = await limited("banks --since 7d", {
      configured: { intelligence: false },
      gateway: {
        search: async (query) => ({ query, articles: [old, fresh], total: 2, credits: credits({ used: 1 }) }),
        async chat({ messages }) {
          asked.push(messages.map(({ content }) => content).join("\n"));
          return { text: "Words", model: "m", credits: credits({ used: 1, remaining: 7 }) };
        },
      },
    });
    expect(asked).toEqual([expect.not.stringContaining("Bank rules")]);
    expect(wordsOf(last)).toContain("2 credits used, 7 left");
  });

  it.each(["--full", "--links platform"])(
    "says where %s works: the search service has only its own pages",
    async (option) => {
      expect(await hintOf(summary, asking(`banks ${option}`), askServices())).toContain(
        `\`${option}\` works on articles of the news service. Add \`--in-source entity NAME\``,
      );
    },
  );

  it("refuses other options, with the nearest", async () => {
    expect(await hintOf(summary, asking("banks --snce 7d"), askServices())).toContain("Did you mean `--since`?");
    expect(await hintOf(summary, asking("--since 7d"), askServices())).toMatch(/What are you looking for/);
  });
});

describe("/summary QUERY", () => {
  it("grows as it is written and ends with its sources and its cost", async () => {
    const { states, asked, last } = await summarised(
      '"bank capital" rules',
      says("## Banks\n"),
      says("Rules **tighten**."),
      { type: "sources", articles: [article({ title: "A|B" }), article({ title: "C", url: "https://c.example/" })] },
      { type: "credits", credits: credits({ used: 5, remaining: 1_234 }) },
    );
    expect(asked).toEqual(["bank capital rules"]);
    expect(states.map(({ text }) => text.replace(/\nWritten by AI.*/, ""))).toEqual([
      "Summary: bank capital rules\nBanks",
      ...Array.from({ length: 4 }, () => "Summary: bank capital rules\nBanks\nRules tighten."),
    ]);
    expect(last.blocks).toMatchObject([
      { type: "header", text: { text: "Summary: bank capital rules" } },
      { type: "markdown", text: "## Banks\nRules **tighten**." },
      {
        elements: [
          {
            text: "Written by AI from 2\u00a0articles · *Sources* <https://news.example.com/oil|A¦B> · <https://c.example/|C> · 5\u00a0credits used, 1,234 left",
          },
        ],
      },
      { type: "actions" },
    ]);
  });

  it("offers what to do next once it is finished, with its sources as a list", async () => {
    const sources = [article({ id: 5 })];
    const { states, last, lists } = await summarised("banks", says("Words"), { type: "sources", articles: sources });
    expect(states.slice(0, -1).map(buttonsOf)).toEqual([{ Stop: "stop-1" }, { Stop: "stop-1" }]);
    const buttons = buttonsOf(last);
    const key = buttons["Get a digest"]?.replace("follow ", "") ?? "";
    expect(buttons).toEqual({
      "Search the articles": 'news "banks"',
      "Ask about it": `about ${key}`,
      "Get a digest": `follow ${key}`,
      "Get alerts": 'alerts add search "banks"',
    });
    expect(await lists.get(key, "T1")).toEqual({
      title: "Summary: banks",
      articles: sources,
      total: 1,
      source: { kind: "search", query: "banks" },
    });
  });

  it("comes without the offers that need a list if none can be kept", async () => {
    const lines: string[] = [];
    const lists = { ...createLists(memory()), keep: () => Promise.reject(new Error("full")) };
    const streamSummary = () => streamOf<SummaryEvent>(says("Words"), { type: "sources", articles: [article()] });
    const to = askServices({ lists, gateway: { streamSummary }, write: (line) => lines.push(line) });
    const last = await answerOf(summary, asking("banks"), to);
    expect(buttonsOf(last)).toEqual({ "Search the articles": 'news "banks"' });
  });

  it("keeps what was written before an error", async () => {
    const { last, error } = await summarised("banks", says("Half"), cut);
    expect(last.text).toContain("Half");
    expect(buttonsOf(last)).toEqual({});
    expect(error).toBe(cut);
  });

  it("says its cost if it breaks off", async () => {
    const { last } = await summarised("banks", says("Half"), { type: "credits", credits: credits({ used: 5 }) }, cut);
    expect(wordsOf(last)).toContain("5 credits used");
  });

  it.each([
    ["at its end", []],
    ["where it breaks off", [cut]],
  ])("is known to its thread with its articles, %s", async (_, end) => {
    const { conversations, lists } = await summarised(
      "banks",
      { type: "sources", articles: [article({ id: 5 })] },
      says("Rules tighten."),
      ...end,
    );
    const { articles: [chosen] = [], turns } = (await conversations.get("T1 C1 100.1")) ?? {};
    expect(chosen).toMatchObject({ title: "Summary: banks", count: 1, messages: [{ content: { articleIds: [5] } }] });
    expect(await lists.get(chosen?.key ?? "", "T1")).toMatchObject({ title: "Summary: banks", articles: [{ id: 5 }] });
    expect(turns).toMatchObject([
      { messages: [{ role: "user" }, { role: "assistant", content: { type: "text", text: "Rules tighten." } }] },
    ]);
  });
});

describe("a summary that is being written", () => {
  it("names the sources that its words do not link to, and counts the rest", async () => {
    const articles = [article({ title: "Oil" }), article({ title: "Gas", url: "https://a.example/gas" })];
    const words = says("See [this](https://news.example.com/oil).");
    const { last } = await summarised("banks", words, { type: "sources", articles });
    expect(wordsOf(last)).toMatch(
      /^Written by AI from 2 articles · \*Sources\* <https:\/\/a\.example\/gas\|Gas> · 1 of 1 link checked$/m,
    );
  });

  it("keeps its first 40,000 characters if it never ends", async () => {
    const { last, error } = await summarised("banks", says(`Rules ${"x".repeat(60_000)}`));
    expect(error).toBeInstanceOf(UsageError);
    expect(wordsOf(last).match(/Rules x+/)?.[0]).toHaveLength(40_000);
  });

  it("ends without unfinished markup if it breaks off", async () => {
    const { last } = await summarised("banks", says("Rules **tighten** ([Wire](https://a.exa"), cut);
    expect(last.blocks?.[1]).toEqual({ type: "markdown", text: "Rules **tighten** (" });
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
      const to = askServices({ gateway: { streamSummary }, after: (ms, call) => clock.after(ms, call) });
      return clock.until(statesOf(summary.run(asking("banks"), to)));
    };
    const mute = await of();
    expect(mute.states.map(wordsOf)).toEqual([
      "Summary: banks\nReading the articles…\nStop",
      "Summary: banks\n:hourglass_flowing_sand: Still waiting…\nStop",
    ]);
    expect(mute.states.map(({ text, progress }) => [text, progress])).toEqual([
      ["Summary: banks\nReading the articles…", true],
      ["Summary: banks\nStill waiting…", true],
    ]);
    expect(mute.error).toMatchObject({ api: "gateway", operation: "summary", reason: "timeout" });
    expect(told?.aborted).toBe(true);
    const half = await of(says("Half"));
    expect(half.states.map(({ text }) => text)).toEqual([
      "Summary: banks\nHalf\nWritten by AI",
      "Summary: banks\nHalf\nWritten by AI\nStill waiting…",
      "Summary: banks\nHalf\nWritten by AI",
    ]);
    expect(half.error).toMatchObject({ reason: "timeout" });
  });
});

async function listed(about: Partial<ArticleList> = {}, to: Partial<Parameters<typeof askServices>[0]> = {}) {
  const lists = createLists(memory());
  const articles = [article({ id: 11 }), article({ id: 12, title: "Gas falls" })];
  const source = { kind: "search", query: "oil" } as const;
  const key = await lists.keep({ title: "News: oil", articles, total: 90, source, ...about }, "T1");
  const { sent, generate } = newsModel("Oil ", "rises.");
  return { key, sent, to: askServices({ lists, intelligence: { generate }, ...to }) };
}

async function summed(key: string, to: ReturnType<typeof askServices>) {
  const { states, error } = await statesOf(sum.run(asking(key, { surface: "button" }), to));
  return { states, error, last: states.at(-1) ?? nothing };
}

describe("“Summarise these”", () => {
  it("sums up the very articles of the list, and grows as it is written", async () => {
    const { key, sent, to } = await listed();
    const { states, last } = await summed(key, to);
    expect(states.map(({ text }) => text.replace(/\nWritten by AI.*/, ""))).toEqual([
      "Summary: oil\nOil",
      "Summary: oil\nOil rises.",
      "Summary: oil\nOil rises.",
    ]);
    expect(sent).toMatchObject([
      {
        directUrls: true,
        messages: [
          { role: "user", content: { type: "svc_news", articleIds: [11, 12] } },
          { role: "user", content: { type: "text", text: expect.stringContaining("Keep to the articles") } },
          { role: "user", content: { type: "text", text: expect.stringContaining("search for no others") } },
          {
            role: "user",
            content: {
              type: "text",
              text: "Summarise these articles.",
              metadata: { news_context: { start: now - 1, end: now } },
            },
          },
        ],
      },
    ]);
    expect(wordsOf(last)).toMatch(/\*Sources\* .*Oil rises.*Gas falls/);
    expect(wordsOf(last)).not.toContain("credit");
    expect(buttonsOf(last)).toEqual({
      "Ask about these": `about ${key}`,
      "Get a digest": `follow ${key}`,
      "Get alerts": 'alerts add search "oil"',
    });
    expect(await to.conversations.get("T1 C1 100.1")).toMatchObject({ articles: [{ key, count: 2 }] });
  });

  it("sums up what is new since a spike, or all if nothing is", async () => {
    const dated = [article({ id: 11, published: now - 3 }), article({ id: 12, published: now - 1 })];
    const { key, sent, to } = await listed({ articles: dated });
    await summed(`${key} ${now - 2}`, to);
    await summed(`${key} ${now}`, to);
    expect(sent.map(({ messages }) => messages[0])).toEqual([
      { role: "user", content: { type: "svc_news", articleIds: [12] } },
      { role: "user", content: { type: "svc_news", articleIds: [11, 12] } },
    ]);
  });

  it("sums up one article of the list, by its headline", async () => {
    const { key, sent, to } = await listed();
    const { last } = await summed(`${key}:2`, to);
    expect(sent[0]?.messages[0]).toEqual({ role: "user", content: { type: "svc_news", articleIds: [12] } });
    expect(last.text).toMatch(/^Summary: Gas falls\nOil rises\.\n/);
    const [, alone = ""] = buttonsOf(last)["Ask about it"]?.split(" ") ?? [];
    expect(await to.lists.get(alone, "T1")).toMatchObject({ title: "Gas falls", articles: [{ id: 12 }], total: 1 });
  });

  it("goes by the name of a list that was not searched for, and offers no subscription to what ends", async () => {
    const { key, to } = await listed({ title: "New since yesterday <b>", source: undefined });
    const { last } = await summed(key, to);
    expect(last.text).toMatch(/^Summary: New since yesterday &lt;b&gt;\nOil rises\.\n/);
    expect(buttonsOf(last)).toEqual({ "Ask about these": `about ${key}` });
  });

  it("says so if the list is gone or empty, or if nothing was written", async () => {
    const { to } = await listed();
    expect(await hintOf(sum, asking("00000000-0000-0000-0000-000000000000"), to)).toMatch(/a week.*is gone/);
    const empty = await listed({ articles: [] });
    expect(await hintOf(sum, asking(empty.key), empty.to)).toContain("no articles");
    const mute = await listed({}, { intelligence: { generate: () => streamOf<GenerateEvent>() } });
    const { error } = await summed(mute.key, { ...mute.to, lists: mute.to.lists });
    expect(error).toBeInstanceOf(UnexpectedAnswer);
  });
});
