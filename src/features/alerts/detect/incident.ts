import { z } from "zod";

import { type Figures, type SourceSilence, figuresSchema } from "../../sources/samples.ts";
import { type Level, type Rule, isAbove, isTimes } from "./rule.ts";

/** The person who is on an incident, by the name that they had then. */
const takenSchema = z.object({
  by: z.string(),
  name: z.string(),
  at: z.number(),
  /** The name of the person who had it before. */
  from: z.string().optional(),
});

/** The person who took an incident or, with `handled`, closed it. */
const acknowledgementSchema = takenSchema.extend({
  handled: z
    .object({
      /** The words of whoever closed it about what they did; may be empty. */
      words: z.string(),
      /** The time from its message until it was closed, in milliseconds. */
      afterMs: z.number(),
      /** Its peak until then: only a doubling opens it again. */
      peak: figuresSchema,
      /** The person who was on it. */
      before: takenSchema.optional(),
    })
    .optional(),
});
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

/** A spike of one entity, from the first check in which it passed the floors until its cooldown is over. */
export const incidentSchema = z.object({
  entity: z.string(),
  name: z.string(),
  type: z.string(),
  /** `pending` until it has held for long enough. */
  state: z.enum(["pending", "firing", "escalated", "resolved"]),
  /** The time at which it first passed the floors. */
  since: z.number(),
  /** Checks in a row that speak for the next state. */
  streak: z.number(),
  /** The time at which it reached its state. */
  changedAt: z.number(),
  /** The time at which a resolved one passed the floors again. */
  risingSince: z.number().optional(),
  /** Its numbers when it was last reported, or at the first check if it predates the alert. */
  notified: figuresSchema.optional(),
  peak: figuresSchema,
  last: figuresSchema,
  /** It was trending already when watching began. */
  predatesAlert: z.literal(true).optional(),
  /** For a source without new articles: the time of its last one. */
  silentSince: z.number().optional(),
  /** The key of the post that reported it: its thread holds the history. */
  post: z.string().optional(),
  /** The time at which it was escalated because nobody had taken it. */
  untakenAt: z.number().optional(),
  /** Missing if nobody is on it. */
  acknowledgedBy: acknowledgementSchema.optional(),
});
export type Incident = z.infer<typeof incidentSchema>;

export type IncidentState = Incident["state"];

/** A change of an incident that a reader may want to know. */
export type IncidentEvent = "firing" | "escalated" | "resolved" | "reopened";

/** An entity in a sample. */
export interface Observed {
  entity: string;
  name: string;
  type: string;
  figures: Figures;
  silence?: SourceSilence | undefined;
}

/** An entity in one check; one that is absent from the sample is below and has no figures. */
interface Sighting {
  level: Level;
  figures?: Figures | undefined;
}

/** An incident after one more check; missing if it is over and forgotten, or didn't hold for long enough. */
interface IncidentStep {
  incident?: Incident;
  event?: IncidentEvent;
}

export interface CheckMoment {
  rule: Rule;
  now: number;
}

/** Begins the incident of an entity that passes the floors. */
export function startIncident(observed: Observed, level: Level, rule: Rule): IncidentStep {
  return confirm(incidentOf(observed), level, rule);
}

/** The incident of an entity that spikes already when watching begins: it is followed, and not reported. */
export function existingSpike(observed: Observed): Incident {
  return { ...incidentOf(observed), state: "firing", notified: observed.figures, predatesAlert: true };
}

/** An incident of an entity as it is in a sample. */
function incidentOf({ entity, name, type, figures, silence }: Observed): Incident {
  const { at } = figures;
  return {
    entity,
    name,
    type,
    state: "pending",
    since: at,
    streak: 0,
    changedAt: at,
    peak: figures,
    last: figures,
    ...(silence && { silentSince: silence.since }),
  };
}

/** True if it is above normal, also if somebody has closed it. */
export const isSpiking = ({ state }: Pick<Incident, "state">) => state === "firing" || state === "escalated";

export const isHandled = ({ acknowledgedBy }: Pick<Incident, "acknowledgedBy">) =>
  acknowledgedBy?.handled !== undefined;

/** True if somebody has to see to it. */
export const isOpen = (incident: Pick<Incident, "state" | "acknowledgedBy">) =>
  isSpiking(incident) && !isHandled(incident);

