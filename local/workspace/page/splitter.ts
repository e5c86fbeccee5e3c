import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const leastThread = 320;
/** The least width of the conversation beside the thread, in pixels. */
const leastMain = 380;
const sidebarWidth = 260;
const step = 24;
const remembered = "thread-width";

/** The default width, in pixels. In a window of 1440, it leaves room to read a table in the thread and the conversation. */
function usualWidth(): number {
  return Math.round(Math.min(560, Math.max(420, innerWidth * 0.34)));
}

function widest(): number {
  return Math.max(leastThread, innerWidth - sidebarWidth - leastMain);
}

function withinBounds(width: number): number {
  return Math.round(Math.min(widest(), Math.max(leastThread, width)));
}

function rememberedWidth(): number {
  return Number(localStorage.getItem(remembered)) || usualWidth();
}

/** The width of the thread panel, which this browser remembers. */
export function useThreadWidth() {
  const [wanted, setWanted] = useState(rememberedWidth);
  const [, setWindow] = useState(0);
  useEffect(() => {
    const onResize = () => setWindow(innerWidth);
    addEventListener("resize", onResize);
    return () => removeEventListener("resize", onResize);
  }, []);
  const change = (width: number) => {
    const next = withinBounds(width);
    localStorage.setItem(remembered, String(next));
    setWanted(next);
  };
  return { width: withinBounds(wanted), change };
}

interface SplitterProps {
  width: number;
  change: (width: number) => void;
}

/** The edge between conversation and thread: dragged by a pointer, moved by the arrow keys. */
export function Splitter({ width, change }: SplitterProps): VNode {
  const from = useRef<{ x: number; width: number } | undefined>(undefined);
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    from.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (from.current) change(from.current.width + from.current.x - clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const widths: Record<string, number | undefined> = {
      ArrowLeft: width + step,
      ArrowRight: width - step,
      Home: widest(),
      End: leastThread,
    };
    const next = widths[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  return html`<div
    class="splitter"
    role="separator"
    aria-orientation="vertical"
    aria-label="Width of the thread"
    aria-valuenow=${width}
    aria-valuemin=${leastThread}
    aria-valuemax=${widest()}
    tabindex="0"
    title="Drag to resize; double-click for the usual width"
    onPointerDown=${onPointerDown}
    onPointerMove=${onPointerMove}
    onPointerUp=${() => (from.current = undefined)}
    onPointerCancel=${() => (from.current = undefined)}
    onDblClick=${() => change(usualWidth())}
    onKeyDown=${onKeyDown}
  ></div>`;
}
