import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { Credits } from "../../../src/apis/gateway/schema.ts";
import { collect } from "../line.ts";

interface GatewayEndpoint {
  /** Calls it, for a collection that exists where it needs one. */
  ask: (gateway: Gateway, collection: string) => Promise<{ credits: Credits }>;
  /** A recorded answer of test/fixtures/wire, or the answer itself. */
  recorded: unknown;
  /** What is read from it, with whatever else there is. */
  reads: object;
}

const ostmark = { title: "Ostmark opens its second brine plant", url: "https://wire.example/ostmark-brine" };

const messages = [{ role: "user" as const, content: "What is new in shipping?" }];

/** Every endpoint of the gateway; one more is a row more, which all tests of the gateway go through. */
export const endpoints: Record<keyof Gateway, GatewayEndpoint> = {
  search: {
    ask: (gateway) => gateway.search("shipping"),
    recorded: "search.json",
    reads: {
      query: "lithium",
      total: 42,
      articles: [
        {
          ...ostmark,
          id: undefined,
          gatewayId: 70011,
          summary: "40,000 tonnes a year.",
          published: Date.UTC(2026, 10, 20, 8, 15),
          source: "Harbour Wire",
        },
      ],
      credits: { used: 1, remaining: 41, test: false },
    },
  },
  trending: {
    ask: (gateway) => gateway.trending(),
    recorded: "gateway-trending.json",
    reads: {
      entities: [{ name: "Ostmark Lithium" }, { name: "Bay of Fundy" }, { name: "Tidewater Power" }],
      credits: { used: 1, remaining: 33, test: false },
    },
  },
  summary: {
    ask: (gateway) => gateway.summary("shipping"),
    recorded: "summary.json",
    reads: {
      text: "Lithium output rises.\nPrices do not.",
      articles: [ostmark],
      credits: { used: 5, remaining: 36 },
    },
  },
  streamSummary: {
    async ask(gateway) {
      const events = await collect(gateway.streamSummary("shipping"));
      const last = events.at(-1);
      return { events, credits: last?.type === "credits" ? last.credits : { test: false } };
    },
    recorded: "summary.sse",
    reads: { credits: { used: 5, remaining: 31 } },
  },
  chat: {
    ask: (gateway) => gateway.chat({ messages }),
    recorded: "chat.json",
    reads: { text: "Output rises.", model: "wire-7", credits: { used: 1, remaining: 35 } },
  },
  models: {
    ask: (gateway) => gateway.models(),
    recorded: "models.json",
    reads: {
      models: [
        { id: "wire-7", name: "Wire 7", contextWindow: 32_000, isDefault: true },
        { id: "wire-3", name: "wire-3", contextWindow: undefined, isDefault: false },
      ],
    },
  },
  createCollection: {
    ask: (gateway) => gateway.createCollection({ name: "Ports", query: "port" }),
    recorded: "created.json",
    reads: { collection: { id: "33", name: "Ports", query: "port" } },
  },
  collections: {
    ask: (gateway) => gateway.collections(),
    recorded: "collections.json",
    reads: {
      collections: [
        { id: "31", name: "Brine plants", query: "brine plant", created: 1_795_161_600_000 },
        { id: "c-32", name: "Collection c-32", query: "tidal power" },
      ],
    },
  },
  collection: {
    ask: (gateway, id) => gateway.collection(id),
    recorded: "collection.json",
    reads: {
      collection: { id: "31", name: "Brine plants", query: "brine plant", created: Date.UTC(2026, 10, 20, 8) },
    },
  },
  runCollection: {
    ask: (gateway, id) => gateway.runCollection(id),
    recorded: "executed.json",
    reads: { articles: [{ ...ostmark, gatewayId: 70011 }], total: 8, credits: { used: 1, remaining: 34 } },
  },
  insightChannels: {
    ask: (gateway) => gateway.insightChannels(),
    recorded: "insight-channels.json",
    reads: {
      channels: [
        { id: "metals", name: "Metals", articleCount: 12 },
        { id: "4", name: "Tides", description: "Power from the sea" },
      ],
    },
  },
  me: {
    ask: (gateway) => gateway.me(),
    recorded: "me.json",
    reads: { name: "Wire Desk", credits: { remaining: 36 } },
  },
  usage: {
    ask: (gateway) => gateway.usage(),
    recorded: "usage.json",
    reads: {
      usage: {
        requests: 12,
        spent: 26,
        endpoints: [
          { endpoint: "/api/v1/search", requests: 11, spent: 11 },
          { endpoint: "/api/v1/summaries", requests: 1 },
        ],
      },
    },
  },
};
