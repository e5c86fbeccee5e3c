import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recentArticles } from "../../../local/sandbox/news.ts";
import {
  answerTo,
  ask,
  eventsIn,
  generate,
  generateBody,
  login,
  NOON,
  sandboxFor,
  streamedAnswer,
  user,
} from "./client.ts";

/** A question about Volkerath whose search is limited. */
function asked(news_context: unknown) {
  const content = { type: "text", text: "What is new at Volkerath?", metadata: { news_context } };
  return { role: "user", content };
}

function result(id?: string) {
  return { role: "tool", content: { type: "svc_news", articleIds: [], ...(id && { metadata: { tool_call_id: id } }) } };
}

function injected(articleIds: number[]) {
  return { role: "user", content: { type: "svc_news", articleIds } };
}

describe("a stream of version 1", () => {
  test("searches first, then writes the answer in many parts", async () => {
    const sandbox = await sandboxFor();
    const response = await generate(sandbox, generateBody([user("What is new at Novalith?")]));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const { parsed, parts, text } = await streamedAnswer(response);
    const [start, finish] = parsed;
    const [call] = start?.message.content.metadata?.tool_calls ?? [];
    expect(start).toMatchObject({ type: "tool_start", message: { role: "assistant" } });
    expect(call).toMatchObject({ name: "search_news", type: "tool_call" });
    expect(call?.args["query"]).toBe("Novalith Semiconductor");
    expect(finish).toMatchObject({ type: "tool_finish", message: { role: "tool", content: { type: "svc_news" } } });
    expect(finish?.message.content.metadata?.tool_call_id).toBe(call?.id);
    expect(parts.length).toBeGreaterThan(20);
    expect(text).toContain("**Novalith Semiconductor**");
  });

  test("puts together to the same text as the complete answer", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const question = [user("Why is Aérian in the news?")];
    const { text } = await streamedAnswer(await generate(sandbox, generateBody(question)));
    expect(text).toBe((await answerTo(sandbox, question)).text);
  });
});

describe("a stream of version 0", () => {
  test("carries plain text with its line breaks, and tools as messages of their own", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const question = [user("What about Umbani?")];
    const response = await generate(sandbox, generateBody(question, { version: "0" }));
    const events = eventsIn(await response.text());
    expect(events.slice(0, 2).map((one) => one.event)).toEqual(["start_tool", "finish_tool"]);
    const Tool = z.looseObject({
      role: z.literal("tool"),
      content: z.looseObject({ articleIds: z.array(z.int()).min(1) }),
    });
    expect(Tool.safeParse(JSON.parse(events[1]?.data ?? "")).success).toBe(true);
    const text = events.filter((one) => one.event === "chat_message").map((one) => one.data);
    expect(text.join("")).toBe((await answerTo(sandbox, question)).text);
    expect(text.join("")).toContain("\n\n");
  });
});

