import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

const NEAR = 32;

export interface Stick {
  box: RefObject<HTMLDivElement>;
  content: RefObject<HTMLDivElement>;
  /** Whether something came in below what the reader looks at. */
  fresh: boolean;
  onScroll: () => void;
  toBottom: () => void;
}

/**
 * Keeps a scrolling box at its end while the reader is there, and leaves it alone while the reader is further up.
 * `list` names what is shown, `last` its newest entry; `own` says that the reader wrote that entry.
 */
export function useStick({ list, last, own }: { list: string; last: string; own: boolean }): Stick {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const top = useRef(0);
  const [fresh, setFresh] = useState(false);

  const settle = useCallback(() => {
    if (stuck.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  const toBottom = useCallback(() => {
    stuck.current = true;
    setFresh(false);
    settle();
  }, []);
  const onScroll = useCallback(() => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const near = scrollHeight - scrollTop - clientHeight <= NEAR;
    // Growing content also moves the end away; only a move upwards is the reader's.
    if (near) stuck.current = true;
    else if (scrollTop < top.current - 1) stuck.current = false;
    if (near) setFresh(false);
    top.current = scrollTop;
  }, []);

  useLayoutEffect(toBottom, [list]);
  useLayoutEffect(() => {
    if (own) toBottom();
    else if (!stuck.current) setFresh(true);
  }, [last]);
  useLayoutEffect(settle);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(settle);
    if (box.current) observer.observe(box.current);
    if (content.current) observer.observe(content.current);
    return () => observer.disconnect();
  }, [list]);
  return { box, content, fresh, onScroll, toBottom };
}
