import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { createGateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { createIntelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateRequest } from "../../src/apis/intelligence/generate.ts";
import { createJurisdictions } from "../../src/apis/jurisdictions/client.ts";
import { json, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { emptyCache } from "../support/wire.ts";
import { endpoints } from "./gateway/endpoints.ts";
import { collect } from "./line.ts";

type Clients = ReturnType<typeof clientsTo>;

interface Endpoint {
  ask: (clients: Clients) => Promise<unknown>;
  /** The recorded answer that is spoiled: a file, or what would be in it. */
  recorded: unknown;
  /** Where it lies, if not at the path that every other endpoint's client asks. */
  path?: string;
  /** The operation after it, for which the same answer is none. */
  next?: string;
}

const thread: GenerateRequest = { messages: [{ role: "user", content: { type: "text", text: "Why?" } }] };

const ENDPOINTS: Record<string, Endpoint> = {
  login: {
    ask: ({ intelligence }) => intelligence.trending(),
    recorded: "login.json",
    path: "/auth/login",
    next: "trending",
  },
  trending: { ask: ({ intelligence }) => intelligence.trending(), recorded: "trending.json" },
  channels: { ask: ({ intelligence }) => intelligence.channels(), recorded: "channels.json" },
  channel: { ask: ({ intelligence }) => intelligence.channel(501), recorded: "channels.json" },
  articles: { ask: ({ intelligence }) => intelligence.articles([]), recorded: "articles.json" },
  entities: { ask: ({ intelligence }) => intelligence.entities([9001, 9002]), recorded: "entities.json" },
  generate: { ask: ({ intelligence }) => collect(intelligence.generate(thread)), recorded: "generate.sse" },
  ...Object.fromEntries(
    Object.entries(endpoints).map(([name, { ask, recorded }]) => [
      `gateway ${name}`,
      { ask: ({ gateway }: Clients) => ask(gateway, "31"), recorded },
    ]),
  ),
  lookup: { ask: ({ jurisdictions }) => jurisdictions.lookup(), recorded: "lookup.json" },
  regions: { ask: ({ jurisdictions }) => jurisdictions.regions(), recorded: "regions.json" },
  jurisdictions: { ask: ({ jurisdictions }) => jurisdictions.jurisdictions("r"), recorded: "jurisdictions.json" },
  agencies: { ask: ({ jurisdictions }) => jurisdictions.agencies("j"), recorded: "agencies.json" },
  contributors: { ask: ({ jurisdictions }) => jurisdictions.contributors("j"), recorded: "contributors.json" },
  sources: { ask: ({ jurisdictions }) => jurisdictions.sources("c"), recorded: "sources.json" },
};

const names = Object.keys(ENDPOINTS);
const sizes = { answer: 200_000, stream: 400_000, event: 100_000 };

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

function clientsTo(url: string) {
  const clock = { wait: () => Promise.resolve() };
  const http = (api: "intelligence" | "gateway" | "jurisdictions") => createHttp({ api, baseUrl: url, clock, sizes });
  return {
    intelligence: createIntelligence({
      http: http("intelligence"),
      credentials: { user: "desk" },
      model: "m",
      cache: emptyCache(),
      now: () => 0,
    }),
    gateway: createGateway({ http: http("gateway"), key: "svc_live_hostile1" }),
    jurisdictions: createJurisdictions({ http: http("jurisdictions"), key: "jur-hostile-1" }),
  };
}

/** What comes of asking while the service answers so; a login succeeds unless it is what is asked about. */
async function outcomeOf(name: string, answer: Answerer): Promise<{ value?: unknown; error?: unknown }> {
  const { ask, path } = endpointNamed(name);
  upstream.answers((exchange) => {
    const isLogin = exchange.path === "/auth/login" && path === undefined;
    return (isLogin ? json({ token: "t", userId: "u", expires: 9e12 }) : answer)(exchange);
  });
  return ask(clientsTo(upstream.url)).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function endpointNamed(name: string): Endpoint {
  const endpoint = ENDPOINTS[name];
  if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
  return endpoint;
}

/** The endpoint's recorded answer with each of its JSON values replaced. */
function spoiled(name: string, spoil: (value: unknown) => unknown): Answerer {
  const { recorded } = endpointNamed(name);
  if (typeof recorded !== "string") return json(spoil(recorded));
  const text = readFileSync(new URL(`../fixtures/wire/${recorded}`, import.meta.url), "utf8");
  if (recorded.endsWith(".json")) return json(spoil(JSON.parse(text)));
  const lines = text.replaceAll(/^data: ([[{].*)$/gm, (_, data: string) => {
    return data === "[DONE]" ? data : `data: ${JSON.stringify(spoil(JSON.parse(data)))}`;
  });
  return stream([lines]);
}

/** The same value with `change` done to everything in it that is no object, and to every list. */
function throughout(value: unknown, change: (leaf: unknown, key: string) => unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const changed = change(value, key);
    return changed === value ? value.map((one: unknown) => throughout(one, change, key)) : changed;
  }
  if (typeof value !== "object" || value === null) return change(value, key);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, throughout(inner, change, name)]));
}

function wrongType(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return { not: ["text"] };
  return typeof value === "number" ? "a number?" : [[]];
}

/** Without every second field, and then without the others. */
function withoutFields(odd: number) {
  const pick = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(pick);
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter((_, at) => at % 2 === odd);
    return Object.fromEntries(kept.map(([name, inner]) => [name, pick(inner)]));
  };
  return pick;
}

