import { PIECE } from "./limits.ts";
import {
  anything,
  flag,
  list,
  number,
  object,
  plain,
  type Rule,
  type Shape,
  string,
  text,
  typed,
  word,
} from "./rules.ts";

const style = word("primary", "danger");
const confirm = object(
  { text: text(PIECE.confirmText) },
  {
    title: plain(PIECE.confirmTitle),
    confirm: plain(PIECE.confirmButton),
    deny: plain(PIECE.confirmButton),
    style,
  },
);
const dispatch = object({}, { trigger_actions_on: list(word("on_enter_pressed", "on_character_entered"), 2) });

function optionOf(label: Rule): Rule {
  const may = { description: plain(PIECE.option), value: string(PIECE.optionValue), url: string(PIECE.url) };
  return object({ text: label }, may);
}
const option = optionOf(plain(PIECE.option));
const richOption = optionOf(text(PIECE.option));
const group = object({ label: plain(PIECE.option), options: list(option, PIECE.options) });

const named = { action_id: string(PIECE.id) };
const focus = { focus_on_load: flag };
const asking = { ...named, ...focus, confirm };
const hinted = { ...asking, placeholder: plain(PIECE.placeholder) };
const typing = {
  ...named,
  ...focus,
  placeholder: plain(PIECE.placeholder),
  dispatch_action_config: dispatch,
};
const many = { max_selected_items: number(1) };
const choices = { options: list(option, PIECE.options), option_groups: list(group, PIECE.options) };
const ids = list(string(PIECE.id), PIECE.options);
const filter = object(
  {},
  {
    include: list(word("im", "mpim", "private", "public"), 4),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  },
);
const here = { default_to_current_conversation: flag, filter };
const responds = { response_url_enabled: flag };
const judgement = object(
  { text: plain(PIECE.buttonLabel), value: string(PIECE.buttonValue) },
  { accessibility_label: string(PIECE.buttonLabel) },
);

const shape = (need: Shape["need"], may: Shape["may"], oneOf?: string[]): Shape => ({
  need,
  may,
  ...(oneOf && { oneOf }),
});

/** The interactive elements, images and sources, by type. */
export const ELEMENTS: Record<string, Shape> = {
  button: shape(
    { text: plain(PIECE.buttonLabel) },
    {
      ...named,
      confirm,
      style,
      url: string(PIECE.url),
      value: string(PIECE.buttonValue, 0),
      accessibility_label: string(PIECE.buttonLabel),
    },
  ),
  workflow_button: shape(
    { text: plain(PIECE.buttonLabel), workflow: anything },
    { ...named, style, accessibility_label: string(PIECE.buttonLabel) },
  ),
  feedback_buttons: shape({ positive_button: judgement, negative_button: judgement }, named),
  icon_button: shape(
    { icon: word("trash"), text: plain(PIECE.buttonLabel) },
    {
      ...named,
      confirm,
      value: string(PIECE.buttonValue),
      visible_to_user_ids: ids,
      accessibility_label: string(PIECE.buttonLabel),
    },
  ),
  static_select: shape({}, { ...hinted, ...choices, initial_option: option }, ["options", "option_groups"]),
  multi_static_select: shape({}, { ...hinted, ...many, ...choices, initial_options: list(option, PIECE.options) }, [
    "options",
    "option_groups",
  ]),
  external_select: shape({}, { ...hinted, initial_option: option, min_query_length: number(0) }),
  multi_external_select: shape(
    {},
    { ...hinted, ...many, initial_options: list(option, PIECE.options), min_query_length: number(0) },
  ),
  users_select: shape({}, { ...hinted, initial_user: string(PIECE.id) }),
  multi_users_select: shape({}, { ...hinted, ...many, initial_users: ids }),
  conversations_select: shape({}, { ...hinted, ...here, ...responds, initial_conversation: string(PIECE.id) }),
  multi_conversations_select: shape({}, { ...hinted, ...many, ...here, initial_conversations: ids }),
  channels_select: shape({}, { ...hinted, ...responds, initial_channel: string(PIECE.id) }),
  multi_channels_select: shape({}, { ...hinted, ...many, initial_channels: ids }),
  overflow: shape({ options: list(option, PIECE.overflow) }, { ...named, confirm }),
  checkboxes: shape(
    { options: list(richOption, PIECE.checks) },
    { ...asking, initial_options: list(richOption, PIECE.checks) },
  ),
  radio_buttons: shape({ options: list(richOption, PIECE.checks) }, { ...asking, initial_option: richOption }),
  datepicker: shape({}, { ...hinted, initial_date: string(10) }),
  timepicker: shape({}, { ...hinted, initial_time: string(5), timezone: string(PIECE.id) }),
  datetimepicker: shape({}, { ...asking, initial_date_time: number(0) }),
  plain_text_input: shape(
    {},
    {
      ...typing,
      multiline: flag,
      initial_value: string(PIECE.input, 0),
      min_length: number(0, PIECE.input),
      max_length: number(1, PIECE.input),
    },
  ),
  number_input: shape(
    { is_decimal_allowed: flag },
    { ...typing, initial_value: string(PIECE.input, 0), min_value: string(PIECE.id), max_value: string(PIECE.id) },
  ),
  email_text_input: shape({}, { ...typing, initial_value: string(PIECE.input, 0) }),
  url_text_input: shape({}, { ...typing, initial_value: string(PIECE.input, 0) }),
  rich_text_input: shape(
    {},
    { ...typing, initial_value: typed("rich_text"), min_lines: number(1), max_lines: number(1) },
  ),
  file_input: shape({}, { ...named, filetypes: list(string(20), 100), max_files: number(1, 10) }),
  url: shape({ url: string(PIECE.url), text: string(PIECE.input) }, {}),
};

/** The elements that select something, in messages as in forms. */
export const SELECTS = Object.keys(ELEMENTS).filter((type) => type.endsWith("_select"));
