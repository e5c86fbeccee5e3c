import { z } from "zod";

import { isPerson } from "../../subscriptions/permission.ts";
import { runsMost } from "./manner.ts";
import { namesMost } from "../ranked/names.ts";
import { longestQuery } from "../read/sources.ts";

const name = z.string().trim().min(1).max(200);
const names = z.array(name).min(1).max(namesMost).optional();
const on = z.literal(true).optional();
const id = z.int().nonnegative();

/** What somebody may choose for a digest, however it is written down: no more than what can be typed. */
export const digestBounds = z
  .object({
    channel: z.string(),
    isTravelling: on,
    source: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("search"), query: z.string().trim().min(1).max(longestQuery) }),
      z.strictObject({ kind: z.literal("channel"), id, name }),
      z.strictObject({ kind: z.literal("collection"), id: name, name }),
      z.strictObject({ kind: z.literal("jurisdiction"), id, name }),
      z.strictObject({ kind: z.literal("trending"), type: name.optional(), include: names, exclude: names }),
    ]),
    look: z
      .strictObject({
        isCompact: on,
        isThreaded: on,
        hasLead: on,
        empty: z.union([z.literal("line"), z.int().min(1).max(runsMost)], "`line`, or a number of runs").optional(),
      })
      .optional(),
  })
  .refine(({ channel, isTravelling }) => !isTravelling || isPerson(channel), {
    path: ["isTravelling"],
    error: "nothing where it comes to a channel: only a person has hours of their own",
  })
  .refine(({ source, look }) => source.kind !== "trending" || !look?.hasLead, {
    path: ["look", "hasLead"],
    error: "nothing for a ranking, which has no articles to write a paragraph from",
  });
