import type { Gateway } from "./client.ts";

/** What each operation costs in credits by a live key, as documented; a test key pays nothing. */
export const prices: Record<keyof Gateway, number> = {
  search: 1,
  trending: 1,
  summary: 5,
  streamSummary: 5,
  chat: 1,
  models: 0,
  createCollection: 0,
  collections: 0,
  collection: 0,
  runCollection: 1,
  insightChannels: 0,
  me: 0,
  usage: 0,
};
