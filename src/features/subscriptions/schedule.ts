import { UsageError } from "../../apis/errors.ts";
import { type Pattern, isPattern, nextRuns, zoneNamed } from "../../schedule/runs.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { plural } from "../text.ts";

/** When something comes. */
export interface Schedule extends Pattern {
  /** As a reader would say it, without the zone: `weekdays at 09:00`. */
  words: string;
}

/** A schedule as somebody would type it. */
export function typedSchedule({ words, zone }: Schedule): string {
  return `${words.replace(/^cron (.*)$/, 'cron "$1"')} ${zone}`;
}

const understood =
  '`every 15 minutes`, `hourly`, `daily at 9:00`, `weekdays at 9:00`, `Mondays at 08:30` or `cron "0 7 * * 1-5"`';

/** Longer than anything that says when; what is longer was pasted by mistake. */
const longest = 300;

/** What somebody said about when, for instance `Mondays 08:30 Europe/London`; without a zone the usual one is meant. */
export function readSchedule(text: string, usualZone: string): Schedule {
  const { rest, zone = usualZone } = text.length > longest ? { rest: text.slice(0, longest) } : splitZone(plain(text));
  const read = text.length > longest ? undefined : readWords(rest);
  if (!read) {
    const lead = rest ? `I can’t read the schedule “${inCode(rest)}”.` : "When should it post?";
    throw new UsageError(`${lead} Try ${understood}. You can add a time zone, such as \`Europe/London\`.`);
  }
  return { ...read, zone };
}

/** What is wrong with words about when; undefined where they say when. */
export function scheduleProblem(text: string): string | undefined {
  try {
    readSchedule(text, "UTC");
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Which of the words of a line are the first about when; `textFrom` is the line from one on. All, where none are. */
export function scheduleStart(words: string[], textFrom: (at: number) => string, least = 0): number {
  // Each word has a character: what begins before these is too long.
  const first = Math.max(least, words.length - longest);
  const start = words.findIndex((_, at) => at >= first && scheduleProblem(textFrom(at)) === undefined);
  if (start >= 0) return start;
  // What was meant for a time and is none should be said, instead of being searched for.
  const meant = words.findIndex(
    (word, at) => at >= least && /^(every|each|hourly|daily|weekdays?|cron|\d{1,2}:\d\d)$/i.test(word),
  );
  return meant < 0 ? words.length : meant;
}

type Read = Omit<Schedule, "zone"> | undefined;

function readWords(text: string): Read {
  return readCron(text) ?? readInterval(text.toLowerCase()) ?? readDays(text.toLowerCase());
}

function plain(text: string): string {
  const words = text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‐-―]/g, "-")
    .replace(/[()]/g, " ");
  return words.replace(/\s+/g, " ").trim();
}

/** A zone at the end: the name of a place, or UTC. */
function splitZone(text: string): { rest: string; zone?: string } {
  const [, rest = "", name = ""] = /^(?:(.*?),? (?:in )?)?([a-z]\w*\/[\w+/-]+|utc|gmt)(?: time)?$/i.exec(text) ?? [];
  if (!name) return { rest: text };
  const zone = zoneNamed(name);
  if (zone) return { rest, zone };
  throw new UsageError(
    `I couldn’t find the time zone “${inCode(name)}”. Use a name such as \`Europe/London\` or \`UTC\`.`,
  );
}

function readCron(text: string): Read {
  const [, pattern = ""] = /^cron "?([^"]*)"?$/i.exec(text) ?? [];
  if (!pattern) return undefined;
  const example = 'for example `cron "0 7 * * 1-5"`';
  if (!isPattern(pattern)) {
    const fields = "minute, hour, day, month, day of the week";
    throw new UsageError(`“${inCode(pattern)}” isn’t a cron expression. It needs five fields (${fields}), ${example}.`);
  }
  if (nextRuns({ pattern, zone: "UTC" }, 0, 1).length === 0) {
    throw new UsageError(`\`cron ${inCode(pattern)}\` names a day that never comes. Choose another one, ${example}.`);
  }
  return { pattern, words: `cron ${pattern}` };
}

/** Numbers that a clock face divides by: others would leave a shorter gap at its end. */
const even = { minute: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30], hour: [1, 2, 3, 4, 6, 8, 12] };

