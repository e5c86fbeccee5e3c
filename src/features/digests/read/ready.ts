/**
 * Gives what works come to as soon as they have, so many of them under way at once; what comes at the same time keeps its
 * order. The works begin in their order and must not fail.
 */
export async function* asReady<T>(works: (() => Promise<T>)[], atOnce: number): AsyncGenerator<T> {
  const underway = new Map<number, Promise<void>>();
  const ready = new Map<number, T>();
  let begun = 0;
  for (let left = works.length; left > 0; left--) {
    for (const work of works.slice(begun, begun + atOnce - underway.size)) {
      const at = begun++;
      underway.set(
        at,
        work().then((value) => void ready.set(at, value)),
      );
    }
    if (ready.size === 0) await Promise.race(underway.values());
    // What comes a few turns later has come at the same time.
    await new Promise((resolve) => void setImmediate(resolve));
    const [first] = [...ready].toSorted(([one], [other]) => one - other);
    if (!first) return;
    const [at, value] = first;
    ready.delete(at);
    underway.delete(at);
    yield value;
  }
}
