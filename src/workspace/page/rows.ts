/** Arranges messages for reading; pure. */

import type { WorkspaceMessage } from "../protocol.ts";
import { isReply } from "./store.ts";
import { dateOf, dayKey } from "./times.ts";

export type Row = { kind: "day"; key: string; date: Date } | { kind: "message"; key: string; message: WorkspaceMessage; head: boolean };

const GROUP_SECONDS = 300;

function continues(before: WorkspaceMessage | undefined, message: WorkspaceMessage): boolean {
  if (!before || before.user !== message.user) return false;
  if (before.onlyFor !== message.onlyFor) return false;
  return Number(message.ts) - Number(before.ts) < GROUP_SECONDS;
}

/** Messages with a line before each new day, and the name only where another person or a pause comes. */
export function rowsOf(messages: WorkspaceMessage[]): Row[] {
  return messages.flatMap((message, index): Row[] => {
    const before = messages[index - 1];
    const date = dateOf(message.ts);
    const newDay = !before || dayKey(dateOf(before.ts)) !== dayKey(date);
    const row: Row = { kind: "message", key: message.ts, message, head: newDay || !continues(before, message) };
    return newDay ? [{ kind: "day", key: dayKey(date), date }, row] : [row];
  });
}

/** What a channel shows: no replies, nothing that the reader put away. */
export function channelMessages(messages: WorkspaceMessage[], dismissed: string[]): WorkspaceMessage[] {
  return messages.filter((message) => !isReply(message) && !dismissed.includes(`${message.channel} ${message.ts}`));
}

/** The replies of one thread, without its first message. */
export function repliesOf(messages: WorkspaceMessage[], thread: string, dismissed: string[] = []): WorkspaceMessage[] {
  return messages.filter(
    (message) => isReply(message) && message.thread_ts === thread && !dismissed.includes(`${message.channel} ${message.ts}`),
  );
}
