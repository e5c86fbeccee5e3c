/** A news service in a thread of its own; each answer brings 10 MB of tool results, as fast as the client reads them. */
import { once } from "node:events";
import { parentPort } from "node:worker_threads";

import { part, startGenerator } from "../test/support/generator.ts";

const results = 100;
const bytesOfOne = 100_000;

const event = (type: string, message: unknown) => `event: message\ndata: ${JSON.stringify({ type, message })}\n\n`;

function search(number: number): string {
  const calls = [{ id: `c${number}`, name: "search", args: { query: "oil" }, type: "tool_call" }];
  const article = { id: number, title: "Brine plant opens", url: `https://wire.example/${number}` };
  const articles = Array.from({ length: bytesOfOne / JSON.stringify(article).length }, () => article);
  const found = { type: "svc_news", articleIds: [number], articles, metadata: { tool_call_id: `c${number}` } };
  return (
    event("tool_start", {
      role: "assistant",
      content: { type: "text", text: "", metadata: { tool_calls: calls } },
    }) + event("tool_finish", { role: "tool", content: found })
  );
}

const searches = Array.from({ length: results }, (_, number) => search(number));

const { url } = await startGenerator(async (response) => {
  for (const one of searches) if (!response.write(one)) await once(response, "drain");
  response.end(part("So oil is up."));
});
parentPort?.postMessage(url);
