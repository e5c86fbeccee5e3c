import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
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

/** What every field of the blocks holds: what a person gave it, else its first choice, else null, as Slack sends it. */
export function stateOf(blocks: Block[], given: Values): Values {
  const state: Values = { ...given };
  for (const block of blocks) {
    const id = textOf(block["block_id"]);
    const elements = [block["element"], block["accessory"], ...listOf(block["elements"])].filter(isFields);
    for (const element of elements) {
      const action = textOf(element["action_id"]);
      const value = given[id]?.[action] ?? valueOf(element);
      if (value) state[id] = { ...state[id], [action]: fieldsOf(value) };
    }
  }
  return state;
}