function readInterval(text: string): Read {
  if (text === "hourly") return { pattern: "0 * * * *", words: "hourly" };
  const [, typed = "1", word] =
    /^(?:every|each) ?(?:(\d+) ?)?(minutes?|mins?|m|hours?|hrs?|h|seconds?|secs?|s)$/.exec(text) ?? [];
  if (!word) return undefined;
  if (word.startsWith("s")) throw new UsageError("The shortest interval is `every minute`.");
  const unit = word.startsWith("m") ? "minute" : "hour";
  const count = Number(typed);
  if (!even[unit].includes(count)) throw new UsageError(uneven(count, unit));
  if (count === 1) return unit === "hour" ? readInterval("hourly") : { pattern: "* * * * *", words: "every minute" };
  const pattern = unit === "minute" ? `*/${count} * * * *` : `0 */${count} * * *`;
  return { pattern, words: `every ${count} ${unit}s` };
}

function uneven(count: number, unit: "minute" | "hour"): string {
  const whole = unit === "minute" ? "An hour" : "A day";
  const [near = 1] = even[unit].toSorted((one, other) => Math.abs(one - count) - Math.abs(other - count));
  const instead = near === 1 ? `every ${unit}` : `every ${near} ${unit}s`;
  return `${whole} can’t be split evenly into ${plural(count, unit)}. Try \`${instead}\`.`;
}

const dayNames = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const usualTime = { hour: 9, minute: 0 };

function readDays(text: string): Read {
  const [, said = "", clock] = /^(.+?)(?:(?: at)? (\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?|noon|midnight))?$/.exec(text) ?? [];
  const days = daysOf(said.replace(/^(?:every|each|on) /, ""));
  if (!days) return undefined;
  const time = clock === undefined ? usualTime : timeOf(clock);
  if (!time) throw new UsageError(`“${inCode(clock ?? "")}” isn’t a time of day. Try \`9:00\`, \`17:30\` or \`9 am\`.`);
  const shown = [time.hour, time.minute].map((part) => String(part).padStart(2, "0")).join(":");
  const field = days.length === 7 ? "*" : days.join(",");
  return { pattern: `${time.minute} ${time.hour} * * ${field}`, words: `${daysWords(days)} at ${shown}` };
}

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const groups = new Map([
  ["day", everyDay],
  ["daily", everyDay],
  ["weekday", [1, 2, 3, 4, 5]],
  ["workday", [1, 2, 3, 4, 5]],
  ["weekend", [0, 6]],
]);

/** Days of the week, Sunday first, as cron counts them; nothing where a word is none. */
function daysOf(text: string): number[] | undefined {
  const group = groups.get(text.replace(/s$/, ""));
  if (group) return group;
  const parts = text.replace(/ ?- ?/g, "-").split(/(?:,|&|\band\b|\s)+/);
  const found = parts.filter(Boolean).map(rangeOf);
  if (found.length === 0 || found.includes(undefined)) return undefined;
  return [...new Set(found.flatMap((days) => days ?? []))].toSorted((one, other) => one - other);
}

function rangeOf(text: string): number[] | undefined {
  const [first, last, ...more] = text.split("-").map(weekdayOf);
  if (first === undefined || more.length > 0) return undefined;
  if (!text.includes("-")) return [first];
  if (last === undefined) return undefined;
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
}

function weekdayOf(text: string): number | undefined {
  const stem = text.replace(/s$/, "");
  const day = stem.length >= 3 ? dayNames.findIndex((name) => name.startsWith(stem)) : -1;
  return day < 0 ? undefined : day;
}

function daysWords(days: number[]): string {
  const key = days.join("");
  if (key === "0123456") return "daily";
  if (key === "12345") return "weekdays";
  if (key === "06") return "weekends";
  // A week of work begins on Monday.
  const names = [...days.filter((day) => day > 0), ...days.filter((day) => day === 0)].map((day) => {
    const name = dayNames[day] ?? "";
    return `${name[0]?.toUpperCase()}${name.slice(1)}s`;
  });
  const last = names.pop() ?? "";
  return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
}

function timeOf(text: string): { hour: number; minute: number } | undefined {
  if (text === "noon") return { hour: 12, minute: 0 };
  if (text === "midnight") return { hour: 0, minute: 0 };
  const [, typed = "", minutes = "0", half] = /^(\d{1,2})(?:[:.](\d\d))? ?(am|pm)?$/.exec(text) ?? [];
  const hour = Number(typed);
  const minute = Number(minutes);
  if (half && (hour < 1 || hour > 12)) return undefined;
  const whole = half ? (hour % 12) + (half === "pm" ? 12 : 0) : hour;
  return whole > 23 || minute > 59 ? undefined : { hour: whole, minute };
}
