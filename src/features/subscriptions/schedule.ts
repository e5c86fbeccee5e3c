import { UsageError } from "../../apis/errors.ts";
import { type Pattern, isPattern, nextRuns, zoneNamed } from "../../schedule/runs.ts";
import { nextMidnight } from "../../schedule/zone.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { plural, sentence } from "../text.ts";

/** A schedule: a pattern, its time zone, and its words. */
export interface Schedule extends Pattern {
  /** As a reader would say it, without the zone: `weekdays at 09:00`. */
  words: string;
  /** It runs a single time, the next that fits its pattern. */
  isOnce?: true | undefined;
}

/** A schedule as it was read; “tomorrow” leaves out what is left of today, which is known once its zone is. */
export interface ReadSchedule extends Schedule {
  isFromTomorrow?: true | undefined;
}

/** A schedule as it is kept, and the moment after which its first run comes. */
export function startOf({ isFromTomorrow, ...schedule }: ReadSchedule, now: number) {
  return { schedule, from: isFromTomorrow ? nextMidnight(now, schedule.zone) - 60_000 : now };
}

/** A schedule as somebody would type it. */
export function typedSchedule({ words, zone }: Schedule): string {
  return `${words.replace(/^cron (.*)$/, 'cron "$1"')} ${zone}`;
}

/** Stands for the asker's own zone until Slack is asked for it. */
export const ownZone = "";

const understood =
  "`every 15 minutes`, `hourly`, `weekdays at 9:00`, `daily at 8:30 and 17:00`, `Mondays at 08:30` or `first Monday of the month`";

/** Longer than anything that says when; what is longer was pasted by mistake. */
const longest = 300;

/** Reads a schedule as somebody types it, for instance `Mondays 08:30 Europe/London`; without a zone the usual one is meant. */
export function readSchedule(text: string, usualZone: string): ReadSchedule {
  const { rest, zone = usualZone } = text.length > longest ? { rest: text.slice(0, longest) } : splitZone(plain(text));
  const read = text.length > longest ? undefined : readWords(rest);
  if (!read) {
    const lead = rest ? `I can’t read the schedule “${inCode(rest)}”.` : "When should it post?";
    throw new UsageError(`${lead} Try ${understood}. You can add a time zone, such as \`Europe/London\`.`);
  }
  return { ...read, zone };
}

/** The same for what has to run again and again. */
export function readRepeating(text: string, usualZone: string): Schedule {
  const { isFromTomorrow: _, ...schedule } = readSchedule(text, usualZone);
  if (!schedule.isOnce) return schedule;
  throw new UsageError("An alert checks again and again. Say how often, for example `every 15 minutes`.");
}

/** The same in an edit: a time alone leaves the days and the zone as they are. */
export function readNewSchedule(text: string, usualZone: string, standing: Schedule): ReadSchedule {
  const { rest, zone = standing.zone } = splitZone(plain(text.slice(0, longest)));
  const isTime = (word: string) => /^(?:at|and|[ap]m|noon|midnight|\d[\d:.]*(?:[ap]m)?)$/i.test(word);
  if (!rest || !rest.split(/[\s,&]+/).every(isTime)) return readSchedule(text, usualZone);
  const days = / at /.test(standing.words) ? standing.words.replace(/ at .*/, "") : "daily";
  return readSchedule(`${days} at ${rest.replace(/^at /i, "")}`, zone);
}

