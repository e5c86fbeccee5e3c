import { readFileSync } from "node:fs";
import nock from "nock";
import { afterAll, beforeAll } from "vitest";
import { createGateway } from "../../src/apis/gateway/client.ts";
import { createHttp } from "../../src/apis/http.ts";
import { type EntityCache, createIntelligence } from "../../src/apis/intelligence/client.ts";
import type { Entity } from "../../src/apis/intelligence/schema.ts";
import { createJurisdictions } from "../../src/apis/jurisdictions/client.ts";
import { startSandbox } from "../../local/sandbox/server.ts";

/** The addresses, keys and logins of three services, wherever they are served. */
interface Access {
  intelligence: string;
  gateway: string;
  jurisdictions: string;
  credentials: Record<string, string>;
  gatewayKey: string;
  jurisdictionsKey: string;
}

/** The clients over one set of services. */
export interface World {
  access: Access;
  clients: ReturnType<typeof clientsFor>;
  stop(): Promise<void>;
}

// Importing nock intercepts every connection of the process, and test files share a process.
nock.restore();

function activateNock(): void {
  nock.activate();
  nock.disableNetConnect();
}

function deactivateNock(): void {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
}

/** Intercepts HTTP while the tests of this file or block run: what no test answers is refused. */
export function interceptHttp(): void {
  beforeAll(activateNock);
  afterAll(deactivateNock);
}

/** Clients as the bot builds them. */
export function clientsFor(access: Access) {
  const http = (api: "intelligence" | "gateway" | "jurisdictions") => createHttp({ api, baseUrl: access[api] });
  const { credentials, gatewayKey, jurisdictionsKey } = access;
  return {
    intelligence: createIntelligence({
      http: http("intelligence"),
      credentials,
      model: "model-a",
      cache: emptyCache(),
      now: Date.now,
    }),
    gateway: createGateway({ http: http("gateway"), key: gatewayKey }),
    jurisdictions: createJurisdictions({ http: http("jurisdictions"), key: jurisdictionsKey }),
  };
}

/** A cache that keeps what it is given, for as long as the test. */
export function emptyCache(): EntityCache {
  const kept = new Map<number, Entity>();
  return {
    getMany: async (ids) => new Map([...kept].filter(([id]) => ids.includes(id))),
    setMany: async (entities) => entities.forEach((entity) => kept.set(entity.id, entity)),
  };
}

/** The services as recorded answers. */
export async function wireWorld(): Promise<World> {
  const access = {
    intelligence: "https://intelligence.example/v3/",
    gateway: "https://gateway.example",
    jurisdictions: "https://jurisdictions.example",
    credentials: { user: "desk", secret: "wire-password" },
    gatewayKey: "svc_live_wire0001",
    jurisdictionsKey: "jur-wire-0001",
  };
  activateNock();
  serveIntelligence(access);
  serveGateway(access);
  serveJurisdictions(access);
  return { access, clients: clientsFor(access), stop: async () => deactivateNock() };
}

