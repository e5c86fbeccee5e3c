import type { App, Context } from "@slack/bolt";

import type { Heard } from "./entrance.ts";
import type { Request } from "./request.ts";
import type { Seen, createSeen } from "./deduplicate.ts";
import type { Turns } from "../turns.ts";
import type { Calls } from "../web.ts";
import type { Workspaces } from "../workspaces.ts";

/** What everything that hears Slack needs. */
export interface Desk {
  app: App;
  /** Resolves when the answer stands or could not be given; never rejects. */
  begin: (heard: Heard) => Promise<void>;
  /** Ends one answer for whoever asked; says whose it is, or nothing where it has ended. */
  stopOne: (key: string, who: { team: string; user: string }) => string | undefined;
  /** Ends the answers in a thread that somebody asked for; says how many these were. */
  stopThread: (place: Pick<Request, "team" | "user" | "channel" | "thread">) => number;
  /** Whether what is said in a thread without a mention is meant for the bot; never rejects. */
  isOurThread: (thread: { team: string; channel: string; thread: string }) => Promise<boolean>;
  callOf: Calls;
  workspaceOf: Workspaces;
  /** Begins the answer to a message that did not come already; never rejects. */
  hear: (said: Heard & { asked: string }) => Promise<void>;
  /** Whether a message is so new that it is known whether it was answered. */
  isFresh: (ts: string) => boolean;
  /** Events that came already, also before a restart; never rejects. */
  seen: Seen;
  /** Buttons that were pressed a moment ago. */
  tapped: ReturnType<typeof createSeen>;
  turns: Turns;
}

/** Whose workspace somebody acts in; installed on a whole organisation, Slack may name that alone. */
export function teamOf(context: Context, body: { team?: { id: string } | null; enterprise?: { id: string } }): string {
  return context.teamId ?? body.team?.id ?? body.enterprise?.id ?? "";
}

/** Which workspace somebody comes from who acts, where Slack says so. */
export function homeOf({ user }: { user: { team_id?: string } }): string | undefined {
  return user.team_id;
}
