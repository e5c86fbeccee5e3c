/** Whether the bot answers in a thread without being mentioned. */
export type Choice = "on" | "off";

/** What a channel's people chose, and who did. */
export interface Setting {
  choice: Choice;
  by: string;
  /** Epoch milliseconds. */
  at: number;
}

/** What is known of a thread: whether a question to the bot began it, and what its people chose for it alone. */
export interface Mark {
  isOwn: boolean;
  choice?: Choice | undefined;
}

/**
 * Whether the bot answers without a mention. What a thread's people chose comes first, then what the channel's did;
 * else it does in threads that a question to it began. People whom it was called to talk to each other.
 */
export function answersUnasked(mark: Mark | undefined, setting: Setting | undefined): boolean {
  const choice = mark?.choice ?? setting?.choice;
  if (choice) return choice === "on";
  // What is not written down began with an answer of its own, such as one to a slash command.
  return mark?.isOwn ?? true;
}
