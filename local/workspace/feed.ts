import type { WorkspaceEvent } from "./protocol.ts";

/** Sees every event of the workspace; `onlyFor` is set where a single user may see it. */
type Watcher = (event: WorkspaceEvent, onlyFor?: string) => void;

/** Carries what happened to whoever watches: the page, tests. */
export interface Feed {
  publish: (event: WorkspaceEvent, onlyFor?: string) => void;
  /** Wakes those who wait without telling the page: a Web API call was answered. */
  nudge: () => void;
  watch: (watcher: Watcher) => () => void;
  /**
   * Resolves with what `find` finds, looked for again after every event, and now and then for what is none; rejects with
   * what was seen.
   */
  until: <T>(find: () => T | undefined | false, timeoutMs?: number) => Promise<T>;
}

const REMEMBERED = 12;
/** Patience for a busy machine: what is looked for comes within a moment, or not at all. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 50;

/** Builds the feed of one workspace. */
export function createFeed(): Feed {
  const watchers = new Set<Watcher>();
  const waiters = new Set<() => void>();
  const seen: string[] = [];

  function nudge(): void {
    for (const waiter of waiters) waiter();
  }

  function publish(event: WorkspaceEvent, onlyFor?: string): void {
    seen.push(JSON.stringify(event).slice(0, 300));
    if (seen.length > REMEMBERED) seen.shift();
    for (const watcher of watchers) watcher(event, onlyFor);
    nudge();
  }

  function until<T>(find: () => T | undefined | false, timeoutMs = PATIENCE_MS): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    function look(): void {
      try {
        const found = find();
        if (found !== undefined && found !== false) resolve(found);
      } catch (error) {
        reject(error);
      }
    }
    const timer = setTimeout(() => {
      reject(new Error(`not seen within ${timeoutMs} ms; the last events were:\n${seen.join("\n") || "(none)"}`));
    }, timeoutMs);
    const looking = setInterval(look, LOOK_MS);
    waiters.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      clearInterval(looking);
      waiters.delete(look);
    });
  }

  return {
    publish,
    nudge,
    until,
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
