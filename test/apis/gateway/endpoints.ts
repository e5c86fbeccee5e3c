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
}

const messages = [{ role: "user" as const, content: "What is new in shipping?" }];

/** Every endpoint of the gateway; one more is a row more, which all tests of the gateway go through. */
export const endpoints: Record<keyof Gateway, GatewayEndpoint> = {
  search: {
    path: "POST /search",
    ask: (gateway) => gateway.search("shipping"),
    recorded: "search.json",
  },
  trending: {
    path: "GET /trending/entities",
    ask: (gateway) => gateway.trending(),
    recorded: "gateway-trending.json",
  },
  summary: {
    path: "POST /summaries",
    ask: (gateway) => gateway.summary("shipping"),
    recorded: "summary.json",
  },
  streamSummary: {
    path: "POST /summaries/stream",
    async ask(gateway) {
      const events = await collect(gateway.streamSummary("shipping"));
      const last = events.at(-1);
      return { events, credits: last?.type === "credits" ? last.credits : { test: false } };
    },
    recorded: "summary.sse",
  },
  chat: {
    path: "POST /chat/completions",
    ask: (gateway) => gateway.chat({ messages }),
    recorded: "chat.json",
  },
  models: {
    path: "GET /models",
    ask: (gateway) => gateway.models(),
    recorded: "models.json",
  },
  createCollection: {
    path: "POST /collections",
    ask: (gateway) => gateway.createCollection({ name: "Ports", query: "port" }),
    recorded: "created.json",
  },
  collections: {
    path: "GET /collections",
    ask: (gateway) => gateway.collections(),
    recorded: "collections.json",
  },
  collection: {
    path: "GET /collections/31",
    ask: (gateway, id) => gateway.collection(id),
    recorded: "collection.json",
  },
  runCollection: {
    path: "POST /collections/31/execute",
    ask: (gateway, id) => gateway.runCollection(id),
    recorded: "executed.json",
  },
  insightChannels: {
    path: "GET /insight-channels",
    ask: (gateway) => gateway.insightChannels(),
    recorded: "insight-channels.json",
  },
  me: {
    path: "GET /me",
    ask: (gateway) => gateway.me(),
    recorded: "me.json",
  },
  usage: {
    path: "GET /usage",
    ask: (gateway) => gateway.usage(),
    recorded: "usage.json",
  },
};
