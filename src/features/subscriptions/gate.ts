/** Lets so many works pass at a time. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A gate that lets whatever else is waiting, for instance somebody's command, go first after each work: thousands of
 * messages that are due at once hold up nobody.
 */
export function createGate(width: number): Gate {
  const waiting: (() => void)[] = [];
  let free = width;

  async function leave(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      await leave();
    }
  };
}
