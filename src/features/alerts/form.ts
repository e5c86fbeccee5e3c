import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { type Filled, type FormAsker, type Person, formAction } from "../../slack/incoming/request.ts";
import { channelField, choiceField, context, liveField, personField, section } from "../../slack/text/blocks.ts";
import { fieldNames } from "../../slack/incoming/form-state.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import type { Form, Picker } from "../feature.ts";
import { type OptionTable, fieldError, optionFields, quote, readFields } from "../options.ts";
import { readSourceFields, sourceErrors, sourceFields, unmetWords } from "../sources/form.ts";
import { sourceKindNamed, sourceKindOf, sourceQuerySchema, sourceTitle } from "../sources/index.ts";
import { currentSamples } from "../sources/samples.ts";
import type { SourceQuery } from "../sources/source.ts";
import { typeChoices, typeNamed, typesOf } from "../sources/trending.ts";
import { placeErrors } from "../subscriptions/commands.ts";
import { placeShown } from "../subscriptions/destination.ts";
import { type Schedule, readRepeating } from "../subscriptions/schedule.ts";
import { placeField } from "../subscriptions/view.ts";
import { readScheduleFields, scheduleFields } from "../subscriptions/window.ts";
import { foldName } from "../names.ts";
import { sentence, singular } from "../text.ts";
import type { Alert } from "./alert.ts";
import { backtest, backtestWords } from "./detect/backtest.ts";
import { quietHoursOf } from "./detect/quiet-hours.ts";
import { alertOf, countFirst, findWatched } from "./draft.ts";
import { groupIn, readEscalation } from "./escalation.ts";
import {
  type AlertOptions,
  type AlertTerms,
  alertOptions,
  changedOptions,
  namesPicker,
  numberOptions,
  offerQuietHours,
  quietHoursPicker,
  usualWhen,
} from "./options.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** The window of an alert: its fields, their values, and the spikes that the alert would have reported. */

/** Spikes that a window lists: its fields need the room. */
const testedMost = 3;

/** Slack shows a window within three seconds or not at all. */
const windowMs = 1_200;
const whenChoices = [
  { label: "Minute", value: "every minute" },
  { label: "5 minutes", value: "every 5 minutes" },
  { label: "15 minutes", value: usualWhen },
  { label: "30 minutes", value: "every 30 minutes" },
  { label: "Hour", value: "hourly" },
];

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
  /** The values filled in so far. */
  fields?: Record<string, string>;
  /** The spikes that it would have reported, as mrkdwn. */
  tested?: string | undefined;
}

/** The window in which an alert is added or edited: what is watched, how sensitively, how often, and in which channel. */
function alertWindow(about: AlertWindow): Message {
  const { alert, wanted, name, source, options, channel, tested, fields = {} } = about;
  const title = alert ? `Edit alert ${alert.number}` : "New alert";
  // If the source isn’t chosen yet, the list of kinds shows the prices.
  const cost = wanted && sourceKindOf(wanted).api === "gateway" ? " Each check costs 1 credit." : "";
  const coverage = wanted ? `spike in coverage of ${bold(shorten(name ?? wanted.what, 100))}` : "new spike in coverage";
  const lead = alert ? "Applies to new spikes only." : `One message per ${coverage}, kept up to date.${cost}`;
  const isSource = (alert?.source ?? wanted ?? source)?.kind !== undefined && source?.kind !== "trending";
  const { sensitivity, include, exclude, quietHours, silence, escalateAfter } = alertOptions;
  const others = isSource ? { quietHours, silence } : { include, exclude, quietHours };
  const values = { ...(alert && { quietHours: quietHoursOf(alert) }), ...options };
  const further = [
    ...optionFields<OptionTable>(others, values),
    ...escalationFields(options),
    ...optionFields<OptionTable>({ escalateAfter }, values),
    ...optionFields(numberOptions, values),
  ];
  return {
    text: `${title}. ${accessibleText(lead)}`,
    blocks: [
      section(lead),
      ...whatFields(about, isSource),
      context(tested ?? untested),
      ...optionFields<OptionTable>({ sensitivity }, options),
      ...scheduleFields({
        label: "Check every",
        choices: whenChoices,
        usual: usualWhen,
        chosen: fields["when"],
        placeholder: "weekdays at 9:00 Europe/London",
        schedule: alert?.schedule ?? about.schedule,
        zone: (alert?.schedule ?? about.schedule)?.zone,
      }),
      placeField(channel),
      ...further,
    ].map((block) => (isTested(block) ? liveField(block, formAction) : block)),
    window: { title, form: { name: "alert", submit: "Save", state: writeState(about), more: fieldNames(further) } },
  };
}

const untested = "Once that’s filled in, this says how often it would have fired.";

