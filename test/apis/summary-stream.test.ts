import { describe, expect, it } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import type { Http } from "../../src/apis/call.ts";
import type { ServerEvent } from "../../src/apis/sse.ts";
import { grown } from "../../src/features/summaries/compose.ts";
import type { Summary } from "../../src/features/summaries/compose.ts";
import { streamOf } from "../support/builders.ts";
import * as fc from "../support/property.ts";

/** What a reader sees in the end of a stream of these events. */
async function readFrom(...events: ServerEvent[]): Promise<{ text: string; titles: string[]; events: SummaryEvent[] }> {
  const http: Http = {
    json: () => Promise.reject(new Error("no summary may be asked for again")),
    stream: async () => ({ events: streamOf(...events), rate: {}, requestId: undefined }),
  };
  let state: Summary = { topic: "oil", text: "", sources: [] };
  const yielded: SummaryEvent[] = [];
  for await (const event of createGateway({ http, key: "svc_live_1" }).streamSummary("oil")) {
    yielded.push(event);
    state = grown(state, event);
  }
  return { text: state.text, titles: state.sources.map(({ title }) => title), events: yielded };
}

const event = (name: string, payload: unknown): ServerEvent => ({
  event: name,
  data: typeof payload === "string" ? payload : JSON.stringify(payload),
});
const text = (words: string) => event("message", { text: words });
const article = (at: number) => ({
  title: `Headline ${at}`,
  url: `https://wire.example/${at}`,
  summary: `About ${at}.`,
});
const whole = "Oil is up on supply, say traders.";
const pieces = [text("Oil is up"), text(" on supply,"), text(" say traders.")];

describe("the text of a streamed summary", () => {
  it.each<[string, ServerEvent[], string]>([
    ["the whole in its last event", [...pieces, event("done", { summary: whole, credits_used: 5 })], whole],
    ["the whole with one more word", [...pieces, event("summary.done", { text: `${whole} Calm.` })], `${whole} Calm.`],
    [
      "the whole put right",
      [...pieces, event("final", { text: "Oil is up on supply, traders say." })],
      "Oil is up on supply, traders say.",
    ],
    ["the whole in an event without a name", [...pieces, text(whole)], whole],
    ["the whole in the last event alone", [event("done", { summary: "Oil." })], "Oil."],
    ["a headline in its last event", [...pieces, event("complete", { text: "Oil is up on supply" })], whole],
    ["a good word in its last event", [...pieces, event("done", { result: "success" })], whole],
    ["a piece in its last event", [text("Oil is"), event("done", { delta: " up." })], "Oil is up."],
    ["more from event to event", [text("Oil"), text("Oil is"), text("Oil is up.")], "Oil is up."],
    [
      "more from long event to event",
      [text(whole), text(`${whole} Gas`), text(`${whole} Gas is not.`)],
      `${whole} Gas is not.`,
    ],
    [
      "more and more, then the end of it",
      [text("Oil"), text("Oil is up."), event("end", { text: "Oil is up." })],
      "Oil is up.",
    ],
    ["a piece twice", [text("ha"), text("ha"), text("!")], "haha!"],
    ["a piece that begins like the one before", [text("ha"), text("haha"), text(" she said")], "hahaha she said"],
  ])("is right where it brings %s", async (_, events, expected) => {
    expect((await readFrom(...events)).text).toBe(expected);
  });

  it.each<[string, ServerEvent]>([
    ["a status", event("status", "Searching articles")],
    ["a status in JSON", event("message", { type: "status", text: "Searching articles" })],
    ["a ping", event("ping", "ping")],
    ["its start", event("summary.started", "started")],
    ["its end", event("end", "end")],
    ["addresses of sources", event("sources", ["https://wire.example/1"])],
  ])("is none of %s", async (_, other) => {
    expect((await readFrom(event("text", "Oil "), other, event("text", "is up."), other)).text).toBe("Oil is up.");
  });

  it("comes in pieces, and says nothing twice", async () => {
    const { events } = await readFrom(text("Oil is up"), text("Oil is up on supply,"), text(" say traders."));
    expect(events).toEqual([
      { type: "text", text: "Oil is up" },
      { type: "text", text: " on supply," },
      { type: "text", text: " say traders." },
    ]);
  });
});

