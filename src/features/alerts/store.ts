import { z } from "zod";

import { storedOptions } from "../options.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { subscriptionShape } from "../subscriptions/store.ts";
import type { Alert } from "./alert.ts";
import { alertOptions } from "./options.ts";
import type { Sample } from "./samples.ts";

const figures = z.object({
  at: z.number(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
  spanMs: z.number().optional(),
});

const message = z.object({ channel: z.string(), ts: z.string() });

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
  posted: message.optional(),
  shown: z
    .object({
      state,
      at: z.number(),
      figures,
      more: z.number(),
      mutedAt: z.number().optional(),
      taken: z.string().optional(),
      isBrief: z.literal(true).optional(),
    })
    .optional(),
  unwatchedSince: z.number().optional(),
  list: z.string().optional(),
  raised: z
    .object({ posted: message, to: z.string(), state, more: z.number(), taken: z.string().optional() })
    .optional(),
  taken: z.object({ by: z.string(), name: z.string(), at: z.number(), from: z.string().optional() }).optional(),
});

const post = z.object({
  key: z.string(),
  since: z.number(),
  tries: z.number(),
  retryAt: z.number().optional(),
  sentAt: z.number().optional(),
  kind: z.enum(["firing", "escalated", "brief", "reply", "escalation"]),
  entities: z.array(z.string()),
  more: z.number(),
  reply: z
    .object({
      event: z.enum(["escalated", "resolved", "reopened"]),
      thread: message,
      isBroadcast: z.literal(true).optional(),
    })
    .optional(),
  to: z.string().optional(),
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
  pending: z.array(post),
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