/** Fields that don't change what an alert would have reported. */
const untestedFields = new Set(["place", "quietHours", "escalateTo", "escalatePerson", "escalateAfter", "words"]);

function isTested(block: Block): boolean {
  return block.type === "input" && !untestedFields.has(block.block_id ?? "");
}

/** The state of the form: the alert that is changed, or the source of a new one. */
const stateSchema = z.object({ number: z.number().optional(), wanted: sourceQuerySchema.optional() });

function stateOf(state: string): z.infer<typeof stateSchema> {
  return state === "" ? {} : stateSchema.parse(JSON.parse(state));
}

function writeState({ alert, wanted }: Pick<AlertWindow, "alert" | "wanted">): string {
  return alert || wanted ? JSON.stringify(alert ? { number: alert.number } : { wanted }) : "";
}

function escalationFields({ escalateTo = "" }: AlertOptions): Block[] {
  const group = groupIn(escalateTo);
  const stays = `They go to ${group?.name ? `@${group.name}` : "a user group"} now, and still do if you leave this empty.`;
  const isChannel = /^[CG]/.test(escalateTo);
  return [
    channelField({
      name: "escalateTo",
      label: "Escalations also go to the channel",
      ...(group && { hint: stays }),
      isOptional: true,
      isElsewhere: true,
      chosen: isChannel ? escalateTo : undefined,
    }),
    personField({
      name: "escalatePerson",
      label: "Or to a person",
      isOptional: true,
      chosen: escalateTo && !isChannel && !group ? escalateTo : undefined,
    }),
  ];
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
  /** The source of a new one; missing if that is what is trending. */
  wanted?: SourceQuery | undefined;
  /** Names in it that are searched for first. */
  unmet: string[];
  when: string;
  options: AlertOptions;
  place: string;
  /** The errors, by the name of the field; the fields that could be read are there all the same. */
  errors?: Record<string, string>;
}

export function readAlertFields({ fields, state }: Filled): FilledAlert {
  const { number, wanted } = stateOf(state);
  const what: FilledSource = state ? { wanted, unmet: [] } : readWhat(fields);
  // An emptied field takes back what was set before.
  const read = readFields(alertOptions, { ...fields, ...what.typed }, { keepsInitial: number !== undefined });
  const schedule = readScheduleFields(fields);
  const { escalateTo: channel, escalatePerson: person, place = "me" } = fields;
  const both = channel && person ? { escalatePerson: "Choose a channel or a person, not both." } : {};
  const errors = { ...what.errors, ...read.errors, ...schedule.errors, ...both };
  const escalateTo = person ?? channel;
  return {
    number,
    wanted: what.wanted,
    unmet: what.unmet,
    when: schedule.when ?? "",
    options: { ...read.values, ...(escalateTo && { escalateTo }) },
    place,
    ...(Object.keys(errors).length > 0 && { errors }),
  };
}

/** The options of an edit: no target of escalations takes back the one before, unless that is a group, which no list in a window offers. */
export function editedOptions(options: AlertOptions, { options: before }: Pick<Alert, "options">): AlertOptions {
  return groupIn(before.escalateTo) ? options : { escalateTo: "off", ...options };
}

interface FilledSource extends Pick<FilledAlert, "wanted" | "unmet" | "errors"> {
  /** A type of what is trending, as the field of that name. */
  typed?: Record<string, string>;
}

/** The source of a new alert, or a type of what is trending. */
function readWhat(fields: Record<string, string>): FilledSource {
  const read = readSourceFields(fields);
  if ("errors" in read) return { unmet: [], errors: read.errors };
  const { wanted, unmet } = read;
  return wanted.kind === "trending" ? { unmet, typed: { type: wanted.what } } : { wanted, unmet };
}

