import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { Credits } from "../../../src/apis/gateway/schema.ts";
import { collect } from "../line.ts";

interface GatewayEndpoint {
  /** Method and path below /api/v1. */
  path: string;
  /** Calls it, for a collection that exists where it needs one. */
  ask: (gateway: Gateway, collection: string) => Promise<{ credits: Credits }>;
  /** A recorded answer of test/fixtures/wire, or the answer itself. */
  recorded: unknown;
  /** What the document does not show: plausible payloads by name, and what is read from each. */
  shapes: [string, unknown, object][];
}

const article = { title: "T", url: "https://a.example/" };
const messages = [{ role: "user" as const, content: "What is new in shipping?" }];

/** Every endpoint of the gateway; one more is a row more, which all tests of the gateway go through. */
export const endpoints: Record<keyof Gateway, GatewayEndpoint> = {
  search: {
    path: "POST /search",
    ask: (gateway) => gateway.search("shipping"),
    recorded: "search.json",
    shapes: [
      ["a bare list", [article], { total: 1, articles: [{ title: "T" }] }],
      ["a list under another name", { query: "gas", results: [article], total: 12 }, { query: "gas", total: 12 }],
      ["an empty list", { articles: [] }, { query: "shipping", total: 0, articles: [] }],
      [
        "entities by ID",
        { articles: [{ ...article, primary_entities: [4, "5"] }] },
        { articles: [{ entities: { primary: [4, 5] } }] },
      ],
      [
        "entities as records",
        { articles: [{ ...article, entities: [{ id: 4 }, { entity_id: "5" }, { name: "nobody" }, null] }] },
        { articles: [{ entities: { primary: [4, 5] } }] },
      ],
    ],
  },
  trending: {
    path: "GET /trending/entities",
    ask: (gateway) => gateway.trending(),
    recorded: "gateway-trending.json",
    shapes: [
      ["a bare list", [{ name: "N", count: 3 }], { entities: [{ name: "N", type: "Entity", mentions: 3 }] }],
      [
        "the documented names of the news service",
        { entities: [{ name: "N", type_display: "Company", raw_count: 3, deltaPrimeStdDevDifferenceDelta: 2 }] },
        { entities: [{ type: "Company", mentions: 3, score: 2 }] },
      ],
      ["an empty list", { entities: [] }, { entities: [] }],
    ],
  },
  summary: {
    path: "POST /summaries",
    ask: (gateway) => gateway.summary("shipping"),
    recorded: "summary.json",
    shapes: [
      ["a text", "All calm.", { text: "All calm.", articles: [] }],
      ["a text beside sources", { text: "All calm.", sources: [article] }, { articles: [{ title: "T" }] }],
      ["a chat completion", { choices: [{ message: { content: "All calm." } }] }, { text: "All calm." }],
    ],
  },
  streamSummary: {
    path: "POST /summaries/stream",
    async ask(gateway) {
      const events = await collect(gateway.streamSummary("shipping"));
      const last = events.at(-1);
      return { events, credits: last?.type === "credits" ? last.credits : { test: false } };
    },
    recorded: "summary.sse",
    shapes: [],
  },
  chat: {
    path: "POST /chat/completions",
    ask: (gateway) => gateway.chat({ messages }),
    recorded: "chat.json",
    shapes: [
      ["the first choice", { choices: [{ message: { content: " Calm. " } }, { message: {} }] }, { text: "Calm." }],
      ["the text of a choice", { choices: [{ text: "Calm." }] }, { text: "Calm." }],
      ["a text", { text: "Calm." }, { text: "Calm." }],
      ["bare text", "Calm.", { text: "Calm." }],
    ],
  },
  models: {
    path: "GET /models",
    ask: (gateway) => gateway.models(),
    recorded: "models.json",
    shapes: [
      ["a list of IDs", ["m-1"], { models: [{ id: "m-1", name: "m-1", isDefault: false }] }],
      ["a list in an object", { models: [{ model: "m-1" }] }, { models: [{ id: "m-1", name: "m-1" }] }],
      ["a list of objects", { object: "list", data: [{ id: "m-1", name: "One" }] }, { models: [{ name: "One" }] }],
    ],
  },
  createCollection: {
    path: "POST /collections",
    ask: (gateway) => gateway.createCollection({ name: "Ports", query: "port" }),
    recorded: "created.json",
    shapes: [["its ID alone", { id: 5 }, { collection: { id: "5", name: "Ports", query: "port" } }]],
  },
  collections: {
    path: "GET /collections",
    ask: (gateway) => gateway.collections(),
    recorded: "collections.json",
    shapes: [
      [
        "records with other names",
        [{ collection_id: "u", title: "L", query: "oil", created: "2026-11-20" }, { collectionId: 7 }],
        {
          collections: [
            { id: "u", name: "L", query: "oil", created: Date.UTC(2026, 10, 20) },
            { id: "7", name: "Collection 7" },
          ],
        },
      ],
    ],
  },
  collection: {
    path: "GET /collections/31",
    ask: (gateway, id) => gateway.collection(id),
    recorded: "collection.json",
    shapes: [["a record of its own", { collection: { id: 1, name: "N" } }, { collection: { id: "1", name: "N" } }]],
  },
  runCollection: {
    path: "POST /collections/31/execute",
    ask: (gateway, id) => gateway.runCollection(id),
    recorded: "executed.json",
    shapes: [
      ["a bare list", [article], { total: 1, articles: [{ title: "T" }] }],
      ["a list beside its count", { articles: [article], total: "9" }, { total: 9 }],
      ["an empty list", { articles: [] }, { total: 0, articles: [] }],
    ],
  },
  insightChannels: {
    path: "GET /insight-channels",
    ask: (gateway) => gateway.insightChannels(),
    recorded: "insight-channels.json",
    shapes: [
      [
        "names alone, or records",
        ["Energy", { id: "metals", title: "Metals" }],
        {
          channels: [
            { id: "Energy", name: "Energy" },
            { id: "metals", name: "Metals" },
          ],
        },
      ],
    ],
  },
  me: {
    path: "GET /me",
    ask: (gateway) => gateway.me(),
    recorded: "me.json",
    shapes: [
      ["fields of the user", { name: "Desk", credits: 31 }, { name: "Desk", credits: { remaining: 31 } }],
      [
        "a user and a balance",
        { user: { name: "Desk" }, credits: { balance: "31" } },
        { name: "Desk", credits: { remaining: 31 } },
      ],
    ],
  },
  usage: {
    path: "GET /usage",
    ask: (gateway) => gateway.usage(),
    recorded: "usage.json",
    shapes: [
      ["sums alone", { credits_used: 4 }, { usage: { spent: 4, endpoints: [] } }],
      [
        "a list",
        { endpoints: [{ path: "/a", count: "2" }] },
        { usage: { endpoints: [{ endpoint: "/a", requests: 2 }] } },
      ],
    ],
  },
};
