import { z } from "zod";

import { type Api, ApiError, NotAllowed, OutOfCredits, Unavailable } from "../../../apis/errors.ts";

const troubles = ["failing", "refused", "credits", "quiet"] as const;

/** What can be wrong with a service or with one source of it. */
type Trouble = (typeof troubles)[number];

/** What came of one read that a job made. */
export interface Sighting {
  api: Api;
  /** What was read, as an operator knows it; missing where it is the service as a whole. */
  source?: string | undefined;
  /** How much of it was new, or why it could not be read. */
  outcome: { found: number } | { error: unknown };
}

/** How a service stands, or one source of it. All times in epoch milliseconds. */
export interface Standing {
  api: Api;
  source?: string | undefined;
  /** What is wrong, the newest first; each was told, and none is told again until it is well. */
  told: Trouble[];
  /** When what is wrong began. */
  since?: number | undefined;
  /** Reads in a row that failed, and when the first of them did. */
  failures: number;
  failingSince?: number | undefined;
  failedAt?: number | undefined;
  /** The source that failed last. */
  blame?: string | undefined;
  okAt?: number | undefined;
  /** When it was last told to be well again. */
  wellAt?: number | undefined;
  /** How often something new came, when it last did, and the longest that it usually takes. */
  finds: number;
  broughtAt?: number | undefined;
  usualMs: number;
  /** Something new came on a Saturday or Sunday, so that their silence means something. */
  weekends?: true | undefined;
  /** What the operator is told of it and does not read in Slack yet, as far as we know. */
  untold: Line[];
}

/** A notice on its way: written down together with what it is about, so that neither is known without the other. */
export interface Line {
  key: string;
  at: number;
  notice: Notice;
  /** Set just before it was sent: it may stand there. */
  sentAt?: number | undefined;
}

/** Something that the operator is told, once. */
export interface Notice {
  kind: Trouble | "well" | "left";
  api: Api;
  source?: string | undefined;
  since: number;
  /** Why, where the error says it. */
  reason?: string | undefined;
  status?: number | undefined;
  usualMs?: number | undefined;
}

const api = z.enum(["intelligence", "gateway", "jurisdictions"]);

const noticeSchema = z.object({
  kind: z.enum([...troubles, "well", "left"]),
  api,
  source: z.string().optional(),
  since: z.number(),
  reason: z.string().optional(),
  status: z.number().optional(),
  usualMs: z.number().optional(),
});

