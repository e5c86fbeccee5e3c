import { z } from "zod";

import type { Entity } from "../../apis/intelligence/schema.ts";

/** How long an entity's record is taken as it is before it is looked up again. */
export const entityLifeMs = 24 * 60 * 60_000;

/** A stored entity record. */
export const entitySchema: z.ZodType<Entity> = z.object({
  id: z.number(),
  name: z.string(),
  type: z.string(),
  typeName: z.string(),
  symbol: z.string().optional(),
  exchange: z.string().optional(),
});
