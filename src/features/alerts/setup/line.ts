import { UsageError } from "../../../apis/errors.ts";
import { inCode } from "../../../slack/text/mrkdwn.ts";
import { readPlace } from "../../subscriptions/destination.ts";
import { type Schedule, readSchedule } from "../../subscriptions/schedule.ts";
import type { QuietHours } from "../alert.ts";
import { type Numbers, numberIn } from "./numbers.ts";

export const words = ["quiet", "balanced", "eager"] as const;
export type Word = (typeof words)[number];

/** Every type of entity. */
export const all = "all";

/** What somebody says about an alert; nothing where they do not speak of it. */
export interface Said {
  /** A type of entities, or `all`. */
  type?: string;
  schedule?: Schedule;
  word?: Word;
  numbers: Numbers;
  include?: string[];
  exclude?: string[];
  quietHours?: QuietHours | "off";
  /** A channel of Slack, or `me`. */
  place?: string;
}

/** How an alert is asked for in one line. */
export const usage =
  '`/alerts add all every 15 minutes balanced`, or with more: `/alerts add company hourly eager include "BASF" quiet hours 22:00-07:00`';

/** Longer than any alert that somebody types; what is longer was pasted by mistake. */
const longest = 2_000;
/** Names of one list, and characters of one name. */
const namesMost = 50;
export const longestName = 120;

/** Takes a line apart, in any order: `company every 15 minutes balanced exclude "BASF" quiet hours 22:00-07:00 score=3`. */
export function readLine(text: string, usualZone: string): Said {
  if (text.length > longest) throw new UsageError(`That is too long for an alert. Type ${usage}.`);
  const said: Said = { numbers: {} };
  const free: string[] = [];
  let rest = tokensOf(text);
  while (rest.length > 0) {
    const taken = clauseAt(rest, said);
    if (taken === 0) free.push(rest[0] ?? "");
    rest = rest.slice(Math.max(1, taken));
  }
  const at = whenBegins(free, usualZone);
  const type = free
    .slice(0, at)
    .filter((token) => token !== ",")
    .map(unquoted)
    .join(" ")
    .trim();
  const when = textOf(free.slice(at));
  return { ...said, ...(type && { type }), ...(when && { schedule: readSchedule(when, usualZone) }) };
}

const curled = /[“”„«»]/g;

/** Words, what is quoted as one, and commas. */
function tokensOf(text: string): string[] {
  return text.replace(curled, '"').match(/"(?:\\.|[^"\\])*"|,|[^\s",]+/g) ?? [];
}

function unquoted(token: string): string {
  return token.replace(/^"(.*)"$/s, "$1").replace(/\\(.)/g, "$1");
}

/** Reads a clause that begins with the first token; gives how many tokens it takes, none where none begins there. */
function clauseAt(tokens: string[], said: Said): number {
  const [first = "", second = ""] = tokens;
  const word = first.toLowerCase();
  if (word === "quiet" && /^hours?:?$/i.test(second)) return hoursAt(tokens, said);
  const sensitivity = words.find((each) => each === word);
  if (sensitivity) {
    said.word = sensitivity;
    return 1;
  }
  if (/^(include|only):?$/.test(word)) return namesAt(tokens, said, "include");
  if (/^(exclude|without|except):?$/.test(word)) return namesAt(tokens, said, "exclude");
  if (/^[a-z]+=/.test(word)) {
    Object.assign(said.numbers, numberIn(word));
    return 1;
  }
  return /^(--|[—–])[a-z]/i.test(first) ? placeAt(tokens, said) : 0;
}

const ends = /^(include|only|exclude|without|except|quiet|balanced|eager|every|each|hourly|daily|weekdays?|cron):?$/i;

/** Names with commas between them until something else begins; one of several words may do without quotation marks. */
function namesAt(tokens: string[], said: Said, list: "include" | "exclude"): number {
  const names: string[] = [];
  let at = 1;
  for (; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const before = tokens[at - 1] ?? "";
    const isNext = at === 1 || before === ",";
    if (token === ",") continue;
    if (isNext && token.startsWith('"')) names.push(unquoted(token).trim());
    else if (ends.test(token) || /^([a-z]+=|(--|[—–])[a-z])/i.test(token) || before.startsWith('"')) break;
    else names.push(isNext ? token : `${names.pop() ?? ""} ${token}`);
  }
  said[list] = namesOf(names, list);
  return at;
}