const NASTY = '<!channel> & <https://a.example|"tap"> \u202E\u2066txt.exe\u0000\u001b[31m 👩‍🔬 \uD800';
const ADDRESS = /^(url|link)$/;
const nastyText = (value: unknown, key: string) =>
  typeof value === "string" && !ADDRESS.test(key) && key !== "type" && key !== "role" ? NASTY : value;
const nastyAddress = (value: unknown, key: string) => (ADDRESS.test(key) ? "javascript:alert(1)//<!here>" : value);

const SPOILERS: [string, (value: unknown) => unknown][] = [
  ["wrong types", (value) => throughout(value, wrongType)],
  ["null lists", (value) => throughout(value, (leaf) => (Array.isArray(leaf) ? null : leaf))],
  ["null everywhere", (value) => throughout(value, () => null)],
  ["huge numbers", (value) => throughout(value, (leaf) => (typeof leaf === "number" ? -1e308 : leaf))],
  ["every second field missing", withoutFields(0)],
  ["texts that want to be more than text", (value) => throughout(value, nastyText)],
  ["addresses that are none", (value) => throughout(value, nastyAddress)],
];

// Kept as they came, because they are sent back and never shown.
const SENT_BACK = new Set(["stages", "message", "calls", "callId"]);

/** Whatever in a value no reader may meet. */
function uncleanIn(value: unknown): unknown[] {
  if (typeof value === "string")
    return /[^\n\P{Cc}]|[\u202A-\u202E\u2066-\u2069]|^javascript:/u.test(value) ? [value] : [];
  if (typeof value === "number") return Number.isFinite(value) ? [] : [value];
  if (value instanceof Map) return [...value.values()].flatMap(uncleanIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (SENT_BACK.has(name) ? [] : uncleanIn(inner)));
}

/** True for what a reader can be told of: no error, or one of the five classes. */
function isTold(error: unknown): boolean {
  return error === undefined || error instanceof ApiError || error instanceof UsageError;
}

describe.each(names)("%s", (name) => {
  it.each(SPOILERS)("with %s gives clean values or an error of the five classes", async (_, spoil) => {
    const { value, error } = await outcomeOf(name, spoiled(name, spoil));
    expect(isTold(error) ? "" : error).toBe("");
    expect(uncleanIn(value)).toEqual([]);
  });

  it("reads the recorded answer that is spoiled here", async () => {
    const { error } = await outcomeOf(name, spoiled(name, name === "channel" ? firstOf : (value) => value));
    expect(error instanceof ApiError ? error.operation : error).toBe(endpointNamed(name).next);
  });
});

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

describe.each(["trending", "generate"])("%s is refused", (name) => {
  it.each(["application/json", "text/event-stream", "text/html"])(
    "where it gets 400 MB of %s, long before they have come",
    async (kind) => {
      let sent = 0;
      const { error } = await outcomeOf(name, async ({ response, gone }) => {
        sent += await pour(response, { kind, gone });
      });
      expect(error).toBeInstanceOf(UnexpectedAnswer);
      // What lies in the buffers of two sockets comes on top of what was read.
      expect(sent).toBeLessThan(20_000_000);
    },
  );
});

/** Writes up to 400 MB, as fast as they are taken; says how many bytes the client let it write. */
async function pour(
  response: Parameters<Answerer>[0]["response"],
  { kind, gone }: { kind: string; gone: Promise<void> },
): Promise<number> {
  const part = Buffer.alloc(1_000_000, "x");
  response.writeHead(200, { "content-type": kind }).write(kind.includes("event") ? "data: " : '{"data": "');
  let sent = 0;
  while (sent < 400_000_000 && !response.destroyed) {
    sent += part.length;
    if (!response.write(part)) await Promise.race([gone, new Promise((resolve) => response.once("drain", resolve))]);
  }
  response.end();
  return sent;
}
