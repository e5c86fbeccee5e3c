import { describe, expect, it } from "vitest";
import { UnexpectedAnswer } from "../../../src/apis/errors.ts";
import type { ApiCall, Http, JsonCall } from "../../../src/apis/http.ts";
import { createIntelligence } from "../../../src/apis/intelligence/client.ts";
import type { GenerateEvent, GenerativeMessage } from "../../../src/apis/intelligence/generate.ts";
import type { ServerEvent } from "../../../src/apis/sse.ts";
import { streamOf } from "../../support/builders.ts";
import { emptyCache } from "../../support/wire.ts";
import { collect } from "../line.ts";

const question: GenerativeMessage = { role: "user", content: { type: "text", text: "Why?" } };
const say = (text: string): GenerativeMessage => ({ role: "assistant", content: { type: "text", text } });

/** A service that answers with these events, and the calls that it got. */
function serviceOf(events: ServerEvent[]) {
  const calls: ApiCall[] = [];
  const http: Http = {
    json: async <T>(call: JsonCall<T>) => call.schema.parse({ token: "t", userId: 1, expires: 9e12 }),
    async stream(call) {
      calls.push(call);
      return { events: streamOf(...events), requestId: "r-1" };
    },
  };
  const warnings: string[] = [];
  const log = { warn: (name: string) => void warnings.push(name) };
  const setting = { credentials: {}, model: "m", cache: emptyCache(), now: () => 0, log };
  return { calls, warnings, intelligence: createIntelligence({ http, ...setting }) };
}

function generated(...events: ServerEvent[]): Promise<GenerateEvent[]> {
  return collect(serviceOf(events).intelligence.generate({ messages: [question] }));
}

const text = (words: string): GenerateEvent => ({ type: "text", text: words });
const said = (words: string): ServerEvent => ({
  event: "message",
  data: JSON.stringify({ type: "ai_part", message: say(words) }),
});

describe("a stream", () => {
  it.each<[string, ServerEvent]>([
    ["an empty ping", { event: "ping", data: "" }],
    ["an empty event", { event: "message", data: "" }],
    ["another event", { event: "heartbeat", data: "{}" }],
  ])("is not cut off by %s, nor spoiled by it at its end", async (_, other) => {
    expect(await generated(other, said("One. "), other, said("Two."), other)).toEqual([text("One. "), text("Two.")]);
  });
});

it("a result of a tool is read so far, however many articles it names, and a message so many calls", async () => {
  const articleIds = Array.from({ length: 2_000 }, (_, index) => index);
  const articles = articleIds.map((id) => ({ id, title: "t", url: `https://a.example/${id}` }));
  const calls = articleIds.map((id) => ({ id: `${id}`, name: "search", args: {} }));
  const found = { type: "svc_news", articleIds, articles, metadata: { tool_call_id: "1" } };
  const asked = { type: "text", text: "", metadata: { tool_calls: calls } };
  const events = await generated(
    { event: "message", data: JSON.stringify({ type: "tool_start", message: { role: "assistant", content: asked } }) },
    { event: "message", data: JSON.stringify({ type: "tool_finish", message: { role: "tool", content: found } }) },
    said("So."),
  );
  expect(events).toMatchObject([{ type: "tool_start" }, { type: "tool_finish", callId: "1" }, text("So.")]);
  const [started, finished] = events;
  expect(started?.type === "tool_start" && started.calls.length).toBe(100);
  expect(finished?.type === "tool_finish" && [finished.articleIds.length, finished.articles?.length]).toEqual([
    1_000, 200,
  ]);
});

it.each([
  [10_000, 1],
  [50, 40_000],
])("lets others work while %i results are read that name %i articles", async (results, named) => {
  const articleIds = Array.from({ length: named }, (_, index) => index);
  const message = { role: "tool", content: { type: "svc_news", articleIds } };
  const found = { event: "message", data: JSON.stringify({ type: "tool_finish", message }) };
  let turns = 0;
  const count = () => void (turns++, (next = setImmediate(count)));
  let next = setImmediate(count);
  await generated(...Array.from({ length: results }, () => found), said("So."));
  clearImmediate(next);
  expect(turns).toBeGreaterThan(results === 50 ? 40 : 90);
});

const result = (content: unknown): ServerEvent => ({
  event: "message",
  data: JSON.stringify({ type: "tool_finish", message: { role: "tool", content } }),
});
const found = (more: object) => result({ type: "svc_news", articleIds: [7], ...more });

it.each([
  ["one result of 10 MB", [found({ full: "x".repeat(10_000_000) })], 0],
  ["100 results of 100 kB", Array.from({ length: 100 }, () => found({ full: "x".repeat(100_000) })), 40],
  ["10,000 results of 1 kB", Array.from({ length: 10_000 }, () => found({ full: "x".repeat(1_000) })), 4_000],
])("of %s no more is read than an answer needs, with one line in the log and every word", async (_, results, most) => {
  const { intelligence, warnings } = serviceOf([said("One. "), ...results, said("Two.")]);
  const events = await collect(intelligence.generate({ messages: [question] }));
  expect(events.filter(({ type }) => type === "text")).toEqual([text("One. "), text("Two.")]);
  expect(events.length - 2).toBeLessThanOrEqual(most);
  expect(warnings).toEqual(["intelligence.tool-result.dropped"]);
});

it("a part of the text is never passed over: one that is longer than any answer ends it", async () => {
  const { intelligence } = serviceOf([said("One. "), said("x".repeat(300_000)), said("Two.")]);
  await expect(collect(intelligence.generate({ messages: [question] }))).rejects.toThrow(UnexpectedAnswer);
});

it("a request carries the messages exactly as they are", async () => {
  const stages = [{ not: false, entities: [{ type: "entity", value: 9001 }] }];
  const news_context = { start: 1795161600000, end: 1795248000000, stages, sorting: "relevance", useFullText: true };
  const messages: GenerativeMessage[] = [
    {
      role: "user",
      content: { type: "svc_news", articleIds: [5, 6], useFullText: false, count: 2, sorting: "date", stages },
    },
    { role: "user", content: { type: "svc_template_summary", tone: "dry" } },
    { role: "user", content: { type: "text", text: "Why?", metadata: { news_context } } },
  ];
  const { calls, intelligence } = serviceOf([said("So.")]);
  expect(await collect(intelligence.generate({ messages }))).toEqual([text("So.")]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.body).toEqual({ version: "1", model: "m", messages, streaming: true });
});
