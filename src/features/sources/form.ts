import { UsageError } from "../../apis/errors.ts";
import { type FormAsker, type Person, formAction, pickAction } from "../../slack/incoming/request.ts";
import {
  type MenuChoice,
  chipsField,
  choiceField,
  liveField,
  pickerField,
  textField,
} from "../../slack/text/blocks.ts";
import type { Block } from "../../slack/text/message.ts";
import { escape } from "../../slack/text/mrkdwn.ts";
import { fitting } from "../names.ts";
import type { Picker } from "../feature.ts";
import { fieldError } from "../options.ts";
import { channelSource } from "./channel.ts";
import { entitySource, readOffered } from "./entity.ts";
import { findSource, readableKinds, sourceKindNamed, sourceKinds } from "./index.ts";
import { watchlistSource } from "./watchlist.ts";
import { createSharedReads } from "./shared-reads.ts";
import type { SourceDependencies, SourceField, SourceKind, SourceQuery } from "./source.ts";

const rememberMs = 30_000;

/** The lists in forms, shared for a moment: each is asked for again with each letter that somebody types. */
export function createOfferedChoices(now: () => number) {
  return createSharedReads<MenuChoice[]>({ ms: rememberMs, now, most: 200 });
}

export interface PickerDependencies extends SourceDependencies {
  /** Credits cost nothing. */
  isTest?: boolean;
  offered: ReturnType<typeof createOfferedChoices>;
}

/** The time that a list may take: whoever types has gone on by then, and finds it with the next letter. */
const choicesMs = 10_000;

/** The lists of the kinds whose sources are chosen as somebody types. */
export const sourcePickers: Picker<PickerDependencies>[] = [
  ...sourceKinds.flatMap(({ kind, field: { offer, choices, isShort } }): Picker<PickerDependencies>[] => {
    if (offer) return [{ name: kind, isSearched: true, choices: (typed, _, deps) => offer(typed, deps) }];
    return choices && !isShort ? [{ name: kind, choices: (_, person, deps) => offeredOf(kind, person, deps) }] : [];
  }),
  { name: "source", isSearched: true, choices: offerSources },
];

/** The choices of one kind of source, which are kept for a while. */
async function offeredOf(kind: SourceKind["kind"], person: Person, deps: PickerDependencies): Promise<MenuChoice[]> {
  const field = sourceKindNamed(kind)?.field;
  return field ? deps.offered(`${kind} ${person.team} ${person.user}`, () => choicesOf(field, deps, person)) : [];
}

/** Of each kind that one list offers. */
const ofEachKind = 20;

