import { type Generated, generate, partsOf } from "./generation.ts";
import { type Answer, type Call, jsonBody } from "./http.ts";
import type { Search } from "./retrieval.ts";
import type { EventStream } from "./stream.ts";
import { GenerateBody, readThread } from "./thread.ts";

/** A search takes as long as this many words. */
const SEARCH_IN_WORDS = 10;

function callMessage({ call }: Search) {
  const text = `Searching the news for ${String(call.args["query"])}`;
  return { role: "assistant", content: { type: "text", text, metadata: { tool_calls: [call] } } };
}

function resultMessage({ call, articles }: Search) {
  const articleIds = articles.map((article) => article.id);
  return { role: "tool", content: { type: "svc_news", articleIds, metadata: { tool_call_id: call.id } } };
}

function textMessage(text: string) {
  return { role: "assistant", content: { type: "text", text } };
}

/** How each version words the three kinds of event. */
interface Wording {
  called(stream: EventStream, search: Search): Promise<void>;
  finished(stream: EventStream, search: Search): Promise<void>;
  part(stream: EventStream, text: string): Promise<void>;
}

function message(stream: EventStream, type: string, content: unknown): Promise<void> {
  return stream.send("message", JSON.stringify({ type, message: content }));
}

const WORDINGS: Record<GenerateBody["version"], Wording> = {
  "0": {
    called: (stream, search) => stream.send("start_tool", JSON.stringify(callMessage(search))),
    finished: (stream, search) => stream.send("finish_tool", JSON.stringify(resultMessage(search))),
    part: (stream, text) => stream.send("chat_message", text),
  },
  "1": {
    called: (stream, search) => message(stream, "tool_start", callMessage(search)),
    finished: (stream, search) => message(stream, "tool_finish", resultMessage(search)),
    part: (stream, text) => message(stream, "ai_part", textMessage(text)),
  },
};

async function sendEvents(stream: EventStream, generated: Generated, wording: Wording, delay: number): Promise<void> {
  for (const search of generated.searches) {
    await wording.called(stream, search);
    await stream.pause(delay * SEARCH_IN_WORDS);
    await wording.finished(stream, search);
  }
  for (const part of partsOf(generated.text)) {
    if (stream.gone.aborted) return;
    await wording.part(stream, part);
    await stream.pause(delay);
  }
}

/** POST /generative/generate. The complete answer holds the whole thread: what was sent, then what was added, in both versions. */
export function generativeAnswer(call: Call, wordDelayMs: number): Answer {
  const body = jsonBody(call, GenerateBody);
  const { now, origin } = call;
  const generated = generate(readThread(body), { now, origin, directUrls: body.useDirectArticleURL ?? false });
  if (body.streaming) {
    return { status: 200, events: (stream) => sendEvents(stream, generated, WORDINGS[body.version], wordDelayMs) };
  }
  const added = generated.searches.flatMap((search) => [callMessage(search), resultMessage(search)]);
  return { status: 200, json: { messages: [...body.messages, ...added, textMessage(generated.text)] } };
}