describe("a complete answer", () => {
  test.each(["0", "1"])("of version %s is the whole thread", async (version) => {
    const sandbox = await sandboxFor();
    const { thread, added } = await answerTo(sandbox, [user("What is new at Dunmara?")], { version });
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
});

describe("what an answer stands on", () => {
  test("the same question is answered differently for different companies", async () => {
    const sandbox = await sandboxFor();
    const volkerath = await answerTo(sandbox, [user("What happened at Volkerath?")]);
    const avelane = await answerTo(sandbox, [user("What happened at Avelane?")]);
    expect(volkerath.text).not.toContain("Avelane");
    expect(avelane.text).toContain("**Avelane Therapeutics**");
  });

  test("entities are recognised by symbol and by FIGI", async () => {
    const sandbox = await sandboxFor();
    const { headers } = await login(sandbox);
    const { json } = await ask(`${sandbox.intelligenceUrl}/entity/ids/10018`, { headers });
    const [entity] = z.array(z.object({ name: z.string(), metadata: z.object({ figi: z.string() }) })).parse(json);
    for (const word of ["AVLN", entity?.metadata.figi]) {
      const { added } = await answerTo(sandbox, [user(`Anything on ${word}?`)]);
      expect(added[0]?.content.metadata?.tool_calls?.[0]?.args["query"]).toBe(
        word === "AVLN" ? "Avelane Therapeutics" : entity?.name,
      );
    }
  });

  test("articles in the thread are used without a search, and only they are quoted", async () => {
    const sandbox = await sandboxFor();
    const found = await answerTo(sandbox, [user("What is new at Elverum?")]);
    const ids = found.tools[0]?.content.articleIds?.slice(0, 2) ?? [];
    const { tools, text } = await answerTo(sandbox, [injected(ids), user("Summarise these.")]);
    expect(tools).toEqual([]);
    const quoted = [...text.matchAll(/\/articles\/(\d+)\)/g)].map((match) => Number(match[1]));
    expect(new Set(quoted)).toEqual(new Set(ids));
  });

  test("articles that are quoted in the thread with their addresses count as given", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const found = await answerTo(sandbox, [user("What is new at Elverum?")]);
    const ids = found.tools[0]?.content.articleIds?.slice(0, 2) ?? [];
    const quoted = recentArticles(NOON).filter(({ id }) => ids.includes(id));
    expect(quoted).toHaveLength(2);
    const words = quoted.map(({ title, url, summary }, at) => `${at + 1}. ${title}\n${url}\n${summary}`).join("\n\n");
    const { tools, text } = await answerTo(sandbox, [user(`Stand on these:\n\n${words}`), user("Summarise these.")]);
    expect(tools).toEqual([]);
    const cited = [...text.matchAll(/\/articles\/(\d+)\)/g)].map((match) => Number(match[1]));
    expect(new Set(cited)).toEqual(new Set(ids));
  });

  test("a question that goes beyond the articles in the thread is searched for", async () => {
    const sandbox = await sandboxFor();
    const found = await answerTo(sandbox, [user("What is new at Elverum?")]);
    const ids = found.tools[0]?.content.articleIds ?? [];
    const { tools } = await answerTo(sandbox, [injected(ids), user("And what about Solara Verde?")]);
    expect(tools).toHaveLength(1);
  });

  test("several entities are joined by AND, and looked for one by one where nothing carries all", async () => {
    const sandbox = await sandboxFor();
    const together = await answerTo(sandbox, [user("Novalith and Ardenne?")]);
    expect(together.tools).toHaveLength(1);
    const apart = await answerTo(sandbox, [user("Compare Medalyn with Maple Harbour Rail")]);
    expect(apart.tools.map((tool) => (tool.content.articleIds ?? []).length > 0)).toEqual([false, true, true]);
  });

  test("a question that names nothing tells who stands out", async () => {
    const sandbox = await sandboxFor();
    expect((await answerTo(sandbox, [user("What's the latest?")])).text).toMatch(/^Standing out from/);
  });

  test("a name that nobody knows is not answered with something else", async () => {
    const sandbox = await sandboxFor();
    const { text, tools } = await answerTo(sandbox, [user("What is new at Zorblax Industries?")]);
    expect(text).toContain("found nothing about “zorblax industries”");
    expect(tools[0]?.content.articleIds).toEqual([]);
  });

  test("the latest news_context limits time and stages of the search", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const early = await answerTo(sandbox, [asked({ end: NOON - 40 * 86_400_000 })]);
    expect(early.tools[0]?.content.articleIds).toEqual([]);
    const stages = [{ not: false, entities: [{ type: "entity", value: 40_016 }] }];
    const recalls = await answerTo(sandbox, [asked({ stages, end: NOON })]);
    const all = await answerTo(sandbox, [asked({ end: NOON })]);
    const ids = (answer: typeof all) => answer.tools[0]?.content.articleIds ?? [];
    expect(ids(recalls).length).toBeGreaterThan(0);
    expect(ids(recalls)).not.toEqual(ids(all));
  });

  test("seconds and milliseconds are told apart in a news_context", async () => {
    const sandbox = await sandboxFor({ now: () => NOON });
    const news_context = { start: NOON / 1000 - 9 * 86_400, end: NOON / 1000 };
    const { tools } = await answerTo(sandbox, [asked(news_context)]);
    expect(tools[0]?.content.articleIds?.length).toBeGreaterThan(0);
  });
});

