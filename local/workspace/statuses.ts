import type { Clock } from "./clock.ts";
import type { Feed } from "./feed.ts";
import type { WorkspaceStatus } from "./protocol.ts";
import type { World } from "./world.ts";

/** Where something is going on; a session of an agent lasts until the app ends it, whatever it posts meanwhile. */
interface StatusPlace {
  channel: string;
  thread: string;
  isSession?: boolean;
  /** A session that the person can stop: the app hears of that. */
  canStop?: boolean;
}

/** What the app says that it is doing in a thread: "is reading the news…". */
export interface Statuses {
  set: (place: StatusPlace, status: string) => void;
  get: (channel: string, thread: string) => string;
  canStop: (channel: string, thread: string) => boolean;
  list: () => WorkspaceStatus[];
}

/** Slack clears a status that the app forgot, and a session's after an hour. */
const LIFE_MS = 120_000;
const SESSION_LIFE_MS = 3_600_000;

function key(channel: string, thread: string): string {
  return `${channel} ${thread}`;
}

/** Builds the statuses; a message of the app in the thread clears its status. */
export function createStatuses(options: { clock: Clock; feed: Feed; world: World }): Statuses {
  const { clock, feed, world } = options;
  const held = new Map<string, { shown: WorkspaceStatus; isSession: boolean; forget: () => void }>();

  function set({ channel, thread, isSession = false, canStop = false }: StatusPlace, status: string): void {
    const at = key(channel, thread);
    const known = held.get(at);
    if (!known && status === "") return;
    known?.forget();
    held.delete(at);
    const isStoppable = canStop && status !== "";
    const shown: WorkspaceStatus = { channel, thread_ts: thread, status, ...(isStoppable && { canStop: true }) };
    if (status !== "") {
      const life = isSession ? SESSION_LIFE_MS : LIFE_MS;
      const forget = clock.after(life, () => set({ channel, thread }, ""));
      held.set(at, { shown, isSession, forget });
    }
    feed.publish({ type: "status", ...shown });
  }

  function follow(from: string, to: string): void {
    for (const { shown, isSession } of [...held.values()].filter((one) => one.shown.channel === from)) {
      const { thread_ts: thread, status, canStop = false } = shown;
      set({ channel: from, thread }, "");
      set({ channel: to, thread, isSession, canStop }, status);
    }
  }

  world.onChange((change) => {
    if (change.kind === "moved") follow(change.from, change.conversation.id);
    if (change.kind !== "posted" || change.message.bot_id === undefined) return;
    const { channel, ts, thread_ts: thread = ts } = change.message;
    if (!held.get(key(channel, thread))?.isSession) set({ channel, thread }, "");
  });

  return {
    set,
    get: (channel, thread) => held.get(key(channel, thread))?.shown.status ?? "",
    canStop: (channel, thread) => held.get(key(channel, thread))?.shown.canStop ?? false,
    list: () => [...held.values()].map(({ shown }) => shown),
  };
}
