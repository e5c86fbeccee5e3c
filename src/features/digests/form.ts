import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { type Filled, type FormAsker, type Person, pickAction } from "../../slack/incoming/request.ts";
import { type MenuChoice, context, pickerField, section, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { hasTiers } from "../articles/filter.ts";
import { storiesOf } from "../articles/stories.ts";
import type { Form } from "../feature.ts";
import { type OptionTable, optionFields, readFields } from "../options.ts";
import { typedSource } from "../sources/follow.ts";
import { errorsOfFind, readSourceFields, sourceErrors, sourceFields, unmetWords } from "../sources/form.ts";
import { readSource, sourceKindNamed, sourceTitle } from "../sources/index.ts";
import type { SourceDependencies } from "../sources/source.ts";
import { namedKind, wantedIn } from "../sources/typed.ts";
import { type CommandDependencies, placeErrors } from "../subscriptions/commands.ts";
import { placeShown } from "../subscriptions/destination.ts";
import type { Schedule } from "../subscriptions/schedule.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import { placeField } from "../subscriptions/view.ts";
import { readScheduleFields, scheduleFields } from "../subscriptions/window.ts";
import { plural } from "../text.ts";
import type { Digest } from "./digest.ts";
import { type Style, postedBy, styleOptions, unfitOptions } from "./options.ts";
import {
  type DigestSubject,
  type WantedQuestion,
  type WantedSubject,
  costsCredit,
  findSubject,
  findWithin,
  longestQuestion,
  subjectTitle,
  wantedSchema,
} from "./question.ts";

/** The window of a digest: its fields, their values, and what the digest would have brought. */

const usualWhen = "weekdays at 9:00";
const whenChoices = [
  { label: "Weekdays at 09:00", value: usualWhen },
  { label: "Every day at 08:00", value: "daily at 8:00" },
  { label: "Mondays at 09:00", value: "Mondays at 9:00" },
  { label: "Twice a day, 09:00 and 17:00", value: "daily at 9:00 and 17:00" },
  { label: "Every hour", value: "hourly" },
  { label: "As it happens, every 15 minutes", value: "every 15 minutes" },
];

interface DigestWindow {
  /** The number of the digest that is changed; missing for a new one. */
  number?: number;
  /** The subject of a new one, if it's known already. */
  wanted?: WantedSubject | undefined;
  /** The name of the subject, and its kind if a digest is edited. */
  name?: string | undefined;
  kind?: DigestSubject["kind"];
  /** The fields that ask what is followed, and the kind that is chosen in them. */
  source?: { kind: DigestSubject["kind"] | undefined; fields: Block[] };
  /** The channel that is preselected; none for a direct message. */
  channel?: string | undefined;
  schedule?: Schedule | undefined;
  style?: Style | undefined;
  /** The values filled in so far, and a preview of the source in words. */
  fields?: Record<string, string>;
  preview?: string | undefined;
}

/** The state of the form: the digest that is changed, or the subject of a new one. */
const stateSchema = z.object({ number: z.number().optional(), wanted: wantedSchema.optional() });

function stateOf(state: string): z.infer<typeof stateSchema> {
  return state === "" ? {} : stateSchema.parse(JSON.parse(state));
}

/** The window in which a digest is added or edited. */
export function digestWindow(about: DigestWindow): Message {
  const { number, wanted, name, source, channel, schedule, style = {}, fields = {}, preview } = about;
  const title = number === undefined ? "New digest" : `Edit digest ${number}`;
  const known = name ?? (wanted && wantedWords(wanted));
  const what = known === undefined ? undefined : shorten(known, 100);
  const kind = about.kind ?? (wanted ?? source)?.kind;
  const state =
    number === undefined && !wanted ? "" : JSON.stringify({ number, wanted: wanted && wantedSchema.parse(wanted) });
  const further = Object.keys(styleOptions).filter((key) => key !== "isCompact");
  return {
    text: [`${title}.`, ...(what ? [escape(what)] : [])].join(" "),
    blocks: [
      section(windowLead(kind, source ? undefined : what)),
      ...(source?.fields ?? []),
      ...(preview ? [context(preview)] : []),
      ...scheduleFields({
        label: "When",
        choices: whenChoices,
        usual: usualWhen,
        chosen: fields["when"],
        placeholder: "Mondays 08:30 Europe/London",
        schedule,
      }),
      placeField(channel),
      ...optionFields<OptionTable>(styleFor(kind), style),
    ],
    window: { title, form: { name: "digest", submit: "Save", state, more: further } },
  };
}

function windowLead(kind: DigestSubject["kind"] | undefined, what: string | undefined): string {
  if (kind === "ask") {
    const answer = what ? `the answer to ${bold(what)}` : "the answer to a question";
    return `Posts ${answer} on your schedule, each time from the articles since the last.`;
  }
  const posts = what ? `Posts new stories from ${bold(what)} on your schedule.` : "Posts new stories on your schedule.";
  const isPaid = what !== undefined && sourceKindNamed(kind ?? "")?.api === "gateway";
  return isPaid ? `${posts} Each run costs 1 credit.` : posts;
}

function wantedWords(wanted: WantedSubject): string {
  const { kind, what } = wanted;
  if (kind === "several") return what;
  return kind === "trending" || /^\d+$/.test(what) ? `${kind} ${what}` : what;
}

/** The options that apply to a kind of subject. */
function styleFor(kind: DigestSubject["kind"] | undefined): OptionTable {
  const followed = sourceKindNamed(kind ?? "");
  const unfit: string[] = kind === undefined ? [] : unfitOptions[postedBy(kind)];
  const hasTier = followed !== undefined && hasTiers(followed);
  return Object.fromEntries(
    Object.entries(styleOptions).filter(([key]) => !unfit.includes(key) && (key !== "tier" || hasTier)),
  );
}

/** The kind of digest that answers a question, as a form offers it; filled in with a question, and the source it is asked of. */
export function questionKind({ question, within }: { question?: string; within?: MenuChoice | undefined } = {}) {
  return {
    kind: "ask" as const,
    label: "Answer to a question",
    about: "From the articles since the last answer",
    fields: [
      textField({
        name: "question",
        label: "Question",
        placeholder: "What changed for Novalith, and why does it matter to a supplier?",
        isLong: true,
        most: longestQuestion,
        ...(question !== undefined && { value: question }),
      }),
      pickerField({
        name: "within",
        label: "Only from",
        placeholder: "All news",
        action: `${pickAction}:source`,
        isOptional: true,
        chosen: within,
      }),
    ],
  };
}

type DigestFormDependencies = SourceDependencies &
  CommandDependencies & { digests: Pick<Subscriptions<Digest>, "get"> };

/** A digest as it's filled in. */
export interface FilledDigest {
  /** The digest that is changed; missing for a new one. */
  number?: number | undefined;
  /** Missing if a digest that is changed keeps its subject. */
  wanted?: WantedSubject | undefined;
  when: string;
  style: Style;
  place: string;
}

/** The values of a form and the names to be searched for first, or what is wrong, by the name of the field. */
export function readDigest({
  fields,
  state,
}: Filled): (FilledDigest & { unmet: string[] }) | { errors: Record<string, string> } {
  const { number } = stateOf(state);
  const isEdit = number !== undefined;
  const subject = isEdit && fields["question"] === undefined ? { unmet: [] } : readSubject(fields, state);
  const schedule = readScheduleFields(fields);
  // Fields of another kind that was chosen before still have their values. An edit takes back what was set before, too.
  const fitting = "wanted" in subject && !isEdit ? styleFor(subject.wanted.kind) : styleOptions;
  const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name in fitting));
  const { values: style, errors: unread } = readFields(styleOptions, shown, { keepsInitial: isEdit });
  const errors = { ...("errors" in subject && subject.errors), ...schedule.errors, ...unread };
  if ("errors" in subject || schedule.errors || unread) return { errors };
  return { number, ...subject, when: schedule.when, style, place: fields["place"] ?? "me" };
}

