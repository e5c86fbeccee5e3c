import { createHash } from "node:crypto";

import { z } from "zod";

import type { Collection, Migration } from "../../store/collection.ts";
import { createTurns } from "../../store/turns.ts";
import type { Destination } from "./subscription.ts";
import { type Told, withTold } from "./told.ts";

/** How long a place remembers an article after it was last met. */
export const seenLifeMs = 60 * 24 * 60 * 60_000;

/** What is met again and again is written down anew only so often. */
const refreshMs = 24 * 60 * 60_000;

/** How a place met an article, where that was no story: in a line that tells of it, left out of that line, or passed over. */
export interface Manner {
  how?: "line" | "left" | "passed" | undefined;
  /** The headline that the place had had its story under. */
  of?: string | undefined;
}

/** That a place met an article, and when, in epoch milliseconds. */
export interface Meeting extends Manner {
  at: number;
  /** When it was last written down, where that was later. */
  kept?: number | undefined;
}

/** A stored meeting; an export of an earlier version has its time alone. */
export const seenSchema: z.ZodType<Meeting> = z.union([
  z.number().transform((at) => ({ at })),
  z.object({
    at: z.number(),
    kept: z.number().optional(),
    how: z.enum(["line", "left", "passed"]).optional(),
    of: z.string().optional(),
  }),
]);

/** Of version 1, there was the time alone. */
export const seenMigrations: Migration[] = [(at) => ({ at })];

/** The one of two meetings that was written down later. */
export function laterMeeting(one: Meeting, other: Meeting): Meeting {
  return keptAt(other) > keptAt(one) ? other : one;
}

function keptAt({ at, kept }: Meeting): number {
  return kept ?? at;
}

/** What a place in Slack has seen, whatever brought it: each story comes there once. */
export interface Seen {
  /** Those of the keys that the place has seen. */
  known(place: Destination, keys: string[]): Promise<Set<string>>;
  /** How the place last met one of them; nothing where it never did. */
  met(place: Destination, keys: string[]): Promise<Meeting | undefined>;
  /** Notes down that the place meets them now, for the first time, and how. */
  note(place: Destination, keys: ReadonlyMap<string, Manner>, now: number): Promise<void>;
  /** Notes down that it sees them now; what it has met before stays as it was, and is remembered for longer. */
  remember(place: Destination, keys: string[], now: number): Promise<void>;
  /** The events that the place was told of, the latest first. */
  told(place: Destination, now: number): Promise<Told[]>;
  /** Notes down that the place is told of them. */
  tell(place: Destination, events: Told[], now: number): Promise<void>;
  /** What one place has seen counts for another, which it goes by from now on. */
  follow(place: Destination, to: string): Promise<void>;
}

interface Records {
  /** A record for each key of a place, which the store forgets by itself. */
  seen: Collection<Meeting>;
  /** A record for each place. */
  told: Collection<Told[]>;
}

/** What places have seen. */
export function createSeen({ seen, told }: Records): Seen {
  const turns = createTurns();

  /** Digests and alerts of a place tell it of events at the same time. */
  function tell(place: Destination, events: Told[], now: number): Promise<void> {
    const name = nameOf(place);
    return turns(name, async () => told.set(name, withTold((await told.get(name)) ?? [], events, now)));
  }

  return {
    async known(place, keys) {
      const found = await seen.getMany(keys.map((key) => recordOf(place, key)));
      return new Set(keys.filter((key) => found.has(recordOf(place, key))));
    },
    async met(place, keys) {
      const found = [...(await seen.getMany(keys.map((key) => recordOf(place, key)))).values()];
      return found.reduce<Meeting | undefined>((last, each) => (last && last.at >= each.at ? last : each), undefined);
    },
    note: (place, keys, now) =>
      seen.setMany([...keys].map(([key, manner]) => [recordOf(place, key), { at: now, ...manner }] as const)),
    async remember(place, keys, now) {
      const found = await seen.getMany(keys.map((key) => recordOf(place, key)));
      const entries = keys.flatMap((key) => {
        const name = recordOf(place, key);
        const before = found.get(name);
        if (!before) return [[name, { at: now }] as const];
        return keptAt(before) < now - refreshMs ? [[name, { ...before, kept: now }] as const] : [];
      });
      await seen.setMany(entries);
    },
    told: async (place, now) => withTold((await told.get(nameOf(place))) ?? [], [], now),
    tell: async (place, events, now) => (events.length > 0 ? tell(place, events, now) : undefined),
    async follow({ team, channel }, to) {
      const [from, now] = [`${team} ${channel} `, `${team} ${to} `];
      for await (const [name, meeting] of seen.entries()) {
        if (name.startsWith(from)) await seen.set(now + name.slice(from.length), meeting);
      }
      const events = (await told.get(nameOf({ team, channel }))) ?? [];
      const [latest] = events;
      if (latest) await tell({ team, channel: to }, events, latest.at);
    },
  };
}

function nameOf({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** Addresses can be long, and are kept for every place. */
function recordOf(place: Destination, key: string): string {
  return `${nameOf(place)} ${createHash("sha256").update(key).digest("base64url").slice(0, 22)}`;
}
