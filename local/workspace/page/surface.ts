import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Submit } from "../protocol.ts";
import type { Fields } from "./read.ts";
import { formFields, initialValue, isEmpty } from "./values.ts";
import type { FormField, Value } from "./values.ts";

/** An interactive element's own answer, with its type and Slack's field names. */
export type Action = { type: string; [field: string]: unknown };

/** Where blocks stand, seen from an element in them. */
export interface Surface {
  /** Tells the app that an element was used; settles when the app has acknowledged it. */
  act: (block_id: string, action_id: string, action: Action) => Promise<void>;
  /** Asks the person an element's `confirm` question. */
  ask: (confirm: Fields) => Promise<boolean>;
  /** What has been filled in, by block and action; lives as long as the view, so that an update keeps it. */
  values: Map<string, Value>;
  /** What is wrong with fields, by `block_id`. */
  errors: Record<string, string>;
}

const NOWHERE: Surface = {
  act: () => Promise.resolve(),
  ask: () => Promise.resolve(false),
  values: new Map(),
  errors: {},
};

export const SurfaceContext = createContext<Surface>(NOWHERE);

/** The surface that the component stands on. */
export function useSurface(): Surface {
  return useContext(SurfaceContext);
}

/** What every element component is given. */
export interface ElementProps {
  element: Fields;
  block_id: string;
  action_id: string;
  /** Whether using the element is told to the app at once; fields of a form wait for its submission. */
  live: boolean;
  /** IDs of the label, hint and error that belong to the element. */
  labelledBy?: string;
  describedBy?: string;
  invalid?: boolean;
}

/** The key under which a surface keeps an element's value. */
export function valueKey(block_id: string, action_id: string): string {
  return `${block_id}\n${action_id}`;
}

/** What an element holds on a surface: what was filled in, else what it starts with. */
export function heldValue(values: Map<string, Value>, field: FormField): Value {
  return values.get(valueKey(field.block_id, field.action_id)) ?? initialValue(field.element) ?? {};
}

/** What all fields of the blocks hold, in the shape of Slack's `state.values`. */
export function stateValues(blocks: Fields[], values: Map<string, Value>): Submit["values"] {
  const state: Submit["values"] = {};
  for (const field of formFields(blocks)) {
    const block = (state[field.block_id] ??= {});
    block[field.action_id] = { type: String(field.element["type"]), ...heldValue(values, field) };
  }
  return state;
}

/**
 * Brings what was filled in to the newest blocks: forgets the fields that are gone, and remembers the first choice of
 * the others, which Slack shows until the app gives their block a new ID.
 */
export function bringTo(blocks: Fields[], values: Map<string, Value>): void {
  const fields = formFields(blocks);
  const there = new Set(fields.map((field) => valueKey(field.block_id, field.action_id)));
  for (const key of values.keys()) if (!there.has(key)) values.delete(key);
  for (const field of fields) {
    const held = heldValue(values, field);
    if (!isEmpty(held)) values.set(valueKey(field.block_id, field.action_id), held);
  }
}

export interface Held {
  value: Value;
  /** Keeps the value without telling the app. */
  keep: (value: Value) => void;
  /** Keeps the value and, on a live element, tells the app: after its `confirm` question where it has one. */
  choose: (value: Value) => Promise<void>;
}

/** The value of an element on this surface and the ways to change it. */
export function useHeld(props: ElementProps): Held {
  const surface = useSurface();
  const { element, block_id, action_id } = props;
  const key = valueKey(block_id, action_id);
  const [value, setValue] = useState<Value>(() => surface.values.get(key) ?? initialValue(element) ?? {});
  const keep = (next: Value) => {
    surface.values.set(key, next);
    setValue(next);
  };
  const choose = async (next: Value) => {
    const before = value;
    keep(next);
    if (!props.live) return;
    if (element["confirm"] && !(await surface.ask(confirmOf(element)))) return keep(before);
    await surface.act(block_id, action_id, { type: String(element["type"]), ...next });
  };
  return { value, keep, choose };
}

/** The `confirm` object of an element. */
export function confirmOf(element: Fields): Fields {
  const confirm = element["confirm"];
  return typeof confirm === "object" && confirm !== null ? { ...confirm } : {};
}