/** The form of a digest, without what saves it. */
export const digestForm: Form<DigestFormDependencies> = {
  name: "digest",
  read: readDigest,
  async check({ fields, state }, ask, deps) {
    const { number } = stateOf(state);
    const standing = number === undefined ? undefined : await deps.digests.get({ team: ask.team, number });
    const isSource = !state && fields["kind"] !== "ask";
    const errors = await Promise.all([
      isSource ? sourceErrors(fields, ask, deps) : withinErrors(fields["within"], ask, deps),
      placeErrors(fields["place"], standing, { ask, deps }),
    ]);
    return Object.assign({}, ...errors);
  },
  /** Slack keeps what is filled in elsewhere; the field for one of the chosen kind is another, and so is the preview. */
  async rebuild({ fields, state }, asker, deps) {
    const { number, wanted: known } = stateOf(state);
    const standing = number === undefined ? undefined : await deps.digests.get({ team: asker.team, number });
    const filled = { channel: fields["place"], fields };
    if (standing) {
      const preview = await lastDayLine(standing.source, deps);
      const asked = standing.source.kind === "ask" && { source: questionKind() };
      return digestWindow({ ...editedWindow(standing), ...filled, ...asked, preview });
    }
    const read = readSubject(fields, state);
    const { wanted, unmet } = "errors" in read ? { unmet: [] } : read;
    const words =
      unmet.length > 0 ? { preview: unmetWords(unmet) } : await previewOf(wanted, asker, deps).catch(() => ({}));
    if (known) return digestWindow({ ...filled, ...words, wanted: known });
    const source = await sourceFields(fields["kind"], deps, asker, { other: questionKind() });
    return digestWindow({ ...filled, ...words, source });
  },
};

