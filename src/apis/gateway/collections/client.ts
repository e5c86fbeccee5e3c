import type { Log } from "../../../log.ts";
import type { Article } from "../../article.ts";
import type { Ask } from "../ask.ts";
import { foundSchema } from "../found.ts";
import { enveloped } from "../schema.ts";
import type { Credits } from "../schema.ts";
import { collectionSchema, collectionsSchema, insightChannelsSchema } from "./schema.ts";
import type { Collection, InsightChannel } from "./schema.ts";

interface NewCollection {
  name: string;
  query?: string | undefined;
}

/** Queries that the gateway keeps. All are free but the execution. */
export interface Collections {
  collections(signal?: AbortSignal): Promise<{ collections: Collection[]; credits: Credits }>;
  collection(id: string, signal?: AbortSignal): Promise<{ collection: Collection; credits: Credits }>;
  createCollection(wanted: NewCollection, signal?: AbortSignal): Promise<{ collection: Collection; credits: Credits }>;
  /** 1 credit; `total` counts what the gateway left out too. */
  runCollection(id: string, signal?: AbortSignal): Promise<{ articles: Article[]; total: number; credits: Credits }>;
  /** The topics that the gateway itself keeps. */
  insightChannels(signal?: AbortSignal): Promise<{ channels: InsightChannel[]; credits: Credits }>;
}

const PATH = "/api/v1/collections";

const ANSWERS = {
  collections: enveloped(collectionsSchema),
  collection: enveloped(collectionSchema),
  executed: enveloped(foundSchema),
  insightChannels: enveloped(insightChannelsSchema),
};

/** Builds this part of the gateway's client. */
export function createCollections(ask: Ask, log: Pick<Log, "warn"> | undefined): Collections {
  return {
    async collections(signal) {
      const call = { operation: "collections", method: "GET", path: PATH, signal } as const;
      const { data, credits } = await ask.list({ ...call, schema: ANSWERS.collections });
      return { collections: data, credits };
    },
    async collection(id, signal) {
      const call = { operation: "collection", method: "GET", path: pathOf(id), signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: ANSWERS.collection });
      return { collection: data, credits };
    },
    // Never sent again: after a lost answer there would be two of them.
    async createCollection({ name, query }, signal) {
      const body = query === undefined ? { name } : { name, query };
      const call = { operation: "create collection", method: "POST", path: PATH, body, signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: ANSWERS.collection });
      // An answer may hold little more than the new ID.
      const isNamed = data.name !== `Collection ${data.id}`;
      return { collection: { ...data, name: isNamed ? data.name : name, query: data.query ?? query }, credits };
    },
    // Never sent again: whether an execution leaves anything behind is not shown.
    async runCollection(id, signal) {
      const operation = "run collection";
      const call = { operation, method: "POST", path: `${pathOf(id)}/execute`, signal } as const;
      const { data, credits } = await ask.one({ ...call, schema: ANSWERS.executed });
      const { articles, total, dropped } = data;
      if (dropped > 0) log?.warn("gateway.dropped", { operation, dropped });
      return { articles, total, credits };
    },
    async insightChannels(signal) {
      const call = { operation: "insight channels", method: "GET", path: "/api/v1/insight-channels", signal } as const;
      const { data, credits } = await ask.list({ ...call, schema: ANSWERS.insightChannels });
      return { channels: data, credits };
    },
  };
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
