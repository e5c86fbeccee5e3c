import { limits } from "./limits.ts";
import type { Block, Message } from "./message.ts";
import { accessibleText as plainTextOfMrkdwn, escape, keepUnits, plainTextOfMarkdown } from "./mrkdwn.ts";

type ActionElement = Extract<Block, { type: "actions" }>["elements"][number];
type Button = Extract<ActionElement, { type: "button" }>;
type Overflow = Extract<ActionElement, { type: "overflow" }>;
type Field = Extract<Block, { type: "input" }>;

interface ButtonOptions {
  action: string;
  label: string;
  value: string;
  style?: "primary" | "danger";
  /** Read by screen readers in place of a label that says too little. */
  accessibleText?: string;
}

/** A paragraph of mrkdwn; what does not fit is cut. */
export function section(mrkdwn: string): Block {
  return { type: "section", text: prose(mrkdwn) };
}

/** A paragraph of mrkdwn with a button or a ⋯ menu beside it. */
export function sectionWith(mrkdwn: string, accessory: Button | Overflow): Block {
  return { type: "section", text: prose(mrkdwn), accessory };
}

function prose(mrkdwn: string) {
  return { type: "mrkdwn" as const, text: fit(keepUnits(mrkdwn), limits.section), verbatim: true };
}

/** A heading; plain text. */
export function header(text: string): Block {
  return { type: "header", text: plainText(keepUnits(text), limits.header) };
}

/** Small print: each string is one element of mrkdwn. */
export function context(...mrkdwn: string[]): Block {
  return { type: "context", elements: mrkdwn.slice(0, limits.contextElements).map(prose) };
}

/** Standard Markdown, as models write it. */
export function markdown(text: string): Block {
  return { type: "markdown", text };
}

/** A row of buttons. */
export function buttons(...options: ButtonOptions[]): Block {
  return row(...options.map(button));
}

/** A row of buttons and menus; if two have the same action, the later ones get a number, as Slack takes each once. */
export function row(...elements: ActionElement[]): Block {
  const actionOf = uniqueNames(limits.action);
  const shown = elements.filter((each) => !isEmpty(each)).slice(0, limits.elements);
  return {
    type: "actions",
    elements: shown.map((each) => ({ ...each, ...(each.action_id && { action_id: actionOf(each.action_id, ":") }) })),
  };
}

/** A menu from which nothing can be chosen; with one in it, Slack refuses the whole message. */
function isEmpty(element: ActionElement): boolean {
  return (element.type === "static_select" || element.type === "overflow") && element.options?.length === 0;
}

/** A message whose `text` says what its headings, paragraphs and small print say, a line each. */
export function messageOf(...blocks: Block[]): Message {
  const lines = blocks.map(wordsOf).filter(Boolean);
  return { text: lines.join("\n").replaceAll("\u00a0", " "), blocks };
}

/** The words of a block, without icons. */
function wordsOf(block: Block): string {
  const plain = (mrkdwn: string) => plainTextOfMrkdwn(mrkdwn.replace(/(?<!\S):[a-z_]+: /g, ""));
  if (block.type === "header") return escape(block.text.text);
  if (block.type === "section") return plain(block.text?.text ?? "");
  if (block.type === "markdown") return plainTextOfMarkdown(block.text);
  if (block.type !== "context") return "";
  return block.elements.map((element) => (element.type === "mrkdwn" ? plain(element.text) : "")).join(" · ");
}

/** The blocks without rows in which nothing is left, which Slack refuses too. */
export function withoutEmptyRows(blocks: Block[]): Block[] {
  return blocks.filter((block) => block.type !== "actions" || block.elements.length > 0);
}

/** A button. */
export function button({ action, label, value, style, accessibleText }: ButtonOptions): Button {
  return {
    type: "button",
    action_id: action,
    text: plainText(label, limits.buttonLabel),
    value: value && fit(value, limits.buttonValue),
    ...(style && { style }),
    ...(accessibleText && { accessibility_label: fit(accessibleText, limits.buttonLabel) }),
  };
}

/** One thing that can be chosen from a menu or a list. */
export interface MenuChoice {
  label: string;
  /** At most 75 characters. */
  value: string;
  /** Small print below the label. */
  description?: string | undefined;
}

