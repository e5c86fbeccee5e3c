import { describe, expect, it } from "vitest";

import type { GenerateEvent, GenerativeMessage } from "../../../src/apis/intelligence/generate.ts";
import {
  type Turn,
  messagesForQuestion,
  newAnswer,
  newConversation,
  turnOfAnswer,
  withEvent,
  withTurn,
} from "../../../src/features/ask/conversation.ts";
import * as fc from "../../support/property.ts";

type ToolCall = Extract<GenerateEvent, { type: "tool_start" }>["calls"][number];

function start(...ids: string[]): GenerateEvent {
  const calls = ids.map((id): ToolCall => ({ id, name: "search", args: {}, type: "tool_call" }));
  const content = { type: "text" as const, text: "", metadata: { tool_calls: calls } };
  return { type: "tool_start", calls, message: { role: "assistant", content } };
}

function finish(callId?: string, articleIds: number[] = []): GenerateEvent {
  const content = { type: "svc_news" as const, articleIds, metadata: { tool_call_id: callId } };
  return { type: "tool_finish", callId, articleIds, message: { role: "tool", content } };
}

const says = (text: string): GenerateEvent => ({ type: "text", text });

const answerAfter = (...events: GenerateEvent[]) => events.reduce(withEvent, newAnswer({ text: "Why?" }));

function turn(events: GenerateEvent[], question = "Why?"): Turn {
  return turnOfAnswer(events.reduce(withEvent, newAnswer({ text: question })));
}

/** Each message in a word: what it calls, what it answers, or whose text it is. */
function outline(messages: GenerativeMessage[]): string[] {
  return messages.map(({ role, content: { metadata } }) => {
    if (metadata?.tool_calls) return `calls ${metadata.tool_calls.map(({ id }) => id).join("+")}`;
    return role === "tool" ? `result ${metadata?.tool_call_id ?? "?"}` : role;
  });
}

function longTurn(length: number, question: string): Turn {
  return turn([says("x".repeat(length))], question);
}

/** What stands in a thread without its counterpart: a result without its call, or a call without its result. */
function danglingIn(messages: GenerativeMessage[]): string[] {
  const dangling: string[] = [];
  let open: string[] = [];
  for (const { role, content } of messages) {
    if (role === "tool") {
      const answered = content.metadata?.tool_call_id ?? open[0] ?? "none";
      if (!open.includes(answered)) dangling.push(`result ${answered}`);
      open = open.filter((id) => id !== answered);
    } else {
      dangling.push(...open.map((id) => `call ${id}`));
      open = content.metadata?.tool_calls?.map(({ id }) => id) ?? [];
    }
  }
  return [...dangling, ...open.map((id) => `call ${id}`)];
}

describe("a turn", () => {
  const inTurn = ["calls a", "result a", "calls b", "result b"];

  it.each([
    ["a call and its result", [start("a"), finish("a")], ["calls a", "result a"]],
    ["one after the other", [start("a"), finish("a"), start("b"), finish("b")], inTurn],
    ["side by side", [start("a"), start("b"), finish("a"), finish("b")], inTurn],
    ["answered in another order", [start("a"), start("b"), finish("b"), finish("a")], inTurn],
    ["several in one message", [start("a", "b"), finish("a"), finish("b")], ["calls a+b", "result a", "result b"]],
    ["a call without a result", [start("a"), finish("a"), start("b")], ["calls a", "result a"]],
    ["a call of which one result is missing", [start("a", "b"), finish("a")], []],
    ["a result without a call", [finish("a")], []],
    ["a result that comes twice", [start("a"), finish("a"), finish("a")], ["calls a", "result a"]],
  ])("keeps each call beside its results: %s", (_, events, expected) => {
    expect(outline(turn([...events, says("So.")]).messages)).toEqual(["user", ...expected, "assistant"]);
  });

  it("holds the words of the answer as one message", () => {
    const { messages } = turn([says("One "), start("a"), finish("a"), says("two")]);
    expect(messages.at(-1)).toEqual({ role: "assistant", content: { type: "text", text: "One two" } });
  });
});