describe("the form of an answer", () => {
  test("cites platform pages that exist, or direct addresses where asked", async () => {
    const sandbox = await sandboxFor();
    const { text } = await answerTo(sandbox, [user("What is new at Crownfield?")]);
    const link = /\((http:\/\/127[^)]+)\)/.exec(text)?.[1] ?? "";
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<h1>")]);
    const direct = await answerTo(sandbox, [user("What is new at Crownfield?")], { useDirectArticleURL: true });
    expect(direct.text).toMatch(/\]\(https:\/\/www\.[a-z-]+\.example\//);
    expect(direct.text).not.toContain("127.0.0.1");
  });

  test("is long, a table or code where the question says so", async () => {
    const sandbox = await sandboxFor();
    const words = (await answerTo(sandbox, [user("Tell me in detail about Pinemont")])).text.split(/\s+/).length;
    expect(words).toBeGreaterThan(1300);
    expect(words).toBeLessThan(1800);
    expect((await answerTo(sandbox, [user("Pinemont as a table")])).text).toContain("| --- | --- | --- |");
    expect((await answerTo(sandbox, [user("Show the code for Pinemont")])).text).toContain("```json\n");
  });

  test("answers who and why with the people and the causes in the reports", async () => {
    const sandbox = await sandboxFor();
    const who = await answerTo(sandbox, [user("Who is behind the Novalith deal with Ardenne?")]);
    expect(who.text).toMatch(/Whitcombe|Aalsvoort/);
    const why = await answerTo(sandbox, [user("Why did Volkerath recall cars?")]);
    expect(why.text).toMatch(/reason|cause/);
  });
});

describe("a request that is not as documented", () => {
  const call = { id: "c1", name: "search_news", args: {}, type: "tool_call" };
  const called = { role: "assistant", content: { type: "text", text: "", metadata: { tool_calls: [call] } } };
  const question = user("What is new?");

  test.each<[string, Record<string, unknown>]>([
    ["no version", generateBody([question], { version: undefined })],
    ["a version that is a number", generateBody([question], { version: 1 })],
    ["version 2", generateBody([question], { version: "2" })],
    ["no model", generateBody([question], { model: undefined })],
    ["no streaming", generateBody([question], { streaming: undefined })],
    ["no messages", generateBody([])],
    ["an unknown role", generateBody([{ ...question, role: "system" }])],
    ["an unknown content type", generateBody([{ role: "user", content: { type: "image" } }])],
    ["a text without text", generateBody([{ role: "user", content: { type: "text" } }])],
    ["article IDs that are text", generateBody([{ role: "user", content: { type: "svc_news", articleIds: ["1"] } }])],
    ["a tool message without an ID", generateBody([question, called, result()])],
    ["a tool message that nobody called", generateBody([question, called, result("c2")])],
    ["a tool message before its call", generateBody([question, result("c1"), called])],
    ["tool calls by the user", generateBody([{ ...called, role: "user" }])],
    [
      "an answer as the last message",
      generateBody([question, { role: "assistant", content: { type: "text", text: "Well." } }]),
    ],
    ["a direct-URL switch that is no boolean", generateBody([question], { useDirectArticleURL: "yes" })],
  ])("is refused with 400: %s", async (_what, body) => {
    const response = await generate(await sandboxFor(), body);
    expect(response.status).toBe(400);
    expect(z.strictObject({ error: z.string().min(1) }).safeParse(await response.json()).success).toBe(true);
  });

  test("a tool message that refers to its call is accepted", async () => {
    const response = await generate(await sandboxFor(), generateBody([question, called, result("c1")]));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});
