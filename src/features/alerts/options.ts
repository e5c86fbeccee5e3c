import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { zoneNamed } from "../../schedule/runs.ts";
import { formAction } from "../../slack/incoming/request.ts";
import { channelField, choiceField, context, liveField, section, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, inCode, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import type { Form } from "../feature.ts";
import {
  type Option,
  type OptionTable,
  type OptionValues,
  type Token,
  choiceOption,
  fieldError,
  namesOption,
  numberOption,
  optionFields,
  parseOptions,
  readFields,
  writeOptions,
} from "../options.ts";
import { readSourceFields, type sourceFields } from "../sources/form.ts";
import { sourceKindOf } from "../sources/index.ts";
import { wantedAsTyped } from "../sources/follow.ts";
import type { WantedSource } from "../sources/source.ts";
import { typeChoices, typeNamed } from "../sources/trending.ts";
import { kindOf, namedKind } from "../sources/typed.ts";
import { placeErrors, type CommandDependencies } from "../subscriptions/commands.ts";
import { placeOption } from "../subscriptions/destination.ts";
import {
  type Schedule,
  readSchedule,
  refuseUnusedTimes,
  scheduleProblem,
  scheduleStart,
  typedSchedule,
} from "../subscriptions/schedule.ts";
import { placeField } from "../subscriptions/view.ts";
import { scheduleFields } from "../subscriptions/window.ts";
import { readLength } from "../span.ts";
import { sentence, singular } from "../text.ts";
import type { Alert } from "./alert.ts";
import { escalateToOption, readEscalation } from "./escalation.ts";
import { type QuietHours, quietHoursOf } from "./detect/quiet-hours.ts";
import { sensitivities } from "./detect/rule.ts";
import type { Subscriptions } from "../subscriptions/store.ts";

/** How an alert is asked for in one line. */
export const alertUsage =
  '`/alerts add all every 15 minutes balanced`, `/alerts add channel "Central banks" hourly`, or with more: `/alerts add company hourly eager include "BASF" quiet hours 22:00-07:00`';

/** Longer than any alert that somebody types; what is longer was pasted by mistake. */
const longestLine = 2_000;
export const longestName = 120;
const namesMost = 50;
const hourMs = 60 * 60_000;
/** The longest silence, in hours: counts are kept for a week. */
const silenceMost = 7 * 24;

interface RuleNumberOption {
  name: string;
  least: number;
  most: number;
  isWhole?: boolean;
  help: string;
  /** A value that makes sense. */
  such: number;
}

function ruleNumber({ such, ...option }: RuleNumberOption) {
  return numberOption({ ...option, example: `alerts edit 2 --${option.name} ${such}`, bare: { [option.name]: "" } });
}

/** A number of hours, also as a length of time. */
function inHours(option: Option<number>): Option<number> {
  const read = (typed: string) => option.read(String((readLength(typed.trim())?.ms ?? Number.NaN) / hourMs || typed));
  return { ...option, value: "6h|2d", read };
}

/** Thresholds of one's own: they count instead of those of the sensitivity. */
const numberOptions = {
  mentions: ruleNumber({
    name: "mentions",
    least: 1,
    most: 1_000_000,
    isWhole: true,
    help: "Least mentions",
    such: 20,
  }),
  ratio: ruleNumber({ name: "ratio", least: 0, most: 1_000, help: "Least times as many mentions as normal", such: 2 }),
  restHours: inHours(
    ruleNumber({ name: "rest", least: 0, most: 720, help: "How long until the same name can fire again", such: 6 }),
  ),
};

/** Everything that can be said of an alert, each option once: for the line, the window, the stored alert, and help. */
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
  include: namesListOption({ name: "include", aliases: ["only"], label: "Only these names", help: "Only these names" }),
  exclude: namesListOption({
    name: "exclude",
    aliases: ["without", "except"],
    label: "Never these names",
    help: "All but these names",
  }),
  silence: silenceOption(),
  ...numberOptions,
};

/** What somebody has set; what is as usual is missing. */
export type AlertOptions = OptionValues<typeof alertOptions>;

function namesListOption({ label, ...option }: { name: string; aliases: string[]; label: string; help: string }) {
  return {
    ...namesOption({
      ...option,
      most: namesMost,
      longest: longestName,
      bare: Object.fromEntries([option.name, ...option.aliases].map((word) => [word, ""])),
      example: `alerts edit 2 --${option.name} "BASF"`,
      field: { label, placeholder: "Rheinmetall, BASF", emptied: "none" },
    }),
    takes: namesWithoutQuotes,
  };
}

