import { buttons } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import type { Block } from "../text/message.ts";
import { moreAction } from "./request.ts";

/** The fields of a form that its window doesn't show: what was filled in stays in the window's private metadata. */

type Field = Extract<Block, { type: "input" }>;

/**
 * The values filled in so far that no field of the window holds, by the name of the field; and whether all fields are
 * shown.
 */
export interface FormState {
  /** An emptied field is an empty text. */
  values?: Record<string, string> | undefined;
  isOpen?: boolean | undefined;
}

/** The names of the fields among blocks. */
export function fieldNames(blocks: readonly { type: string; block_id?: string | undefined }[]): string[] {
  return blocks.flatMap(({ type, block_id: name }) => (type === "input" && name ? [name] : []));
}

/** The blocks of a window with the fields named in `more` behind a button, and the values that it has to keep. */
export function foldFields(all: Block[], more: string[], { values = {}, isOpen = false }: FormState) {
  const blocks = all.map((block) => (block.type === "input" ? filledIn(block, values) : block));
  const isMore = (block: Block) => block.type === "input" && more.includes(block.block_id ?? "");
  const behind = blocks.filter(isMore);
  const first = blocks.filter((block) => !isMore(block));
  if (behind.length === 0) return { blocks: first, values: valuesBeside(values, first) };
  const label = isOpen ? "Fewer options" : "More options";
  const button = buttons({ action: moreAction, label, value: isOpen ? "close" : "open" });
  const shown = isOpen ? [...first, button, ...behind] : [...first, button];
  return { blocks: shown, values: valuesBeside({ ...initialValues(isOpen ? [] : behind), ...values }, shown) };
}

function valuesBeside(values: Record<string, string>, shown: Block[]): Record<string, string> {
  const names = new Set(fieldNames(shown));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

function initialValues(blocks: Block[]): Record<string, string> {
  const fields = blocks.filter((block): block is Field => block.type === "input");
  return Object.fromEntries(fields.map((field) => [field.block_id ?? "", initialValue(field)]));
}

function initialValue({ element }: Field): string {
  switch (element.type) {
    case "plain_text_input":
      return element.initial_value ?? "";
    case "static_select":
    case "external_select":
      return element.initial_option?.value ?? "";
    case "multi_external_select":
      return (element.initial_options ?? []).map(({ value }) => value).join(",");
    case "conversations_select":
      return element.initial_conversation ?? "";
    case "users_select":
      return element.initial_user ?? "";
    default:
      return "";
  }
}

/** The field with what was filled in; the labels of what was chosen from a list that is filled as somebody types aren't known. */
function filledIn(field: Field, values: Record<string, string>): Block {
  const value = Object.hasOwn(values, field.block_id ?? "") ? values[field.block_id ?? ""] : undefined;
  if (value === undefined) return field;
  const { element } = field;
  switch (element.type) {
    case "plain_text_input": {
      const { initial_value: _, ...empty } = element;
      return { ...field, element: { ...empty, ...(value && { initial_value: value.slice(0, limits.fieldText) }) } };
    }
    case "static_select": {
      const chosen = element.options?.find((option) => option.value === value);
      return { ...field, element: { ...element, ...(chosen && { initial_option: chosen }) } };
    }
    case "external_select": {
      const { initial_option: _, ...empty } = element;
      return value ? field : { ...field, element: empty };
    }
    case "multi_external_select": {
      const { initial_options: _, ...empty } = element;
      return value ? field : { ...field, element: empty };
    }
    case "conversations_select": {
      const { initial_conversation: _, default_to_current_conversation: __, ...empty } = element;
      return { ...field, element: { ...empty, ...(value && { initial_conversation: value }) } };
    }
    case "users_select": {
      const { initial_user: _, ...empty } = element;
      return { ...field, element: { ...empty, ...(value && { initial_user: value }) } };
    }
    default:
      return field;
  }
}
