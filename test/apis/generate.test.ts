import { describe, expect, it } from "vitest";
import { UnexpectedAnswer } from "../../src/apis/errors.ts";
import type { Call, Http, JsonCall } from "../../src/apis/call.ts";
import { createIntelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateEvent, GenerateRequest, GenerativeMessage } from "../../src/apis/intelligence/generate.ts";
import type { ServerEvent } from "../../src/apis/sse.ts";
import { emptyCache } from "../support/wire.ts";
import { collect } from "./line.ts";

const question: GenerativeMessage = { role: "user", content: { type: "text", text: "Why?" } };
const say = (text: string): GenerativeMessage => ({ role: "assistant", content: { type: "text", text } });
const search = { id: "c1", name: "search", args: {}, type: "tool_call" } as const;

interface Given {
  events?: ServerEvent[];
  json?: unknown;
}

/** A service that answers with these events or this JSON, and the calls that it got. */
function serviceOf({ events = [], json }: Given) {
  const calls: Call[] = [];
  const known = { rate: {}, requestId: "r-1" };
  const answer = async <T>(call: JsonCall<T>) => {
    if (call.operation === "login") return call.schema.parse({ token: "t", userId: 1, expires: 9e12 });
    calls.push(call);
    return call.schema.parse(json);
  };
  const http: Http = {
    json: async (call) => ({ value: await answer(call), ...known }),
    async stream(call) {
      calls.push(call);
      return { events: each(events), ...known };
    },
  };
  const setting = { credentials: {}, model: "m", cache: emptyCache(), now: () => 0 };
  return { calls, intelligence: createIntelligence({ http, ...setting }) };
}

async function* each<T>(items: T[]): AsyncIterable<T> {
  yield* items;
}

function generated(given: Given, request: Partial<GenerateRequest> = {}): Promise<GenerateEvent[]> {
  return collect(serviceOf(given).intelligence.generate({ messages: [question], ...request }));
}

const part = (data: string): ServerEvent => ({ event: "chat_message", data });
const text = (words: string): GenerateEvent => ({ type: "text", text: words });

describe("version 0", () => {
  const version = "0";

  it("brings text as it is, also where it looks like JSON or like the end", async () => {
    const events = ["{half", "[1]", "", "[DONE]", " \n\nafter"].map(part);
    expect(await generated({ events }, { version })).toEqual(["{half", "[1]", "[DONE]", " \n\nafter"].map(text));
  });

  it.each([
    ["beside bare text", { role: "assistant", content: "Searching", metadata: { tool_calls: [search] } }],
    ["beside no content", { role: "assistant", metadata: { tool_calls: [search] } }],
    [
      "inside the content",
      { role: "assistant", content: { type: "text", text: "", metadata: { tool_calls: [search] } } },
    ],
  ])("brings tool calls from metadata %s", async (_, message) => {
    const events = [{ event: "start_tool", data: JSON.stringify(message) }];
    const [first] = await generated({ events }, { version });
    expect(first).toMatchObject({
      type: "tool_start",
      calls: [search],
      message: { content: { type: "text", metadata: { tool_calls: [search] } } },
    });
  });

  it("passes over events of other names and shapes", async () => {
    const events = [{ event: "heartbeat", data: "{}" }, { event: "start_tool", data: "[1]" }, part("Calm.")];
    expect(await generated({ events }, { version })).toEqual([text("Calm.")]);
  });

  it("does not pass a broken tool event for an answer", async () => {
    const events = [part("So"), { event: "finish_tool", data: "{half" }];
    await expect(generated({ events }, { version })).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

describe("version 1", () => {
  const said = (words: string): ServerEvent => ({
    event: "message",
    data: JSON.stringify({ type: "ai_part", message: say(words) }),
  });

  it.each<[string, ServerEvent]>([
    ["an empty ping", { event: "ping", data: "" }],
    ["a ping with words", { event: "ping", data: "keep-alive" }],
    ["an end", { event: "end", data: "end" }],
    ["an empty event", { event: "message", data: "" }],
    ["another event", { event: "heartbeat", data: "{}" }],
  ])("is not cut off by %s, nor spoiled by it at its end", async (_, other) => {
    const events = [other, said("One. "), other, said("Two."), other];
    expect(await generated({ events })).toEqual([text("One. "), text("Two.")]);
  });

  it.each<[string, ServerEvent]>([
    ["an event", { event: "message", data: "{half" }],
    ["an event without JSON", { event: "message", data: "half" }],
    ["an event of another name", { event: "ai_part", data: "{half" }],
  ])("is no whole answer where %s cannot be read", async (_, broken) => {
    await expect(generated({ events: [said("So"), broken] })).rejects.toBeInstanceOf(UnexpectedAnswer);
  });
});

describe("a complete answer", () => {
  const called: GenerativeMessage = {
    role: "assistant",
    content: { type: "text", text: "", metadata: { tool_calls: [search] } },
  };
  const result: GenerativeMessage = {
    role: "tool",
    content: { type: "svc_news", articleIds: [5], metadata: { tool_call_id: "c1" } },
  };
  const added = [called, result, say("Because.")];
  const events: GenerateEvent[] = [
    { type: "tool_start", message: called, calls: [search] },
    { type: "tool_finish", message: result, callId: "c1", articleIds: [5] },
    text("Because."),
  ];

  it.each([
    ["after the thread that was sent", [question, say("Well."), question, ...added]],
    ["after what truncation has left of it", [say("Well."), question, ...added]],
    ["alone", added],
  ])("brings what was added, %s", async (_, messages) => {
    const sent = [question, say("Well."), question];
    expect(await generated({ json: { messages } }, { messages: sent, streaming: false })).toEqual(events);
  });

  it("in place of a stream brings the same", async () => {
    const instead = [{ event: "json", data: JSON.stringify({ messages: [question, ...added] }) }];
    expect(await generated({ events: instead })).toEqual(events);
  });

  it("sets messages apart as paragraphs", async () => {
    const messages = [say("One."), say(""), say("Two.")];
    expect(await generated({ json: { messages } }, { streaming: false })).toEqual([text("One."), text("\n\nTwo.")]);
  });

  it.each([{ messages: [question] }, { messages: [] }, {}])("without anything added is none: %j", async (json) => {
    await expect(generated({ json }, { streaming: false })).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      requestId: "r-1",
    });
  });
});

describe("the request", () => {
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

  it.each<[Partial<GenerateRequest>, object, string | undefined]>([
    [{}, { version: "1", streaming: true }, "text/event-stream"],
    [{ version: "0" }, { version: "0", streaming: true }, "text/event-stream"],
    [{ streaming: false }, { version: "1", streaming: false }, undefined],
    [{ version: "0", streaming: false }, { version: "0", streaming: false }, undefined],
  ])("with %j carries the messages exactly as they are", async (form, told, accept) => {
    const { calls, intelligence } = serviceOf({ events: [part("So.")], json: { messages: [say("So.")] } });
    expect(await collect(intelligence.generate({ messages, ...form }))).toEqual([text("So.")]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.body).toEqual({ model: "m", messages, ...told });
    expect(calls[0]?.accept).toBe(accept);
  });
});
