import { html } from "htm/preact";
import type { RefObject, VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.ts";

export interface PopoverState {
  id: string;
  anchor: RefObject<HTMLButtonElement>;
  panel: RefObject<HTMLDivElement>;
  /** Whether the panel's content is needed: already true when the panel is about to open. */
  open: boolean;
  /** Closes the panel and gives the focus back to its button. */
  close: () => void;
  /** The event handlers for the panel. */
  events: { onBeforeToggle: (event: ToggleEvent) => void; onToggle: (event: ToggleEvent) => void };
}

/** A panel in the browser's top layer beside a button: nothing cuts it off; Escape and a click elsewhere close it. */
export function usePopover(changed: (open: boolean) => void): PopoverState {
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const [open, setOpen] = useState(false);
  const onToggle = ({ newState }: ToggleEvent) => {
    const isOpen = newState === "open";
    if (panel.current && !isOpen) delete panel.current.dataset["placed"];
    // Only after it has closed: the browser gives the focus back only from an element that still exists.
    if (!isOpen) setOpen(false);
    if (panel.current && anchor.current && isOpen) placePanel(anchor.current, panel.current);
    changed(isOpen);
  };
  const close = () => {
    panel.current?.hidePopover();
    anchor.current?.focus();
  };
  const onBeforeToggle = ({ newState }: ToggleEvent) => void (newState === "open" && setOpen(true));
  return { id, anchor, panel, open, close, events: { onBeforeToggle, onToggle } };
}

const gap = 4;
const edge = 8;

function placePanel(anchor: Element, panel: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const below = innerHeight - at.bottom - gap - edge;
  const above = at.top - gap - edge;
  const isAbove = height > below && above > below;
  const left = Math.max(edge, Math.min(at.left, innerWidth - width - edge));
  panel.style.setProperty("--room", `${Math.round(isAbove ? above : below)}px`);
  panel.style.left = `${Math.round(left)}px`;
  // Anchored at the edge beside the button, so that a list that gets shorter stays there.
  panel.style.top = isAbove ? "auto" : `${Math.round(at.bottom + gap)}px`;
  panel.style.bottom = isAbove ? `${Math.round(innerHeight - at.top + gap)}px` : "auto";
  panel.dataset["placed"] = "";
}

/** Moves an index by an arrow, Home or End key; undefined for any other key. */
export function stepIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

interface MenuItem {
  label: string;
  run: () => void;
}

/** A button that opens a menu of actions. */
export function Menu({ label, icon, items }: { label: string; icon: IconName; items: MenuItem[] }): VNode {
  const focusItem = (index: number) =>
    popover.panel.current?.querySelectorAll<HTMLElement>("[role=menuitem]")[index]?.focus();
  const popover = usePopover((open) => void (open && focusItem(0)));
  const onKeyDown = (event: KeyboardEvent) => {
    const all = [...(popover.panel.current?.querySelectorAll("[role=menuitem]") ?? [])];
    const at = all.findIndex((item) => item === document.activeElement);
    const next = stepIndex(event.key, at, items.length);
    if (next === undefined) return;
    event.preventDefault();
    focusItem(next);
  };
  const choose = (item: MenuItem) => {
    popover.close();
    item.run();
  };
  return html`<span>
    <button
      type="button"
      ref=${popover.anchor}
      class="icon-button"
      popovertarget=${popover.id}
      aria-haspopup="menu"
      aria-expanded=${popover.open}
      aria-label=${label}
      title=${label}
    >
      <${Icon} name=${icon} />
    </button>
    <div
      id=${popover.id}
      ref=${popover.panel}
      class="panel"
      popover="auto"
      role="menu"
      aria-label=${label}
      onKeyDown=${onKeyDown}
      ...${popover.events}
    >
      ${(popover.open ? items : []).map(
        (item) =>
          html`<button type="button" role="menuitem" tabindex="-1" class="choice" onClick=${() => choose(item)}>
            ${item.label}
          </button>`,
      )}
    </div>
  </span>`;
}
