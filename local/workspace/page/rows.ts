/** Arranges messages for reading; pure. */

import type { WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import { isReply } from "./store.ts";
import { dateOf, dayKey } from "./times.ts";

interface Row {
  message: WorkspaceMessage;
  /** Whether the name stands above it; false where it continues the message before. */
  head: boolean;
}

export interface Day {
  key: string;
  date: Date;
  rows: Row[];
}

const GROUP_SECONDS = 300;

function continues(before: WorkspaceMessage | undefined, message: WorkspaceMessage): boolean {
  if (!before || before.user !== message.user || before.onlyFor !== message.onlyFor) return false;
  // A thread's first message and its replies stand apart.
  if (isReply(before) !== isReply(message)) return false;
  return Number(message.ts) - Number(before.ts) < GROUP_SECONDS;
}

/** Messages by day, with the name only where another person or a pause comes. */
export function daysOf(messages: WorkspaceMessage[]): Day[] {
  const days: Day[] = [];
  for (const message of messages) {
    const date = dateOf(message.ts);
    const key = dayKey(date);
    const day = days.at(-1);
    if (day?.key === key) day.rows.push({ message, head: !continues(day.rows.at(-1)?.message, message) });
    else days.push({ key, date, rows: [{ message, head: true }] });
  }
  return days;
}

function isDismissed(message: WorkspaceMessage, dismissed: string[]): boolean {
  return dismissed.includes(`${message.channel} ${message.ts}`);
}

/** What a channel shows: no replies, nothing that the reader put away. */
export function channelMessages(messages: WorkspaceMessage[], dismissed: string[]): WorkspaceMessage[] {
  return messages.filter((message) => !isReply(message) && !isDismissed(message, dismissed));
}

/** Every thread's replies, by the `ts` of its first message. */
export function threadsOf(messages: WorkspaceMessage[], dismissed: string[]): Map<string, WorkspaceMessage[]> {
  const replies = messages.filter((message) => isReply(message) && !isDismissed(message, dismissed));
  return Map.groupBy(replies, (message) => message.thread_ts ?? message.ts);
}

/** What the app says that it is doing in a conversation, by the `ts` of the thread's first message. */
export function statusesIn(statuses: WorkspaceState["statuses"], channel: string): Map<string, WorkspaceStatus> {
  const here = (statuses ?? []).filter((one) => one.channel === channel);
  return new Map(here.map((status) => [status.thread_ts, status]));
}
