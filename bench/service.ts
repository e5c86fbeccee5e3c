/** A gateway in a thread of its own, so that it takes no processor time from the clients that are measured. */
import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

const articles = Array.from({ length: 10 }, (_, at) => ({
  id: 70_000 + at,
  title: `Ostmark opens brine plant number ${at}, and prices follow`,
  summary: "The plant is to reach 40,000 tonnes a year, says the company; its neighbours wait for the permit. ".repeat(
    2,
  ),
  url: `https://wire.example/2026/11/20/ostmark-brine-${at}`,
  source: { name: "Harbour Wire" },
  published_at: "2026-11-20T08:15:00.000Z",
  primary_entities: [9_001, 9_002],
  secondary_entities: [9_003],
  tertiary_entities: [],
}));

const envelope = (data: unknown) =>
  JSON.stringify({
    data,
    meta: {
      request_id: "req_0f6e2f0a-8f57-4d0c-a1f3-1d6c2f4e0b11",
      credits_used: 1,
      credits_remaining: 4_999,
      rate_limit: { limit: 1_000_000_000, remaining: 999_999_999, reset: 4_102_444_800 },
    },
  });

const found = envelope({ query: "lithium", total: 42, articles });
const models = envelope({ models: [{ id: "wire-7", name: "Wire 7", context_window: 32_000, default: true }] });

const headers = {
  "content-type": "application/json",
  "x-ratelimit-limit": "1000000000",
  "x-ratelimit-remaining": "999999999",
  "x-ratelimit-reset": "4102444800",
};

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const body = request.url === "/api/v1/models" ? models : found;
    response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" && address ? address.port : 0);
});
