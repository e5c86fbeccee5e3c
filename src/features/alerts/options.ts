import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { zoneNamed } from "../../schedule/runs.ts";
import type { MenuChoice } from "../../slack/text/blocks.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import {
  type Option,
  type OptionValues,
  type Token,
  choiceOption,
  namesOption,
  numberOption,
  parseOptions,
} from "../options.ts";
import type { SourceQuery } from "../sources/source.ts";
import { typeNamed } from "../sources/trending.ts";
import { kindOf, namedKind } from "../sources/typed.ts";
import { placeOption } from "../subscriptions/destination.ts";
import { type Schedule, ownZone, readRepeating, refuseUnusedTimes, scheduleStart } from "../subscriptions/schedule.ts";
import { fitting } from "../names.ts";
import { readLength } from "../span.ts";
import { escalateToOption } from "./escalation.ts";
import type { QuietHours } from "./detect/quiet-hours.ts";
import { sensitivities } from "./detect/rule.ts";

export const alertUsage =
  '`/alerts add all every 15 minutes balanced`, `/alerts add channel "Central banks" hourly`, or with more: `/alerts add company hourly eager include "Novalith" quiet hours 22:00-07:00`';

/** Longer than any alert that somebody types; what is longer was pasted by mistake. */
const longestLine = 2_000;
export const longestName = 120;
/** The lists that the window of an alert fills as somebody types. */
export const namesPicker = "names";
export const quietHoursPicker = "quiet-hours";
const namesMost = 50;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The longest silence, in hours: counts are kept for a week. */
const silenceMost = 7 * 24;

/** A threshold that overrides the sensitivity; `such` is a value that makes sense. */
function ruleNumber({
  such,
  label,
  ...option
}: Omit<Parameters<typeof numberOption>[0], "example"> & { such: number; label: string }) {
  const { name } = option;
  const field = { label, placeholder: String(such), hint: "Overrides the sensitivity above." };
  return numberOption({ ...option, example: `alerts edit 2 --${name} ${such}`, bare: { [name]: "" }, field });
}

/** A number of hours, also as a length of time. */
function inHours(option: Option<number>): Option<number> {
  const read = (typed: string) => option.read(String((readLength(typed.trim())?.ms ?? Number.NaN) / hourMs || typed));
  return { ...option, value: "6h|2d", read };
}

/** Thresholds that override the sensitivity. */
export const numberOptions = {
  mentions: ruleNumber({
    name: "mentions",
    label: "Minimum mentions",
    least: 1,
    most: 1_000_000,
    isWhole: true,
    help: "At least this many articles",
    such: 20,
  }),
  ratio: ruleNumber({
    name: "ratio",
    label: "Minimum ratio to normal",
    least: 0,
    most: 1_000,
    help: "At least this many times normal",
    such: 2,
  }),
  cooldownHours: inHours(
    ruleNumber({
      name: "rest",
      label: "Hours until the same name can fire again",
      least: 0,
      most: 720,
      help: "How long until the same name can fire again",
      such: 6,
    }),
  ),
};

/** The options of an alert, for the line, the window, the stored alert, and help. */
export const alertOptions = {
  // Before the sensitivity, which can be called quiet as well.
  quietHours: quietHoursOption(),
  type: {
    name: "type",
    value: "TYPE|all",
    help: "What to watch: a type of name, or all",
    example: "alerts edit 2 --type company",
    schema: z.string(),
    read: (typed) => typed.trim(),
    write: String,
    field: { label: "Type" },
  } satisfies Option<string>,
  sensitivity: choiceOption({
    name: "sensitivity",
    choices: sensitivities,
    bare: { quiet: "quiet", balanced: "balanced", eager: "eager" },
    help: "How unusual coverage must be",
    example: "alerts edit 2 --sensitivity eager",
    field: {
      label: "Sensitivity",
      choices: [
        { label: "Quiet: only big spikes", value: "quiet" },
        { label: "Balanced: clear spikes", value: "balanced" },
        { label: "Eager: small spikes too", value: "eager" },
      ],
      initial: "balanced",
    },
  }),
  escalateTo: escalateToOption,
  escalateAfter: lengthOption({
    name: "escalate-after",
    unitMs: minuteMs,
    most: dayMs / minuteMs,
    help: "Escalate a spike that nobody takes for this long",
    such: "15m",
    longest: "1d",
    label: "Escalate if nobody takes it for",
    choices: {
      off: "Never",
      "10m": "10 minutes",
      "15m": "15 minutes",
      "30m": "30 minutes",
      "1h": "1 hour",
      "4h": "4 hours",
    },
  }),
  include: namesListOption({ name: "include", aliases: ["only"], label: "Only these names", help: "Only these names" }),
  exclude: namesListOption({
    name: "exclude",
    aliases: ["without", "except"],
    label: "Never these names",
    help: "All but these names",
  }),
  silence: lengthOption({
    name: "silence",
    unitMs: hourMs,
    most: silenceMost,
    help: "Also fire when a source goes quiet for this long",
    such: "6h",
    longest: "7d",
    label: "Also tell me when it goes quiet for",
    choices: { off: "Off", "6h": "6 hours", "12h": "12 hours", "1d": "1 day", "2d": "2 days", "7d": "1 week" },
  }),
  ...numberOptions,
};

