import { z } from "zod";

import { storedOptions } from "../options.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { subscriptionShape } from "../subscriptions/store.ts";
import type { Alert } from "./alert.ts";
import type { IncidentState } from "./incident.ts";
import { alertOptions, longestName, namesMost } from "./options.ts";
import { ruleNumbers, ruleOf } from "./rule.ts";
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

/** A stored alert, also one that an earlier version wrote. */
export const alertSchema: z.ZodType<Alert> = z.preprocess(
  migrateAlert,
  z.object({
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
  }),
);

/** The states of an incident in the first version, and what they are called now. */
const formerStates: Record<string, IncidentState> = {
  pending: "pending",
  new: "firing",
  continuing: "firing",
  escalated: "escalated",
  cooling: "firing",
  cooled: "resolved",
};
const formerState = z.string().transform((name) => formerStates[name]);
const formerEvents: Record<string, string> = { escalated: "escalated", cooled: "resolved", back: "reopened" };
const formerKinds: Record<string, string> = { rise: "firing", several: "firing", further: "escalated", line: "reply" };

/**
 * What has changed since the first version, which had a filter and a rule in the place of options, and episodes for
 * incidents. The rest is held to the present schema afterwards.
 */
const formerAlert = z.looseObject({
  filter: z.object({ type: z.string().optional(), include: z.array(z.string()), exclude: z.array(z.string()) }),
  rule: z.looseObject({ word: z.string(), restMs: z.number() }),
  quietHours: z.unknown().optional(),
  baseline: z.object({ at: z.number(), entities: z.array(z.string()) }).optional(),
  last: z.looseObject({ rising: z.number() }).optional(),
  episodes: z.array(
    z.looseObject({
      entity: z.string(),
      since: z.number(),
      state: formerState,
      told: z.unknown().optional(),
      shown: z.looseObject({ state: formerState }).optional(),
    }),
  ),
  held: z.unknown().optional(),
  pending: z.array(
    z.looseObject({
      kind: z.string(),
      line: z.object({ what: z.string(), posted: z.unknown().optional() }).optional(),
      isLoud: z.literal(true).optional(),
    }),
  ),
  isUnposted: z.unknown().optional(),
});

function migrateAlert(value: unknown): unknown {
  const former = formerAlert.safeParse(value);
  if (!former.success) return value;
  const { filter, rule, quietHours, baseline, last, episodes, held, pending, isUnposted } = former.data;
  const { type } = filter;
  const [include, exclude] = [namesOfFormer(filter.include), namesOfFormer(filter.exclude)];
  return {
    ...former.data,
    options: {
      ...(type !== undefined && { type }),
      ...(include.length > 0 && { include }),
      ...(exclude.length > 0 && { exclude }),
      ...(quietHours !== undefined && { quietHours }),
      ...(rule.word === "custom" ? numbersOfFormer(rule) : { sensitivity: rule.word }),
    },
    watchingSince: baseline?.at,
    last: last && { ...last, open: last.rising },
    incidents: episodes.map((episode) => ({
      ...episode,
      notified: episode.told,
      // The first sample was taken moments after the baseline was written down.
      ...(baseline?.entities.includes(episode.entity) &&
        episode.since <= baseline.at + 2 * 60_000 && { wasThere: true }),
    })),
    awaitingBrief: held,
    // That watching has begun is not posted any more.
    pending: pending
      .filter(({ kind }) => kind !== "baseline")
      .map(({ kind, line, isLoud, ...same }) => ({
        ...same,
        kind: formerKinds[kind] ?? kind,
        reply: line && { event: formerEvents[line.what], thread: line.posted, isBroadcast: isLoud },
      })),
    isUndelivered: isUnposted,
  };
}

/** Files that were imported into the first version could hold any names. */
function namesOfFormer(names: string[]): string[] {
  return names.flatMap((name) => name.trim().slice(0, longestName) || []).slice(0, namesMost);
}

/** The numbers that differ from those of a balanced alert. */
function numbersOfFormer(rule: { restMs: number; [name: string]: unknown }): Record<string, unknown> {
  const balanced = ruleOf({});
  const numbers: Record<string, unknown> = { ...rule, restHours: rule.restMs / 3_600_000 };
  const isValid = (name: (typeof ruleNumbers)[number]) => alertOptions[name].schema.safeParse(numbers[name]).success;
  const own = ruleNumbers.filter((name) => numbers[name] !== balanced[name] && isValid(name));
  return Object.fromEntries(own.map((name) => [name, numbers[name]]));
}

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
