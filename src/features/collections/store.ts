import { z } from "zod";

import type { Run } from "./compose.ts";

/** What was seen of a collection is forgotten when nobody ran it for so long. */
export const runLifeMs = 90 * 24 * 60 * 60_000;

/** A stored run. */
export const runSchema: z.ZodType<Run> = z.object({ at: z.number(), seen: z.array(z.string()) });
