import { z } from "zod";

import { storedOptions } from "../options.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { subscriptionShape } from "../subscriptions/store.ts";
import type { Alert } from "./alert.ts";
import { alertOptions } from "./options.ts";
import { alertPostSchema } from "./posts.ts";
import type { Sample } from "../sources/samples.ts";

const figures = z.object({
  at: z.number(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
  spanMs: z.number().optional(),
});

const state = z.enum(["pending", "firing", "escalated", "resolved"]);

const incident = z.object({
  entity: z.string(),
  name: z.string(),
  type: z.string(),
  state,
  since: z.number(),
  streak: z.number(),
  changedAt: z.number(),
  notified: figures.optional(),
  peak: figures,
  last: figures,
  wasThere: z.literal(true).optional(),
  silentSince: z.number().optional(),
  post: z.string().optional(),
  unwatchedSince: z.number().optional(),
  taken: z.object({ by: z.string(), name: z.string(), at: z.number(), from: z.string().optional() }).optional(),
});

const mute = z.object({
  entity: z.string(),
  name: z.string(),
  by: z.string(),
  at: z.number(),
  until: z.number().optional(),
});

/** A stored alert. */
export const alertSchema: z.ZodType<Alert> = z.object({
  ...subscriptionShape,
  source: articleSourceSchema.optional(),
  options: storedOptions(alertOptions),
  learningUntil: z.number().optional(),
  watchingSince: z.number().optional(),
  last: z.object({ at: z.number(), open: z.number(), postedAt: z.number().optional() }).optional(),
  incidents: z.array(incident),
  mutes: z.array(mute),
  awaitingBrief: z.array(z.string()),
  posts: z.array(alertPostSchema),
  isUndelivered: z.literal(true).optional(),
});

/** A stored sample of what was trending. */
export const sampleSchema: z.ZodType<Sample> = z.object({
  at: z.number(),
  entities: z.array(
    z.object({
      entity: z.string(),
      name: z.string(),
      type: z.string(),
      mentions: z.number(),
      average: z.number().optional(),
      score: z.number().optional(),
    }),
  ),
});
