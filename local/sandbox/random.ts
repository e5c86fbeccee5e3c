/** A stream of choices that is the same every time for the same seed. */
export interface RandomSource {
  next(): number;
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
}

/** A 32-bit fingerprint of a text (FNV-1a). */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Builds a small generator (mulberry32) from a text; `pick` throws on an empty list. */
export function createRandom(seed: string): RandomSource {
  let state = fingerprint(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick(list) {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error("nothing to pick from");
      return found;
    },
  };
}