/** True if its cooldown is over, so that the next spike is a new incident. */
export function isRested({ state, changedAt }: Incident, { rule, now }: CheckMoment): boolean {
  return state === "resolved" && now - changedAt >= rule.cooldownHours * 3_600_000;
}

/** An incident after one more check. */
export function advanceIncident(before: Incident, sighting: Sighting, moment: CheckMoment): IncidentStep {
  const { level, figures } = sighting;
  if (before.state === "resolved") return rest(before, sighting, moment);
  const incident = withFigures(before, figures);
  if (before.state === "pending") return isAbove(level) ? confirm(incident, level, moment.rule) : {};
  if (level === "below") return fall(incident, moment);
  return escalation(incident, sighting, moment) ?? { incident: withStreak(incident, 0) };
}

function withFigures(incident: Incident, figures: Figures | undefined): Incident {
  if (!figures) return incident;
  return { ...incident, last: figures, peak: isTimes(incident.peak, figures, 1) ? incident.peak : figures };
}

function withStreak(incident: Incident, streak: number): Incident {
  return incident.streak === streak ? incident : { ...incident, streak };
}

function reached(incident: Incident, state: IncidentState, now: number): Incident {
  return { ...incident, state, streak: 0, changedAt: now };
}

/** A check above the floors: the incident fires once that has held for long enough. */
function confirm(incident: Incident, level: Level, rule: Rule): IncidentStep {
  const streak = incident.streak + 1;
  const { last, since } = incident;
  if (level !== "far above" && !hasHeld(last, { since, streak }, rule)) return { incident: { ...incident, streak } };
  return { incident: { ...reached(incident, "firing", last.at), notified: last }, event: "firing" };
}

/**
 * True if it has passed the floors for long enough: in so many checks or, if articles of a length of time are counted, for
 * as long, because checks that count the same articles confirm nothing.
 */
function hasHeld(
  { at, spanMs }: Figures,
  { since, streak }: { since: number; streak: number },
  { fireAfterChecks }: Rule,
): boolean {
  return spanMs === undefined || fireAfterChecks === 0 ? streak >= fireAfterChecks : at - since >= spanMs;
}

/** A check in which it is down: the incident is resolved once that has held for long enough. */
function fall(incident: Incident, { rule, now }: CheckMoment): IncidentStep {
  const streak = incident.streak + 1;
  if (streak < rule.recoverAfterChecks) return { incident: { ...incident, streak } };
  return { incident: reached(incident, "resolved", now), event: "resolved" };
}

/** A handled incident opens again at so many times the peak that it had. */
const handledAgain = 2;

/** The step of an incident that has grown so much that it is reported again. */
function escalation(
  incident: Incident,
  { level, figures }: Sighting,
  { rule, now }: CheckMoment,
): IncidentStep | undefined {
  const handled = incident.acknowledgedBy?.handled;
  const { before, times } = handled
    ? { before: handled.peak, times: handledAgain }
    : { before: incident.notified, times: rule.escalate };
  if (!figures || !before || !isAbove(level) || !isTimes(figures, before, times)) return undefined;
  const escalated = { ...reached(incident, "escalated", now), notified: figures };
  return { incident: handled ? { ...escalated, acknowledgedBy: undefined } : escalated, event: "escalated" };
}

/**
 * A resolved incident: a spike within the cooldown reopens it. It is measured by how strong it was before,
 * so that it's reported in the channel again only if it passes its peak by far.
 */
function rest(before: Incident, sighting: Sighting, moment: CheckMoment): IncidentStep {
  const { level, figures } = sighting;
  const resolved = figures ? { ...before, last: figures } : before;
  if (!isAbove(level)) return { incident: withStreak(resolved, 0) };
  if (isRested(before, moment)) return {};
  const streak = before.streak + 1;
  const { last } = resolved;
  const since = before.streak > 0 ? (before.risingSince ?? last.at) : last.at;
  if (level !== "far above" && !hasHeld(last, { since, streak }, moment.rule)) {
    return { incident: { ...resolved, streak, risingSince: since } };
  }
  const reopened = { ...reached(resolved, "firing", moment.now), notified: before.peak };
  const { incident = reopened, event = "reopened" } = escalation(reopened, sighting, moment) ?? {};
  // A handled spike that falls and rises again is not reported: only a doubling opens it.
  return { incident: withFigures(incident, figures), ...(!isHandled(incident) && { event }) };
}
