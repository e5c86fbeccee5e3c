import type { Ask } from "./feature.ts";

/** A thread in Slack. */
export interface Thread {
  team: string;
  channel: string;
  /** The message that it began with. */
  thread: string;
}

/** What a thread is kept under. */
export function threadKey({ team, channel, thread }: Thread): string {
  return `${team} ${channel} ${thread}`;
}

/** The thread that a question was asked in; nothing where its answer starts one. */
export function askedIn({ team, channel, thread }: Pick<Ask, "team" | "channel" | "thread">): Thread | undefined {
  return thread === undefined ? undefined : { team, channel, thread };
}

/** The thread that an answer stands in or starts; nothing where it never stood. */
export async function answeredIn({ team, channel, thread, posted }: Ask): Promise<Thread | undefined> {
  const at = await posted;
  const root = thread ?? at?.ts;
  // Where it was posted, not where it was asked: from a window, the answer goes to a direct message with an ID of its own.
  return root === undefined ? undefined : { team, channel: at?.channel ?? channel, thread: root };
}
