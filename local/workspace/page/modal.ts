import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WorkspaceView } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Blocks } from "./blocks.ts";
import { withCurrentConversation } from "./choices.ts";
import { Dialog, giveFocusBack } from "./dialog.ts";
import { Notices } from "./notices.ts";
import type { Fields } from "./read.ts";
import { bringTo, heldValue, stateValues, SurfaceContext } from "./surface.ts";
import type { Surface } from "./surface.ts";
import { fieldError, formFields } from "./values.ts";
import type { Value } from "./values.ts";

function findErrors(blocks: Fields[], values: Map<string, Value>): Record<string, string> {
  const errors = formFields(blocks).map((field) => [field.block_id, fieldError(field, heldValue(values, field))]);
  return Object.fromEntries(errors.filter(([, error]) => error !== undefined));
}

interface ViewFields {
  id: string;
  blocks: Fields[];
  values: Map<string, Value>;
  errors: Record<string, string>;
}

/** The surface of a view; `values` belongs to the view's ID and so survives its updates. */
export function useViewSurface({ id, blocks, values, errors }: ViewFields): Surface {
  const actions = useActions();
  return useMemo(() => {
    bringTo(blocks, values);
    return {
      act: (block_id, action_id, action) =>
        actions.act({ container: { view: id }, block_id, action_id, action, values: stateValues(blocks, values) }),
      ask: actions.ask,
      values,
      errors,
    };
  }, [id, blocks, values, errors, actions]);
}

interface ModalProps {
  view: WorkspaceView;
  values: Map<string, Value>;
  current: string | undefined;
  notices: string[];
  /** Whether another modal stands on it. */
  below: boolean;
}

function useSubmission({ view, values }: ModalProps, blocks: Fields[]) {
  const actions = useActions();
  const [local, setLocal] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const closing = useRef(false);
  const errors = useMemo(() => ({ ...view.errors, ...local }), [view.errors, local]);
  const submit = () => {
    const found = findErrors(blocks, values);
    setLocal(found);
    if (busy || Object.keys(found).length > 0) return;
    setBusy(true);
    void actions.submit({ view: view.id, values: stateValues(blocks, values) }).finally(() => setBusy(false));
  };
  const close = () => {
    // A second press on Close comes before the modal is gone.
    if (closing.current) return;
    closing.current = true;
    void actions.close({ view: view.id, values: stateValues(blocks, values) }).finally(() => (closing.current = false));
  };
  return { errors, busy, submit, close };
}

function Modal(props: ModalProps): VNode {
  const { view, values } = props;
  const blocks = useMemo(() => withCurrentConversation(view.blocks, props.current), [view.blocks, props.current]);
  const { errors, busy, submit, close } = useSubmission(props, blocks);
  const surface = useViewSurface({ id: view.id, blocks, values, errors });
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
  const shared = { title: view.title, class: props.below ? "below" : "", close, submit, buttons };
  const said = html`<${Notices} place=${view.id} notices=${props.notices} />`;
  return html`<${Dialog} ...${shared} notices=${said}>
    <div ref=${body}>
      <${SurfaceContext.Provider} value=${surface}><${Blocks} blocks=${blocks} /><//>
    </div>
  <//>`;
}

/** Gives the focus back when the last modal of a stack has closed; each of them knows only the one below it. */
function useFocusAround(isOpen: boolean): void {
  const before = useMemo(() => (isOpen ? document.activeElement : null), [isOpen]);
  useLayoutEffect(() => (isOpen ? () => giveFocusBack(before) : undefined), [isOpen]);
}

interface ModalsProps {
  modals: WorkspaceView[];
  current: string | undefined;
  notices: Record<string, string[]>;
}

/** The open modals: those below the topmost are out of sight, and keep what was filled in and how far they were read. */
export function Modals({ modals, current, notices }: ModalsProps): VNode {
  const kept = useRef(new Map<string, Map<string, Value>>());
  useFocusAround(modals.length > 0);
  for (const id of kept.current.keys()) if (!modals.some((view) => view.id === id)) kept.current.delete(id);
  const valuesOf = (id: string) => {
    const values = kept.current.get(id) ?? new Map<string, Value>();
    kept.current.set(id, values);
    return values;
  };
  return html`${modals.map(
    (view, index) =>
      html`<${Modal}
        key=${view.id}
        view=${view}
        values=${valuesOf(view.id)}
        below=${index < modals.length - 1}
        current=${current}
        notices=${notices[view.id] ?? []}
      />`,
  )}`;
}
