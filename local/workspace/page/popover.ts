import { useId, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

const GAP = 4;
const EDGE = 8;

function place(anchor: Element, panel: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const size = panel.getBoundingClientRect();
  const below = innerHeight - at.bottom - GAP - EDGE;
  const above = at.top - GAP - EDGE;
  const up = size.height > below && above > below;
  const left = Math.max(EDGE, Math.min(at.left, innerWidth - size.width - EDGE));
  panel.style.setProperty("--room", `${Math.round(up ? above : below)}px`);
  panel.style.left = `${Math.round(left)}px`;
  // Held at the edge beside the button, so that a list that gets shorter stays there.
  panel.style.top = up ? "auto" : `${Math.round(at.bottom + GAP)}px`;
  panel.style.bottom = up ? `${Math.round(innerHeight - at.top + GAP)}px` : "auto";
  panel.dataset["placed"] = "";
}

export interface Popover {
  id: string;
  anchor: RefObject<HTMLButtonElement>;
  panel: RefObject<HTMLDivElement>;
  /** Whether the panel's content is wanted: already true when the panel is about to open. */
  open: boolean;
  close: () => void;
  /** To be given to the panel's `onBeforeToggle` and `onToggle`. */
  onBeforeToggle: (event: ToggleEvent) => void;
  onToggle: (event: ToggleEvent) => void;
}

/** A panel in the browser's top layer beside a button: no scrolling box clips it, Escape and a click elsewhere close it. */
export function usePopover(changed: (open: boolean) => void): Popover {
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const [open, setOpen] = useState(false);
  const onToggle = (event: ToggleEvent) => {
    const opened = event.newState === "open";
    if (panel.current && !opened) delete panel.current.dataset["placed"];
    // Not before it has closed: the browser gives the focus back only from an element that is still there.
    if (!opened) setOpen(false);
    if (panel.current && anchor.current && opened) place(anchor.current, panel.current);
    changed(opened);
  };
  return {
    id,
    anchor,
    panel,
    open,
    close: () => panel.current?.hidePopover(),
    onBeforeToggle: (event) => event.newState === "open" && setOpen(true),
    onToggle,
  };
}

/** Moves an index by an arrow, Home or End key; undefined for any other key. */
export function stepIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
