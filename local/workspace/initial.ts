import { type Fields, isFields, listOf, textOf } from "./fields.ts";
import type { Block } from "./protocol.ts";
import type { Values } from "./views.ts";

/** The field an element's choice is in, the field its first choice is in, and whether it holds several. */
const CHOICES: Record<string, { now: string; first: string; isList?: true } | undefined> = {
  plain_text_input: { now: "value", first: "initial_value" },
  number_input: { now: "value", first: "initial_value" },
  email_text_input: { now: "value", first: "initial_value" },
  url_text_input: { now: "value", first: "initial_value" },
  rich_text_input: { now: "rich_text_value", first: "initial_value" },
  static_select: { now: "selected_option", first: "initial_option" },
  external_select: { now: "selected_option", first: "initial_option" },
  radio_buttons: { now: "selected_option", first: "initial_option" },
  checkboxes: { now: "selected_options", first: "initial_options", isList: true },
  multi_static_select: { now: "selected_options", first: "initial_options", isList: true },
  multi_external_select: { now: "selected_options", first: "initial_options", isList: true },
  users_select: { now: "selected_user", first: "initial_user" },
  multi_users_select: { now: "selected_users", first: "initial_users", isList: true },
  conversations_select: { now: "selected_conversation", first: "initial_conversation" },
  multi_conversations_select: { now: "selected_conversations", first: "initial_conversations", isList: true },
  channels_select: { now: "selected_channel", first: "initial_channel" },
  multi_channels_select: { now: "selected_channels", first: "initial_channels", isList: true },
  datepicker: { now: "selected_date", first: "initial_date" },
  timepicker: { now: "selected_time", first: "initial_time" },
  datetimepicker: { now: "selected_date_time", first: "initial_date_time" },
};

function valueOf(element: Fields): Fields | undefined {
  const type = textOf(element["type"]);
  const choice = Object.hasOwn(CHOICES, type) ? CHOICES[type] : undefined;
  return choice && { type, [choice.now]: element[choice.first] ?? (choice.isList ? [] : null) };
}

/** Every field of a block, those in a container's child blocks too. */
function fieldsIn(block: Fields): { id: string; element: Fields }[] {
  const id = textOf(block["block_id"]);
  const own = [block["element"], block["accessory"], ...listOf(block["elements"])].filter(isFields);
  const inner = listOf(block["child_blocks"]).filter(isFields).flatMap(fieldsIn);
  return [...own.map((element) => ({ id, element })), ...inner];
}

/** A value by the ids that an app chose, which may be `constructor` and `name`. */
function valueAt(values: Values, id: string, action: string): Fields | undefined {
  const block = Object.hasOwn(values, id) ? values[id] : undefined;
  return block && Object.hasOwn(block, action) ? block[action] : undefined;
}

/** What every field of the blocks holds: what a person gave it, else its first choice, else null, as Slack sends it. */
export function stateOf(blocks: Block[], values: Values): Values {
  const state: Values = {};
  for (const { id, element } of blocks.flatMap(fieldsIn)) {
    const action = textOf(element["action_id"]);
    const value = valueAt(values, id, action) ?? valueOf(element);
    if (value) state[id] = { ...state[id], [action]: value };
  }
  return state;
}

/** Says whether a field holds nothing: no text, no choice. */
export function isEmpty(value: Fields | undefined): boolean {
  const { type: _, ...chosen } = value ?? {};
  return Object.values(chosen).every((one) => {
    return one === null || one === undefined || one === "" || (Array.isArray(one) && one.length === 0);
  });
}

/** What a person gave, for the fields that are there and of the same kind. */
export function fitting(blocks: Block[], values: Values): Values {
  const kept: Values = {};
  for (const { id, element } of blocks.flatMap(fieldsIn)) {
    const action = textOf(element["action_id"]);
    const value = valueAt(values, id, action);
    if (value && value["type"] === element["type"]) kept[id] = { ...kept[id], [action]: value };
  }
  return kept;
}

/**
 * What an update leaves in the fields that it keeps. Slack holds on to what stands in a field with the same block_id
 * and action_id, to its first choice too: who wants another one shown gives the block a new block_id.
 */
export function surviving(values: Values, change: { from: Block[]; to: Block[] }): Values {
  const kept = fitting(change.to, stateOf(change.from, values));
  const full = Object.entries(kept).map(([id, fields]) => {
    const held = Object.entries(fields).filter(([action, value]) => valueAt(values, id, action) || !isEmpty(value));
    return [id, Object.fromEntries(held)] as const;
  });
  return Object.fromEntries(full);
}