function serveIntelligence(access: Access): void {
  const login = nock("https://intelligence.example").persist();
  login.post("/v3/auth/login", access.credentials).reply(200, wire("login.json"));
  login.post("/v3/auth/login").reply(401, { error: "wrong login" });
  const scope = nock("https://intelligence.example/v3", bearer("wire-token-81c2")).persist();
  scope.get("/analytics/trending/entity").reply(200, wire("trending.json"));
  scope.get("/channel/user/u-77").reply(200, wire("channels.json"));
  scope.get("/channel/id/501").reply(200, () => JSON.parse(wire("channels.json"))[0]);
  scope.get(/^\/v3\/channel\/id\//).reply(404, { error: "no such channel" });
  scope.post("/news/user/u-77/query", (body) => Array.isArray(body)).reply(200, wire("articles.json"));
  scope.get(/^\/v3\/entity\/ids\/[\d,]+$/).reply(200, wire("entities.json"));
  const streamed = { reqheaders: { ...bearer("wire-token-81c2").reqheaders, accept: "text/event-stream" } };
  nock("https://intelligence.example/v3", streamed)
    .persist()
    .post("/generative/generate", (body) => body.version === "1" && body.streaming === true && body.model === "model-a")
    .reply(200, wire("generate.sse"), { "content-type": "text/event-stream" });
}

function serveGateway({ gatewayKey }: Access): void {
  const scope = nock("https://gateway.example/api/v1", bearer(gatewayKey)).persist();
  scope.post("/search", (body) => typeof body.query === "string").reply(200, wire("search.json"));
  scope.post("/summaries", (body) => typeof body.query === "string").reply(200, wire("summary.json"));
  scope
    .get("/trending/entities")
    .query(({ type }) => type === undefined || type === "company")
    .reply(200, wire("gateway-trending.json"));
  const eventStream = { "content-type": "text/event-stream" };
  scope.post("/summaries/stream").reply(200, wire("summary.sse"), eventStream);
  scope.get("/me").reply(200, wire("me.json"));
  scope.get("/usage").reply(200, wire("usage.json"));
  scope.get("/models").reply(200, wire("models.json"));
  scope.post("/chat/completions", (body) => Array.isArray(body.messages)).reply(200, wire("chat.json"));
  scope.get("/collections").reply(200, wire("collections.json"));
  scope.post("/collections", (body) => typeof body.name === "string").reply(201, wire("created.json"));
  scope.get("/collections/31").reply(200, wire("collection.json"));
  scope.post("/collections/31/execute").reply(200, wire("executed.json"));
  const missing = { error: { code: "not_found", message: "no such collection" } };
  scope.get(/\/collections\//).reply(404, missing);
  scope.post(/\/collections\/.*\/execute$/).reply(404, missing);
  scope.get("/insight-channels").reply(200, wire("insight-channels.json"));
  const foreign = nock("https://gateway.example").persist();
  foreign.get("/api/v1/me").reply(401, { error: { code: "invalid_api_key", message: "unknown key" } });
}

function serveJurisdictions({ jurisdictionsKey }: Access): void {
  const scope = nock("https://jurisdictions.example", bearer(jurisdictionsKey)).persist();
  scope.get("/api/jurisdictions/lookup").reply(200, wire("lookup.json"));
  scope.get("/api/regions").reply(200, wire("regions.json"));
  const region = "7f0c3a52-6f0e-4a53-9f38-0d5f7d2b7a01";
  scope.get(`/api/regions/${region}/jurisdictions`).reply(200, wire("jurisdictions.json"));
  const jurisdiction = "c2a4b7de-14c1-4f0f-8f0e-5f4b8d8f1b02";
  scope.get(`/api/jurisdictions/${jurisdiction}/agencies`).reply(200, wire("agencies.json"));
  scope.get(`/api/jurisdictions/${jurisdiction}/contributors`).reply(200, wire("contributors.json"));
  scope.get("/api/contributors/k1/sources").reply(200, wire("sources.json"));
  scope.get(/^\/api\/(regions|jurisdictions|contributors)\/[^/]+\/\w+$/).reply(404, "no");
  nock("https://jurisdictions.example").persist().get("/api/jurisdictions/lookup").reply(401, "no");
}

function bearer(token: string) {
  return { reqheaders: { authorization: `Bearer ${token}` } };
}

/** Fails the test when it left an answer unasked for. */
export function expectAllRequested(): void {
  const unused = nock.pendingMocks();
  nock.cleanAll();
  if (unused.length > 0) throw new Error(`never asked: ${unused.join(", ")}`);
}

/** One recorded answer. */
export function wire(name: string): string {
  return readFileSync(new URL(`../fixtures/wire/${name}`, import.meta.url), "utf8");
}

/** The services on sample data, over real sockets. */
export async function sandboxWorld(): Promise<World> {
  const sandbox = await startSandbox({ wordDelayMs: 0 });
  const access = {
    intelligence: sandbox.intelligenceUrl,
    gateway: sandbox.gatewayUrl,
    jurisdictions: sandbox.jurisdictionsUrl,
    credentials: sandbox.credentials,
    gatewayKey: sandbox.gatewayKey,
    jurisdictionsKey: sandbox.jurisdictionsKey,
  };
  return { access, clients: clientsFor(access), stop: () => sandbox.close() };
}
