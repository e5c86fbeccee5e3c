import { createHash } from "node:crypto";

import { z } from "zod";

import type { Migration } from "../../store/collection.ts";
import type { Destination } from "./subscription.ts";

/** How long a place remembers an article after it was last met. */
export const seenLifeMs = 60 * 24 * 60 * 60_000;

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
  /** The key of the post that brought it. */
  by?: string | undefined;
}

/** A stored meeting; an export of an earlier version has its time alone. */
export const seenSchema: z.ZodType<Meeting> = z.union([
  z.number().transform((at) => ({ at })),
  z.object({
    at: z.number(),
    kept: z.number().optional(),
    how: z.enum(["line", "left", "passed"]).optional(),
    of: z.string().optional(),
    by: z.string().optional(),
  }),
]);

/** Of version 1, there was the time alone. */
export const seenMigrations: Migration[] = [(at) => ({ at })];

/** When a meeting was last written down. */
export function keptAt({ at, kept }: Meeting): number {
  return kept ?? at;
}

/** The one of two meetings that was written down later. */
export function laterMeeting(one: Meeting, other: Meeting): Meeting {
  return keptAt(other) > keptAt(one) ? other : one;
}

/** What records of a place go by. */
export function placeName({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** What the record of a key goes by: addresses can be long, and are kept for every place. */
export function recordName(place: Destination, key: string): string {
  return `${placeName(place)} ${createHash("sha256").update(key).digest("base64url").slice(0, 22)}`;
}
