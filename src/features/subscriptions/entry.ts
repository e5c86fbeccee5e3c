import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { isPattern, nextRuns, zoneNamed } from "../../schedule/runs.ts";
import { inCode } from "../../slack/mrkdwn.ts";
import { type Schedule, readSchedule } from "./schedule.ts";
import type { Subscription } from "./subscription.ts";

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

const entrySchema = z.looseObject({
  channel: z.string().optional(),
  schedule: z.union([z.string(), z.object({ pattern: z.string(), zone: z.string(), words: z.string() })]),
  paused: z.boolean().optional(),
});

/** Five fields need less. */
const longestPattern = 200;

/** What an entry says, before anybody has checked whether it may be so. */
export interface Read {
  channel: string | undefined;
  schedule: Schedule;
  isPaused: boolean;
  chosen: Entry;
}

/** Reads an entry; throws a UsageError that says what is wrong with it. */
export function readEntry<S extends Subscription>(entry: unknown, portable: Portable<S>, usualZone: string): Read {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) throw new UsageError(problemIn(parsed.error));
  const { channel, schedule, paused, ...chosen } = parsed.data;
  const unknown = Object.keys(chosen).find((name) => !portable.chosen.some((known) => known === name));
  if (unknown !== undefined) throw new UsageError(`I do not know what \`${inCode(unknown)}\` is.`);
  return { channel, schedule: whole(schedule, usualZone), isPaused: paused ?? false, chosen };
}

function whole(schedule: string | Schedule, usualZone: string): Schedule {
  if (typeof schedule === "string") return readSchedule(schedule, usualZone);
  const pattern = schedule.pattern.trim();
  const zone = zoneNamed(schedule.zone);
  const isShort = pattern.length <= longestPattern;
  if (zone === undefined || !isShort || !isPattern(pattern) || nextRuns({ pattern, zone }, 0, 1).length === 0) {
    throw new UsageError("`schedule` is none that ever comes.");
  }
  return saying(schedule.words, pattern, zone);
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
  common: Pick<Subscription, "team" | "channel" | "maker" | "schedule" | "nextRun">,
): S {
  const begun = { number: 1, state: "active", changed: [] };
  const parsed = schema.safeParse({ ...blank, ...chosen, ...common, ...begun });
  const problem = parsed.error ?? bounds?.safeParse(parsed.data).error;
  if (parsed.success && !problem) return parsed.data;
  throw new UsageError(problem ? problemIn(problem) : "It cannot be read.");
}

function problemIn({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".") ?? "";
  const what = issue?.message ?? "cannot be read";
  return path ? `\`${inCode(path)}\`: ${inCode(what)}.` : `${inCode(what)}.`;
}

/** Characters that Slack, or whoever copies text, might change; JSON has another way to write them. */
const risky = /[<>&`\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Entries as JSON, each on a line of its own, in parts of at most `longest` characters that are each whole. */
export function partsOf(entries: Entry[], longest: number): { parts: string[]; tooLong: number[] } {
  const parts: string[][] = [];
  const tooLong: number[] = [];
  let room = 0;
  for (const [index, entry] of entries.entries()) {
    const line = lineOf(entry);
    const needed = line.length + 2;
    if (needed + 4 > longest) {
      tooLong.push(index);
      continue;
    }
    if (needed > room || parts.length === 0) {
      parts.push([]);
      room = longest - 4;
    }
    parts.at(-1)?.push(line);
    room -= needed;
  }
  return { parts: parts.map((lines) => `[\n${lines.join(",\n")}\n]`), tooLong };
}

function lineOf(entry: Entry): string {
  return JSON.stringify(entry).replace(
    risky,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Entries that somebody typed or pasted; throws a UsageError where it is no JSON. */
export function readEntries(text: string): unknown[] {
  const value = parse(text) ?? parse(text.replace(/[“”„]/g, '"'));
  if (value === undefined) {
    throw new UsageError("That is no JSON. Paste what `export` has shown, from the first `[` to the last `]`.");
  }
  const entries = Array.isArray(value.json) ? value.json : [value.json];
  if (entries.length === 0) throw new UsageError("There is nothing in it.");
  return entries;
}

function parse(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text.replace(/^\s*```(?:json)?|```\s*$/g, "")) };
  } catch {
    return undefined;
  }
}
