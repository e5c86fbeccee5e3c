import { z } from "zod";

import type { Ranking } from "./ranking.ts";

/** How long buttons turn over the ranking that was fetched last, so that its pages agree and cost nothing. */
export const rankingLifeMs = 10 * 60_000;

/** The one key: a ranking is the same for everybody. */
export const latest = "latest";

/** A stored ranking. */
export const rankingSchema: z.ZodType<Ranking> = z.object({
  entities: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      mentions: z.number(),
      average: z.number().optional(),
      score: z.number().optional(),
    }),
  ),
  api: z.enum(["intelligence", "gateway"]),
  isStandIn: z.boolean(),
  at: z.number(),
});