/** The problem with words that are meant as a schedule; undefined if they are one. */
export function scheduleProblem(text: string): string | undefined {
  try {
    readSchedule(text, "UTC");
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Words that a schedule may have. What stands before them in a long line is read as no schedule. */
const wordsMost = 60;

/** The index of the first word of a schedule in a line; `textFrom` is the line from a word on. The number of words if there is none. */
export function scheduleStart(words: string[], textFrom: (at: number) => string, least = 0): number {
  const from = Math.max(least, words.length - wordsMost);
  const start = words.findIndex((_, at) => at >= from && scheduleProblem(textFrom(at)) === undefined);
  if (start >= 0) return start;
  // A word that was meant as a time is reported as unreadable, instead of becoming part of the query.
  const meant = words.findIndex(
    (word, at) => at >= least && /^(every|each|hourly|daily|weekdays?|cron|\d{1,2}:\d\d)$/i.test(word),
  );
  return meant < 0 ? words.length : meant;
}

/** Throws a UsageError for words before a schedule that look like a part of it: they would be searched for. */
export function refuseUnusedTimes(words: string[]): void {
  const unused = words.find((word, at) => {
    if (/^(?:every|each|hourly)$/i.test(word) || isClock(word)) return true;
    if (at < words.length - 1) return /^at$/i.test(word) && /^\d{1,2}$/.test(words[at + 1] ?? "");
    return /^(?:today|tonight|tomorrow|once|twice|and|at|on)$/i.test(word) || scheduleProblem(word) === undefined;
  });
  if (unused === undefined) return;
  throw new UsageError(
    `“${inCode(unused)}” looks like a time, and I can’t fit it into the schedule. Leave it out, or put what to look for in quotation marks, with the schedule after them: ${understood}.`,
  );
}

type Read = Omit<ReadSchedule, "zone"> | undefined;

function readWords(text: string): Read {
  const small = text.toLowerCase();
  return readCron(text) ?? readInterval(small) ?? readOnce(small) ?? readDays(small);
}

function plain(text: string): string {
  const words = text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‐-―]/g, "-")
    .replace(/[()]/g, " ");
  return spokenTimes(words.replace(/\s+/g, " ").trim());
}

const spokenHours = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const hourWord = new RegExp(
  `\\b(half past|quarter past|quarter to|at) (${spokenHours.join("|")}|\\d{1,2})\\b(?![:.]\\d)`,
  "gi",
);
const spokenCount = new RegExp(`\\b(every|each) (${spokenHours.join("|")}) (?=hours?|minutes?)`, "gi");
const minutesPast: Record<string, string> = { "half past": "30", "quarter past": "15", "quarter to": "45", at: "00" };

