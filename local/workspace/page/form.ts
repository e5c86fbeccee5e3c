/** What the fields of a view or message hold, in the names that Slack sends to an app; pure. Server and page share it. */

import { entryOf, type Fields, numberOf, objectsIn, stringOf } from "./fields.ts";

/** The value of one field, as `{ type, selected_option: … }`; null or an empty list where nothing is chosen. */
export type FieldValue = { type: string; [field: string]: unknown };

/** What all fields hold: block_id → action_id → value, as Slack's `state.values`. */
export type FormValues = Record<string, Record<string, FieldValue>>;

interface ElementKind {
  /** The field that holds what the element starts with. */
  initial: string;
  /** The field that holds what was chosen. */
  chosen: string;
  /** Whether it holds a list. */
  several?: true;
}

/** The elements in which something is chosen from a list. */
export const selectKinds: Record<string, ElementKind> = {
  static_select: { initial: "initial_option", chosen: "selected_option" },
  external_select: { initial: "initial_option", chosen: "selected_option" },
  users_select: { initial: "initial_user", chosen: "selected_user" },
  conversations_select: { initial: "initial_conversation", chosen: "selected_conversation" },
  channels_select: { initial: "initial_channel", chosen: "selected_channel" },
  checkboxes: { initial: "initial_options", chosen: "selected_options", several: true },
};

/** The elements into which something is typed. */
const inputKinds: Record<string, ElementKind> = {
  plain_text_input: { initial: "initial_value", chosen: "value" },
  number_input: { initial: "initial_value", chosen: "value" },
};

/** The value an element starts with; undefined for elements that hold none, such as buttons. */
export function initialValue(element: Fields): FieldValue | undefined {
  const type = stringOf(element["type"]);
  const kind = entryOf(selectKinds, type) ?? entryOf(inputKinds, type);
  return kind && { type, [kind.chosen]: element[kind.initial] ?? (kind.several ? [] : null) };
}

/** Whether a field holds nothing: no text, no choice. */
export function isEmpty(value: FieldValue | undefined): boolean {
  const { type: _type, ...chosen } = value ?? { type: "" };
  return Object.values(chosen).every(
    (part) => part === null || part === undefined || part === "" || (Array.isArray(part) && part.length === 0),
  );
}

/** An element's `action_id`, made up by its place where the app gave none. */
export function actionId(element: Fields, index: number): string {
  return stringOf(element["action_id"]) || `action-${index}`;
}

/** A block's `block_id`, made up by its place where the app gave none. */
export function blockId(block: Fields, index: number): string {
  return stringOf(block["block_id"]) || `block-${index}`;
}

export interface PlacedElement {
  block: Fields;
  block_id: string;
  action_id: string;
  element: Fields;
}

/** Every element of the blocks: those of inputs, rows and accessories, in order. */
export function elementsIn(blocks: Fields[]): PlacedElement[] {
  return blocks.flatMap((block, at) => {
    const elements = objectsIn([block["element"], block["accessory"]]).concat(objectsIn(block["elements"]));
    const block_id = blockId(block, at);
    return elements.map((element, index) => ({ block, block_id, action_id: actionId(element, index), element }));
  });
}

/** Those of them that hold a value. */
export function fieldsIn(blocks: Fields[]): PlacedElement[] {
  return elementsIn(blocks).filter(({ element }) => initialValue(element) !== undefined);
}

/** A value by the ids that an app chose, which may be `constructor` and `name`. */
export function valueAt(values: FormValues, block_id: string, action_id: string): FieldValue | undefined {
  return entryOf(entryOf(values, block_id) ?? {}, action_id);
}

/** Both together; what is new stands in place of what was there. */
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

/** What every field of the blocks holds: what a person gave it, else what it starts with, else null, as Slack sends it. */
export function stateOf(blocks: Fields[], values: FormValues): FormValues {
  return collectValues(blocks, ({ block_id, action_id, element }) => {
    return valueAt(values, block_id, action_id) ?? initialValue(element);
  });
}

/** What a person gave, for the fields that are there and of the same kind. */
export function valuesFor(blocks: Fields[], values: FormValues): FormValues {
  return collectValues(blocks, ({ block_id, action_id, element }) => {
    const value = valueAt(values, block_id, action_id);
    return value?.type === element["type"] ? value : undefined;
  });
}

/**
 * What an update leaves in the fields that it keeps. Slack holds on to what a field with the same block_id and action_id
 * shows, also to what it started with: an app that wants to show something else gives the block a new block_id.
 */
export function carryOver(values: FormValues, { from, to }: { from: Fields[]; to: Fields[] }): FormValues {
  const kept = valuesFor(to, stateOf(from, values));
  return collectValues(to, ({ block_id, action_id }) => {
    const value = valueAt(kept, block_id, action_id);
    return valueAt(values, block_id, action_id) || !isEmpty(value) ? value : undefined;
  });
}

/** One of the things that can be chosen in a select, in check boxes or radio buttons. */
export interface SelectChoice {
  /** What tells two choices apart. */
  key: string;
  label: string;
  description?: string;
  group?: string;
  /** What goes to the app: the whole option object, or the ID of a user or channel. */
  sent: unknown;
}

/** The keys of what is chosen now. */
export function chosenKeys(value: FieldValue): string[] {
  const chosen = value[entryOf(selectKinds, value.type)?.chosen ?? ""];
  return (Array.isArray(chosen) ? chosen : [chosen]).flatMap((item: unknown) => {
    if (typeof item === "string") return [item];
    return typeof item === "object" && item !== null && "value" in item ? [String(item.value)] : [];
  });
}

/** The value of a select after choosing these. */
export function choose(type: string, choices: SelectChoice[]): FieldValue {
  const kind = entryOf(selectKinds, type);
  const sent = choices.map((choice) => choice.sent);
  return kind ? { type, [kind.chosen]: kind.several ? sent : (sent[0] ?? null) } : { type };
}

/** What is wrong with what a person typed or left out, in words for them; undefined where nothing is. */
export function fieldError({ block, element }: PlacedElement, value: FieldValue): string | undefined {
  if (isEmpty(value)) {
    const isRequired = block["type"] === "input" && block["optional"] !== true;
    return isRequired ? "Please fill in this field." : undefined;
  }
  const text = value["value"];
  if (typeof text !== "string") return undefined;
  const shortest = numberOf(element["min_length"]) ?? 0;
  if (text.length < shortest) return `Please write at least ${shortest} characters.`;
  return value.type === "number_input" ? numberError(element, text) : undefined;
}

function numberError(element: Fields, text: string): string | undefined {
  const value = numberOf(text);
  if (value === undefined) return "Please enter a number.";
  const [least, most] = [numberOf(element["min_value"]), numberOf(element["max_value"])];
  if (element["is_decimal_allowed"] !== true && !Number.isInteger(value)) return "Please enter a whole number.";
  if (least !== undefined && value < least) return `Please enter ${least} or more.`;
  return most !== undefined && value > most ? `Please enter ${most} or less.` : undefined;
}