/** The window of a digest as it is. */
export function editedWindow({ number, source, style, schedule, channel }: Digest): DigestWindow {
  const { within } = source.kind === "ask" ? source : {};
  const chosen = within && {
    label: sourceTitle(within),
    value: typedSource(within).replaceAll('"', ""),
  };
  return {
    number,
    kind: source.kind,
    name: subjectTitle(source),
    ...(source.kind === "ask" && { source: questionKind({ question: source.question, within: chosen }) }),
    schedule,
    style,
    channel: placeShown(channel, undefined),
  };
}

/**
 * The name of a source, and what it would have brought lately, as far as that can be had in time; throws a UsageError if
 * the asker can't follow it.
 */
export async function previewOf(
  wanted: WantedSubject | undefined,
  asker: Person,
  deps: DigestFormDependencies,
): Promise<Pick<DigestWindow, "name" | "preview">> {
  if (!wanted || ["ask", "trending", "search"].includes(wanted.kind)) return {};
  const signal = AbortSignal.timeout(previewMs);
  try {
    const source = await findSubject(wanted, deps, { ...asker, signal });
    return { name: subjectTitle(source), preview: await lastDayLine(source, deps, signal) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    deps.log.warn("digest.preview.failed", { error: describe(error) });
    return {};
  }
}

/** The longest wait for a source's stories when a window opens, in milliseconds. */
const previewMs = 1_000;

/** The stories of a source in the last day, in words; undefined if that costs credits, or takes too long. */
export async function lastDayLine(
  source: DigestSubject,
  deps: SourceDependencies & { now: () => number },
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (source.kind === "several" || source.kind === "ask" || source.kind === "trending" || costsCredit(source))
    return undefined;
  try {
    const soon = AbortSignal.timeout(previewMs);
    const { articles } = await readSource(source, deps, signal ? AbortSignal.any([signal, soon]) : soon);
    const since = deps.now() - 24 * 60 * 60_000;
    const stories = storiesOf(articles.filter(({ published = 0 }) => published >= since));
    if (stories.length === 0) return "In the last day it would have brought nothing.";
    const titles = stories.slice(0, 2).map(({ lead }) => `_${escape(shorten(lead.title, 70))}_`);
    return `In the last day it would have brought ${plural(stories.length, "story")}: ${titles.join(", ")}`;
  } catch (error) {
    deps.log.warn("digest.preview.failed", { error: describe(error) });
    return undefined;
  }
}

/** Errors about the source of a question, shown in the form so that nobody has to type everything again. */
async function withinErrors(typed = "", ask: FormAsker, deps: SourceDependencies): Promise<Record<string, string>> {
  const wanted = wantedIn(typed.trim(), namedKind);
  if (!wanted) return {};
  return errorsOfFind("within", (signal) => findWithin(wanted, deps, { ...ask, signal }));
}

/** The subject as it's filled in; a window that was opened for a subject has it in its state. */
function readSubject(
  fields: Record<string, string>,
  state: string,
): { wanted: WantedSubject; unmet: string[] } | { errors: Record<string, string> } {
  const { wanted, number } = stateOf(state);
  if (wanted) return { wanted, unmet: [] };
  return number !== undefined || fields["kind"] === "ask" ? readQuestionFields(fields) : readSourceFields(fields);
}

function readQuestionFields({
  question = "",
  within = "",
}: Record<string, string>): { wanted: WantedQuestion; unmet: string[] } | { errors: Record<string, string> } {
  const what = question.replace(/\s+/g, " ").trim();
  const typed = within.trim();
  const source = /^all$/i.test(typed) ? "all" : wantedIn(typed, namedKind);
  const isKnown = typed === "" || source !== undefined;
  if (what && isKnown) return { wanted: { kind: "ask", what, within: source }, unmet: [] };
  const unknown = "Choose one from the list.";
  return { errors: { ...(!what && { question: "What should I ask?" }), ...(!isKnown && { within: unknown }) } };
}
