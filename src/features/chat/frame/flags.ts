import { distance } from "fastest-levenshtein";

import { UsageError } from "../../../apis/errors.ts";
import { dayOf, nextMidnight } from "../../../schedule/zone.ts";
import { inCode } from "../../../slack/mrkdwn.ts";
import { type Since, startOf } from "./rule.ts";

/** What a question says of where to look, as it was typed; `all` lifts what was set before. */
export interface Flags {
  since?: Since | "all";
  /** Name or number of a saved channel. */
  channel?: string;
  isOnly?: boolean;
}

/** A question without what it says of where to look. */
export interface Flagged {
  question: string;
  flags: Flags;
}

/** Phones turn `--` into a dash and curl the quotation marks. */
const typed =
  /(?<=^|\s)(?:--|[—–])(?:(since|channel)(?:=|[ \t]+)(["“”„«»][^"“”„«»\n]*["“”„«»]|(?!--|[—–"“”„«»])\S+)|(only|more))(?=\s|$)/gi;
const examples = "`--since 7d`, `--since 24h`, `--since 2w`, `--since 2026-11-01` or, without a limit, `--since all`";
const whichChannel = 'Which channel? Type for example `--channel "Central banks"`.';
/** News that is older than this is not looked for by its age. */
const longestHours = 10 * 366 * 24;

/** Whether a question names a day, whose beginning depends on where it is asked. */
export function namesDay(text: string): boolean {
  return /since["“”„«»=\s]+\d{4}-/i.test(text);
}

/** When and where a question is asked. */
interface Moment {
  now: number;
  /** Where a day begins. */
  zone: string;
}

/**
 * Reads `--since`, `--channel`, `--only` and `--more` wherever they stand outside quoted lines; the rest stays as it was
 * typed. Rejects what cannot be meant with a UsageError that shows examples.
 */
export function flagsIn(text: string, at: Moment): Flagged {
  const flags: Flags = {};
  const lines = text.split("\n").map((line) => {
    if (line.startsWith(">")) return line;
    const rest = line.replace(typed, (_, name?: string, value = "", mode = "") => {
      if (name?.toLowerCase() === "since") flags.since = sinceOf(unquoted(value), at);
      else if (name) flags.channel = channelIn(value);
      else flags.isOnly = mode.toLowerCase() === "only";
      return "";
    });
    refuseHalf(rest);
    return rest === line ? line : rest.replace(/ {2,}/g, " ").trim();
  });
  return { question: lines.join("\n").trim(), flags };
}

function channelIn(value: string): string {
  const channel = unquoted(value);
  if (!channel) throw new UsageError(whichChannel);
  return channel;
}

function unquoted(value: string): string {
  return value.replace(/^["“”„«»]|["“”„«»]$/g, "").trim();
}

/** A flag that is not whole, or nearly one: to leave it in the question would look wider than was meant. */
function refuseHalf(line: string): void {
  for (const [, name = ""] of line.matchAll(/(?<=^|\s)--([a-z]{3,12})(?=[\s=]|$)/gi)) {
    const near = ["since", "channel", "only", "more"].find((flag) => isNear(name.toLowerCase(), flag));
    if (near === "since") throw new UsageError(`Since when? Type for example ${examples}.`);
    if (near === "channel") throw new UsageError(whichChannel);
    if (near) throw new UsageError(`\`--${near}\` stands alone: \`/ask --${near} What is new?\``);
  }
}

function isNear(name: string, flag: string): boolean {
  return name === flag || (flag.length > 4 && distance(name, flag) <= 2);
}

function sinceOf(value: string, at: Moment): Since | "all" {
  if (/^(all|any|ever)$/i.test(value)) return "all";
  const since = lengthIn(value) ?? dayIn(value, at.zone);
  if (!since) throw new UsageError(`I cannot read \`--since ${inCode(value)}\`. Type for example ${examples}.`);
  const start = startOf(since, at.now);
  if (start > at.now) throw new UsageError(`${value} is still to come. Type for example ${examples}.`);
  if (start < at.now - longestHours * 60 * 60_000) {
    throw new UsageError(`\`--since ${inCode(value)}\` is too long ago. Type for example ${examples}.`);
  }
  return since;
}

const units = ["h", "d", "w"] as const;

function lengthIn(value: string): Since | undefined {
  const [, digits, unit] = /^(\d{1,6})\s*(h|d|w)(?:ours?|ays?|eeks?)?$/i.exec(value) ?? [];
  const count = Number(digits);
  const found = units.find((each) => each === unit?.toLowerCase());
  return count > 0 && found ? { count, unit: found } : undefined;
}

/** A day begins at its midnight in the zone. */
function dayIn(value: string, zone: string): Since | undefined {
  const noon = Date.parse(`${value}T12:00:00Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(noon) && dayOf(noon, "UTC") === value;
  if (!isDay) return undefined;
  let start = nextMidnight(noon - 48 * 60 * 60_000, zone);
  while (dayOf(start, zone) < value) start = nextMidnight(start, zone);
  return { day: value, start };
}
