import { z } from "zod";

import { storedOptions } from "../options.ts";
import { sourceSchema } from "../sources/index.ts";
import { imported, inWords, subscriptionShape } from "../subscriptions/store.ts";
import type { Digest } from "./digest.ts";
import { lookOptions } from "./options.ts";

const rankingSchema = z.object({
  rows: z.array(
    z.object({
      entity: z.string(),
      name: z.string(),
      type: z.string(),
      mentions: z.number(),
      average: z.number().optional(),
      score: z.number().optional(),
      rank: z.number(),
      before: z.number().optional(),
    }),
  ),
  gone: z.array(z.string()),
});

/** What came later than the first digests is optional, so that those that were stored before still read. */
const pendingSchema = z.object({
  key: z.string(),
  since: z.number(),
  list: z.string().optional(),
  ranking: rankingSchema.optional(),
  counts: z
    .object({
      found: z.number(),
      fresh: z.number(),
      since: z.number().optional(),
      due: z.number().optional(),
      repeats: z.number().optional(),
    })
    .optional(),
  note: z.string().optional(),
  lead: z.string().optional(),
  bill: z.string().optional(),
  tries: z.number(),
  retryAt: z.number().optional(),
  sentAt: z.number().optional(),
  root: z.object({ channel: z.string(), ts: z.string() }).optional(),
});

/** A stored digest. */
export const digestSchema: z.ZodType<Digest> = z.object({
  ...subscriptionShape,
  source: sourceSchema,
  look: storedOptions(lookOptions).optional(),
  last: z.object({ at: z.number(), fresh: z.number(), postedAt: z.number().optional() }).optional(),
  ranked: z.array(z.object({ entity: z.string(), name: z.string() })).optional(),
  quiet: z.object({ runs: z.number(), since: z.number() }).optional(),
  pending: pendingSchema.optional(),
});

/** A digest in a file. */
export const importedDigestSchema: z.ZodType<Digest> = imported(digestSchema).transform((digest) => {
  const { pending } = digest;
  return { ...digest, ...(pending && { pending: inWords(pending, "note", "lead", "bill") }) };
});