/** The options that somebody has set; defaults are missing. */
export type AlertOptions = OptionValues<typeof alertOptions>;

function namesListOption({ label, ...option }: { name: string; aliases: string[]; label: string; help: string }) {
  return {
    ...namesOption({
      ...option,
      most: namesMost,
      longest: longestName,
      bare: Object.fromEntries([option.name, ...option.aliases].map((word) => [word, ""])),
      example: `alerts edit 2 --${option.name} "Novalith"`,
      field: { label, placeholder: "Type a name", picker: { name: namesPicker, most: namesMost }, emptied: "none" },
    }),
    takes: namesWithoutQuotes,
  };
}

/** A word that ends a list of names without quotation marks. */
const endsNames =
  /^((include|only|exclude|without|except|quiet|quiet-hours|escalate|balanced|eager|every|each|hourly|daily|weekdays?|cron):?|[a-z]+=.*|(--|[—–])[a-z].*)$/i;

/** The number of tokens in a list of names, which may go without quotation marks. */
function namesWithoutQuotes(following: Token[]): number {
  const end = following.findIndex(({ text, isQuoted }, at) => {
    const before = following[at - 1];
    if (!isQuoted && endsNames.test(text)) return before?.text !== "," || at === 0;
    return text !== "," && before !== undefined && before.text !== "," && (isQuoted || before.isQuoted);
  });
  return end < 0 ? following.length : end;
}

interface LengthOption extends Pick<Option<number>, "name" | "help"> {
  /** Its unit in milliseconds, and how many at most. */
  unitMs: number;
  most: number;
  /** A value that makes sense, and the longest one, as they are typed. */
  such: string;
  longest: string;
  /** The label of its field, and the choices there, by their values. */
  label: string;
  choices: Record<string, string>;
}

/** A length of time as a number of units, or `off`. */
function lengthOption({
  name,
  unitMs,
  most,
  help,
  such,
  longest,
  label,
  choices,
}: LengthOption): Option<number | "off"> {
  return {
    name,
    value: `${such}|${longest}|off`,
    help,
    example: `alerts edit 2 --${name} ${such}`,
    schema: z.union([z.literal("off"), z.number().min(1).max(most)]),
    read(typed) {
      const text = typed.trim().toLowerCase();
      if (/^(off|none|no)$/.test(text)) return "off";
      const units = (readLength(text)?.ms ?? 0) / unitMs;
      if (Number.isInteger(units) && units >= 1 && units <= most) return units;
      throw new UsageError(
        `I can’t use “${inCode(shorten(typed, 40))}” there. Type \`--${name} ${such}\`, up to \`${longest}\`, or \`--${name} off\`.`,
      );
    },
    write: (units) => (units === "off" ? units : typedLength(units * unitMs)),
    field: {
      label,
      choices: Object.entries(choices).map(([value, words]) => ({ label: words, value })),
      initial: "off",
    },
  };
}

/** A length of time as somebody types it: `90m`, `6h`, `2d`. */
function typedLength(ms: number): string {
  if (ms % dayMs === 0) return `${ms / dayMs}d`;
  return ms % hourMs === 0 ? `${ms / hourMs}h` : `${ms / minuteMs}m`;
}

function quietHoursOption(): Option<QuietHours | "off"> {
  const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "is no time of day");
  return {
    name: "quiet-hours",
    value: "22:00-07:00|off",
    bare: { "quiet hours": "", "quiet hour": "", "quiet-hours": "" },
    takes: (following) => [4, 3, 2, 1].find((count) => hoursIn(textOf(following.slice(0, count)))) ?? 1,
    help: "Hours without posts; one message follows",
    example: "alerts edit 2 --quiet-hours 22:00-07:00",
    schema: z.union([z.literal("off"), z.object({ from: time, to: time, zone: z.string().optional() })]),
    read(typed) {
      const hours = hoursIn(typed);
      if (hours) return hours;
      throw new UsageError(
        `“${inCode(shorten(typed, 40))}” isn’t a range of hours. Type \`quiet hours 22:00-07:00\` or \`quiet hours off\`.`,
      );
    },
    write: (hours) => (hours === "off" ? hours : [`${hours.from}-${hours.to}`, hours.zone].filter(Boolean).join(" ")),
    field: {
      label: "Quiet hours",
      placeholder: "None",
      hint: "Spikes during quiet hours arrive afterwards in one message.",
      picker: { name: quietHoursPicker },
      problem: "Use hours like 22:00–07:00, or leave it empty.",
      emptied: "off",
    },
  };
}

