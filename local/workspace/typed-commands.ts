/** The commands that people have typed and the app has not answered. */
export interface TypedCommands {
  note: (at: { channel: string; user: string }, line: string) => void;
  /** The command that a private reply answers; each is answered once. */
  take: (at: { channel: string; user: string }) => string | undefined;
}

/** The time after which a reply no longer counts as the answer, in milliseconds. */
const longestMs = 60_000;

/** Remembers the last command of each person in each conversation, as a private reply does not name its command. */
export function createTypedCommands(now: () => number): TypedCommands {
  const latest = new Map<string, { line: string; at: number }>();
  return {
    note: ({ channel, user }, line) => void latest.set(`${channel} ${user}`, { line, at: now() }),
    take({ channel, user }) {
      const key = `${channel} ${user}`;
      const found = latest.get(key);
      latest.delete(key);
      return found && now() - found.at <= longestMs ? found.line : undefined;
    },
  };
}
