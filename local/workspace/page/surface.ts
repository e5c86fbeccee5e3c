import { createContext } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import type { ElementUse } from "../protocol.ts";
import { useActions } from "./actions.ts";
import type { Fields } from "./fields.ts";
import { carryOver, type FieldValue, type FormValues, initialValue, mergeValues, stateOf, valueAt } from "./form.ts";

/** The message or view that holds some blocks, for the elements in them. */
export interface Surface {
  /** Reports the use of an element to the app; settles when the app has acknowledged it. */
  act: (block_id: string, action_id: string, action: FieldValue) => Promise<void>;
  /** Asks the app for the options of an external select that fit the typed text; undefined if it did not answer. */
  suggest: (block_id: string, action_id: string, typed: string) => Promise<Fields[] | undefined>;
  /** The values that were filled in; they last as long as the message or view, so that an update keeps them. */
  values: { current: FormValues };
  /** The errors of fields, by `block_id`. */
  errors: Record<string, string>;
}

export const SurfaceContext = createContext<Surface>({
  act: () => Promise.resolve(),
  suggest: () => Promise.resolve([]),
  values: { current: {} },
  errors: {},
});

export function useSurface(): Surface {
  return useContext(SurfaceContext);
}

const noErrors: Record<string, string> = {};

/** The surface of a message or view. */
export function useBlockSurface(container: ElementUse["container"], blocks: Fields[], errors = noErrors): Surface {
  const actions = useActions();
  const key = JSON.stringify(container);
  const values = useMemo((): Surface["values"] => ({ current: {} }), [key]);
  return useMemo(() => {
    values.current = carryOver(values.current, { from: blocks, to: blocks });
    return {
      act: (block_id, action_id, action) =>
        actions.act({ container, block_id, action_id, action, values: stateOf(blocks, values.current) }),
      suggest: async (block_id, action_id, value) =>
        "view" in container ? actions.suggest({ view: container.view, block_id, action_id, value }) : [],
      values,
      errors,
    };
  }, [key, blocks, errors, actions]);
}

/** The properties of every element component. */
export interface ElementProps {
  element: Fields;
  block_id: string;
  action_id: string;
  /** Whether the app is told at once when the element is used; fields of a form wait for its submission. */
  live: boolean;
  /** The IDs of the label, hint and error that belong to the element. */
  labelledBy?: string;
  describedBy?: string;
  invalid?: boolean;
}

/** The value of a field, and the ways to change it. */
export interface FieldState {
  value: FieldValue;
  /** Keeps the value without telling the app. */
  keep: (value: FieldValue) => void;
  /** Keeps the value and, outside of forms, tells the app. */
  commit: (value: FieldValue) => void;
}

export function useField({ element, block_id, action_id, live }: ElementProps): FieldState {
  const surface = useSurface();
  const [, redraw] = useState<FieldValue>();
  // Read again each time: an update of the view may have filled in an empty field.
  const value = valueAt(surface.values.current, block_id, action_id) ?? initialValue(element) ?? { type: "" };
  const keep = (next: FieldValue) => {
    surface.values.current = mergeValues(surface.values.current, { [block_id]: { [action_id]: next } });
    redraw(next);
  };
  const commit = (next: FieldValue) => {
    keep(next);
    if (live) void surface.act(block_id, action_id, next);
  };
  return { value, keep, commit };
}
