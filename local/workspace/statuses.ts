import type { WorkspaceClock } from "./clock.ts";
import type { EventFeed } from "./feed.ts";
import type { WorkspaceStatus } from "./protocol.ts";
import type { WorkspaceWorld } from "./world.ts";

/** The thread of a status. A session's status lasts until the app ends it, whatever the app posts meanwhile. */
interface StatusThread {
  channel: string;
  thread: string;
  isSession?: boolean;
  /** Whether the person can stop the session; the app then gets an event. */
  canStop?: boolean;
}

/** The statuses that the app sets in threads: "is reading the news…". */
export interface Statuses {
  set: (at: StatusThread, status: string) => void;
  canStop: (channel: string, thread: string) => boolean;
  list: () => WorkspaceStatus[];
}

/** The times after which Slack clears a status that the app left set, without and with a session, in milliseconds. */
const statusLifeMs = 120_000;
const sessionLifeMs = 3_600_000;

/** Builds the statuses; a message of the app in a thread clears the thread's status. */
export function createStatuses(options: { clock: WorkspaceClock; feed: EventFeed; world: WorkspaceWorld }): Statuses {
  const { clock, feed, world } = options;
  const held = new Map<string, { shown: WorkspaceStatus; isSession: boolean; forget: () => void }>();
  const keyOf = (channel: string, thread: string) => `${channel} ${thread}`;

  function set({ channel, thread, isSession = false, canStop = false }: StatusThread, status: string): void {
    const key = keyOf(channel, thread);
    const known = held.get(key);
    if (!known && status === "") return;
    known?.forget();
    held.delete(key);
    const isStoppable = canStop && status !== "";
    const shown: WorkspaceStatus = { channel, thread_ts: thread, status, ...(isStoppable && { canStop: true }) };
    if (status !== "") {
      const forget = clock.after(isSession ? sessionLifeMs : statusLifeMs, () => set({ channel, thread }, ""));
      held.set(key, { shown, isSession, forget });
    }
    feed.publish({ type: "status", ...shown });
  }

  world.onChange((change) => {
    if (change.kind !== "posted" || change.message.bot_id === undefined) return;
    const { channel, ts, thread_ts: thread = ts } = change.message;
    if (!held.get(keyOf(channel, thread))?.isSession) set({ channel, thread }, "");
  });

  return {
    set,
    canStop: (channel, thread) => held.get(keyOf(channel, thread))?.shown.canStop ?? false,
    list: () => [...held.values()].map(({ shown }) => shown),
  };
}
