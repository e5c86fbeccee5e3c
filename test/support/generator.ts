import type { ServerResponse } from "node:http";

import { json, startUpstream } from "./upstream.ts";

/** Writes the answer to a generate request; the body is what was asked. */
export type AnswerScript = (response: ServerResponse, body: GenerateBody) => void | Promise<void>;

interface GenerateBody {
  messages: { role: string; content: { type: string; text?: string } }[];
}

/** One part of an answer in the wire format of version 1. */
export function part(text: string): string {
  const data = { type: "ai_part", message: { role: "assistant", content: { type: "text", text } } };
  return `event: message\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A news service that accepts a login and then answers with whatever `script` writes. */
export async function startGenerator(script: AnswerScript) {
  const asked: GenerateBody[] = [];
  const upstream = await startUpstream(async (exchange) => {
    const login = { token: "t", userId: 1, expires: Date.now() + 3_600_000 };
    if (exchange.path === "/auth/login") return json(login)(exchange);
    // Jobs read names meanwhile, of which it has none.
    if (exchange.path !== "/generative/generate") return json([])(exchange);
    const body = JSON.parse(exchange.body) as GenerateBody;
    asked.push(body);
    exchange.response.setHeader("content-type", "text/event-stream");
    await script(exchange.response, body);
  });
  return { url: upstream.url, asked, close: () => upstream.close() };
}
