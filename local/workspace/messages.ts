import type { Ids } from "./ids.ts";
import type { WorkspaceMessage } from "./protocol.ts";
import type { Change } from "./world.ts";

/** A message before it has a timestamp. */
export type Draft = Omit<WorkspaceMessage, "ts">;

/** What was said, by conversation. A message is replaced, never changed. */
export interface Messages {
  /** Oldest first, replies and ephemerals included. */
  messages: (channel: string) => WorkspaceMessage[];
  find: (channel: string, ts: string) => WorkspaceMessage | undefined;
  post: (draft: Draft) => WorkspaceMessage;
  /** Replaces a message; nothing happens where it is gone. */
  edit: (message: WorkspaceMessage) => void;
  /** Replaces a message without an event to the app. */
  touch: (message: WorkspaceMessage) => void;
  remove: (channel: string, ts: string) => void;
  /** Takes all that was said along where a conversation goes by another ID. */
  follow: (from: string, to: string) => void;
  /** Puts a message with its own timestamp at the end, unseen by anybody. */
  restore: (message: WorkspaceMessage) => void;
}

const MESSAGES_KEPT = 2000;

function append(logs: Map<string, WorkspaceMessage[]>, message: WorkspaceMessage): void {
  const list = logs.get(message.channel) ?? [];
  list.push(message);
  if (list.length > MESSAGES_KEPT) list.splice(0, list.length - MESSAGES_KEPT);
  logs.set(message.channel, list);
}

function carry(logs: Map<string, WorkspaceMessage[]>, from: string, to: string): void {
  const said = logs.get(from) ?? [];
  logs.delete(from);
  logs.set(
    to,
    said.map((one) => ({ ...one, channel: to })),
  );
}

/** Builds the messages of one workspace: none to begin with. */
export function createMessages(options: { tell: (change: Change) => void; ids: Ids }): Messages {
  const { tell, ids } = options;
  const logs = new Map<string, WorkspaceMessage[]>();
  const log = (channel: string) => logs.get(channel) ?? [];
  const find = (channel: string, ts: string) => log(channel).findLast((one) => one.ts === ts);

  const restore = (message: WorkspaceMessage) => append(logs, message);

  function swap(message: WorkspaceMessage): WorkspaceMessage | undefined {
    const list = log(message.channel);
    const at = list.findLastIndex((one) => one.ts === message.ts);
    const previous = list[at];
    if (previous) list[at] = message;
    return previous;
  }

  function touch(message: WorkspaceMessage): void {
    if (swap(message)) tell({ kind: "touched", message });
  }

  /** A thread's head shows how many replies it has; ephemerals do not count. */
  function recount(reply: WorkspaceMessage): void {
    const { channel, thread_ts: root, onlyFor } = reply;
    const head = root === undefined || root === reply.ts ? undefined : find(channel, root);
    if (!head || root === undefined || onlyFor !== undefined) return;
    const count = log(channel).filter((one) => one.thread_ts === root && one.ts !== root && !one.onlyFor).length;
    touch({ ...head, thread_ts: root, reply_count: count });
  }

  return {
    messages: log,
    find,
    touch,
    restore,
    follow: (from, to) => carry(logs, from, to),
    post(draft) {
      const message = { ...draft, ts: ids.ts() };
      restore(message);
      tell({ kind: "posted", message });
      recount(message);
      return message;
    },
    edit(message) {
      const previous = swap(message);
      if (previous) tell({ kind: "edited", message, previous });
    },
    remove(channel, ts) {
      const list = log(channel);
      const at = list.findLastIndex((one) => one.ts === ts);
      const [previous] = at < 0 ? [] : list.splice(at, 1);
      if (!previous) return;
      tell({ kind: "deleted", previous });
      recount(previous);
    },
  };
}
