import { useCallback, useId, useRef } from "preact/hooks";
import type { RefObject } from "preact";

const GAP = 4;
const EDGE = 8;

function place(anchor: Element, panel: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const size = panel.getBoundingClientRect();
  const below = innerHeight - at.bottom - GAP - EDGE;
  const above = at.top - GAP - EDGE;
  const up = size.height > below && above > below;
  const room = up ? above : below;
  const height = Math.min(size.height, room);
  const left = Math.max(EDGE, Math.min(at.left, innerWidth - size.width - EDGE));
  panel.style.setProperty("--room", `${Math.round(room)}px`);
  panel.style.left = `${Math.round(left)}px`;
  panel.style.top = `${Math.round(up ? at.top - GAP - height : at.bottom + GAP)}px`;
  panel.dataset["placed"] = "";
}

export interface Popover {
  id: string;
  anchor: RefObject<HTMLButtonElement>;
  panel: RefObject<HTMLDivElement>;
  close(): void;
  /** To be given to the panel's `onToggle`. */
  onToggle(event: ToggleEvent): void;
}

/** A panel in the browser's top layer beside a button: no scrolling box clips it, Escape and a click elsewhere close it. */
export function usePopover(changed: (open: boolean) => void): Popover {
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const onToggle = useCallback(
    (event: ToggleEvent) => {
      const open = event.newState === "open";
      if (panel.current && !open) delete panel.current.dataset["placed"];
      if (panel.current && anchor.current && open) place(anchor.current, panel.current);
      changed(open);
    },
    [changed],
  );
  return { id, anchor, panel, onToggle, close: () => panel.current?.hidePopover() };
}

/** Moves an index by an arrow, Home or End key; undefined for any other key. */
export function stepIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
