import { distance } from "fastest-levenshtein";
import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { isPattern, nextRuns, zoneNamed } from "../../schedule/runs.ts";
import { fieldProblem, foundWords, problemsIn, unknownField } from "./problem.ts";
import { type Schedule, readSchedule } from "./schedule.ts";
import type { Spot, Subscription } from "./subscription.ts";

/** How subscriptions of a kind are written down to be kept, or to be moved. */
export interface Portable<S extends Subscription> {
  /** What is stored of one. */
  schema: z.ZodType<S>;
  /** What of that somebody chose, besides when and where; the rest became of it. */
  chosen: readonly (keyof S & string)[];
  /** What somebody may choose, where less than all that can be stored makes sense; held to where anything is taken in. */
  bounds?: z.ZodType;
  /** What the rest is at the beginning, where it cannot be missing. */
  blank: Partial<S>;
  /** Fields that say that something is of another kind, with that kind's noun. */
  others?: Record<string, string>;
}

/** One subscription as it is written down. */
export type Entry = Record<string, unknown>;

/** What somebody chose, and no more: it can be added anew, there or elsewhere. */
export function entryOf<S extends Subscription>(subscription: S, { chosen }: Portable<S>, user: string): Entry {
  const { channel, schedule, state } = subscription;
  return {
    channel: channel === user ? "me" : channel,
    schedule: scheduleText(schedule),
    ...(state === "paused" && { paused: true }),
    ...Object.fromEntries(
      chosen.filter((name) => subscription[name] !== undefined).map((name) => [name, subscription[name]]),
    ),
  };
}

/** As somebody would type it; whole, where that would not be understood as the same. */
function scheduleText(schedule: Schedule): string | Schedule {
  const { words, zone, pattern } = schedule;
  const typed = `${words} ${zone}`;
  try {
    const read = readSchedule(typed, zone);
    if (read.pattern === pattern && read.zone === zone && read.words === words) return typed;
  } catch {
    // What was stored by an earlier version may be said in words that are none today.
  }
  return { pattern, zone, words };
}

const takesTime = "words such as `weekdays at 9:00 Europe/London`";

const entrySchema = z.looseObject({
  channel: z
    .string()
    .regex(/^(me|[CDGUW][A-Z0-9]{1,20})$/, "`me`, or the ID of a channel such as `C024BE7LR`")
    .optional(),
  schedule: z.union([z.string(), z.object({ pattern: z.string(), zone: z.string(), words: z.string() })], takesTime),
  paused: z.boolean().optional(),
});

/** Five fields need less. */
const longestPattern = 200;

/** What an entry says, before anybody has checked whether it may be so. */
export interface Read {
  channel: string | undefined;
  schedule: Schedule;
  state: "active" | "paused";
  chosen: Entry;
}

/** Reads an entry; throws a UsageError that says what is wrong with it. */
export function readEntry<S extends Subscription>(entry: unknown, portable: Portable<S>, usualZone: string): Read {
  if (!isEntry(entry)) throw new UsageError(`It ${foundWords(entry)}; an entry is a group of fields in braces.`);
  const stranger = kindOf(entry, portable);
  if (stranger) throw new UsageError(`This is one of the ${stranger}s: \`/${stranger}s import\` takes it.`);
  const parsed = entrySchema.safeParse(entry);
  const unknown = unknownIn(entry, portable);
  if (!parsed.success) throw new UsageError(sentences([...unknown, ...problemsIn(parsed.error, entry)]));
  if (unknown.length > 0) throw new UsageError(sentences(unknown));
  const { channel, schedule, paused, ...chosen } = parsed.data;
  return { channel, schedule: whole(schedule, usualZone), state: paused ? "paused" : "active", chosen };
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The other kind that an entry is of; nothing where it is of this one. */
export function kindOf<S extends Subscription>(entry: unknown, { others = {} }: Portable<S>): string | undefined {
  if (!isEntry(entry)) return undefined;
  return Object.entries(others).find(([name]) => name in entry)?.[1];
}

function unknownIn<S extends Subscription>(entry: Entry, { chosen }: Portable<S>): string[] {
  const known: string[] = ["channel", "schedule", "paused", ...chosen];
  return Object.keys(entry)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const [near = ""] = known.toSorted((one, other) => distance(one, name) - distance(other, name));
      return unknownField(name, distance(near, name) <= 2 ? near : undefined);
    });
}

/** Problems that are said of one entry. */
const problemsMost = 3;

function sentences(problems: string[]): string {
  const more = problems.length > problemsMost ? [`And ${problems.length - problemsMost} more.`] : [];
  return [...problems.slice(0, problemsMost), ...more].join(" ");
}

function whole(schedule: string | Schedule, usualZone: string): Schedule {
  if (typeof schedule === "string") return wordsAsSchedule(schedule, usualZone);
  const pattern = schedule.pattern.trim();
  const zone = zoneNamed(schedule.zone);
  if (zone === undefined) {
    throw new UsageError(fieldProblem("schedule.zone", schedule.zone, "a time zone such as `Europe/London`"));
  }
  const isShort = pattern.length <= longestPattern;
  if (!isShort || !isPattern(pattern) || nextRuns({ pattern, zone }, 0, 1).length === 0) {
    const takes = "five fields of cron for a time that comes, such as `0 7 * * 1-5`";
    throw new UsageError(fieldProblem("schedule.pattern", pattern, takes));
  }
  return saying(schedule.words, pattern, zone);
}

function wordsAsSchedule(typed: string, usualZone: string): Schedule {
  try {
    return readSchedule(typed, usualZone);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`\`schedule\`: ${error.message}`);
    throw error;
  }
}

/** Words that everybody reads as the time must say when it is; where they do not, the pattern does. */
function saying(words: string, pattern: string, zone: string): Schedule {
  try {
    const read = readSchedule(words, zone);
    if (read.pattern === pattern && read.zone === zone) return read;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  return { pattern, zone, words: `cron ${pattern}` };
}

/** A new subscription made from what was read; throws a UsageError that says what is wrong with it. */
export function subscriptionFrom<S extends Subscription>(
  chosen: Entry,
  { schema, bounds, blank }: Portable<S>,
  common: Spot & Pick<Subscription, "team" | "maker" | "schedule" | "nextRun" | "state">,
): S {
  const begun = { number: 1, changed: [] };
  const all = { ...blank, ...chosen, ...common, ...begun };
  // What may be chosen says more plainly what is wrong than what can be stored.
  const problem = bounds?.safeParse(all).error;
  if (problem) throw new UsageError(sentences(problemsIn(problem, all)));
  const parsed = schema.safeParse(all);
  if (parsed.success) return parsed.data;
  throw new UsageError(sentences(problemsIn(parsed.error, all)));
}
