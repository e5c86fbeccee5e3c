import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { type Filled, type Person, formAction } from "../../slack/incoming/request.ts";
import { channelField, choiceField, context, liveField, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";
import type { Form } from "../feature.ts";
import { type OptionTable, fieldError, optionFields, readFields, writeOptions } from "../options.ts";
import { readSourceFields, sourceFields } from "../sources/form.ts";
import { wantedAsTyped } from "../sources/follow.ts";
import { sourceKindNamed, sourceKindOf, sourceTitle } from "../sources/index.ts";
import { currentSamples } from "../sources/samples.ts";
import type { ArticleSource, SourceQuery } from "../sources/source.ts";
import { typeChoices, typeNamed, typesOf } from "../sources/trending.ts";
import { type CommandDependencies, placeErrors } from "../subscriptions/commands.ts";
import { placeShown } from "../subscriptions/destination.ts";
import { type Schedule, readRepeating, scheduleProblem } from "../subscriptions/schedule.ts";
import { placeField } from "../subscriptions/view.ts";
import { scheduleFields } from "../subscriptions/window.ts";
import { sentence, singular } from "../text.ts";
import type { Alert } from "./alert.ts";
import { backtest, backtestWords } from "./detect/backtest.ts";
import { quietHoursOf } from "./detect/quiet-hours.ts";
import { type AlertDraftDependencies, alertOf, countFirst, findWatched } from "./draft.ts";
import { readEscalation } from "./escalation.ts";
import {
  type AlertLine,
  type AlertOptions,
  alertOptions,
  changedOptions,
  lineOptions,
  numberOptions,
  readAlertLine,
  usualWhen,
} from "./options.ts";

/** The window of an alert: its fields, their values, and the spikes that the alert would have reported. */

export type AlertFormDependencies = AlertDraftDependencies & FollowDependencies & CommandDependencies;

/** Slack shows a window within three seconds or not at all. */
const windowMs = 1_200;
const whenChoices = ["every minute", "every 5 minutes", usualWhen, "every 30 minutes", "hourly"];

interface AlertWindow {
  /** The alert that is changed; missing for a new one. */
  alert?: Alert | undefined;
  /** The source of a new one if it is chosen already, and its name. */
  wanted?: SourceQuery | undefined;
  name?: string | undefined;
  /** The fields that ask what a new one watches, and the kind that is chosen in them. */
  source?: Awaited<ReturnType<typeof sourceFields>> | undefined;
  options: AlertOptions;
  /** Types of names that trend; empty if that isn't known in time. */
  types: string[];
  /** The channel that it posts in, or in which it was asked for. */
  channel?: string | undefined;
  /** The schedule of a new one, if somebody said so. */
  schedule?: Schedule | undefined;
  /** The spikes that it would have reported, as mrkdwn. */
  tested?: string | undefined;
}

/** Asks what is watched, how sensitively, how often and where. */
function alertWindow(about: AlertWindow): Message {
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
  const others = isSource ? { quietHours, silence } : { include, exclude, quietHours };
  const values = { ...options, ...(alert && { quietHours: quietHoursOf(alert) }) };
  return {
    text: `${title}. ${accessibleText(lead)}`,
    blocks: [
      section(lead),
      ...whatFields(about, isSource),
      ...optionFields({ sensitivity }, values),
      context(tested ?? untested),
      ...scheduleFields({
        label: "Check every",
        choices: whenChoices,
        labelOf: (words) => (words === "hourly" ? "hour" : words.replace(/^every /, "")),
        usual: usualWhen,
        placeholder: "weekdays at 9:00 Europe/London",
        schedule: alert?.schedule ?? about.schedule,
        zone: (alert?.schedule ?? about.schedule)?.zone,
      }),
      placeField(channel),
      ...optionFields<OptionTable>(others, values),
      escalationField(options),
      ...optionFields(numberOptions, values),
    ].map((block) => (isTested(block) ? liveField(block, formAction) : block)),
    window: { title, form: { name: "alert", submit: "Save", state: stateOf(about) } },
  };
}

/** The price of each check, for a window whose source is chosen already; else the list of kinds shows the prices. */
function checkCost(wanted: SourceQuery | undefined): string {
  return wanted && sourceKindOf(wanted).api === "gateway" ? " Each check costs 1 credit." : "";
}

const untested =
  "To see how often this would have fired, choose what to watch or a sensitivity. After typing, press Enter.";

/** Fields that don't change what an alert would have reported. */
const untestedFields = new Set(["place", "quietHours", "escalateTo"]);

function isTested(block: Block): boolean {
  return block.type === "input" && !untestedFields.has(block.block_id ?? "");
}

/**
 * The state of the form: the number of an alert that is changed, or the source of a new one. The target of escalations, if
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

function whatFields({ source, options, types }: AlertWindow, isSource: boolean): Block[] {
  const type = typeField(source ? "source-trending" : "type", types, options.type ?? "all");
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

/** An alert as somebody filled it in. */
interface FilledAlert {
  /** The alert that is changed; missing for a new one. */
  number?: number | undefined;
  /** The source of a new one, as it is typed; empty if that is what is trending. */
  watched: string;
  when: string;
  options: AlertOptions;
  place: string;
}

/** The values of the fields, or what is wrong with them, by the name of the field. */
function readAlertFields({ fields, state }: Filled): FilledAlert | { errors: Record<string, string> } {
  const edit = editIn(state);
  const what = edit ? { watched: "" } : readWhat(fields, state);
  const { type, sensitivity, include, exclude, quietHours, silence } = alertOptions;
  const listed = { type: { ...type, field: { label: "Type" } }, sensitivity, include, exclude, quietHours, silence };
  const typed = "type" in what ? { type: what.type } : {};
  // An emptied field takes back what was set before.
  const keepsInitial = edit !== undefined;
  const read = readFields({ ...listed, ...numberOptions }, { ...fields, ...typed }, { keepsInitial });
  const when = fields["words"]?.trim() || (fields["when"] ?? "");
  const words = scheduleProblem(when);
  if ("errors" in what || "errors" in read || words) {
    const errors = { ...("errors" in what && what.errors), ...("errors" in read && read.errors) };
    return { errors: { ...errors, ...(words && { words: accessibleText(words) }) } };
  }
  const escalateTo = fields["escalateTo"] ?? (edit && !edit.keeps ? "off" : undefined);
  const options = { ...read.values, ...(escalateTo && { escalateTo }) };
  return { number: edit?.number, watched: what.watched, when, options, place: fields["place"] ?? "me" };
}

/** The source of a new alert as it is typed, or a type of what is trending. */
function readWhat(
  fields: Record<string, string>,
  state: string,
): { watched: string; type?: string } | { errors: Record<string, string> } {
  if (state) return { watched: state };
  const read = readSourceFields(fields);
  if ("errors" in read) return read;
  const { wanted } = read;
  return wanted.kind === "trending" ? { watched: "", type: wanted.what } : { watched: wantedAsTyped(wanted) };
}

export const alertForm: Form<AlertFormDependencies> = {
  name: "alert",
  async check({ fields, state }, ask, deps) {
    const number = editIn(state)?.number;
    const standing = number === undefined ? undefined : await deps.alerts.get({ team: ask.team, number });
    const place = await placeErrors(fields["place"], standing, { ask, deps });
    const alert = { owner: ask.user, ...standing, channel: fields["place"] ?? ask.user };
    const before = standing?.options.escalateTo;
    return { ...place, ...(await escalationErrors(fields["escalateTo"], { alert, before, ask, deps })) };
  },
  read(filled) {
    const read = readAlertFields(filled);
    if ("errors" in read) return read;
    const { number, watched, when, options, place } = read;
    const command = number === undefined ? "alerts add" : `alerts edit ${number}`;
    return {
      line: [command, watched, when, writeOptions(lineOptions, { ...options, place })].filter(Boolean).join(" "),
    };
  },
  /** The window after a choice: with the fields of the kind that was chosen, and what the alert would have reported. */
  async rebuild(filled, asker, deps) {
    const { fields, state } = filled;
    const number = editIn(state)?.number;
    const alert = number === undefined ? undefined : await deps.alerts.get({ team: asker.team, number });
    const types = typesOf(await currentSamples(deps));
    const { wanted } = state && number === undefined ? readAlertLine(state, deps.timeZone) : {};
    const kind = sourceKindNamed(fields["kind"] ?? "")?.kind ?? "trending";
    const source = state ? undefined : await sourceFields(kind, deps, asker, { label: whatLabel });
    const tested = await testFilled(filled, { alert, types }, asker, deps).catch((error: unknown) => {
      if (error instanceof UsageError) return error.message;
      deps.log.warn("alerts.test.failed", { error: describe(error) });
      return undefined;
    });
    const options = alert?.options ?? {};
    return alertWindow({ alert, wanted, source, options, types, channel: fields["place"], tested });
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

const whatLabel = "What to watch";

/** The window of a new alert: on what somebody named, or what they choose in it. */
export async function newAlertWindow(
  { options: { type, ...said }, wanted, schedule }: Pick<AlertLine, "options" | "wanted" | "schedule">,
  { asker, channel }: { asker: Person; channel: string | undefined },
  deps: AlertFormDependencies,
): Promise<Message> {
  const types = typesOf(await currentSamples(deps));
  const named = type === undefined ? undefined : typeNamed(type, types);
  const options = { ...said, ...(named !== undefined && { type: named }) };
  const about = { options, schedule, types, channel };
  if (!wanted?.what) {
    const source = await sourceFields(wanted?.kind ?? "trending", deps, asker, { label: whatLabel });
    const tested = source.kind === "trending" ? await testDraft({ options, asker }, deps) : undefined;
    return alertWindow({ ...about, source, tested });
  }
  const signal = AbortSignal.timeout(windowMs);
  const source = await findWatched(wanted, deps, { ...asker, signal }).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    return undefined;
  });
  const tested = source && (await testDraft({ source, options, asker, signal }, deps));
  return alertWindow({ ...about, wanted, name: source && sourceTitle(source), tested });
}

/** The window of an alert as it is. */
export async function editAlertWindow(alert: Alert, deps: AlertFormDependencies): Promise<Message> {
  const types = typesOf(await currentSamples(deps));
  const tested = backtestWords(await backtest(alert, deps.now(), deps));
  return alertWindow({ alert, options: alert.options, types, channel: placeShown(alert.channel, undefined), tested });
}

interface TestedDraft {
  source?: ArticleSource | undefined;
  options: AlertOptions;
  schedule?: Alert["schedule"];
  asker: Person;
  signal?: AbortSignal;
}

/** The reports that an alert would have made in the past week. */
async function testDraft(draft: TestedDraft, deps: AlertFormDependencies): Promise<string> {
  const { source, options, asker, signal, schedule = readRepeating(usualWhen, deps.timeZone) } = draft;
  const now = deps.now();
  const drafted = alertOf({
    team: asker.team,
    owner: asker.user,
    channel: asker.user,
    schedule,
    nextRun: now,
    options,
    source,
  });
  await countFirst(drafted, deps, signal);
  return backtestWords(await backtest(drafted, now, deps));
}

/** The reports of the alert as filled in so far; nothing while something is missing. */
async function testFilled(
  filled: Filled,
  { alert, types }: { alert: Alert | undefined; types: string[] },
  asker: Person,
  deps: AlertFormDependencies,
): Promise<string | undefined> {
  const read = readAlertFields(filled);
  if ("errors" in read) return undefined;
  const { wanted } = readAlertLine(read.watched, deps.timeZone);
  const signal = AbortSignal.timeout(windowMs);
  const source = wanted ? await findWatched(wanted, deps, { ...asker, signal }) : alert?.source;
  const schedule = readRepeating(read.when || usualWhen, alert?.schedule.zone ?? deps.timeZone);
  const options = changedOptions(alert?.options ?? {}, read.options, types);
  return testDraft({ source, options, schedule, asker }, deps);
}
