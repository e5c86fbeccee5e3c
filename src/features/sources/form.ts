import { type Person, formAction, pickAction } from "../../slack/incoming/request.ts";
import { type MenuChoice, choiceField, liveField, pickerField, textField } from "../../slack/text/blocks.ts";
import type { Block } from "../../slack/text/message.ts";
import type { Picker } from "../feature.ts";
import { readableKinds, sourceKindNamed, sourceKinds } from "./index.ts";
import { createSharedReads } from "./shared-reads.ts";
import type { SourceDependencies, SourceField, SourceKind, SourceQuery } from "./source.ts";

const rememberMs = 30_000;

/** The lists in forms, shared for a moment: each is asked for again with each letter that somebody types. */
export function createOfferedChoices(now: () => number) {
  return createSharedReads<MenuChoice[]>({ ms: rememberMs, now, most: 200 });
}

export interface PickerDependencies extends SourceDependencies {
  offered: ReturnType<typeof createOfferedChoices>;
}

/** The time that a list may take: whoever types has gone on by then, and finds it with the next letter. */
const choicesMs = 10_000;

/** The lists of the kinds whose sources are chosen as somebody types. */
export const sourcePickers: Picker<PickerDependencies>[] = sourceKinds.flatMap(({ kind, field }) =>
  field.choices && !field.isShort
    ? [
        {
          name: kind,
          choices: (_, person, deps) =>
            deps.offered(`${kind} ${person.team} ${person.user}`, () => choicesOf(field, deps, person)),
        },
      ]
    : [],
);

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
  { other, label = "Kind of source" }: { other?: Other; label?: string } = {},
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
  const hint = names && { hint: `Not set up here: ${names}. /bellwether status says what is missing.` };
  const kindField = liveField(choiceField({ name: "kind", label, choices, chosen: kind, ...hint }), formAction);
  if (isOther) return { kind, fields: [kindField, ...other.fields] };
  return { kind, fields: [kindField, ...(source ? [await fieldOf(source, deps, asker)] : [])] };
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
  if (!field.choices) return textField({ ...named, placeholder, ...(most && { most }) });
  if (!isShort) return pickerField({ ...named, placeholder, action: `${pickAction}:${kind}` });
  const choices = await choicesOf(field, deps, asker);
  return choiceField({ ...named, choices, chosen: choices[0]?.value });
}

/** The source that somebody chose in these fields, or what is wrong with it, by the name of the field. */
export function readSourceFields(
  fields: Record<string, string>,
): { wanted: SourceQuery } | { errors: Record<string, string> } {
  const kind = sourceKindNamed(fields["kind"] ?? "");
  if (!kind) return { errors: { kind: "Choose one from the list." } };
  const name = fieldName(kind.kind);
  const what = fields[name]?.trim() ?? "";
  if (what) return { wanted: { kind: kind.kind, what } };
  return { errors: { [name]: kind.field.choices ? "Choose one from the list." : "Say what to look for." } };
}
