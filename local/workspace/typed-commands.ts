/** What somebody typed where, until the app answers it. */
export interface TypedCommands {
  note: (at: { channel: string; user: string }, line: string) => void;
  /** The command that a private reply answers; each is answered once. */
  take: (at: { channel: string; user: string }) => string | undefined;
}

/** What comes later answers something else. */
const longestMs = 60_000;

/** Remembers the last command of each person in each conversation, because a private reply does not say what it answers. */
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
