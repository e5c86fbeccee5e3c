import { z } from "zod";

import { heldTo, imported, personId, subscriptionShape } from "../subscriptions/store.ts";
import type { Alert, Figures, Sample } from "./alert.ts";

const figuresSchema: z.ZodType<Figures> = z.object({
  at: z.number(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
});

const posted = z.object({ channel: z.string(), ts: z.string() });

const state = z.enum(["pending", "new", "continuing", "escalated", "cooling", "cooled"]);

const episode = z.object({
  entity: z.string(),
  name: z.string(),
  type: z.string(),
  state,
  since: z.number(),
  streak: z.number(),
  changedAt: z.number(),
  told: figuresSchema.optional(),
  peak: figuresSchema,
  last: figuresSchema,
  posted: posted.optional(),
  shown: z
    .object({
      state,
      at: z.number(),
      figures: figuresSchema,
      more: z.number(),
      mutedAt: z.number().optional(),
    })
    .optional(),
  unwatchedSince: z.number().optional(),
  list: z.string().optional(),
});

const rule = z.object({
  word: z.enum(["quiet", "balanced", "eager", "custom"]),
  score: z.number(),
  mentions: z.number(),
  ratio: z.number(),
  ticks: z.number(),
  leave: z.number(),
  coolTicks: z.number(),
  escalate: z.number(),
  most: z.number(),
  restMs: z.number(),
});

const pending = z.object({
  key: z.string(),
  since: z.number(),
  tries: z.number(),
  retryAt: z.number().optional(),
  sentAt: z.number().optional(),
  kind: z.enum(["baseline", "rise", "several", "further", "brief", "line"]),
  entities: z.array(z.string()),
  more: z.number(),
  line: z.object({ what: z.enum(["escalated", "cooled", "back"]), posted }).optional(),
  isLoud: z.literal(true).optional(),
});

const mute = z.object({
  entity: z.string(),
  name: z.string(),
  by: z.string(),
  at: z.number(),
  until: z.number().optional(),
  isAlone: z.literal(true).optional(),
});

/** A stored alert. */
export const alertSchema: z.ZodType<Alert> = z.object({
  ...subscriptionShape,
  filter: z.object({ type: z.string().optional(), include: z.array(z.string()), exclude: z.array(z.string()) }),
  rule,
  quietHours: z.object({ from: z.string(), to: z.string() }).optional(),
  baseline: z.object({ at: z.number(), entities: z.array(z.string()) }).optional(),
  last: z.object({ at: z.number(), rising: z.number(), postedAt: z.number().optional() }).optional(),
  episodes: z.array(episode),
  mutes: z.array(mute),
  held: z.array(z.string()),
  pending: z.array(pending),
  lately: z.array(z.number()).optional(),
  isUnposted: z.literal(true).optional(),
});

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "is no time of day");

/** An alert in a file. */
export const importedAlertSchema: z.ZodType<Alert> = heldTo(
  imported(alertSchema),
  z.object({
    quietHours: z.object({ from: time, to: time }).optional(),
    mutes: z.array(z.object({ by: z.string().regex(personId, "is no ID of a person") })),
  }),
);

/** A stored sample of what is trending. */
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
