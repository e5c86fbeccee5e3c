/** The values of the fields of a view or message, in Slack's names for an app; pure. Server and page share it. */

import { entryOf, type Fields, fieldsOf, objectsIn, stringOf } from "./fields.ts";

/** The value of one field, as `{ type, selected_option: … }`; null or an empty list if nothing is chosen. */
export type FieldValue = { type: string; [field: string]: unknown };

/** The values of all fields: block_id → action_id → value, as Slack's `state.values`. */
export type FormValues = Record<string, Record<string, FieldValue>>;

interface ElementKind {
  /** The property of the element with its initial value. */
  initial: string;
  /** The property of the field's value with the choice or text. */
  chosen: string;
  /** Set if several options can be chosen; the choice is then a list. */
  isMany?: true;
}

/** The elements with a list to choose from. */
const selectKinds: Record<string, ElementKind> = {
  static_select: { initial: "initial_option", chosen: "selected_option" },
  external_select: { initial: "initial_option", chosen: "selected_option" },
  multi_external_select: { initial: "initial_options", chosen: "selected_options", isMany: true },
  users_select: { initial: "initial_user", chosen: "selected_user" },
  conversations_select: { initial: "initial_conversation", chosen: "selected_conversation" },
};

/** The element with a text field. */
const inputKinds: Record<string, ElementKind> = {
  plain_text_input: { initial: "initial_value", chosen: "value" },
};

/** The initial value of an element; undefined for elements that hold none, such as buttons. */
export function initialValue(element: Fields): FieldValue | undefined {
  const type = stringOf(element["type"]);
  const kind = entryOf(selectKinds, type) ?? entryOf(inputKinds, type);
  return kind && { type, [kind.chosen]: element[kind.initial] ?? (kind.isMany ? [] : null) };
}

/** Whether a field is empty: no text, no choice. */
export function isEmpty(value: FieldValue | undefined): boolean {
  const { type: _type, ...chosen } = value ?? { type: "" };
  return Object.values(chosen).every(
    (part) => part === null || part === undefined || part === "" || (Array.isArray(part) && part.length === 0),
  );
}

/** An element's `action_id`, made from its place if the app gave none. */
export function actionId(element: Fields, index: number): string {
  return stringOf(element["action_id"]) || `action-${index}`;
}

/** A block's `block_id`, made from its place if the app gave none. */
export function blockId(block: Fields, index: number): string {
  return stringOf(block["block_id"]) || `block-${index}`;
}

export interface PlacedElement {
  block: Fields;
  block_id: string;
  action_id: string;
  element: Fields;
}

/** Every element of the blocks, in order: those of inputs, rows and accessories. */
export function elementsIn(blocks: Fields[]): PlacedElement[] {
  return blocks.flatMap((block, at) => {
    const elements = objectsIn([block["element"], block["accessory"]]).concat(objectsIn(block["elements"]));
    const block_id = blockId(block, at);
    return elements.map((element, index) => ({ block, block_id, action_id: actionId(element, index), element }));
  });
}

/** Every element of the blocks that holds a value. */
export function fieldsIn(blocks: Fields[]): PlacedElement[] {
  return elementsIn(blocks).filter(({ element }) => initialValue(element) !== undefined);
}

/** A value by the IDs that an app chose, even if those are `constructor` and `name`. */
export function valueAt(values: FormValues, block_id: string, action_id: string): FieldValue | undefined {
  return entryOf(entryOf(values, block_id) ?? {}, action_id);
}

/** The values of both; the new ones replace those that were there. */
export function mergeValues(values: FormValues, more: FormValues): FormValues {
  const added = Object.entries(more).map(([id, fields]) => [id, { ...values[id], ...fields }] as const);
  return { ...values, ...Object.fromEntries(added) };
}

function collectValues(blocks: Fields[], pick: (field: PlacedElement) => FieldValue | undefined): FormValues {
  const found: FormValues = {};
  for (const field of fieldsIn(blocks)) {
    const value = pick(field);
    if (value) found[field.block_id] = { ...found[field.block_id], [field.action_id]: value };
  }
  return found;
}

/** The value of every field of the blocks: the person's, else the initial one, else null, as Slack sends it. */
export function stateOf(blocks: Fields[], values: FormValues): FormValues {
  return collectValues(blocks, ({ block_id, action_id, element }) => {
    return valueAt(values, block_id, action_id) ?? initialValue(element);
  });
}

/** The person's values, for fields that still exist and are of the same kind. */
export function valuesFor(blocks: Fields[], values: FormValues): FormValues {
  return collectValues(blocks, ({ block_id, action_id, element }) => {
    const value = valueAt(values, block_id, action_id);
    return value?.type === element["type"] ? value : undefined;
  });
}

/**
 * The values after an update of the view. Slack keeps the value of a field with the same block_id and action_id, even
 * its initial one: to show another value, an app gives the block a new block_id.
 */
export function carryOver(values: FormValues, { from, to }: { from: Fields[]; to: Fields[] }): FormValues {
  const kept = valuesFor(to, stateOf(from, values));
  return collectValues(to, ({ block_id, action_id }) => {
    const value = valueAt(kept, block_id, action_id);
    return valueAt(values, block_id, action_id) || !isEmpty(value) ? value : undefined;
  });
}

/** One of the options of a select. */
export interface SelectChoice {
  /** The text that identifies the choice. */
  key: string;
  label: string;
  description?: string;
  /** The value that the app gets: the whole option object, or the ID of a user or channel. */
  sent: unknown;
}

/** The key of the current choice; undefined if there is none. */
export function chosenKey(value: FieldValue): string | undefined {
  const chosen = value[entryOf(selectKinds, value.type)?.chosen ?? ""];
  return typeof chosen === "string" ? chosen : stringOf(fieldsOf(chosen)["value"]) || undefined;
}

/** The chosen options of a multi-select. */
export function chosenOptions(value: FieldValue): Fields[] {
  return objectsIn(value["selected_options"]);
}

/** The value of a multi-select after a choice is added, or removed if it was chosen already. */
export function toggle(value: FieldValue, { key, sent }: SelectChoice): FieldValue {
  const chosen = chosenOptions(value);
  const others = chosen.filter((option) => stringOf(option["value"]) !== key);
  return { ...value, selected_options: others.length < chosen.length ? others : [...chosen, sent] };
}

/** The value of a select after a choice. */
export function choose(type: string, { sent }: SelectChoice): FieldValue {
  const kind = entryOf(selectKinds, type);
  return kind ? { type, [kind.chosen]: sent } : { type };
}

/** The error of a required field that is empty, in words for the person; undefined if there is none. */
export function fieldError({ block }: PlacedElement, value: FieldValue): string | undefined {
  const isRequired = block["type"] === "input" && block["optional"] !== true;
  return isRequired && isEmpty(value) ? "Please fill in this field." : undefined;
}
