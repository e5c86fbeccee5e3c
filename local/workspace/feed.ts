import type { WorkspaceEvent } from "./protocol.ts";

/** Sees every event of the workspace; `onlyFor` is set where a single user may see it. */
type Watcher = (event: WorkspaceEvent, onlyFor?: string) => void;

/** Carries what happened to whoever watches: the page, tests. */
export interface EventFeed {
  publish: (event: WorkspaceEvent, onlyFor?: string) => void;
  /** Wakes those who wait without telling the page: a Web API call was answered. */
  nudge: () => void;
  watch: (watcher: Watcher) => () => void;
  /** Resolves with what `find` finds, looked for after every event and every 50 ms; rejects with the last events. */
  until: <T>(find: () => T | undefined | false, timeoutMs?: number) => Promise<T>;
}

const keptEvents = 12;
/** Long, for a busy machine: what is looked for comes within a moment, or not at all. */
const usualTimeoutMs = 30_000;
/** For what no event tells of. */
const lookEveryMs = 50;

/** Builds the feed of one workspace. */
export function createFeed(): EventFeed {
  const watchers = new Set<Watcher>();
  const waiters = new Set<() => void>();
  const seen: string[] = [];

  function nudge(): void {
    for (const waiter of waiters) waiter();
  }

  return {
    nudge,
    publish(event, onlyFor) {
      seen.push(JSON.stringify(event).slice(0, 300));
      if (seen.length > keptEvents) seen.shift();
      for (const watcher of watchers) watcher(event, onlyFor);
      nudge();
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    until<T>(find: () => T | undefined | false, timeoutMs = usualTimeoutMs): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const look = () => {
        try {
          const found = find();
          if (found !== undefined && found !== false) resolve(found);
        } catch (error) {
          reject(error);
        }
      };
      const timer = setTimeout(() => {
        const last = seen.join("\n") || "(none)";
        reject(new Error(`not seen within ${timeoutMs} ms; the last events were:\n${last}`));
      }, timeoutMs);
      const looking = setInterval(look, lookEveryMs);
      waiters.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        clearInterval(looking);
        waiters.delete(look);
      });
    },
  };
}
