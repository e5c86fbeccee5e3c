import { describe, expect, test } from "vitest";
import { recentArticles } from "../../../local/sandbox/news.ts";
import { answerTo, generate, generateBody, NOON, sandboxFor, user } from "./client.ts";
const injected = (articleIds: unknown[]) => ({ role: "user", content: { type: "svc_news", articleIds } });
const idsIn = ({ tools }: Awaited<ReturnType<typeof answerTo>>) => tools[0]?.content.articleIds ?? [];

describe("a complete answer", () => {
  test("is the whole thread", async () => {
    const { thread, added } = await answerTo(await sandboxFor(), [user("What is new at Dunmara?")]);
    expect(thread[0]).toMatchObject(user("What is new at Dunmara?"));
    expect(added.map((message) => message.role)).toEqual(["assistant", "tool", "assistant"]);
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
    ["another version", [question], { version: "0" }],
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
});
