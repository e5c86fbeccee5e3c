import { z } from "zod";

import { storedOptions } from "../options.ts";
import { heldTo, imported, personId, subscriptionShape } from "../subscriptions/store.ts";
import type { Alert, AlertPost } from "./alert.ts";
import type { Incident, IncidentState } from "./incident.ts";
import { type AlertOptions, alertOptions } from "./options.ts";
import { ruleNumbers, ruleOf } from "./rule.ts";
import type { Sample } from "./samples.ts";

const figures = z.object({
  at: z.number(),
  mentions: z.number(),
  average: z.number().optional(),
  score: z.number().optional(),
});

const message = z.object({ channel: z.string(), ts: z.string() });

/** What of an incident has not changed since the first version. */
const incidentShape = {
  entity: z.string(),
  name: z.string(),
  type: z.string(),
  since: z.number(),
  streak: z.number(),
  changedAt: z.number(),
  peak: figures,
  last: figures,
  posted: message.optional(),
  unwatchedSince: z.number().optional(),
  list: z.string().optional(),
};

const shownShape = { at: z.number(), figures, more: z.number(), mutedAt: z.number().optional() };

const state = z.enum(["pending", "firing", "escalated", "resolved"]);

const incident = z.object({
  ...incidentShape,
  state,
  notified: figures.optional(),
  wasThere: z.literal(true).optional(),
  shown: z.object({ ...shownShape, state }).optional(),
});

const postShape = {
  key: z.string(),
  since: z.number(),
  tries: z.number(),
  retryAt: z.number().optional(),
  sentAt: z.number().optional(),
  entities: z.array(z.string()),
  more: z.number(),
};

const post = z.object({
  ...postShape,
  kind: z.enum(["firing", "escalated", "brief", "reply"]),
  reply: z
    .object({
      event: z.enum(["escalated", "resolved", "reopened"]),
      thread: message,
      isBroadcast: z.literal(true).optional(),
    })
    .optional(),
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
    options: storedOptions(alertOptions),
    watchingSince: z.number().optional(),
    last: z.object({ at: z.number(), open: z.number(), postedAt: z.number().optional() }).optional(),
    incidents: z.array(incident),
    mutes: z.array(mute),
    awaitingBrief: z.array(z.string()),
    pending: z.array(post),
    isUndelivered: z.literal(true).optional(),
  }),
);

/** An alert in a file. */
export const importedAlertSchema: z.ZodType<Alert> = heldTo(
  imported(alertSchema),
  z.object({ mutes: z.array(z.object({ by: z.string().regex(personId, "is no ID of a person") })) }),
);

const formerState = z.enum(["pending", "new", "continuing", "escalated", "cooling", "cooled"]);

/** An alert as the first version wrote it: a filter and a rule in the place of options, and episodes for incidents. */
const formerAlert = z.looseObject({
  filter: z.object({ type: z.string().optional(), include: z.array(z.string()), exclude: z.array(z.string()) }),
  rule: z.looseObject({
    word: z.enum(["quiet", "balanced", "eager", "custom"]),
    restMs: z.number(),
  }),
  quietHours: z.object({ from: z.string(), to: z.string() }).optional(),
  baseline: z.object({ at: z.number(), entities: z.array(z.string()) }).optional(),
  last: z.object({ at: z.number(), rising: z.number(), postedAt: z.number().optional() }).optional(),
  episodes: z.array(
    z.object({
      ...incidentShape,
      state: formerState,
      told: figures.optional(),
      shown: z.object({ ...shownShape, state: formerState }).optional(),
    }),
  ),
  held: z.array(z.string()),
  pending: z.array(
    z.object({
      ...postShape,
      kind: z.enum(["baseline", "rise", "several", "further", "brief", "line"]),
      line: z.object({ what: z.enum(["escalated", "cooled", "back"]), posted: message }).optional(),
      isLoud: z.literal(true).optional(),
    }),
  ),
  isUnposted: z.literal(true).optional(),
});

type FormerAlert = z.infer<typeof formerAlert>;

function migrateAlert(value: unknown): unknown {
  const former = formerAlert.safeParse(value);
  if (!former.success) return value;
  const { baseline, last, episodes, held, pending, isUnposted } = former.data;
  return {
    ...former.data,
    options: migrateOptions(former.data),
    watchingSince: baseline?.at,
    last: last && { at: last.at, open: last.rising, postedAt: last.postedAt },
    incidents: episodes.map((episode) => migrateEpisode(episode, baseline)),
    awaitingBrief: held,
    pending: pending.flatMap(migratePost),
    isUndelivered: isUnposted,
  };
}

function migrateOptions({ filter, rule, quietHours }: FormerAlert): AlertOptions {
  const balanced = ruleOf({});
  const former: Record<string, unknown> = { ...rule, restHours: rule.restMs / 3_600_000 };
  const own = ruleNumbers.filter((name) => former[name] !== balanced[name]);
  return {
    ...(filter.type !== undefined && { type: filter.type }),
    ...(filter.include.length > 0 && { include: filter.include }),
    ...(filter.exclude.length > 0 && { exclude: filter.exclude }),
    ...(quietHours && { quietHours }),
    ...(rule.word === "custom"
      ? Object.fromEntries(own.map((name) => [name, former[name]]))
      : { sensitivity: rule.word }),
  };
}

const states: Record<z.infer<typeof formerState>, IncidentState> = {
  pending: "pending",
  new: "firing",
  continuing: "firing",
  escalated: "escalated",
  cooling: "firing",
  cooled: "resolved",
};

function migrateEpisode(
  { told, shown, ...same }: FormerAlert["episodes"][number],
  baseline: FormerAlert["baseline"],
): Incident {
  // The first sample was taken moments after the baseline was written down.
  const wasThere = baseline?.entities.includes(same.entity) && same.since <= baseline.at + 2 * 60_000;
  return {
    ...same,
    state: states[same.state],
    notified: told,
    ...(shown && { shown: { ...shown, state: states[shown.state] } }),
    ...(wasThere && { wasThere: true }),
  };
}

/** That watching has begun is not posted any more. */
function migratePost({ kind, line, isLoud, ...same }: FormerAlert["pending"][number]): AlertPost[] {
  if (kind === "baseline") return [];
  if (kind === "brief") return [{ ...same, kind }];
  if (kind === "further") return [{ ...same, kind: "escalated" }];
  if (kind !== "line" || !line) return [{ ...same, kind: "firing" }];
  const event = ({ escalated: "escalated", cooled: "resolved", back: "reopened" } as const)[line.what];
  return [{ ...same, kind: "reply", reply: { event, thread: line.posted, isBroadcast: isLoud } }];
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
