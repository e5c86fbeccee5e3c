import type { WorkspaceEvent } from "./protocol.ts";

/** Called with every event of the workspace; `onlyFor` is set if a single user may see it. */
type Watcher = (event: WorkspaceEvent, onlyFor?: string) => void;

/** Sends the workspace's events to its watchers: the page and tests. */
export interface EventFeed {
  publish: (event: WorkspaceEvent, onlyFor?: string) => void;
  /** Makes `until` look again without an event, after a Web API call was answered. */
  nudge: () => void;
  watch: (watcher: Watcher) => () => void;
  /**
   * Resolves with the result of `find`, tried after every event and every 50 ms; on a timeout, rejects with the last
   * events.
   */
  until: <T>(find: () => T | undefined | false, timeoutMs?: number) => Promise<T>;
}

const keptEvents = 12;
/** The time limit of `until`, in milliseconds; long, because a busy machine can be slow. */
const usualTimeoutMs = 30_000;
/** The time between two tries of `until`, in milliseconds, for changes that cause no event. */
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
