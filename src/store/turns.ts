/** Does what has the same key one after the other, in the order of asking; work that fails holds up none. */
type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A record that is read before it is written needs its writers to take turns; nothing is kept of keys at rest. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const end = turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === end) last.delete(key);
      });
    last.set(key, end);
    return turn;
  };
}