interface MenuOptions {
  action: string;
  placeholder: string;
  choices: MenuChoice[];
  /** The value that is chosen at first. */
  chosen?: string | undefined;
}

/** A menu of at most 100 choices; what has a longer value than Slack takes is left out. */
export function menu({ action, placeholder, ...offered }: MenuOptions): ActionElement {
  return { ...select(action, offered), placeholder: plainText(placeholder, limits.placeholder) };
}

function select(action: string, { choices, chosen }: Pick<MenuOptions, "choices" | "chosen">) {
  const options = optionsOf(choices);
  const initial = options.find(({ value }) => value === chosen);
  return {
    type: "static_select" as const,
    action_id: action,
    options,
    ...(initial && { initial_option: initial }),
  };
}

/** The ⋯ menu of what fewer people need: at most five choices; what has a longer value than Slack takes is left out. */
export function moreMenu({ action, choices }: Pick<MenuOptions, "action" | "choices">): Overflow {
  return { type: "overflow", action_id: action, options: optionsOf(choices).slice(0, limits.overflow) };
}

/** The choices as Slack takes them: at most 100, without those whose value is too long. */
export function optionsOf(choices: MenuChoice[]) {
  return choices
    .filter(({ value }) => value && value.length <= limits.option)
    .slice(0, limits.options)
    .map(({ label, value, description }) => ({
      text: plainText(label, limits.option),
      value,
      ...(description && { description: plainText(description, limits.option) }),
    }));
}

interface FieldOptions {
  /** The name by which the form knows it. */
  name: string;
  label: string;
  hint?: string;
  isOptional?: boolean;
}

interface TextFieldOptions extends FieldOptions {
  placeholder?: string;
  value?: string;
  isLong?: boolean;
  /** Characters. */
  most?: number;
}

/** A text to be filled in. */
export function textField({ placeholder, value, isLong, most, ...field }: TextFieldOptions): Block {
  const longest = Math.min(most ?? limits.fieldText, limits.fieldText);
  return input(field, {
    type: "plain_text_input",
    action_id: field.name,
    multiline: isLong ?? false,
    ...(placeholder && { placeholder: plainText(placeholder, limits.placeholder) }),
    ...(value && { initial_value: value.slice(0, longest) }),
    ...(most && { max_length: longest }),
  });
}

/** A choice to be made from a list. */
export function choiceField({
  choices,
  chosen,
  ...field
}: FieldOptions & Pick<MenuOptions, "choices" | "chosen">): Block {
  return input(field, select(field.name, { choices, chosen }));
}

/** The field with an action, by which Slack tells us at once what is chosen in it, or typed once Enter is pressed. */
export function liveField(field: Block, action: string): Block {
  if (field.type !== "input") return field;
  const { element } = field;
  // The options of a list are found by its action.
  const isList = element.type === "external_select" || element.type === "multi_external_select";
  return { ...field, dispatch_action: true, element: isList ? element : { ...element, action_id: action } };
}

interface PickerFieldOptions extends FieldOptions {
  /** Names the list that Slack asks us for. */
  action: string;
  placeholder: string;
  chosen?: MenuChoice | undefined;
}

/** A choice from a list that Slack asks us for while somebody types. */
export function pickerField({ action, placeholder, chosen, ...field }: PickerFieldOptions): Block {
  const [initial] = chosen ? optionsOf([chosen]) : [];
  const element = { type: "external_select" as const, ...suggested(action, placeholder) };
  return input(field, { ...element, ...(initial && { initial_option: initial }) });
}

/** Several choices, each a chip, from such a list; Slack tells us at once what is chosen. */
export function chipsField({
  action,
  placeholder,
  most,
  chosen,
  ...field
}: Omit<PickerFieldOptions, "chosen"> & { most: number; chosen: MenuChoice[] }): Block {
  const initial = optionsOf(chosen).slice(0, most);
  const block = input(field, {
    type: "multi_external_select",
    ...suggested(action, placeholder),
    max_selected_items: most,
    ...(initial.length > 0 && { initial_options: initial }),
  });
  return { ...block, dispatch_action: true };
}

