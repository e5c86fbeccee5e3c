/** Does what has the same key one after the other, in the order of asking; work that fails holds up none. */
type KeyQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** For records that are read before they are written: changes of one wait for each other. Nothing is kept of idle keys. */
export function createKeyQueue(): KeyQueue {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const end = result
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === end) last.delete(key);
      });
    last.set(key, end);
    return result;
  };
}
