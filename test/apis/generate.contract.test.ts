import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GenerateEvent, GenerateRequest, GenerativeMessage } from "../../src/apis/intelligence/generate.ts";
import { sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";
import { collect } from "./line.ts";

const question: GenerativeMessage = { role: "user", content: { type: "text", text: "What is new in lithium?" } };

const textIn = (events: GenerateEvent[]) => events.map((event) => (event.type === "text" ? event.text : "")).join("");

describe.each([
  ["recorded answers", wireWorld],
  ["the sandbox", sandboxWorld],
])("a generated answer over %s", (_, start) => {
  let world: World;
  beforeAll(async () => {
    world = await start();
  });
  afterAll(() => world.stop());

  const generated = (request: GenerateRequest) => collect(world.clients.intelligence.generate(request));

  it.each<[string, Partial<GenerateRequest>]>([
    ["a stream of version 0", { version: "0" }],
    ["a complete answer", { streaming: false }],
  ])("is the same as %s", async (_form, form) => {
    const events = await generated({ messages: [question], ...form });
    const usual = await generated({ messages: [question] });
    expect(textIn(events)).not.toContain("undefined");
    expect(textIn(events).replaceAll(/\s/g, "")).toBe(textIn(usual).replaceAll(/\s/g, ""));
    const started = events.flatMap((event) => (event.type === "tool_start" ? event.calls : []));
    const finished = events.flatMap((event) => (event.type === "tool_finish" ? [event] : []));
    expect(started.length).toBeGreaterThan(0);
    expect(finished.map(({ callId }) => callId)).toEqual(started.map(({ id }) => id));
    expect(finished.flatMap(({ articleIds }) => articleIds).length).toBeGreaterThan(0);
  });

  it("does not repeat the thread that a complete answer begins with", async () => {
    const reply: GenerativeMessage = { role: "assistant", content: { type: "text", text: "said before" } };
    const events = await generated({ messages: [question, reply, question], streaming: false });
    expect(textIn(events).length).toBeGreaterThan(20);
    expect(textIn(events)).not.toContain("said before");
  });
});

describe("over the sandbox", () => {
  let world: World;
  beforeAll(async () => {
    world = await sandboxWorld();
  });
  afterAll(() => world.stop());

  const generated = (messages: GenerativeMessage[]) => collect(world.clients.intelligence.generate({ messages }));
  const found = (events: GenerateEvent[]) =>
    events.flatMap((event) => (event.type === "tool_finish" ? event.articleIds : []));

  it("a window of time in milliseconds limits what is searched", async () => {
    const ask = (start: number) => {
      const metadata = { news_context: { start, end: Date.now(), sorting: "relevance", useFullText: false } };
      return generated([{ role: "user", content: { type: "text", text: "What is new in shipping?", metadata } }]);
    };
    expect(found(await ask(Date.now() - 10 * 86_400_000)).length).toBeGreaterThan(0);
    expect(found(await ask(Date.now() - 1))).toEqual([]);
  });

  it("articles that are put into the thread are answered from without a search", async () => {
    const [first = 0] = found(await generated([question]));
    expect(first).toBeGreaterThan(0);
    const articles: GenerativeMessage = { role: "user", content: { type: "svc_news", articleIds: [first] } };
    const events = await generated([articles, { role: "user", content: { type: "svc_template_summary" } }]);
    expect(found(events)).toEqual([]);
    expect(textIn(events)).toContain("one report");
  });
});