describe("an answer", () => {
  it("forgets the articles that it fetched when it begins anew", () => {
    const { articleIds, exchanges } = answerAfter(start("a"), finish("a", [1, 2]), { type: "restart" }, start("b"));
    expect([articleIds, exchanges.length]).toEqual([[], 1]);
  });

  it("counts each article once", () => {
    const answer = answerAfter(start("a", "b"), finish("a", [1, 2]), finish("b", [2, 3]));
    expect(answer.articleIds).toEqual([1, 2, 3]);
  });

  it("leaves out a search whose result is too long to be kept, and keeps the next", () => {
    const long = finish(
      "a",
      Array.from({ length: 100_000 }, (_, index) => index),
    );
    const turned = turnOfAnswer(answerAfter(start("a"), long, start("b"), finish("b"), says("So.")));
    expect(outline(turned.messages)).toEqual(["user", "calls b", "result b", "assistant"]);
  });

  it.each([
    [{ query: " oil prices " }, "Searching articles: oil prices"],
    [{ keywords: "oil" }, "Searching articles: oil"],
    [{ query: "", q: "oil" }, "Searching articles: oil"],
    [{ query: 7 }, "Searching articles…"],
    [{}, "Searching articles…"],
  ])("says what the model searches for: %j", (args, activity) => {
    const calls: ToolCall[] = [{ id: "a", name: "search", args, type: "tool_call" }];
    const message: GenerativeMessage = { role: "assistant", content: { type: "text", text: "" } };
    const answer = withEvent(newAnswer({ text: "Why?" }), { type: "tool_start", calls, message });
    expect(answer.activity).toBe(activity);
    expect(withEvent(answer, says("So.")).activity).toBeUndefined();
  });

  it("goes on searching while one of two searches runs", () => {
    const answer = answerAfter(start("a"), start("b"), finish("a"));
    expect(answer.activity).toBe("Searching articles…");
    expect(withEvent(answer, finish("b")).activity).toBeUndefined();
  });
});

describe("a conversation", () => {
  it("names the one entity that a question is limited to, and nothing else that would be searched for", () => {
    const sentWith = (ids: number[]) => {
      const source = { kind: "entity" as const, ids, name: "Novalith" };
      const scope = { source: { title: "Novalith", source, stages: [] } };
      return messagesForQuestion({ turns: [], scope }, { text: "why?" }, 1).map(({ content }) => content);
    };
    expect(sentWith([7])).toMatchObject([{ text: "This is about Novalith." }, { text: "why?" }]);
    expect(sentWith([7, 8])).toMatchObject([{ text: "why?" }]);
  });

  it("forgets its oldest turns when it grows long, and keeps the last however long it is", () => {
    const turns = ["1", "2", "3"].map((question) => longTurn(25_000, question));
    const kept = turns.reduce(withTurn, newConversation);
    expect(
      messagesForQuestion(kept, { text: "4" }, 0)
        .filter(({ role }) => role === "user")
        .map(({ content }) => content),
    ).toEqual(["2", "3", "4"].map((text) => ({ type: "text", text })));
    expect(withTurn(kept, longTurn(100_000, "5")).turns).toHaveLength(1);
  });

  it("never holds a tool’s result without its call or a call without its result", () => {
    const id = fc.constantFrom("a", "b", "c");
    const event = fc.oneof(
      fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).map((ids) => start(...ids)),
      fc.option(id, { nil: undefined }).map((callId) => finish(callId)),
      fc.constantFrom("", "word ", "x".repeat(30_000)).map(says),
    );
    const turns = fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 25 });
    fc.assert(
      fc.property(turns, (all) => {
        const conversation = all.map((events) => turn(events)).reduce(withTurn, newConversation);
        const messages = messagesForQuestion(conversation, { text: "And?" }, 0);
        expect(messages[0]?.role).toBe("user");
        expect(danglingIn(messages)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
