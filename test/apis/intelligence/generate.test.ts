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
const search = { id: "c1", name: "search", args: {}, type: "tool_call" } as const;

/** A service that answers with these events, and the calls that it got. */
function serviceOf(events: ServerEvent[]) {
  const calls: ApiCall[] = [];
  const facts = { rate: {}, requestId: "r-1" };
  const http: Http = {
    json: async <T>(call: JsonCall<T>) => ({
      value: call.schema.parse({ token: "t", userId: 1, expires: 9e12 }),
      ...facts,
    }),
    async stream(call) {
      calls.push(call);
      return { events: streamOf(...events), ...facts };
    },
  };
  const setting = { credentials: {}, model: "m", cache: emptyCache(), now: () => 0 };
  return { calls, intelligence: createIntelligence({ http, ...setting }) };
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
    ["a ping with words", { event: "ping", data: "keep-alive" }],
    ["an end", { event: "end", data: "end" }],
    ["an empty event", { event: "message", data: "" }],
    ["another event", { event: "heartbeat", data: "{}" }],
  ])("is not cut off by %s, nor spoiled by it at its end", async (_, other) => {
    expect(await generated(other, said("One. "), other, said("Two."), other)).toEqual([text("One. "), text("Two.")]);
  });

  it.each<[string, ServerEvent]>([
    ["an event", { event: "message", data: "{half" }],
    ["an event without JSON", { event: "message", data: "half" }],
    ["an event of another name", { event: "ai_part", data: "{half" }],
  ])("is no whole answer where %s cannot be read", async (_, broken) => {
    await expect(generated(said("So"), broken)).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

describe("a complete answer in place of a stream", () => {
  const called: GenerativeMessage = {
    role: "assistant",
    content: { type: "text", text: "", metadata: { tool_calls: [search] } },
  };
  const result: GenerativeMessage = {
    role: "tool",
    content: { type: "svc_news", articleIds: [5], metadata: { tool_call_id: "c1" } },
  };
  const added = [called, result, say("Because.")];
  const complete = (messages: unknown): ServerEvent => ({ event: "json", data: JSON.stringify({ messages }) });

  it.each([
    ["after the thread that was sent", [question, say("Well."), question, ...added]],
    ["alone", added],
  ])("brings what was added, %s", async (_, messages) => {
    expect(await generated(complete(messages))).toEqual([
      { type: "tool_start", message: called, calls: [search] },
      { type: "tool_finish", message: result, callId: "c1", articleIds: [5] },
      text("Because."),
    ]);
  });

  it("sets messages apart as paragraphs", async () => {
    const messages = [say("One."), say(""), say("Two.")];
    expect(await generated(complete(messages))).toEqual([text("One."), text("\n\nTwo.")]);
  });

  it.each([[[question]], [[]], [undefined]])("without anything added is none: %j", async (messages) => {
    await expect(generated(complete(messages))).rejects.toMatchObject({ name: "UnexpectedAnswer", requestId: "r-1" });
  });
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
  expect(calls[0]).toMatchObject({ accept: "text/event-stream" });
  expect(calls[0]?.body).toEqual({ version: "1", model: "m", messages, streaming: true });
});
