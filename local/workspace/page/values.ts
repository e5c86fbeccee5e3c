/** What stands chosen in an interactive element, in the field names that Slack sends to an app; pure. */

import { entry, list, number, string } from "./read.ts";
import type { Fields } from "./read.ts";

/** The value fields of one element: `{ selected_option: … }`, `{ value: … }` and so on; null where nothing is chosen. */
export type Value = Fields;

export interface Choice {
  /** What tells two choices apart. */
  key: string;
  label: string;
  description?: string;
  group?: string;
  /** What goes to the app: the whole option object, or the ID of a user or channel. */
  sent: unknown;
}

/** For each kind of select: where its start value stands, where its choice goes, and whether it takes several. */
export const SELECTS: Record<string, { initial: string; chosen: string; several: boolean }> = {
  static_select: { initial: "initial_option", chosen: "selected_option", several: false },
  external_select: { initial: "initial_option", chosen: "selected_option", several: false },
  users_select: { initial: "initial_user", chosen: "selected_user", several: false },
  conversations_select: { initial: "initial_conversation", chosen: "selected_conversation", several: false },
  channels_select: { initial: "initial_channel", chosen: "selected_channel", several: false },
  multi_static_select: { initial: "initial_options", chosen: "selected_options", several: true },
  multi_external_select: { initial: "initial_options", chosen: "selected_options", several: true },
  multi_users_select: { initial: "initial_users", chosen: "selected_users", several: true },
  multi_conversations_select: { initial: "initial_conversations", chosen: "selected_conversations", several: true },
  multi_channels_select: { initial: "initial_channels", chosen: "selected_channels", several: true },
  radio_buttons: { initial: "initial_option", chosen: "selected_option", several: false },
  checkboxes: { initial: "initial_options", chosen: "selected_options", several: true },
};

const INPUTS: Record<string, { initial: string; chosen: string }> = {
  plain_text_input: { initial: "initial_value", chosen: "value" },
  rich_text_input: { initial: "initial_value", chosen: "value" },
  number_input: { initial: "initial_value", chosen: "value" },
  email_text_input: { initial: "initial_value", chosen: "value" },
  url_text_input: { initial: "initial_value", chosen: "value" },
  datepicker: { initial: "initial_date", chosen: "selected_date" },
  timepicker: { initial: "initial_time", chosen: "selected_time" },
  datetimepicker: { initial: "initial_date_time", chosen: "selected_date_time" },
};

/** The field in which an input sends its text, date or time; undefined for anything else. */
export function inputField(type: string): string | undefined {
  return entry(INPUTS, type)?.chosen;
}

/** The value an element starts with; undefined for elements that hold none, such as buttons. */
export function initialValue(element: Fields): Value | undefined {
  const type = string(element["type"]);
  const select = entry(SELECTS, type);
  if (select) return { [select.chosen]: element[select.initial] ?? (select.several ? [] : null) };
  const input = entry(INPUTS, type);
  return input && { [input.chosen]: element[input.initial] ?? null };
}

/** Tells whether a field holds nothing. */
export function isEmpty(value: Value): boolean {
  return Object.values(value).every(
    (part) => part === null || part === "" || (Array.isArray(part) && part.length === 0),
  );
}

/** The keys of what is chosen now. */
export function chosenKeys(type: string, value: Value): string[] {
  const chosen = value[entry(SELECTS, type)?.chosen ?? ""];
  return (Array.isArray(chosen) ? chosen : [chosen]).flatMap((item: unknown) => {
    if (typeof item === "string") return [item];
    return typeof item === "object" && item !== null && "value" in item ? [String(item.value)] : [];
  });
}

/** The value after choosing these. */
export function valueOf(type: string, choices: Choice[]): Value {
  const select = entry(SELECTS, type);
  if (!select) return {};
  const sent = choices.map((choice) => choice.sent);
  return { [select.chosen]: select.several ? sent : (sent[0] ?? null) };
}

export interface FormField {
  block_id: string;
  action_id: string;
  element: Fields;
  required: boolean;
  label: string;
}

/** An element's `action_id`, made up by its place where the app gave none. */
export function actionId(element: Fields, index: number): string {
  return string(element["action_id"]) || `action-${index}`;
}

/** A block's `block_id`, made up by its place where neither app nor server gave one. */
export function blockId(block: Fields, index: number): string {
  return string(block["block_id"]) || `block-${index}`;
}

function holders(block: Fields): Fields[] {
  if (block["type"] === "input") return list([block["element"]]);
  if (block["type"] === "section") return list([block["accessory"]]);
  return block["type"] === "actions" ? list(block["elements"]) : [];
}

/** Every element of a view that holds a value, in order. */
export function formFields(blocks: Fields[]): FormField[] {
  return blocks.flatMap((block, at) => {
    const inner = formFields(list(block["child_blocks"]));
    const own = holders(block).flatMap((element, index) => {
      if (!initialValue(element)) return [];
      const required = block["type"] === "input" && block["optional"] !== true;
      const label = string(list([block["label"]])[0]?.["text"]);
      return [{ block_id: blockId(block, at), action_id: actionId(element, index), element, required, label }];
    });
    return [...own, ...inner];
  });
}

function textError(element: Fields, text: string): string | undefined {
  const shortest = number(element["min_length"]) ?? 0;
  if (text.length < shortest) return `Please write at least ${shortest} characters.`;
  if (element["type"] === "email_text_input" && !/^\S+@\S+\.\S+$/.test(text)) return "Please enter an e-mail address.";
  if (element["type"] === "url_text_input" && !/^https?:\/\/\S+$/i.test(text))
    return "Please enter a web address that starts with https://";
  return element["type"] === "number_input" ? numberError(element, text) : undefined;
}

function numberError(element: Fields, text: string): string | undefined {
  const value = number(text);
  if (value === undefined) return "Please enter a number.";
  const [least, most] = [number(element["min_value"]), number(element["max_value"])];
  if (element["is_decimal_allowed"] !== true && !Number.isInteger(value)) return "Please enter a whole number.";
  if (least !== undefined && value < least) return `Please enter ${least} or more.`;
  return most !== undefined && value > most ? `Please enter ${most} or less.` : undefined;
}

/** What is wrong with a field before it is sent, in words for the person; undefined where nothing is. */
export function fieldError(field: FormField, value: Value): string | undefined {
  if (isEmpty(value)) return field.required ? "Please fill in this field." : undefined;
  const text = value["value"];
  return typeof text === "string" ? textError(field.element, text) : undefined;
}