/** Quiet hours to choose from, and those that somebody types. */
export function offerQuietHours(typed: string): MenuChoice[] {
  const hours = hoursIn(typed);
  const own = hours && hours !== "off" ? [alertOptions.quietHours.write(hours)] : [];
  const usual = ["22:00-07:00", "20:00-08:00", "18:00-09:00", "00:00-06:00"];
  const offered = own.length > 0 ? own : fitting(typed, usual, String);
  const none = { label: "None", value: "off" };
  return [...(typed ? [] : [none]), ...offered.map((value) => ({ label: value.replace("-", "–"), value }))];
}

/** Reads `22:00-07:00`, `22-7`, either with a time zone, or `off`. */
function hoursIn(typed: string): QuietHours | "off" | undefined {
  const text = typed.trim().toLowerCase();
  if (/^(off|none|no)$/.test(text)) return "off";
  const [, from, to, named] =
    /^(\d{1,2}(?:[:.]\d\d)?)\s*(?:-|–|—|to|until)\s*(\d{1,2}(?:[:.]\d\d)?)(?:\s+([a-z]\w*\/[\w+/-]+|utc))?$/.exec(
      text,
    ) ?? [];
  const [start, end] = [from, to].map(clockTime);
  const zone = named && zoneNamed(named);
  if (!start || !end || start === end || (named && !zone)) return undefined;
  return { from: start, to: end, ...(zone && { zone }) };
}

function clockTime(typed: string | undefined): string | undefined {
  const [, hour = "", minute = "00"] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(typed ?? "") ?? [];
  const isTime = hour !== "" && Number(hour) < 24 && Number(minute) < 60;
  return isTime ? `${hour.padStart(2, "0")}:${minute}` : undefined;
}

/** The options of `alerts add` and `alerts edit`. */
export const lineOptions = {
  ...alertOptions,
  place: placeOption("alert"),
};

/** The parts of an alert that a line or a window sets. */
export interface AlertTerms {
  options: AlertOptions;
  /** The source that is watched; missing for what is trending. */
  wanted?: SourceQuery | undefined;
  /** Its zone is `ownZone` if none is named. */
  schedule?: Schedule | undefined;
  /** A channel of Slack, or `me`. */
  place?: string | undefined;
}

/** Takes a line apart, in any order: `company every 15 minutes balanced exclude "BASF" quiet hours 22:00-07:00 mentions=20`. */
export function readAlertLine(text: string): AlertTerms {
  if (text.length > longestLine) throw new UsageError(`That is too long for an alert. Type ${alertUsage}.`);
  const { values, tokens } = parseOptions(text, lineOptions, { allowsBare: true, usage: alertUsage });
  const { place, ...options } = values;
  const startFrom = (least: number) =>
    scheduleStart(
      tokens.map((token) => token.text),
      (from) => textOf(tokens.slice(from)),
      least,
    );
  // `company` alone is a type of what trends, `company NAME` is one of them.
  const kind = (startFrom(1) > 1 ? namedKind : kindOf)(tokens[0]);
  const at = startFrom(kind ? Math.min(2, tokens.length) : 0);
  const [first, ...named] = tokens.slice(0, at);
  const words = first?.text.toLowerCase() === "trending" && named.length > 0 ? named : tokens.slice(0, at);
  const type = kind ? "" : textOf(words.filter((token) => token.text !== ","));
  const when = textOf(tokens.slice(at));
  if (kind && when) refuseUnusedTimes(named.map(({ text: word, isQuoted }) => (isQuoted ? "" : word)));
  return {
    options: { ...options, ...(type && { type }) },
    ...(kind && { wanted: { kind, what: textOf(named) } }),
    ...(when && { schedule: readRepeating(when, ownZone) }),
    ...(place && { place }),
  };
}

/** Tokens as they were typed; cron takes no spaces around its commas. */
function textOf(tokens: Token[]): string {
  return tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ ?, ?/g, ",")
    .replace(/^,|,$/g, "");
}

/** Options after some of them were set; defaults aren't kept, and the type goes by the service's name. */
export function changedOptions(before: AlertOptions, said: AlertOptions, types: string[]): AlertOptions {
  const type = said.type === undefined ? before.type : typeNamed(said.type, types);
  const next = Object.entries({ ...before, ...said, type }).filter(([name, value]) => {
    if (value === undefined || value === "off" || (Array.isArray(value) && value.length === 0)) return false;
    // A sensitivity stands for all numbers of the rule that were there before.
    return said.sensitivity === undefined || !(name in numberOptions) || name in said;
  });
  return Object.fromEntries(next);
}

/** The options of an edit that takes back all that was set. */
export const noOptions: AlertOptions = {
  type: "all",
  include: [],
  exclude: [],
  sensitivity: "balanced",
  silence: "off",
  quietHours: "off",
  escalateTo: "off",
  escalateAfter: "off",
};

/** The schedule of an alert unless a line says another. */
export const usualWhen = "every 15 minutes";
