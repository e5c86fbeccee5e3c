/** One screen of a list. */
interface Page<T> {
  shown: T[];
  /** Its number, from one on. */
  at: number;
  last: number;
}

/** The screen of a list that a number means: the nearest of those that there are. */
export function pageOf<T>(items: readonly T[], page: number, size: number): Page<T> {
  const last = Math.max(1, Math.ceil(items.length / size));
  const at = Math.min(Math.max(1, Math.trunc(page)), last);
  return { shown: items.slice((at - 1) * size, at * size), at, last };
}