/** The form of an alert, without what saves it. */
export const alertForm: Form<AlertDependencies> = {
  name: "alert",
  async check({ fields, state }, ask, deps) {
    const { number } = stateOf(state);
    const standing = number === undefined ? undefined : await deps.alerts.get({ team: ask.team, number });
    const alert = { owner: ask.user, ...standing, channel: fields["place"] ?? ask.user };
    const errors = await Promise.all([
      state ? {} : sourceErrors(fields, ask, deps),
      placeErrors(fields["place"], standing, { ask, deps }),
      escalationErrors(fields, { alert, before: standing?.options.escalateTo, ask, deps }),
    ]);
    return Object.assign({}, ...errors);
  },
  read(filled) {
    const { unmet, errors } = readAlertFields(filled);
    return errors ? { errors } : { unmet };
  },
  /** The window after a choice: with the fields of the kind that was chosen, and what the alert would have reported. */
  async rebuild(filled, asker, deps) {
    const { fields, state } = filled;
    const read = readAlertFields(filled);
    const { number, wanted, unmet } = read;
    const alert = number === undefined ? undefined : await deps.alerts.get({ team: asker.team, number });
    const types = typesOf(await currentSamples(deps));
    const kind = sourceKindNamed(fields["kind"] ?? "")?.kind ?? "trending";
    const set = alert ? editedOptions(read.options, alert) : read.options;
    const options = { ...alert?.options, ...set };
    const about: AlertWindow = { alert, options, types, channel: fields["place"], fields };
    if (!state) about.source = await sourceFields(kind, deps, asker);
    else if (!alert) about.wanted = wanted;
    try {
      const signal = AbortSignal.timeout(windowMs);
      const isFindable = wanted && unmet.length === 0;
      const source = isFindable ? await findWatched(wanted, deps, { ...asker, signal }) : alert?.source;
      about.name = source && sourceTitle(source);
      if (unmet.length > 0) about.tested = unmetWords(unmet);
      else if (!read.errors) {
        const schedule = readRepeating(read.when, alert?.schedule.zone ?? deps.timeZone);
        const changed = changedOptions(alert?.options ?? {}, set, types);
        about.tested = await testDraft({ source, options: changed, schedule }, asker, deps);
      }
    } catch (error) {
      if (error instanceof UsageError) about.tested = error.message;
      else deps.log.warn("alerts.test.failed", { error: describe(error) });
    }
    return alertWindow(about);
  },
};

async function escalationErrors(
  { escalateTo, escalatePerson }: Record<string, string>,
  request: Parameters<typeof readEscalation>[1] & { ask: FormAsker },
): Promise<Record<string, string>> {
  try {
    await readEscalation(escalatePerson ?? escalateTo, request);
    return {};
  } catch (error) {
    return { [escalatePerson === undefined ? "escalateTo" : "escalatePerson"]: fieldError(error) };
  }
}

/** Names of what trends, or of anything that is known, as somebody types. */
export const alertPickers: Picker<Pick<AlertDependencies, "directory">>[] = [
  {
    name: namesPicker,
    isSearched: true,
    async choices(typed, _, { directory }) {
      const known = directory
        .offer(typed)
        .map(({ name, typeName }) => ({ label: name, value: quote(name), description: typeName }));
      const words = typed.replace(/["“”„«»\s]+/g, " ").trim();
      const isKnown = known.some(({ label }) => foldName(label) === foldName(words));
      return [...(words && !isKnown ? [{ label: `Use “${words}”`, value: quote(words) }] : []), ...known];
    },
  },
  { name: quietHoursPicker, isSearched: true, choices: async (typed) => offerQuietHours(typed) },
];

/** The window of a new alert: on what somebody named, or what they choose in it. */
export async function newAlertWindow(
  { options: { type, ...said }, wanted, schedule: typed }: Pick<AlertTerms, "options" | "wanted" | "schedule">,
  { asker, channel }: { asker: Person; channel: string | undefined },
  deps: AlertDependencies,
): Promise<Message> {
  const types = typesOf(await currentSamples(deps));
  const named = type === undefined ? undefined : typeNamed(type, types);
  const options = { ...said, ...(named !== undefined && { type: named }) };
  // A window opens within three seconds or not at all, so nobody's own time zone is asked for.
  const schedule = typed && { ...typed, zone: typed.zone || deps.timeZone };
  const about = { options, schedule, types, channel };
  if (!wanted?.what) {
    const source = await sourceFields(wanted?.kind ?? "trending", deps, asker);
    const tested = source.kind === "trending" ? await testDraft({ options }, asker, deps) : undefined;
    return alertWindow({ ...about, source, tested });
  }
  const signal = AbortSignal.timeout(windowMs);
  const source = await findWatched(wanted, deps, { ...asker, signal }).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    return undefined;
  });
  const tested = source && (await testDraft({ source, options }, asker, deps, signal));
  return alertWindow({ ...about, wanted, name: source && sourceTitle(source), tested });
}

/** The window of an alert as it is. */
export async function editAlertWindow(alert: Alert, deps: AlertDependencies): Promise<Message> {
  const types = typesOf(await currentSamples(deps));
  const tested = backtestWords(await backtest(alert, deps.now(), deps), testedMost);
  return alertWindow({ alert, options: alert.options, types, channel: placeShown(alert.channel, undefined), tested });
}

/** The reports that an alert would have made in the past week. */
async function testDraft(
  draft: Pick<Alert, "source" | "options"> & { schedule?: Schedule },
  { team, user }: Person,
  deps: AlertDependencies,
  signal?: AbortSignal,
): Promise<string> {
  const now = deps.now();
  const schedule = readRepeating(usualWhen, deps.timeZone);
  const drafted = alertOf({ team, owner: user, channel: user, schedule, nextRun: now, ...draft });
  await countFirst(drafted, deps, signal);
  return backtestWords(await backtest(drafted, now, deps), testedMost);
}
