import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WorkspaceView } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Blocks } from "./blocks.ts";
import type { Fields } from "./fields.ts";
import { fieldError, fieldsIn, type FormValues, stateOf, valueAt } from "./form.ts";
import { Icon } from "./icons.ts";
import { withCurrentConversation } from "./picker.ts";
import { SurfaceContext, useBlockSurface } from "./surface.ts";

/** Lines that only this person sees, until they are closed; `at` is the conversation or view that they belong to. */
export function Notices({ at, notices }: { at: string; notices: string[] }): VNode {
  const { readNotices } = useActions();
  return html`<div class="notices" role="status">
    <div class="notice-lines">${notices.map((notice) => html`<p>${notice}</p>`)}</div>
    ${
      notices.length > 0
        ? html`<button type="button" class="icon-button" aria-label="Dismiss" onClick=${() => readNotices(at)}>
            <${Icon} name="close" />
          </button>`
        : null
    }
  </div>`;
}

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  /** The buttons at the lower edge. */
  buttons: ComponentChildren;
  class?: string;
  /** The notices above the buttons. */
  notices?: ComponentChildren;
  submit: () => void;
}

/** The first field of a form; not a button of a message, which the first space would press. */
const firstField = ".field, .input .picker-button";

/** A modal dialog. It holds the focus while it is open and gives it back afterwards; Escape closes it. */
function Dialog(props: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    heading.current?.focus();
    // Closing gives the focus back to where it was.
    return () => shown?.close();
  }, []);
  useLayoutEffect(() => {
    // A form may also replace a note that it is being prepared. The focus stays where somebody types.
    const isAtRest = document.activeElement === heading.current || document.activeElement === dialog.current;
    if (isAtRest) dialog.current?.querySelector<HTMLElement>(firstField)?.focus();
  });
  const onCancel = (event: Event) => {
    event.preventDefault();
    if (event.target === dialog.current) props.close();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    props.submit();
  };
  return html`<dialog ref=${dialog} class=${`dialog ${props.class ?? ""}`} aria-labelledby=${id} onCancel=${onCancel}>
    <form method="dialog" novalidate onSubmit=${onSubmit}>
      <header class="dialog-head">
        <h2 id=${id} ref=${heading} tabindex="-1">${props.title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick=${props.close}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="dialog-body">${props.children}</div>
      ${props.notices}
      <footer class="dialog-foot">${props.buttons}</footer>
    </form>
  </dialog>`;
}

interface ModalProps {
  view: WorkspaceView;
  current: string | undefined;
  notices: string[];
  /** Whether another modal is above it. */
  isBelow: boolean;
}

function findErrors(blocks: Fields[], values: FormValues): Record<string, string> {
  const state = stateOf(blocks, values);
  const errors = fieldsIn(blocks).flatMap((field) => {
    const value = valueAt(state, field.block_id, field.action_id);
    const error = value && fieldError(field, value);
    return error ? [[field.block_id, error] as const] : [];
  });
  return Object.fromEntries(errors);
}

function Modal({ view, current, notices, isBelow }: ModalProps): VNode {
  const actions = useActions();
  const body = useRef<HTMLDivElement>(null);
  const isClosing = useRef(false);
  const [found, setFound] = useState<Record<string, string>>({});
  const [isBusy, setBusy] = useState(false);
  const blocks = useMemo(() => withCurrentConversation(view.blocks, current), [view.blocks, current]);
  const errors = useMemo(() => ({ ...view.errors, ...found }), [view.errors, found]);
  const container = useMemo(() => ({ view: view.id }), [view.id]);
  const surface = useBlockSurface(container, blocks, errors);
  useEffect(() => {
    const wrong = body.current?.querySelector<HTMLElement>(".input-wrong");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.querySelector<HTMLElement>("input, textarea, button")?.focus();
  }, [errors]);
  const submit = () => {
    const wrong = findErrors(blocks, surface.values.current);
    setFound(wrong);
    if (isBusy || Object.keys(wrong).length > 0) return;
    setBusy(true);
    const values = stateOf(blocks, surface.values.current);
    void actions.submit({ view: view.id, values }).finally(() => setBusy(false));
  };
  const close = () => {
    // Close may be pressed a second time before the modal is gone.
    if (isClosing.current) return;
    isClosing.current = true;
    void actions.close({ view: view.id }).then((isClosed) => (isClosing.current = isClosed));
  };
  useEffect(() => {
    // A link to a conversation closes the modals that would cover it.
    addEventListener("hashchange", close);
    return () => removeEventListener("hashchange", close);
  });
  const buttons = html`
    <button type="button" class="button" onClick=${close}>${view.close ?? (view.submit ? "Cancel" : "Close")}</button>
    ${view.submit ? html`<button type="submit" class=${`button primary${isBusy ? " busy" : ""}`} aria-busy=${isBusy}>${view.submit}</button>` : null}
  `;
  const shared = { title: view.title, class: isBelow ? "below" : "", close, submit, buttons };
  return html`<${Dialog} ...${shared} notices=${html`<${Notices} at=${view.id} notices=${notices} />`}>
    <div ref=${body}>
      <${SurfaceContext.Provider} value=${surface}><${Blocks} blocks=${blocks} /><//>
    </div>
  <//>`;
}

interface ModalsProps {
  modals: WorkspaceView[];
  /** The conversation that the reader looks at. */
  current: string | undefined;
  notices: Record<string, string[]>;
}

/** The open modals. Those below the topmost are invisible, and keep their input and scroll position. */
export function Modals({ modals, current, notices }: ModalsProps): VNode {
  return html`${modals.map((view, index) => {
    const isBelow = index < modals.length - 1;
    const props = { view, current, isBelow, notices: notices[view.id] ?? [] };
    return html`<${Modal} key=${view.id} ...${props} />`;
  })}`;
}
