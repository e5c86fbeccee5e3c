import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Submit, WorkspaceView } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Blocks } from "./blocks.ts";
import { withCurrentConversation } from "./choices.ts";
import { Dialog } from "./dialog.ts";
import type { Fields } from "./read.ts";
import { SurfaceContext, valueKey } from "./surface.ts";
import type { Surface } from "./surface.ts";
import { fieldError, formFields, initialValue } from "./values.ts";
import type { FormField, Value } from "./values.ts";

function heldValue(field: FormField, values: Map<string, Value>): Value {
  return values.get(valueKey(field.block_id, field.action_id)) ?? initialValue(field.element) ?? {};
}

/** Everything filled in, in the shape of Slack's `state.values`. */
function stateValues(blocks: Fields[], values: Map<string, Value>): Submit["values"] {
  const state: Submit["values"] = {};
  for (const field of formFields(blocks)) {
    const block = (state[field.block_id] ??= {});
    block[field.action_id] = { type: String(field.element["type"]), ...heldValue(field, values) };
  }
  return state;
}

function findErrors(blocks: Fields[], values: Map<string, Value>): Record<string, string> {
  const errors = formFields(blocks).map((field) => [field.block_id, fieldError(field, heldValue(field, values))]);
  return Object.fromEntries(errors.filter(([, error]) => error !== undefined));
}

/** The surface of a view; `values` belongs to the view's ID and so survives its updates. */
export function useViewSurface(
  view: WorkspaceView,
  values: Map<string, Value>,
  errors: Record<string, string>,
): Surface {
  const actions = useActions();
  return useMemo(
    () => ({
      act: (block_id, action_id, action) => actions.act({ container: { view: view.id }, block_id, action_id, action }),
      ask: actions.ask,
      values,
      errors,
    }),
    [view.id, values, errors, actions],
  );
}

interface ModalProps {
  view: WorkspaceView;
  values: Map<string, Value>;
  current: string | undefined;
}

function useSubmission({ view, values }: ModalProps, blocks: Fields[]) {
  const actions = useActions();
  const [local, setLocal] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const errors = useMemo(() => ({ ...view.errors, ...local }), [view.errors, local]);
  const submit = () => {
    const found = findErrors(blocks, values);
    setLocal(found);
    if (busy || Object.keys(found).length > 0) return;
    setBusy(true);
    void actions.submit({ view: view.id, values: stateValues(blocks, values) }).finally(() => setBusy(false));
  };
  const close = () => void actions.close({ view: view.id, values: stateValues(blocks, values) });
  return { errors, busy, submit, close };
}

function Modal(props: ModalProps): VNode {
  const { view, values } = props;
  const blocks = useMemo(() => withCurrentConversation(view.blocks, props.current), [view.blocks, props.current]);
  const { errors, busy, submit, close } = useSubmission(props, blocks);
  const surface = useViewSurface(view, values, errors);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const wrong = body.current?.querySelector<HTMLElement>(".input-wrong");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.querySelector<HTMLElement>("input, textarea, button")?.focus();
  }, [errors]);
  const buttons = html`
    <button type="button" class="button" onClick=${close}>${view.close ?? (view.submit ? "Cancel" : "Close")}</button>
    ${view.submit ? html`<button type="submit" class=${`button primary${busy ? " busy" : ""}`} aria-busy=${busy}>${view.submit}</button>` : null}
  `;
  return html`<${Dialog} title=${view.title} close=${close} submit=${submit} buttons=${buttons}>
    <div ref=${body}>
      <${SurfaceContext.Provider} value=${surface}><${Blocks} blocks=${blocks} /><//>
    </div>
  <//>`;
}

/** The topmost modal of the stack; what was filled in below it waits until it is on top again. */
export function Modals({ modals, current }: { modals: WorkspaceView[]; current: string | undefined }): VNode | null {
  const kept = useRef(new Map<string, Map<string, Value>>());
  const top = modals.at(-1);
  for (const id of kept.current.keys()) if (!modals.some((view) => view.id === id)) kept.current.delete(id);
  if (!top) return null;
  const values = kept.current.get(top.id) ?? new Map<string, Value>();
  kept.current.set(top.id, values);
  return html`<${Modal} key=${top.id} view=${top} values=${values} current=${current} />`;
}
