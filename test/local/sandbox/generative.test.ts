import { describe, expect, test } from "vitest";
import { recentArticles } from "../../../local/sandbox/news.ts";
import { answerTo, eventsIn, generate, generateBody, NOON, sandboxFor, streamedAnswer, user } from "./client.ts";

/** A question about Volkerath whose search is limited. */
const limited = (news_context: unknown) => {
  const content = { type: "text", text: "What is new at Volkerath?", metadata: { news_context } };
  return { role: "user", content };
};
const injected = (articleIds: unknown[]) => ({ role: "user", content: { type: "svc_news", articleIds } });
const idsIn = ({ tools }: Awaited<ReturnType<typeof answerTo>>) => tools[0]?.content.articleIds ?? [];

describe("a stream", () => {
  test("of version 1 searches first, then writes the complete answer in many parts", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const question = [user("Why is Novalith in the news?")];
    const response = await generate(sandbox, generateBody(question));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const { parsed, parts, text } = await streamedAnswer(response);
    const [start, finish] = parsed;
    const [call] = start?.message.content.metadata?.tool_calls ?? [];
    expect(start).toMatchObject({ type: "tool_start", message: { role: "assistant" } });
    expect(call).toMatchObject({ name: "search_news", type: "tool_call", args: { query: "Novalith Semiconductor" } });
    expect(finish).toMatchObject({ type: "tool_finish", message: { role: "tool", content: { type: "svc_news" } } });
    expect(finish?.message.content.metadata?.tool_call_id).toBe(call?.id);
    expect(parts.length).toBeGreaterThan(20);
    expect(text).toContain("**Novalith Semiconductor**");
    expect(text).toBe((await answerTo(sandbox, question)).text);
  });

  test("of version 0 carries plain text with its line breaks, and tools as messages of their own", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const question = [user("What about Umbani?")];
    const response = await generate(sandbox, generateBody(question, { version: "0" }));
    const events = eventsIn(await response.text());
    expect(events.slice(0, 2).map((one) => one.event)).toEqual(["start_tool", "finish_tool"]);
    const articleIds = expect.arrayContaining([expect.any(Number)]);
    expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({ role: "tool", content: { articleIds } });
    const text = events.filter((one) => one.event === "chat_message").map((one) => one.data);
    expect(text.join("")).toBe((await answerTo(sandbox, question)).text);
    expect(text.join("")).toContain("\n\n");
  });
});

describe("a complete answer", () => {
  test.each(["0", "1"])("of version %s is the whole thread", async (version) => {
    const { thread, added } = await answerTo(await sandboxFor(), [user("What is new at Dunmara?")], { version });
    expect(thread[0]).toMatchObject(user("What is new at Dunmara?"));
    expect(added.map((message) => message.role)).toEqual(["assistant", "tool", "assistant"]);
  });

  test("can be sent back as the start of the next question", async () => {
    const sandbox = await sandboxFor();
    const first = await answerTo(sandbox, [user("What is new at Halvorsen?")]);
    const second = await answerTo(sandbox, [...first.thread, user("And why?")]);
    expect(second.tools).toEqual([]);
    expect(second.text).toContain("**Halvorsen Marine**");
    expect(second.text).not.toBe(first.text);
  });

  test("is by the question: its causes where it asks why, a table where it wants one", async () => {
    const sandbox = await sandboxFor();
    expect((await answerTo(sandbox, [user("Why did Volkerath recall cars?")])).text).toMatch(/^What .* as the reason/);
    expect((await answerTo(sandbox, [user("Pinemont as a table")])).text).toContain("| --- | --- | --- |");
  });

  test("cites platform pages that exist, or direct addresses where asked", async () => {
    const sandbox = await sandboxFor();
    const question = [user("What is new at Crownfield?")];
    const { text } = await answerTo(sandbox, question);
    const page = await fetch(/\((http:\/\/127[^)]+)\)/.exec(text)?.[1] ?? "");
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<h1>")]);
    expect((await fetch(`${sandbox.url}/articles/999`)).status).toBe(404);
    const direct = await answerTo(sandbox, question, { useDirectArticleURL: true });
    expect(direct.text).toMatch(/\]\(https:\/\/www\.[a-z-]+\.example\//);
    expect(direct.text).not.toContain("127.0.0.1");
  });
});

