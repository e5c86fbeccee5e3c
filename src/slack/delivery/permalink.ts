import { LRUCache } from "lru-cache";
import { z } from "zod";

import type { Posted } from "../text/message.ts";
import type { Call } from "./web-api.ts";

/** The address of a message, which opens it in Slack; nothing where Slack does not say. */
export type Permalink = (team: string, posted: Posted) => Promise<string | undefined>;

const capacity = 1_000;
const permalinkSchema = z.object({ permalink: z.string() });

/** Asks Slack for the addresses of messages, for each once: they stay. */
export function createPermalink(callOf: (team: string) => Promise<Call>): Permalink {
  const known = new LRUCache<string, string>({ max: capacity });
  return async (team, { channel, ts }) => {
    const key = `${team} ${channel} ${ts}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    try {
      const call = await callOf(team);
      const { permalink } = permalinkSchema.parse(await call("chat.getPermalink", { channel, message_ts: ts }));
      known.set(key, permalink);
      return permalink;
    } catch {
      return undefined;
    }
  };
}