/** What ends a list of names that go without quotation marks. */
const endsNames =
  /^((include|only|exclude|without|except|quiet|quiet-hours|escalate|balanced|eager|every|each|hourly|daily|weekdays?|cron):?|[a-z]+=.*|(--|[—–])[a-z].*)$/i;

/** The tokens of a list of names; those of several words may do without quotation marks. */
function namesWithoutQuotes(following: Token[]): number {
  const end = following.findIndex(({ text, isQuoted }, at) => {
    const before = following[at - 1];
    if (!isQuoted && endsNames.test(text)) return before?.text !== "," || at === 0;
    return text !== "," && before !== undefined && before.text !== "," && (isQuoted || before.isQuoted);
  });
  return end < 0 ? following.length : end;
}

function silenceOption(): Option<number | "off"> {
  return {
    name: "silence",
    value: "6h|2d|1w|off",
    help: "Also fire when a source that normally brings something has brought nothing for so long",
    example: "alerts edit 2 --silence 6h",
    schema: z.union([z.literal("off"), z.number().min(1).max(silenceMost)]),
    read(typed) {
      const text = typed.trim().toLowerCase();
      if (/^(off|none|no)$/.test(text)) return "off";
      const hours = (readLength(text)?.ms ?? 0) / hourMs;
      if (Number.isInteger(hours) && hours >= 1 && hours <= silenceMost) return hours;
      throw new UsageError(
        `“${inCode(shorten(typed, 40))}” isn’t a length of silence. Type \`--silence 6h\`, up to \`7d\`, or \`--silence off\`.`,
      );
    },
    write: (hours) => (hours === "off" ? hours : hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`),
    field: {
      label: "If nothing comes",
      placeholder: "6h",
      hint: "Also fires when the source normally brings something and has brought nothing for so long.",
      emptied: "off",
    },
  };
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
      placeholder: "22:00-07:00",
      hint: "Spikes during quiet hours arrive afterwards in one message. Your time zone unless you name one.",
      emptied: "off",
    },
  };
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

/** What somebody says of an alert; what they do not speak of is missing. */
export interface AlertLine {
  options: AlertOptions;
  /** The source that is watched; missing where that is what is trending. */
  wanted?: WantedSource | undefined;
  schedule?: Schedule;
  /** A channel of Slack, or `me`. */
  place?: string;
}

/** Takes a line apart, in any order: `company every 15 minutes balanced exclude "BASF" quiet hours 22:00-07:00 mentions=20`. */
export function readAlertLine(text: string, usualZone: string): AlertLine {
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
    ...(when && { schedule: readSchedule(when, usualZone) }),
    ...(place && { place }),
  };
}

/** As it was typed; cron takes no spaces around its commas. */
function textOf(tokens: Token[]): string {
  return tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ ?, ?/g, ",")
    .replace(/^,|,$/g, "");
}

/** Options after somebody has set some of them; what is as usual is not kept, and the type goes by the service's name. */
export function changedOptions(before: AlertOptions, said: AlertOptions, types: string[]): AlertOptions {
  const type = said.type === undefined ? before.type : typeNamed(said.type, types);
  const next = Object.entries({ ...before, ...said, type }).filter(([name, value]) => {
    if (value === undefined || value === "off" || (Array.isArray(value) && value.length === 0)) return false;
    // A sensitivity stands for all numbers of the rule that were there before.
    return said.sensitivity === undefined || !(name in numberOptions) || name in said;
  });
  return Object.fromEntries(next);
}

/** What is typed after `alerts` to have one as it is, whatever becomes of it. */
export function lineOfAlert(alert: Alert): string {
  const { number, source, options, schedule, channel } = alert;
  const watched = source ? { silence: "off" as const } : { type: "all", include: [], exclude: [] };
  const usual = { ...watched, sensitivity: "balanced" as const, escalateTo: "off" };
  const typed = writeOptions(lineOptions, {
    ...usual,
    ...options,
    quietHours: quietHoursOf(alert) ?? "off",
    place: channel,
  });
  return `edit ${number} ${typedSchedule(schedule)} ${typed}`;
}

/** How often an alert looks where nobody says so. */
export const usualWhen = "every 15 minutes";
const whenChoices = ["every minute", "every 5 minutes", usualWhen, "every 30 minutes", "hourly"];

interface AlertWindow {
  /** The alert that is changed; missing where a new one is made. */
  alert?: Alert | undefined;
  /** The source of a new one, where that is known already, and what people call it. */
  wanted?: WantedSource | undefined;
  name?: string | undefined;
  /** The fields that ask what a new one watches, and the kind that is chosen in them. */
  source?: Awaited<ReturnType<typeof sourceFields>> | undefined;
  options: AlertOptions;
  /** Types of entities that trend; none where that could not be found out in time. */
  types: string[];
  /** Where it was asked for, or where it goes, where that is a channel. */
  channel?: string | undefined;
  /** What it would have reported lately, as mrkdwn. */
  tested?: string | undefined;
}

/** Asks what is watched, how sensitively, how often and where. */
export function alertWindow(about: AlertWindow): Message {
  const { alert, wanted, name, source, options, channel, tested } = about;
  const title = alert ? `Edit alert ${alert.number}` : "New alert";
  const ofSource = wanted ? bold(shorten(name ?? wanted.what, 100)) : undefined;
  const lead = alert
    ? "Applies to new spikes only."
    : ofSource
      ? `Posts one message for each spike in articles from ${ofSource} and keeps it up to date.${checkCost(wanted)}`
      : "Posts one message for each spike in coverage and keeps it up to date. It reports new spikes only, not what is already trending.";
  const isSource = (alert?.source ?? wanted ?? source)?.kind !== undefined && source?.kind !== "trending";
  const { sensitivity, include, exclude, quietHours, silence } = alertOptions;
  const texts = isSource ? { quietHours, silence } : { include, exclude, quietHours };
  const { field } = sensitivity;
  return {
    text: `${title}. ${spoken(lead)}`,
    blocks: [
      section(lead),
      ...whatFields(about, isSource),
      choiceField({
        name: "sensitivity",
        label: field?.label ?? "",
        choices: field?.choices ?? [],
        chosen: options.sensitivity ?? "balanced",
      }),
      context(tested ?? untested),
      ...scheduleFields({
        label: "Check every",
        choices: whenChoices,
        labelOf: (words) => (words === "hourly" ? "hour" : words.replace(/^every /, "")),
        usual: usualWhen,
        placeholder: "weekdays at 9:00 Europe/London",
        schedule: alert?.schedule,
        zone: alert?.schedule.zone,
      }),
      placeField(channel),
      ...optionFields<OptionTable>(texts, { ...options, ...(alert && { quietHours: quietHoursOf(alert) }) }),
      escalationField(options),
      textField({
        name: "numbers",
        label: "Custom thresholds",
        placeholder: "mentions=20 ratio=2 rest=6h",
        hint: "Override the sensitivity above.",
        value: writeOptions(numberOptions, options),
        isOptional: true,
        most: 200,
      }),
    ].map((block) => (isTested(block) ? liveField(block, formAction) : block)),
    window: { title, form: { name: "alert", submit: "Save", state: stateOf(about) } },
  };
}

/** The price of each check, for a window whose source is chosen already; else the list of kinds shows the prices. */
function checkCost(wanted: WantedSource | undefined): string {
  return wanted && sourceKindOf(wanted).api === "gateway" ? " Each check costs 1 credit." : "";
}

const untested =
  "To see how often this would have fired, choose what to watch or a sensitivity. After typing, press Enter.";

/** Fields on which it does not depend what an alert would have reported. */
const untestedFields = new Set(["place", "quietHours", "escalateTo"]);

function isTested(block: Block): boolean {
  return block.type === "input" && !untestedFields.has(block.block_id ?? "");
}

/**
 * What the form is about: the number of an alert that is changed, or the source of a new one. To whom escalations go, if
 * that is a person or a group, which no list in a window offers, stays unless a channel is chosen instead.
 */
function stateOf({ alert, wanted }: Pick<AlertWindow, "alert" | "wanted">): string {
  if (!alert) return wanted ? wantedAsTyped(wanted) : "";
  const { escalateTo } = alert.options;
  const keeps = escalateTo !== undefined && !isChannel(escalateTo);
  return `${alert.number}${keeps ? " keeps" : ""}`;
}

function editIn(state: string): { number: number; keeps: boolean } | undefined {
  const [, number, keeps] = /^(\d+)( keeps)?$/.exec(state) ?? [];
  return number === undefined ? undefined : { number: Number(number), keeps: keeps !== undefined };
}

/** The number of the alert that a form changes. */
export function editedIn(state: string): number | undefined {
  return editIn(state)?.number;
}

const isChannel = (id: string) => /^[CG]/.test(id);

function escalationField({ escalateTo = "" }: AlertOptions): Block {
  return channelField({
    name: "escalateTo",
    label: "Escalations also go to",
    hint:
      escalateTo === "" || isChannel(escalateTo)
        ? "For a person or a user group, type /alerts edit NUMBER --escalate-to @name."
        : "They go to a person or a user group now. Typed, --escalate-to off ends that.",
    isOptional: true,
    isElsewhere: true,
    chosen: isChannel(escalateTo) ? escalateTo : undefined,
  });
}

const all = "all";

function whatFields({ source, options, types }: AlertWindow, isSource: boolean): Block[] {
  const type = typeField(source ? "source-trending" : "type", types, options.type ?? all);
  if (!source) return isSource ? [] : [type];
  const [kind, ...others] = source.fields;
  return [...(kind ? [kind] : []), ...(isSource ? others : [type])];
}

function typeField(name: string, types: string[], chosen: string): Block {
  const isSame = ({ value }: { value: string }) => singular(value) === singular(chosen);
  const choices = typeChoices(types);
  if (!choices.some(isSame)) choices.push({ label: sentence(shorten(chosen, 60)), value: chosen });
  return choiceField({ name, label: "Type", choices, chosen: choices.find(isSame)?.value });
}

/** The window as the line that saves it. */
export const alertForm: Form<CommandDependencies & { alerts: Pick<Subscriptions<Alert>, "get"> }> = {
  name: "alert",
  async check({ fields, state }, ask, needs) {
    const number = editedIn(state);
    const standing = number === undefined ? undefined : await needs.alerts.get({ team: ask.team, number });
    const place = await placeErrors(fields["place"], standing, { ask, needs });
    const alert = { maker: ask.user, ...standing, channel: fields["place"] ?? ask.user };
    const before = standing?.options.escalateTo;
    return { ...place, ...(await escalationErrors(fields["escalateTo"], { alert, before, ask, needs })) };
  },
  read({ fields, state }) {
    const edit = editIn(state);
    const what: FilledSource = edit ? { line: "" } : readWhat(fields, state);
    const { type, sensitivity, include, exclude, quietHours, silence } = alertOptions;
    const table = { type: { ...type, field: { label: "Type" } }, sensitivity, include, exclude, quietHours, silence };
    const typed = "type" in what && what.type ? { type: what.type } : {};
    // An emptied field takes back what was set before.
    const read = readFields(table, { ...fields, ...typed }, { keepsInitial: edit !== undefined });
    const when = fields["words"]?.trim() || (fields["when"] ?? "");
    const words = scheduleProblem(when);
    const numbers = readNumbers(fields["numbers"] ?? "");
    const errors = {
      ...("errors" in what && what.errors),
      ...("errors" in read && read.errors),
      ...("error" in numbers && { numbers: numbers.error }),
      ...(words && { words: spoken(words) }),
    };
    if ("errors" in what || "errors" in read || "error" in numbers || words) return { errors };
    const escalation = fields["escalateTo"] ?? (edit && !edit.keeps ? "off" : undefined);
    const place = [...(escalation ? [`--escalate-to ${escalation}`] : []), `--in ${fields["place"] ?? "me"}`].join(" ");
    return {
      line: [edit ? `alerts edit ${edit.number}` : "alerts add", what.line, when, read.line, numbers.line, place]
        .filter(Boolean)
        .join(" "),
    };
  },
};

async function escalationErrors(
  typed: string | undefined,
  request: Parameters<typeof readEscalation>[1],
): Promise<Record<string, string>> {
  try {
    await readEscalation(typed, request);
    return {};
  } catch (error) {
    return { escalateTo: fieldError(error) };
  }
}

/** What a new alert watches: a source as it is typed, or a type of what is trending. */
type FilledSource = { line: string; type?: string } | { errors: Record<string, string> };

function readWhat(fields: Record<string, string>, state: string): FilledSource {
  if (state) return { line: state };
  const read = readSourceFields(fields);
  if ("errors" in read) return read;
  const { wanted } = read;
  if (wanted.kind === "trending") return { line: "", type: wanted.what };
  return { line: wantedAsTyped(wanted) };
}

/** Numbers of one's own, such as `score=3 mentions=20`, as options of a line. */
function readNumbers(text: string): { line: string } | { error: string } {
  try {
    const { values, rest } = parseOptions(text, numberOptions, { allowsBare: true });
    return rest === ""
      ? { line: writeOptions(numberOptions, values) }
      : { error: "Write numbers such as mentions=20." };
  } catch (error) {
    return { error: fieldError(error) };
  }
}