/** All news, and names, watchlists and news channels, as they are typed in a line; or a search for the words. */
async function offerSources(typed: string, person: Person, deps: PickerDependencies): Promise<MenuChoice[]> {
  const { readable } = readableKinds(deps.configured);
  const kinds = [entitySource, watchlistSource, channelSource].filter(({ kind }) =>
    readable.some((each) => each.kind === kind),
  );
  const lists = kinds.map(async ({ kind, label, field: { offer } }) => {
    const all = offer
      ? await offer(typed, deps)
      : fitting(typed, await offeredOf(kind, person, deps), (each) => each.label);
    const known = all.filter(({ value }) => readOffered(value).unmet.length === 0).slice(0, ofEachKind);
    return known.map((each) => ({ ...each, value: `${kind} ${each.value}`, description: each.description ?? label }));
  });
  const found = (await Promise.allSettled(lists)).flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  const words = typed.replace(/["“”„«»\s]+/g, " ").trim();
  const search = {
    label: `Search for “${words}”`,
    value: `search ${words}`,
    description: "Any words · 1 credit a run",
  };
  const all = typed ? [] : [{ label: "All news", value: "all" }];
  return [...all, ...found, ...(words && deps.configured.gateway ? [search] : [])];
}

async function choicesOf(field: SourceField, deps: SourceDependencies, person: Person): Promise<MenuChoice[]> {
  return (await field.choices?.(deps, { ...person, signal: AbortSignal.timeout(choicesMs) })) ?? [];
}

/** A choice that a form offers beside sources, with fields of its own. */
interface OtherKind extends Pick<SourceKind, "label" | "about"> {
  kind: string;
  fields: readonly Block[];
}

/** The fields in which somebody says what is followed: the kind, and one of that kind; and which kind that is. */
export async function sourceFields<Other extends OtherKind = never>(
  wanted: string | undefined,
  deps: SourceDependencies,
  asker: Person,
  { other }: { other?: Other } = {},
): Promise<{ kind: SourceKind["kind"] | Other["kind"] | undefined; fields: Block[] }> {
  const { readable, missing } = readableKinds(deps.configured);
  const source = readable.find((each) => each.kind === wanted) ?? readable[0];
  const isOther = other !== undefined && wanted === other.kind;
  const kind = isOther ? other.kind : source?.kind;
  const names = new Intl.ListFormat("en").format(missing.map(({ plural }) => plural));
  const choices = [...readable, ...(other ? [other] : [])].map((each) => ({
    label: each.label,
    value: each.kind,
    description: each.about,
  }));
  const hint = names && { hint: `Not set up here: ${names}. An operator can add them.` };
  const kindField = liveField(
    choiceField({ name: "kind", label: "Follow", choices, chosen: kind, ...hint }),
    formAction,
  );
  if (isOther) return { kind, fields: [kindField, ...other.fields] };
  return { kind, fields: [kindField, ...(source ? [liveField(await fieldOf(source, deps, asker), formAction)] : [])] };
}

/** Each kind has a field with a name of its own: Slack would keep in it what was chosen for another kind. */
function fieldName(kind: string): string {
  return `source-${kind}`;
}

async function fieldOf(source: SourceKind, deps: SourceDependencies, asker: Person): Promise<Block> {
  const { kind, field } = source;
  const { label = source.label, most, isShort } = field;
  const article = /^[aeiou]/i.test(label) ? "an" : "a";
  const { placeholder = `Choose ${article} ${label.toLowerCase()}` } = field;
  const named = { name: fieldName(kind), label };
  const action = `${pickAction}:${kind}`;
  if (field.offer) return chipsField({ ...named, placeholder, action, most: most ?? 1, chosen: [] });
  if (!field.choices) return textField({ ...named, placeholder, ...(most && { most }) });
  if (!isShort) return pickerField({ ...named, placeholder, action });
  const choices = await choicesOf(field, deps, asker);
  return choiceField({ ...named, choices, chosen: choices[0]?.value });
}

/** The source that somebody chose in these fields, with the names to be searched for first; or what is wrong with it, by the name of the field. */
export function readSourceFields(
  fields: Record<string, string>,
): { wanted: SourceQuery; unmet: string[] } | { errors: Record<string, string> } {
  const kind = sourceKindNamed(fields["kind"] ?? "");
  if (!kind) return { errors: { kind: "Choose one from the list." } };
  const name = fieldName(kind.kind);
  const what = fields[name]?.trim() ?? "";
  const { names, unmet } = kind.field.offer ? readOffered(what) : { names: [what], unmet: [] };
  if (what) return { wanted: { kind: kind.kind, what: names.join(",") }, unmet };
  const isListed = kind.field.choices ?? kind.field.offer;
  return { errors: { [name]: isListed ? "Choose one from the list." : "Say what to look for." } };
}

/** The words for names that are searched for before the form is saved. */
export function unmetWords(unmet: string[]): string {
  const names = new Intl.ListFormat("en").format(unmet.map((name) => `“${escape(name)}”`));
  return `On *Save*, I first search the news for ${names}.`;
}

/** A form waits this long for a source to be found: Slack waits for three seconds. */
const findMs = 1_500;

/** Errors about the source that somebody chose in these fields, if it can't be found; none if there is nothing to look up. */
export async function sourceErrors(
  fields: Record<string, string>,
  asker: FormAsker,
  deps: SourceDependencies,
): Promise<Record<string, string>> {
  const read = readSourceFields(fields);
  if ("errors" in read) return {};
  const { wanted, unmet } = read;
  if (unmet.length > 0 || wanted.kind === "trending" || wanted.kind === "search") return {};
  return errorsOfFind(fieldName(wanted.kind), (signal) => findSource(wanted, deps, { ...asker, signal }));
}

/** The error of a look-up at its field; if a service doesn't answer in time, the command itself reports the problem. */
export async function errorsOfFind(
  name: string,
  find: (signal: AbortSignal) => Promise<unknown>,
): Promise<Record<string, string>> {
  try {
    await find(AbortSignal.timeout(findMs));
  } catch (error) {
    if (error instanceof UsageError) return { [name]: fieldError(error) };
  }
  return {};
}
