import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Account } from "./accounts.ts";
import type { Endpoint, Outcome } from "./gateway.ts";
import { articleRecord } from "./gateway-news.ts";
import { type Call, jsonBody, Refusal } from "./http.ts";
import type { Parameters } from "./route.ts";
import { search } from "./search.ts";

const COLLECTIONS_KEPT = 200;

interface Collection {
  id: string;
  name: string;
  description: string;
  query: string;
  created_at: string;
}

/** The payload of a collection is not shown: a name and the query that it runs, both required, and a description. */
const CollectionBody = z.looseObject({
  name: z.string().trim().min(1).max(100),
  query: z.string().trim().min(1).max(500),
  description: z.string().max(500).optional(),
});

function firstOnes(started: number): Collection[] {
  const created_at = new Date(started - 30 * 86_400_000).toISOString();
  return [
    {
      id: "6b1f0c52-8f1e-4a57-9a35-0c3c2f1d7e10",
      name: "Chip deals",
      description: "Mergers and stakes among chipmakers and their suppliers",
      query: "chip merger",
      created_at,
    },
    {
      id: "c2a4b7de-35c0-4d0b-8a6e-7f5d9e0b2a41",
      name: "Port watch",
      description: "Strikes, closures and delays at container terminals",
      query: "port",
      created_at,
    },
    {
      id: "f0d3a91e-6c7b-4f58-b2e9-1a4c8e07d635",
      name: "Gold desk",
      description: "Gold, the mines that dig it and the rates that move it",
      query: "gold",
      created_at,
    },
  ];
}

/** The endpoints of collections; each key has its own, which last as long as the sandbox. */
export function createCollections(started: number): Endpoint[] {
  const shelves = new Map<Account, Collection[]>();
  const shelfOf = (account: Account) => {
    const shelf = shelves.get(account) ?? firstOnes(started);
    shelves.set(account, shelf);
    return shelf;
  };
  const one = (parameter: Parameters, account: Account) => {
    const found = shelfOf(account).find((collection) => collection.id === parameter("id"));
    if (!found) throw new Refusal(404, "not_found", "There is no collection with this ID.");
    return found;
  };
  const create = (call: Call, _parameter: Parameters, account: Account): Outcome => {
    const { name, query, description = "" } = jsonBody(call, CollectionBody);
    const shelf = shelfOf(account);
    if (shelf.length >= COLLECTIONS_KEPT) {
      throw new Refusal(409, "collection_limit", `A key holds up to ${COLLECTIONS_KEPT} collections.`);
    }
    const created_at = new Date(call.now).toISOString();
    const collection = { id: randomUUID(), name, description, query, created_at };
    shelf.push(collection);
    return { status: 201, data: collection };
  };
  const execute = (call: Call, parameter: Parameters, account: Account): Outcome => {
    const collection = one(parameter, account);
    const hits = search(collection.query, call.now);
    const executed_at = new Date(call.now).toISOString();
    const articles = hits.slice(0, 20).map(articleRecord);
    return { status: 200, data: { collection_id: collection.id, executed_at, articles, total: hits.length } };
  };
  return [
    { method: "POST", path: "/api/v1/collections", credits: 0, run: create },
    {
      method: "GET",
      path: "/api/v1/collections",
      credits: 0,
      run: (_call, _parameter, account) => ({ status: 200, data: { collections: shelfOf(account) } }),
    },
    {
      method: "GET",
      path: "/api/v1/collections/:id",
      credits: 0,
      run: (_call, parameter, account) => ({ status: 200, data: one(parameter, account) }),
    },
    { method: "POST", path: "/api/v1/collections/:id/execute", credits: 1, run: execute },
  ];
}
