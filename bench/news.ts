/** A gateway that finds one fixed story for each query, and a trending list that the caller sets. */
import { createServer } from "node:http";

import { closeServer } from "../local/http.ts";
import { listenLocally } from "./gate.ts";

export type News = Awaited<ReturnType<typeof startNews>>;

/** The normal number of mentions of each name; no other name is trending. */
const average = 2;

/** Starts the gateway on the loopback address. */
export async function startNews() {
  let reads = 0;
  /** The mentions of each name that is trending. */
  const trending = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const isSearch = request.url?.endsWith("/search") === true;
      if (isSearch) reads++;
      const body = Buffer.concat(chunks).toString();
      const asked = /"query":"(\w+)"/.exec(body)?.[1] ?? "";
      if (request.url?.endsWith("/chat/completions")) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: said(body), meta }));
        return;
      }
      const data = isSearch ? found(asked) : { entities: [...trending].map(ranked) };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data, meta }));
    });
  });
  const url = await listenLocally(server);
  return {
    url,
    trending,
    /** The number of searches so far. */
    reads: () => reads,
    close: () => closeServer(server),
  };
}

const meta = {
  request_id: "req_0f6e2f0a-8f57-4d0c-a1f3-1d6c2f4e0b11",
  credits_used: 1,
  credits_remaining: 99_999,
  rate_limit: { limit: 1_000_000, remaining: 999_999, reset: 4_102_444_800 },
};

function ranked([name, mentions]: [string, number]) {
  const score = (mentions - average) / Math.sqrt(average + 0.5);
  return {
    name,
    type_display: "Company",
    raw_count: mentions,
    moving_average: average,
    deltaPrimeStdDevDifferenceDelta: score,
  };
}

/** The name of a query's story, which stands in every message about it. */
const storyOf = (query: string): string => `story-${query}`;

/** The number of articles that a query of an alert finds at once. */
const surge = 12;

/** The query that an alert watches. */
export const surgeQuery = (number: number): string => `surge${number}`;

function found(query: string) {
  const count = query.startsWith("surge") ? surge : 1;
  const articles = Array.from({ length: count }, (_, index) => articleOf(query, index));
  return { query, total: count, articles };
}

function articleOf(query: string, index: number) {
  const number = Number(query.replace(/\D/g, ""));
  return {
    // An article on a name belongs to another story than the query with the same number.
    id: query.startsWith("surge") ? 1_000_000 + number * surge + index : (/\D/.test(query) ? 80_000 : 70_000) + number,
    title: `What is new of ${storyOf(query)}${index > 0 ? ` again, part ${index}` : ""}`,
    summary: "The plant is to reach 40,000 tonnes a year, says the company; its neighbours wait for the permit.",
    url: `https://wire.example/${storyOf(query)}${index > 0 ? `/${index}` : ""}`,
    source: { name: "Harbour Wire" },
    published_at: new Date(Date.now() - 600_000).toISOString(),
    primary_entities: [],
    secondary_entities: [],
    tertiary_entities: [],
  };
}

/** A language model's reply about the story in its prompt. */
function said(prompt: string) {
  const story = /story-\w+/.exec(prompt)?.[0] ?? "nothing";
  const message = { role: "assistant", content: `The permit is what matters, says ${story}.` };
  return { choices: [{ index: 0, message, finish_reason: "stop" }] };
}