function suggested(action: string, placeholder: string) {
  return { action_id: action, placeholder: plainText(placeholder, limits.placeholder), min_query_length: 0 };
}

interface ChannelFieldOptions extends FieldOptions {
  placeholder?: string;
  chosen?: string | undefined;
  /** It is not about where somebody is: nothing is chosen at first, and direct messages cannot be. */
  isElsewhere?: boolean;
}

/** A Slack channel to be chosen; the one that the window was opened in, if that is known and nothing else `chosen`. */
export function channelField({ chosen, isElsewhere, placeholder, ...field }: ChannelFieldOptions): Block {
  return input(field, {
    type: "conversations_select",
    action_id: field.name,
    ...(placeholder && { placeholder: plainText(placeholder, limits.placeholder) }),
    filter: {
      include: isElsewhere ? ["public", "private"] : ["public", "private", "mpim", "im"],
      exclude_bot_users: false,
    },
    ...(chosen ? { initial_conversation: chosen } : !isElsewhere && { default_to_current_conversation: true }),
  });
}

/** A person to be chosen. */
export function personField({ chosen, ...field }: FieldOptions & { chosen?: string | undefined }): Block {
  return input(field, { type: "users_select", action_id: field.name, ...(chosen && { initial_user: chosen }) });
}

function input({ name, label, hint, isOptional }: FieldOptions, element: Field["element"]): Field {
  return {
    type: "input",
    block_id: name,
    label: plainText(label, limits.fieldLabel),
    element,
    optional: isOptional ?? false,
    ...(hint && { hint: plainText(hint, limits.fieldLabel) }),
  };
}

/** A thin line between parts. */
export const divider: Block = { type: "divider" };

interface ChartOptions {
  title: string;
  /** One bar or point each, in order; at most 20. */
  labels: string[];
  /** One value for each label; at most 6 series. */
  series: { name: string; values: number[] }[];
  kind?: "bar" | "area";
}

/** A picture of numbers, as Slack takes it; its types do not know the block yet. */
export interface Chart {
  type: "data_visualization";
  title: string;
  chart: {
    type: "bar" | "area";
    series: { name: string; data: { label: string; value: number }[] }[];
    axis_config: { categories: string[] };
  };
}

/** A picture of numbers, for messages that say the same in words, too. A value that is no number is drawn as 0. */
export function chart({ title, labels, series, kind = "bar" }: ChartOptions): Block {
  const labelOf = uniqueNames(limits.chartLabel);
  const nameOf = uniqueNames(limits.chartLabel);
  const categories = labels.slice(0, limits.chartPoints).map((label) => labelOf(label, " "));
  const drawn: Chart = {
    type: "data_visualization",
    title: fit(title, limits.chartTitle),
    chart: {
      type: kind,
      series: series.slice(0, limits.chartSeries).map(({ name, values }) => ({
        name: nameOf(name, " "),
        data: categories.map((label, index) => ({ label, value: finite(values[index]) })),
      })),
      axis_config: { categories },
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Slack's types do not know the block yet
  return drawn as unknown as Block;
}

function finite(value = 0): number {
  const most = Number.MAX_SAFE_INTEGER;
  return Number.isFinite(value) ? Math.min(most, Math.max(-most, value)) : 0;
}

/** Makes short names of texts, each of them once: what was there before gets a number. */
function uniqueNames(length: number): (text: string, before: string) => string {
  const taken = new Set<string>();
  return (text, before) => {
    let name = fit(text, length);
    for (let count = 2; taken.has(name); count++) {
      const number = `${before}${count}`;
      name = fit(text, length - number.length) + number;
    }
    taken.add(name);
    return name;
  };
}

/** Plain text of at most that many characters. */
export function plainText(text: string, length: number) {
  return { type: "plain_text" as const, text: fit(text, length), emoji: true };
}

/** Slack refuses a whole message because of one empty text. */
function fit(text: string, length: number): string {
  if (text.trim() === "") return "…";
  if (text.length <= length) return text;
  return `${text
    .slice(0, length - 1)
    .replace(/<[^>]*$/, "")
    .replace(/&[a-z]*$/, "")
    .replace(/[\uD800-\uDBFF]$/, "")}…`;
}
