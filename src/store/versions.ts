/** Where the versions of collections are kept, each under the collection's name. */
interface Kept {
  iterator(): AsyncIterable<unknown[]>;
  set(name: string, version: number): Promise<unknown>;
}

/** Which version each collection was last written in. */
export interface Versions {
  of(name: string): number;
  /** Writes it down before anything of it is written, so that an older bot knows that it cannot read that. */
  mark(name: string, version: number): Promise<void>;
}

/** Reads the versions that a store holds; a collection that none is known of is of the first. */
export async function readVersions(kept: Kept): Promise<Versions> {
  const written = new Map<string, number>();
  for await (const [name, version] of kept.iterator()) {
    if (typeof name === "string" && typeof version === "number") written.set(name, version);
  }
  const of = (name: string) => written.get(name) ?? 1;
  return {
    of,
    async mark(name, version) {
      if (of(name) === version) return;
      await kept.set(name, version);
      written.set(name, version);
    },
  };
}
