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
