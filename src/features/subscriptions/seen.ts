import { createHash } from "node:crypto";

import { z } from "zod";

import type { Collection } from "../../store/collection.ts";
import type { Destination } from "./subscription.ts";

/** How long a place remembers an article after it was last met. */
export const seenLifeMs = 60 * 24 * 60 * 60_000;

/** What is met again and again is written down anew only so often. */
const refreshMs = 24 * 60 * 60_000;

/** When something was last met, in epoch milliseconds. */
export const seenSchema: z.ZodType<number> = z.number();

/** What a place in Slack has seen, whatever brought it: each story comes there once. */
export interface Seen {
  /** Those of the keys that the place has seen. */
  known(place: Destination, keys: string[]): Promise<Set<string>>;
  /** When the place last met one of them; nothing where it never did. */
  met(place: Destination, keys: string[]): Promise<number | undefined>;
  /** Notes down that the place sees them now, for the first time. */
  note(place: Destination, keys: string[], now: number): Promise<void>;
  /** The same where it may have seen them before. */
  remember(place: Destination, keys: string[], now: number): Promise<void>;
  /** What one place has seen counts for another, which it goes by from now on. */
  follow(place: Destination, to: string): Promise<void>;
}

/** What places have seen, a record for each key, which the store forgets by itself. */
export function createSeen(records: Collection<number>): Seen {
  return {
    async known(place, keys) {
      const found = await records.getMany(keys.map((key) => recordOf(place, key)));
      return new Set(keys.filter((key) => found.has(recordOf(place, key))));
    },
    async met(place, keys) {
      const found = await records.getMany(keys.map((key) => recordOf(place, key)));
      return found.size > 0 ? Math.max(...found.values()) : undefined;
    },
    note: (place, keys, now) => records.setMany(keys.map((key) => [recordOf(place, key), now] as const)),
    async follow({ team, channel }, to) {
      const [from, now] = [`${team} ${channel} `, `${team} ${to} `];
      for await (const [name, at] of records.entries()) {
        if (name.startsWith(from)) await records.set(now + name.slice(from.length), at);
      }
    },
    async remember(place, keys, now) {
      const found = await records.getMany(keys.map((key) => recordOf(place, key)));
      const stale = keys.filter((key) => (found.get(recordOf(place, key)) ?? 0) < now - refreshMs);
      await records.setMany(stale.map((key) => [recordOf(place, key), now] as const));
    },
  };
}

/** Addresses can be long, and are kept for every place. */
function recordOf({ team, channel }: Destination, key: string): string {
  return `${team} ${channel} ${createHash("sha256").update(key).digest("base64url").slice(0, 22)}`;
}
