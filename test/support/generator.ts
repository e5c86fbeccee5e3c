import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";

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

/** A news service that says what a test tells it to: login, then whatever `script` writes. */
export async function startGenerator(script: AnswerScript) {
  const asked: GenerateBody[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Buffer));
    if (request.url === "/auth/login") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ token: "t", userId: 1, expires: Date.now() + 3_600_000 }));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as GenerateBody;
    asked.push(body);
    response.setHeader("content-type", "text/event-stream");
    await script(response, body);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
