import { describe, expect, test } from "vitest";
import { recentArticles } from "../../../local/sandbox/news.ts";
import { answerTo, generate, generateBody, NOON, sandboxFor, user } from "./client.ts";
const injected = (articleIds: unknown[]) => ({ role: "user", content: { type: "svc_news", articleIds } });
const idsIn = ({ tools }: Awaited<ReturnType<typeof answerTo>>) => tools[0]?.content.articleIds ?? [];

describe("what an answer stands on", () => {
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
