import { createParser } from "eventsource-parser";
import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../local/sandbox/server.ts";

/** A time in the middle of the sample news, for tests that hand in the clock. */
export const NOON = Date.UTC(2026, 10, 20, 12);

/** A sandbox that ends with its test; words come without a pause. */
export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ wordDelayMs: 0, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** One request whose answer is JSON, with the body as JSON where there is one. */
export async function ask(url: string, request: { headers?: Record<string, string>; body?: unknown } = {}) {
  const { headers = {}, body } = request;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, headers: { ...json, ...headers } });
  const answer: unknown = await response.json();
  return { status: response.status, headers: response.headers, json: answer };
}

/** Logs in and hands back what every later call needs. */
export async function login(sandbox: Sandbox) {
  const { json } = await ask(`${sandbox.intelligenceUrl}/auth/login`, { body: sandbox.credentials });
  const { token, userId, expires } = Object(json);
  return { headers: { authorization: `Bearer ${token}` }, userId: Number(userId), expires: Number(expires) };
}

export interface SentEvent {
  event: string;
  data: string;
}

/** The events of a stream's text, by the parser that the bot uses as well. */
export function eventsIn(text: string): SentEvent[] {
  const events: SentEvent[] = [];
  const parser = createParser({ onEvent: ({ event = "message", data }) => events.push({ event, data }) });
  parser.feed(text);
  return events;
}

/** What a user asks, as a message of a thread. */
export function user(text: string) {
  return { role: "user", content: { type: "text", text } };
}

/** The body of a generative request. */
export function generateBody(messages: unknown[], changes: Record<string, unknown> = {}) {
  return { version: "1", model: "standard", streaming: true, messages, ...changes };
}

/** Sends a generative request, as it may be wrong too, and hands back the response unread. */
export async function generate(sandbox: Sandbox, body: unknown) {
  const session = await login(sandbox);
  return fetch(`${sandbox.intelligenceUrl}/generative/generate`, {
    method: "POST",
    headers: { ...session.headers, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
}

/** A message of a thread as the service sends it. */
interface SentMessage {
  role: string;
  content: {
    type: string;
    text?: string;
    articleIds?: number[];
    metadata?: {
      tool_calls?: { id: string; name: string; args: Record<string, unknown>; type: string }[];
      tool_call_id?: string;
    };
  };
}

/** The answer to a conversation, complete: the added messages and the text of the last one. */
export async function answerTo(sandbox: Sandbox, messages: unknown[], changes: Record<string, unknown> = {}) {
  const response = await generate(sandbox, generateBody(messages, { streaming: false, ...changes }));
  const { messages: thread }: { messages: SentMessage[] } = JSON.parse(await response.text());
  const added = thread.slice(messages.length);
  return { thread, added, text: added.at(-1)?.content.text ?? "", tools: added.filter((one) => one.role === "tool") };
}

/** The same over a stream of version 1: the kinds of events in order and the text put together. */
export async function streamedAnswer(response: Response) {
  const events = eventsIn(await response.text());
  const parsed = events
    .filter((one) => one.event === "message")
    .map(({ data }): { type: string; message: SentMessage } => JSON.parse(data));
  const parts = parsed.filter((one) => one.type === "ai_part").map((one) => one.message.content.text ?? "");
  return { events, parsed, parts, text: parts.join("") };
}
