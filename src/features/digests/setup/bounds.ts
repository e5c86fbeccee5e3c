import { z } from "zod";

import { runsMost } from "./manner.ts";
import { namesMost } from "../ranked/names.ts";
import { longestQuery } from "../read/sources.ts";

const name = z.string().trim().min(1).max(200);
const names = z.array(name).min(1).max(namesMost).optional();
const id = z.int().nonnegative();

/** What somebody may choose for a digest, however it is written down: no more than what can be typed. */
export const digestBounds = z.object({
  source: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("search"), query: z.string().trim().min(1).max(longestQuery) }),
    z.object({ kind: z.literal("channel"), id, name }),
    z.object({ kind: z.literal("collection"), id: name, name }),
    z.object({ kind: z.literal("jurisdiction"), id, name }),
    z.object({ kind: z.literal("trending"), type: name.optional(), include: names, exclude: names }),
  ]),
  look: z.object({ empty: z.union([z.literal("line"), z.int().min(1).max(runsMost)]).optional() }).optional(),
});