describe("the shape of a streamed summary", () => {
  const plain = (...words: string[]) => words.map((data) => ({ event: "message", data }));
  const chunk = (content: string) => event("message", { choices: [{ index: 0, delta: { content } }] });

  it.each([
    [["It is", " true", " or", " false", ",", " not", " null", "."]],
    [["NEW ", '"BRITANNIA"', " sails"]],
    [['"Oil"', " is", ' "up"']],
    [["true", " and", " false"]],
    [["In", " 2027", ",", "42"]],
    [["Oil", " rose", "[1]", "[2]", " {x}", "[", "]", "{", "}", '["a"]']],
    [["null", "null"]],
  ])("is plain text where it begins so, and every word of %j is kept", async (words) => {
    expect((await readFrom(...plain(...words))).text).toBe(words.join(""));
  });

  it("keeps every word of any plain text, however it is cut", async () => {
    const anyPieces = fc.array(
      fc.constantFrom(
        "true",
        " false",
        "null",
        " null",
        '"',
        ' "a" ',
        '"b"',
        "[1]",
        "{",
        "}",
        "[]",
        "{x}",
        "7",
        " oil",
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(anyPieces, async (words) => {
        expect((await readFrom(...plain("Oil ", "is", ...words, "."))).text).toBe(`Oil is${words.join("")}.`);
      }),
    );
  });

  it("is that of chat completions where it begins so, whatever a chunk lacks", async () => {
    const events = [
      event("message", { choices: [{ delta: { role: "assistant" } }] }),
      ...["It is", " true", ' "so"'].map(chunk),
      event("message", { choices: [{ delta: {}, finish_reason: "stop" }] }),
      event("message", { choices: [], usage: { total_tokens: 7 } }),
    ];
    expect((await readFrom(...events)).text).toBe('It is true "so"');
  });

  it.each<[string, ServerEvent[]]>([
    ["fields", [text("Oil is"), ...plain(" up"), chunk(" up"), text(" down.")]],
    ["chat completions", [chunk("Oil is"), ...plain(" up"), text(" up"), chunk(" down.")]],
    ["plain text", [...plain("Oil is"), text(" up"), chunk(" up"), ...plain(" down.")]],
  ])("is decided once: after %s nothing of another shape is read", async (_, events) => {
    expect((await readFrom(...events)).text).toBe("Oil is down.");
  });

  it("is not decided by what is no text, and a plain stream has its sources and its bill as JSON", async () => {
    const {
      text: words,
      titles,
      events,
    } = await readFrom(
      event("message", { meta: { credits_remaining: 36 } }),
      event("status", "Searching articles"),
      ...plain("Oil is", " true"),
      event("message", [article(1)]),
      event("message", { sources: [article(2)] }),
      event("message", { meta: { credits_used: 5, credits_remaining: 31 } }),
    );
    expect(words).toBe("Oil is true");
    expect(titles).toEqual(["Headline 1", "Headline 2"]);
    expect(events.at(-1)).toMatchObject({ type: "credits", credits: { used: 5, remaining: 31 } });
  });

  it("is of no matter to the whole text in its last event", async () => {
    const last = event("done", { summary: "Oil is true, say traders." });
    expect((await readFrom(...plain("Oil is", " true, say"), last)).text).toBe("Oil is true, say traders.");
  });
});

describe("the sources of a streamed summary", () => {
  it.each<[string, ServerEvent]>([
    ["an event", event("source", article(3))],
    ["an event without a name", event("message", article(3))],
    ["an envelope", event("message", { data: article(3) })],
    ["a field", event("citation", { citation: article(3) })],
  ])("has an article that comes alone as %s, whose summary is no text", async (_, alone) => {
    expect(await readFrom(alone, text(whole))).toMatchObject({ text: whole, titles: ["Headline 3"] });
  });

  it("are all that came, each once, whatever the events", async () => {
    const { titles } = await readFrom(
      event("message", { articles: [article(1)] }),
      event("message", { articles: [article(2), article(1)] }),
      text(whole),
      event("source", article(3)),
    );
    expect(titles).toEqual(["Headline 1", "Headline 2", "Headline 3"]);
  });
});