/** A stored standing. */
export const standingSchema: z.ZodType<Standing> = z.object({
  api,
  source: z.string().optional(),
  told: z.array(z.enum(troubles)),
  since: z.number().optional(),
  failures: z.number(),
  failingSince: z.number().optional(),
  failedAt: z.number().optional(),
  blame: z.string().optional(),
  okAt: z.number().optional(),
  wellAt: z.number().optional(),
  finds: z.number(),
  broughtAt: z.number().optional(),
  usualMs: z.number(),
  weekends: z.literal(true).optional(),
  untold: z
    .array(z.object({ key: z.string(), at: z.number(), notice: noticeSchema, sentAt: z.number().optional() }))
    .default([]),
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Reads in a row that fail before a service counts as failing, and for how long they must. */
const failuresMost = 3;
const patienceMs = 5 * minuteMs;
/** What was well again a moment ago must be wrong for longer before it is told of again. */
const weary = { forMs: hourMs, patienceMs: 30 * minuteMs };
/** Finds before a source has a habit. */
const findsLeast = 3;
/** A source is quiet after so many times what is usual, and never sooner than after a day. */
const quietTimes = 3;
/** What fails is tried again every half hour by whatever follows it, and a silent one is read once a month at least. */
const unreadMs = { failing: hourMs, refused: hourMs, credits: hourMs, quiet: 40 * dayMs };

/** Nothing known yet. */
export function unknown({ api: own, source }: Pick<Standing, "api" | "source">): Standing {
  return { api: own, ...(source !== undefined && { source }), told: [], failures: 0, finds: 0, usualMs: 0, untold: [] };
}

/** How a service and what was read of it stand. */
export interface Pair {
  service: Standing;
  /** Missing where the service as a whole was read. */
  source?: Standing | undefined;
}

interface Judged extends Pair {
  notices: Notice[];
}

/**
 * How a read changes what is known, and what the operator should be told of it. A service that fails is told of once,
 * whatever is read of it; a source only where the service answers for others meanwhile.
 */
export function judged(pair: Pair, { outcome }: Sighting, now: number): Judged {
  if ("found" in outcome) return afterAnswer(pair, outcome.found, now);
  const trouble = troubleOf(outcome.error);
  return trouble ? afterError(pair, { trouble, error: outcome.error }, now) : { ...pair, notices: [] };
}

/** What an error says of the service; nothing where it is about what was asked, or our own. */
function troubleOf(error: unknown): Exclude<Trouble, "quiet"> | undefined {
  if (error instanceof NotAllowed) return "refused";
  if (error instanceof OutOfCredits) return "credits";
  return error instanceof ApiError ? "failing" : undefined;
}

interface Failed {
  trouble: Exclude<Trouble, "quiet">;
  error: unknown;
}

function afterError({ service, source }: Pair, { trouble, error }: Failed, now: number): Judged {
  const whole = { ...failed(service, now), blame: source?.source };
  const part = source && trouble === "failing" ? failed(source, now) : source;
  if (isRipe(whole, trouble, now)) return told({ service: whole, source: part }, "service", { trouble, error });
  const isOwn = part !== undefined && whole.told.length === 0 && (whole.okAt ?? 0) > (part.failingSince ?? now);
  if (part && isOwn && isRipe(part, trouble, now)) {
    return told({ service: whole, source: part }, "source", { trouble, error });
  }
  return { service: whole, source: part, notices: [] };
}

function failed(standing: Standing, now: number): Standing {
  const { failures, failingSince = now } = standing;
  return { ...standing, failures: failures + 1, failingSince, failedAt: now };
}

function isRipe({ told: already, failures, failingSince, wellAt }: Standing, trouble: Trouble, now: number): boolean {
  if (already.includes(trouble)) return false;
  const lasted = now - (failingSince ?? now);
  const isWeary = wellAt !== undefined && now - wellAt < weary.forMs;
  if (isWeary) return lasted >= weary.patienceMs;
  return trouble !== "failing" || (failures >= failuresMost && lasted >= patienceMs);
}

function told(pair: Pair, which: "service" | "source", { trouble, error }: Failed): Judged {
  const standing = pair[which];
  if (!standing) return { ...pair, notices: [] };
  const since = standing.since ?? standing.failingSince ?? standing.failedAt ?? 0;
  const notice = { kind: trouble, ...named(standing), since, ...reasonIn(error) };
  return { ...pair, [which]: { ...standing, told: [trouble, ...standing.told], since }, notices: [notice] };
}

function named({ api: own, source }: Standing): Pick<Notice, "api" | "source"> {
  return { api: own, ...(source !== undefined && { source }) };
}

function reasonIn(error: unknown): Pick<Notice, "reason" | "status"> {
  if (!(error instanceof ApiError)) return {};
  const status = error.status === undefined ? {} : { status: error.status };
  return error instanceof Unavailable ? { reason: error.reason, ...status } : status;
}

function afterAnswer({ service, source }: Pair, found: number, now: number): Judged {
  const answered = (standing: Standing) => ({ ...standing, failures: 0, failingSince: undefined, okAt: now });
  const whole = isCured(service, source, now) ? cured(answered(service), [], now) : { standing: answered(service) };
  if (!source) return { service: whole.standing, notices: list(whole.notice) };
  const part = cured(answered(source), found > 0 ? [] : ["quiet"], now);
  const habit = found > 0 ? brought(part.standing, { wasQuiet: source.told.includes("quiet") }, now) : part.standing;
  const silence = found > 0 ? undefined : silenceOf(habit, now);
  const standing = silence ? { ...habit, told: ["quiet" as const, ...habit.told], since: silence.since } : habit;
  return { service: whole.standing, source: standing, notices: list(whole.notice, part.notice, silence) };
}

function list(...notices: (Notice | undefined)[]): Notice[] {
  return notices.filter((notice) => notice !== undefined);
}

/**
 * Cheaper reads go through where credits do not cover the one that failed, so only that one says that it is over, as
 * long as anything reads it.
 */
function isCured({ told: wrong, blame, failedAt = 0 }: Standing, source: Standing | undefined, now: number): boolean {
  const isPartial = wrong.includes("credits") || wrong.includes("refused");
  return (
    !isPartial ||
    source === undefined ||
    blame === undefined ||
    blame === source.source ||
    now - failedAt > unreadMs.credits
  );
}

interface Abandoned {
  standing: Standing;
  notice: Notice;
}

/**
 * What becomes of something wrong that nothing reads any more: nobody would ever hear that it is well. Nothing where that
 * is not so, as far as somebody can tell who watches since a moment.
 */
export function abandoned(standing: Standing, watchedSince: number, now: number): Abandoned | undefined {
  const {
    told: [trouble],
    okAt = 0,
    failedAt = 0,
    since = now,
    untold,
  } = standing;
  if (!trouble || now - Math.max(okAt, failedAt, watchedSince) <= unreadMs[trouble]) return undefined;
  return { standing: { ...unknown(standing), untold }, notice: { kind: "left", ...named(standing), since } };
}

/** Without its troubles but those that stay, and the notice that it is well where that is none. */
function cured(standing: Standing, staying: Trouble[], now: number): { standing: Standing; notice?: Notice } {
  const left = standing.told.filter((trouble) => staying.includes(trouble));
  if (standing.told.length === left.length) return { standing };
  if (left.length > 0) return { standing: { ...standing, told: left } };
  const notice = { kind: "well" as const, ...named(standing), since: standing.since ?? now };
  return { standing: { ...standing, told: [], since: undefined, wellAt: now }, notice };
}

/** Its habits after something new came; how long a silence was that was told of is none of them. */
function brought(standing: Standing, { wasQuiet }: { wasQuiet: boolean }, now: number): Standing {
  const { broughtAt, usualMs, finds } = standing;
  const gap = broughtAt === undefined || wasQuiet ? 0 : silentMs(standing, now);
  const weekends = standing.weekends ?? (isWeekend(now) || undefined);
  return { ...standing, broughtAt: now, finds: finds + 1, usualMs: Math.max(gap, usualMs * 0.9), weekends };
}

function silenceOf(standing: Standing, now: number): Notice | undefined {
  const { broughtAt, finds, usualMs, told: wrong } = standing;
  if (broughtAt === undefined || finds < findsLeast || wrong.includes("quiet")) return undefined;
  if (silentMs(standing, now) <= Math.max(dayMs, quietTimes * usualMs)) return undefined;
  return { kind: "quiet", ...named(standing), since: broughtAt, usualMs };
}

/** How long nothing new has come, without weekends where none is expected on them. */
function silentMs({ broughtAt, weekends }: Standing, now: number): number {
  if (broughtAt === undefined || now <= broughtAt) return 0;
  if (weekends) return now - broughtAt;
  let silent = 0;
  for (let from = broughtAt; from < now;) {
    const until = Math.min(now, (Math.floor(from / dayMs) + 1) * dayMs);
    if (!isWeekend(from)) silent += until - from;
    from = until;
  }
  return silent;
}

function isWeekend(time: number): boolean {
  return [0, 6].includes(new Date(time).getUTCDay());
}

/** Whether the store should know of a change: what it forgets with the process costs a few minutes of patience. */
export function isTelling(before: Standing, after: Standing): boolean {
  if (before.told.join() !== after.told.join() || before.untold !== after.untold) return true;
  return after.broughtAt !== undefined && after.broughtAt - (before.broughtAt ?? 0) > hourMs;
}