/** Times and days as people say them, in the words that a schedule is read from: “half past eight” is `8:30`. */
function spokenTimes(text: string): string {
  return text
    .replace(/\bm-f\b/gi, "weekdays")
    .replace(/\b((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*) ?\/ ?(?=(?:mon|tue|wed|thu|fri|sat|sun))/gi, "$1, ")
    .replace(/\b([01]\d|2[0-3])([0-5]\d)\b/g, "$1:$2")
    .replace(/(?<!\b(?:every|each) )\b(\d{1,2})h(\d\d)?\b/gi, (_, hour: string, minutes = "00") => `${hour}:${minutes}`)
    .replace(/\b(every|each) half (?:an )?h(?:ou)?r\b/gi, "$1 30 minutes")
    .replace(/\b(?:two|three|four) times (?:a|per) day:?,?(?= (?:at )?\d)/gi, "daily")
    .replace(/\b(?:at|all|of) the (?=\d|[a-z]{3,6}days\b)/gi, "at ")
    .replace(/\bat (?=[a-z]{3,6}days\b)/gi, "every ")
    .replace(
      /\b((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*) (?:to|through|thru|until|till) (?=(?:mon|tue|wed|thu|fri|sat|sun))/gi,
      "$1-",
    )
    .replace(/\b(?:twice|(?:two|three) times) (?:a|per) week,?(?= (?:on )?[a-z]{3,6}days\b)/gi, "")
    .replace(
      spokenCount,
      (_, every: string, word: string) => `${every} ${spokenHours.indexOf(word.toLowerCase()) + 1} `,
    )
    .replace(/\btwo times (?:a|by|per|each) day\b/gi, "twice a day")
    .replace(/\band at (?=\d)/gi, "and ")
    .replace(/\ba (half|quarter)(?= (?:past|to) )/gi, "$1")
    .replace(hourWord, (said, led: string, word: string) => {
      const hour = /^\d/.test(word) ? Number(word) : spokenHours.indexOf(word.toLowerCase()) + 1;
      if (led.toLowerCase() === "at" && /^\d/.test(word)) return said;
      const whole = led.toLowerCase() === "quarter to" ? hour - 1 : hour;
      const time = `${whole}:${minutesPast[led.toLowerCase()] ?? "00"}`;
      return led.toLowerCase() === "at" ? `at ${time}` : time;
    })
    .replace(/(\d) ?o['’ ]?clock\b/gi, "$1:00")
    .replace(/\b(\d{1,2}(?:[:.]\d\d)?) in the morning\b/gi, "$1am")
    .replace(/\b(\d{1,2}(?:[:.]\d\d)?) in the (?:afternoon|evening)\b/gi, "$1pm")
    .replace(
      /\b(?:at )?(\d{1,2}(?:[:.]\d\d)?) (each|every) (morning|afternoon|evening)\b(?! (?:at )?\d)/gi,
      "$2 $3 at $1",
    )
    .replace(/^in the (morning|afternoon|evening)s?\b/i, "every $1")
    .replace(/\b(?:business|working|work) ?(days?)\b/gi, "week$1")
    .replace(/\bnightly\b/gi, "every night")
    .replace(/\btwice (?:a|per) week$/i, "Mondays and Thursdays")
    .replace(/\b(?:at )?(?:the )?(?:end of (?:the |each |every )?day|eod|close of business)\b/gi, "daily at 18:00")
    .replace(/\b(?:once a|per) (day|week|month)\b/gi, (_, period: string) => `${period === "day" ? "dai" : period}ly`)
    .replace(/\btwice (?:a day|daily)\b(.*)$/i, (_, rest: string) =>
      /\d/.test(rest) ? `daily${rest}` : `daily at 9:00 and 17:00${rest}`,
    )
    .replace(/\b(?:on )?the (?:first|1st)(?: day)? of (?:the|each|every) month\b/gi, "monthly");
}

/** A zone, wherever it stands: the name of a place, UTC or, after other words, letters that people know it by. */
function splitZone(text: string): { rest: string; zone?: string } {
  const named = /(?:^|,? )(?:in )?([a-z]\w*\/[\w+/-]+|utc|gmt)(?: time)?(?=$|,? )/i.exec(text);
  const found = named ?? /,? (ces?t|bst|[ecmp][sd]?t)(?: time)?(?=$|,? )/i.exec(text) ?? cityTime(text);
  if (!found) return { rest: text };
  const [part, name = ""] = found;
  const zone = zoneNamed(
    zonesByLetters[name.toLowerCase().replace(/^([ecmp])[sd]t$/, "$1t")] ?? zoneOfCity(name) ?? name,
  );
  if (zone) return { rest: text.replace(part, "").trim(), zone };
  throw new UsageError(
    `I couldn’t find the time zone “${inCode(name)}”. Use a name such as \`Europe/London\` or \`UTC\`.`,
  );
}

/** `London time`, of a city that a zone is named after; “9 every time” is none. */
function cityTime(text: string): RegExpExecArray | undefined {
  const found = /(?:^|,? )((?:[a-z]+ )??[a-z]+) time(?=$|,? )/i.exec(text) ?? undefined;
  return found && zoneOfCity(found[1]) ? found : undefined;
}

function zoneOfCity(name = ""): string | undefined {
  const city = `/${name.toLowerCase().replaceAll(" ", "_")}`;
  return Intl.supportedValuesOf("timeZone").find((zone) => zone.toLowerCase().endsWith(city));
}

/** Letters that name no zone to a computer, or another one. All follow the summer time of their place. */
const zonesByLetters: Record<string, string> = {
  et: "America/New_York",
  ct: "America/Chicago",
  mt: "America/Denver",
  pt: "America/Los_Angeles",
  cest: "CET",
  bst: "Europe/London",
};

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
  const fallbackBlocks = near === 1 ? `every ${unit}` : `every ${near} ${unit}s`;
  return `${whole} can’t be split evenly into ${plural(count, unit)}. Try \`${fallbackBlocks}\`.`;
}

const clockWord = String.raw`(\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon|midnight)`;
const onceDay = String.raw`(today|tonight|tomorrow|(?:on|this|next)(?: next)? (?:sun|mon|tue|wed|thu|fri|sat)[a-z]*(?<!s))(?: (morning|afternoon|evening|night))?`;
const dayFirst = new RegExp(`^(?:${onceDay})?,? ?(?:at )?${clockWord}?$`);
const timeFirst = new RegExp(`^(?:at )?${clockWord},? ${onceDay}$`);
const onceWord =
  /^(?:(?:just|only) )?(?:once|one time)(?: only)?\b,? ?|,? (?:(?:just|only) )?(?:once|one time)(?: only)?$/;

/** A single time: `tomorrow at 7`, `on Friday at 9`, `once at 17:00`; days of the week in the plural come every week. */
function readOnce(text: string): Read {
  const isSaid = onceWord.test(text);
  const rest = text
    .replace(onceWord, "")
    .replace(/^(?=(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*(?<!s)\b)/, isSaid ? "on " : "");
  const [, day = "", part = "", after] = dayFirst.exec(rest) ?? [];
  const [, before, otherDay = day, otherPart = part] = after === undefined ? (timeFirst.exec(rest) ?? []) : [];
  const typed = (after ?? before)?.replace(" ", "");
  const isDay = otherDay !== "";
  const partOfDay = /night/.test(`${otherDay} ${otherPart}`) ? "night" : otherPart;
  const weekday = /^(?:on|this|next) /.test(otherDay) ? weekdayOf(otherDay.split(" ").at(-1) ?? "") : undefined;
  // A day alone may be part of what is searched for, and a time alone is one of every day.
  if (isDay ? typed === undefined && !partOfDay && !isSaid : !isSaid || typed === undefined) return undefined;
  if (isDay && /^(?:on|this|next) /.test(otherDay) && weekday === undefined) return undefined;
  const usual = partOfDay === "night" ? "20:00" : (partsOfDay.get(partOfDay) ?? "09:00");
  const time = typed === undefined ? usual : timeOf(typed, /^(?:afternoon|evening|night)$/.test(partOfDay));
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return {
    pattern: `${minute} ${hour} * * ${weekday ?? "*"}`,
    words: weekday === undefined ? `once at ${time}` : `once on ${dayName(weekday)} at ${time}`,
    isOnce: true,
    ...(otherDay === "tomorrow" && { isFromTomorrow: true }),
  };
}

const dayNames = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Parts of a day, with the time that is meant by default. */
const partsOfDay = new Map(Object.entries({ morning: "09:00", afternoon: "15:00", evening: "18:00", night: "21:00" }));
const ordinals = ["first", "second", "third", "fourth", "last"];

/** The parts of a schedule: `nth` is the ordinal before a day of the week, as in “first Monday”, and `date` a day of the month. */
type DaysSaid = { days: number[]; times: string[] } & Partial<Record<"part" | "nth" | "period" | "date", string>>;

/** Days and times of a day, in either order: `weekdays at 9:00 and 17:00`, `9am on Mondays`, `first Monday of the month`. */
function readDays(text: string): Read {
  const joined = text.replace(/ ?- ?/g, "-").replace(/(\d) ?([ap])\.?m\b\.?/g, "$1$2m");
  const words = joined.split(/[\s,&]+/).filter(Boolean);
  if (/^(?:and|in|of|the)$/.test(words[0] ?? "") || joiningWord.test(words.at(-1) ?? "")) return undefined;
  const said: DaysSaid = { days: [], times: [] };
  let order = "";
  for (const [at, word] of words.entries()) {
    const isLed = words[at - 1] === "at";
    const isTime = isClock(word) || (/^(?:\d[\d:.apm]*|noon|midnight)$/.test(word) && (isLed || order !== ""));
    if (isLed && !isTime) return undefined;
    if (joiningWord.test(word)) continue;
    if (isTime) said.times.push(word);
    else if (!takeDay(said, word, words[at + 1], at === 0)) return undefined;
    order += isTime ? "t" : "d";
  }
  // Times that stand apart from each other are not about the same days.
  return /^(?:d+t*|t+d*)$/.test(order) ? patternOf(said) : undefined;
}

const joiningWord = /^(?:and|at|each|every|in|of|on|the)$/;

/** True for a word that can only be a time of day. */
function isClock(word: string): boolean {
  return /^\d{1,2}(?::\d\d)?[ap]m$|^\d{1,2}:\d\d$/i.test(word);
}

/** Takes in a word that says on which days; tells whether it is one. */
function takeDay(said: DaysSaid, word: string, next = "", isFirst: boolean): boolean {
  const stem = word.replace(/s$/, "");
  const days = groups.get(stem) ?? rangeOf(word);
  if (days) said.days.push(...days);
  else if (ordinals.includes(word) && weekdayOf(next) !== undefined) said.nth = word;
  // At the beginning, "morning" and "month" are words like any other.
  else if (/^(?:month|week)ly$/.test(word) || (!isFirst && /^(?:month|week)$/.test(word))) said.period = word;
  else if (monthDay.test(word)) said.date = word;
  else if (partsOfDay.has(stem) && !(isFirst && word === stem)) said.part = stem;
  else return false;
  return true;
}

/** Days that every month has. */
const monthDay = /^(?:1st|2nd|3rd|[4-9]th|1\dth|20th|21st|22nd|23rd|2[4-8]th)$/;

function patternOf({ days: named, times: typed, part = "morning", nth, period = "", date }: DaysSaid): Read {
  const isMonthly = period.startsWith("month") && nth === undefined;
  // The first of a month is no day of the week, and of several days none is the first. “On the 15th” may be a single one.
  if (isMonthly ? named.length > 0 : date || (nth && named.length !== 1)) return undefined;
  const times = typed.map((time) => timeOf(time, part !== "morning"));
  const clocks = [...new Set(times.length > 0 ? times : [partsOfDay.get(part) ?? "09:00"])].toSorted();
  const usual = period.startsWith("week") ? [1] : everyDay;
  const days = [...new Set(named.length > 0 ? named : usual)].toSorted((one, other) => one - other);
  const place = nth && (nth === "last" ? "L" : ordinals.indexOf(nth) + 1);
  const onDays = [daysWords(days), `* * ${days.length === 7 ? "*" : days.join(",")}`];
  const onOne = place ? [`${nth} ${dayName(days[0])} of the month`, `* * ${days[0]}#${place}`] : onDays;
  const monthly =
    date === undefined ? ["monthly", "1 * *"] : [`monthly on the ${date}`, `${Number.parseInt(date, 10)} * *`];
  const [words, fields] = isMonthly ? monthly : onOne;
  // One expression has the same minutes at each of its hours.
  const patterns = [...new Set(clocks.map((clock) => clock.slice(3)))].map((minute) => {
    const hours = clocks.flatMap((clock) => (clock.endsWith(minute) ? [Number.parseInt(clock, 10)] : []));
    return `${Number(minute)} ${hours.join(",")} ${fields}`;
  });
  return { pattern: patterns.join(" | "), words: `${words} at ${new Intl.ListFormat("en-GB").format(clocks)}` };
}

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const groups = new Map([
  ["day", everyDay],
  ["daily", everyDay],
  ["weekday", [1, 2, 3, 4, 5]],
  ["workday", [1, 2, 3, 4, 5]],
  ["weekend", [0, 6]],
]);

/** Days of the week as cron counts them, Sunday first; undefined for another word. */
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
  const names = [...days.filter((day) => day > 0), ...days.filter((day) => day === 0)].map((day) => `${dayName(day)}s`);
  const last = names.pop() ?? "";
  return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
}

function dayName(day = 0): string {
  return sentence(dayNames[day] ?? "");
}

const namedTimes = new Map([
  ["noon", "12:00"],
  ["midnight", "00:00"],
]);

/** A time of day as `09:00`; throws a UsageError if there's no such time. */
function timeOf(typed: string, isLate: boolean): string {
  const named = namedTimes.get(typed);
  if (named) return named;
  const [, hours = "", minutes = "00", half] = /^(\d{1,2})(?:[:.](\d\d))?(am|pm)?$/.exec(typed) ?? [];
  const hour = Number(hours);
  // "Every evening at 6" is at 18:00.
  const isPm = half === "pm" || (half === undefined && isLate && hour < 12);
  const whole = half || isPm ? (hour % 12) + (isPm ? 12 : 0) : hour;
  const isTime = hours !== "" && whole < 24 && Number(minutes) < 60 && (!half || (hour >= 1 && hour <= 12));
  if (isTime) return `${String(whole).padStart(2, "0")}:${minutes}`;
  throw new UsageError(`“${inCode(typed)}” isn’t a time of day. Try \`9:00\`, \`17:30\` or \`9 am\`.`);
}