describe("what an answer stands on", () => {
  test.each(["What happened at Avelane?", "Anything on AVLN?"])(
    "%s is about the company that is meant",
    async (text) => {
      const { added } = await answerTo(await sandboxFor(), [user(text)]);
      expect(added[0]?.content.metadata?.tool_calls?.[0]?.args["query"]).toBe("Avelane Therapeutics");
      expect(added.at(-1)?.content.text).toContain("**Avelane Therapeutics**");
    },
  );

  test("articles in the thread, by their IDs or quoted with their addresses, are used alone and without a search", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const ids = idsIn(await answerTo(sandbox, [user("What is new at Elverum?")])).slice(0, 2);
    const articles = recentArticles(NOON).filter(({ id }) => ids.includes(id));
    const quoted = articles.map(({ title, url, summary }) => `${title}\n${url}\n${summary}`).join("\n\n");
    for (const given of [injected(ids), user(`Stand on these:\n\n${quoted}`)]) {
      const { tools, text } = await answerTo(sandbox, [given, user("Summarise these.")]);
      expect(tools).toEqual([]);
      const cited = [...text.matchAll(/\/articles\/(\d+)\)/g)].map((match) => Number(match[1]));
      expect(new Set(cited)).toEqual(new Set(ids));
    }
  });

  test("several entities are joined by AND, and looked for one by one where nothing carries all", async () => {
    const sandbox = await sandboxFor();
    expect((await answerTo(sandbox, [user("Novalith and Ardenne?")])).tools).toHaveLength(1);
    const apart = await answerTo(sandbox, [user("Compare Medalyn with Maple Harbour Rail")]);
    expect(apart.tools.map((tool) => (tool.content.articleIds ?? []).length > 0)).toEqual([false, true, true]);
  });

  test("a question that names nothing tells who stands out, and an unknown name nothing else", async () => {
    const sandbox = await sandboxFor();
    expect((await answerTo(sandbox, [user("What's the latest?")])).text).toMatch(/^Standing out from/);
    const unknown = await answerTo(sandbox, [user("What is new at Zorblax Industries?")]);
    expect(unknown.text).toContain("found nothing about “zorblax industries”");
    expect(idsIn(unknown)).toEqual([]);
  });

  test("the latest news_context limits time and stages of the search", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const found = async (context: unknown) => idsIn(await answerTo(sandbox, [limited(context)]));
    expect(await found({ end: NOON - 40 * 86_400_000 })).toEqual([]);
    const stages = [{ not: false, entities: [{ type: "entity", value: 40_016 }] }];
    const recalls = await found({ stages, end: NOON });
    expect(recalls.length).toBeGreaterThan(0);
    expect(recalls).not.toEqual(await found({ end: NOON }));
  });
});

describe("a request that is not as documented", () => {
  const question = user("What is new?");
  const answer = { role: "assistant", content: { type: "text", text: "Well." } };
  const call = { id: "c1", name: "search_news", args: {}, type: "tool_call" };
  const called = { role: "assistant", content: { type: "text", text: "", metadata: { tool_calls: [call] } } };
  const result = (id?: string) => {
    const metadata = id && { metadata: { tool_call_id: id } };
    return { role: "tool", content: { type: "svc_news", articleIds: [], ...metadata } };
  };

  test.each<[string, unknown[], Record<string, unknown>?]>([
    ["no version", [question], { version: undefined }],
    ["a version that is a number", [question], { version: 1 }],
    ["version 2", [question], { version: "2" }],
    ["no model", [question], { model: undefined }],
    ["no streaming", [question], { streaming: undefined }],
    ["a direct-URL switch that is no boolean", [question], { useDirectArticleURL: "yes" }],
    ["no messages", []],
    ["an unknown role", [{ ...question, role: "system" }]],
    ["an unknown content type", [{ role: "user", content: { type: "image" } }]],
    ["a text without text", [{ role: "user", content: { type: "text" } }]],
    ["article IDs that are text", [injected(["1"])]],
    ["a tool message without an ID", [question, called, result()]],
    ["a tool message that nobody called", [question, called, result("c2")]],
    ["a tool message before its call", [question, result("c1"), called]],
    ["tool calls by the user", [{ ...called, role: "user" }]],
    ["an answer as the last message", [question, answer]],
  ])("is refused with 400: %s", async (_what, messages, changes) => {
    const response = await generate(await sandboxFor(), generateBody(messages, changes));
    expect([response.status, await response.json()]).toEqual([400, { error: expect.any(String) }]);
  });

  test("is none where a tool message refers to its call", async () => {
    const response = await generate(await sandboxFor(), generateBody([question, called, result("c1")]));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});
