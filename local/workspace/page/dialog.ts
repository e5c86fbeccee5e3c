import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.ts";
import { PlainText, TextObject } from "./inline.ts";
import { string, textOf } from "./read.ts";
import type { Fields } from "./read.ts";

export interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  /** Sits at the lower edge, beside each other. */
  buttons?: ComponentChildren;
  class?: string;
  /** Stands above the buttons. */
  notices?: ComponentChildren;
  submit?(): void;
}

/** Gives the focus back to where it was; to the message around it where the element itself shows only on a focused one. */
export function giveFocusBack(before: Element | null): void {
  if (!(before instanceof HTMLElement) || !before.isConnected) return;
  before.focus();
  if (document.activeElement === before) return;
  before.closest<HTMLElement>(".message")?.focus();
  before.focus();
}

/** A modal dialog: holds the focus while it is open and gives it back afterwards; Escape closes it. */
export function Dialog(props: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-first="true"]')?.focus();
    return () => {
      // While the dialog is open everything behind it refuses the focus.
      shown?.close();
      giveFocusBack(before);
    };
  }, []);
  const onCancel = (event: Event) => {
    event.preventDefault();
    if (event.target === dialog.current) props.close();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    props.submit?.();
  };
  return html`<dialog ref=${dialog} class=${`dialog ${props.class ?? ""}`} aria-labelledby=${id} onCancel=${onCancel}>
    <form method="dialog" novalidate onSubmit=${onSubmit}>
      <header class="dialog-head">
        <h2 id=${id}>${props.title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick=${props.close}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="dialog-body">${props.children}</div>
      ${props.notices} ${props.buttons ? html`<footer class="dialog-foot">${props.buttons}</footer>` : null}
    </form>
  </dialog>`;
}

/** The question of an element's `confirm` object. */
export function ConfirmDialog({ confirm, answer }: { confirm: Fields; answer: (yes: boolean) => void }): VNode {
  const style = string(confirm["style"]) === "danger" ? "danger" : "primary";
  const buttons = html`
    <button type="button" class="button" onClick=${() => answer(false)}>${textOf(confirm["deny"]) || "Cancel"}</button>
    <button type="submit" class=${`button ${style}`}>${textOf(confirm["confirm"]) || "Yes"}</button>
  `;
  return html`<${Dialog}
    title=${textOf(confirm["title"]) || "Are you sure?"}
    class="narrow"
    close=${() => answer(false)}
    submit=${() => answer(true)}
    buttons=${buttons}
  >
    <${TextObject} value=${confirm["text"]} />
  <//>`;
}

/** What came over the wire, for people who build apps. */
export function JsonDialog({ payload, close }: { payload: unknown; close: () => void }): VNode {
  const json = JSON.stringify(payload, null, 2);
  const copy = () => void navigator.clipboard?.writeText(json).catch(() => undefined);
  const buttons = html`
    <button type="button" class="button" onClick=${copy}><${PlainText} text="Copy" /></button>
    <button type="submit" class="button primary"><${PlainText} text="Close" /></button>
  `;
  return html`<${Dialog} title="Message JSON" class="wide" close=${close} submit=${close} buttons=${buttons}>
    <pre class="json" tabindex="0"><code>${json}</code></pre>
  <//>`;
}
