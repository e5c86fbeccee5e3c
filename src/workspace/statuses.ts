import type { Clock } from "./clock.ts";
import type { Feed } from "./feed.ts";
import type { World } from "./world.ts";

/** What the app says that it is doing in a thread: "is reading the news…". */
export interface Statuses {
  set: (place: { channel: string; thread: string }, status: string) => void;
  get: (channel: string, thread: string) => string;
  list: () => { channel: string; thread_ts: string; status: string }[];
}

/** Slack clears a status that the app forgot. */
const LIFE_MS = 120_000;

function key(channel: string, thread: string): string {
  return `${channel} ${thread}`;
}

/** Builds the statuses; a message of the app in the thread clears its status. */
export function createStatuses(options: { clock: Clock; feed: Feed; world: World }): Statuses {
  const { clock, feed, world } = options;
  const held = new Map<string, { channel: string; thread_ts: string; status: string; forget: () => void }>();

  function set({ channel, thread }: { channel: string; thread: string }, status: string): void {
    const at = key(channel, thread);
    const known = held.get(at);
    if (!known && status === "") return;
    known?.forget();
    held.delete(at);
    if (status !== "") {
      const forget = clock.after(LIFE_MS, () => set({ channel, thread }, ""));
      held.set(at, { channel, thread_ts: thread, status, forget });
    }
    feed.publish({ type: "status", channel, thread_ts: thread, status });
  }

  world.onChange((change) => {
    if (change.kind !== "posted" || change.message.bot_id === undefined) return;
    set({ channel: change.message.channel, thread: change.message.thread_ts ?? change.message.ts }, "");
  });

  return {
    set,
    get: (channel, thread) => held.get(key(channel, thread))?.status ?? "",
    list: () => [...held.values()].map(({ channel, thread_ts, status }) => ({ channel, thread_ts, status })),
  };
}