function namesOf(names: string[], list: string): string[] {
  const [only = ""] = names;
  if (names.length === 1 && /^(none|nobody|nothing)$/i.test(only)) return [];
  const found = [...new Set(names.filter(Boolean))];
  if (found.length === 0)
    throw new UsageError(`Whom should I ${list}? Type \`${list} "Rheinmetall","BASF"\`, or \`${list} none\`.`);
  if (found.length > namesMost) throw new UsageError(`An alert takes ${namesMost} names at most after \`${list}\`.`);
  const long = found.find((name) => name.length > longestName);
  if (long) throw new UsageError(`“${inCode(long)}” is too long for a name. Put commas between names.`);
  return found;
}

/** `quiet hours 22:00-07:00`, with spaces or not, or `quiet hours off`. */
function hoursAt(tokens: string[], said: Said): number {
  for (const length of [3, 4, 5]) {
    const typed = tokens.slice(2, length).join(" ");
    const hours = tokens.length >= length ? hoursIn(typed) : undefined;
    if (!hours) continue;
    said.quietHours = hours;
    return length;
  }
  const typed = tokens.slice(2, 4).join(" ");
  throw new UsageError(
    `“${inCode(typed)}” are no quiet hours. Type \`quiet hours 22:00-07:00\`, or \`quiet hours off\`.`,
  );
}

/** Reads `22:00-07:00`, `22-7` or `off`; nothing where it is none of these. */
export function hoursIn(typed: string): QuietHours | "off" | undefined {
  const text = typed.trim().toLowerCase();
  if (/^(off|none|no)$/.test(text)) return "off";
  const [, from, to] = /^(\d{1,2}(?:[:.]\d\d)?)\s*(?:-|–|—|to|until)\s*(\d{1,2}(?:[:.]\d\d)?)$/.exec(text) ?? [];
  const [start, end] = [from, to].map(clockTime);
  return start && end && start !== end ? { from: start, to: end } : undefined;
}

function clockTime(typed: string | undefined): string | undefined {
  const [, hour = "", minute = "00"] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(typed ?? "") ?? [];
  const isTime = hour !== "" && Number(hour) < 24 && Number(minute) < 60;
  return isTime ? `${hour.padStart(2, "0")}:${minute}` : undefined;
}

function placeAt([first = "", second = ""]: string[], said: Said): number {
  const [, name = "", given] = /^(?:--|[—–])([a-z-]+)(?:=(.*))?$/i.exec(first) ?? [];
  if (name.toLowerCase() !== "in") throw new UsageError(`\`--${inCode(name)}\` is not an option here. Type ${usage}.`);
  said.place = readPlace(given ?? second);
  return given === undefined ? 2 : 1;
}

/** As it was typed; cron takes no spaces around its commas. */
function textOf(tokens: string[]): string {
  return tokens.join(" ").replace(/ ?, ?/g, ",").replace(/^,|,$/g, "");
}

/** Where the words about when begin; after the last word where there are none. */
function whenBegins(tokens: string[], zone: string): number {
  const start = tokens.findIndex((_, at) => isSchedule(textOf(tokens.slice(at)), zone));
  if (start >= 0) return start;
  // What was meant for a time and is none should be said, instead of being taken for a type.
  const meant = tokens.findIndex((token) => /^(every|each|hourly|daily|weekdays?|cron|\d{1,2}:\d\d)$/i.test(token));
  return meant < 0 ? tokens.length : meant;
}

function isSchedule(text: string, zone: string): boolean {
  try {
    readSchedule(text, zone);
    return true;
  } catch {
    return false;
  }
}

/** Names as a line holds them. */
export function quoted(names: string[]): string {
  return names.map((name) => `"${name.replace(curled, "'").replace(/[\\"]/g, "\\$&")}"`).join(",");
}
