import type { LogFields } from "../log.ts";
import { backUpStore, copyStore } from "../store/copy.ts";
import type { LockOptions } from "../store/engine.ts";

/** A command that needs a store to itself waits for a bot that is just ending, and for a database; the operator sees that. */
export const operatorWaits: LockOptions = {
  after: (ms, call) => setTimeout(call, ms),
  log: {
    info(event, { path }: LogFields = {}) {
      if (event === "store.held") console.error(`Waiting for the Bellwether that has ${path} open to stop.`);
    },
    warn(event, { place, reason }: LogFields = {}) {
      if (event === "store.waiting") console.error(`Waiting for ${place}: ${reason}`);
    },
    error: () => undefined,
  },
};

/** Copies a store into another one, which is empty; gives what to tell the operator. */
export async function copy(from: string, to: string): Promise<string> {
  const counts = await copyStore(from, to, operatorWaits);
  const kinds = [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${count} ${name}`);
  return `Copied ${kinds.join(", ") || "nothing: there was nothing yet"}. Set STORE_URL to the new store, then start Bellwether.`;
}

/** Writes a copy of the store into a file, also while a bot runs on it; gives what to tell the operator. */
export async function backUp(storeUrl: string, file: string): Promise<string> {
  const bytes = await backUpStore(storeUrl, file);
  return `Wrote ${file} (${Math.ceil(bytes / 1_000)} kB). It’s a whole store: STORE_URL=sqlite:${file} starts on it.`;
}
