import { type Timer, steady } from "./timer.ts";
import type { Pace } from "./budget.ts";
import { createForwarding } from "./forwarding.ts";
import { type Native, createNative } from "./native.ts";
import { type Pacer, createPacer } from "./pacer.ts";
import { type Poster, type Posting, createPoster } from "./poster.ts";
import type { Call } from "./web.ts";

interface Workspace {
  poster: Poster;
  pacer: Pacer;
  /** The pacer's clock, for what is measured beside it. */
  timer: Timer;
  /** Slack's own streams, where the operator has switched them on. */
  native: Native | undefined;
}

/** What each workspace has to itself: the budget of its edits, the lanes of its posts, and its streams. */
export interface Workspaces {
  (team: string, call: Call): Workspace;
  /** A channel goes by another ID from now on: what is under way there goes on there. */
  renamed(place: { team: string; channel: string }, to: string): void;
}

interface WorkspacesOptions extends Posting {
  /** Lets answers use Slack's own streams beside edits. */
  native?: boolean;
  /** How close to Slack's limits edits go. */
  pace?: Pace;
}

/** Workspaces that live as long as the process; a new token gets new lanes, the budget stays. */
export function createWorkspaces(
  timer: Timer,
  { native = false, pace = "strict", ...posting }: WorkspacesOptions = {},
): Workspaces {
  const paced = steady(timer);
  const workspaces = new Map<string, Workspace & { given: Call }>();
  const forwarding = createForwarding();
  const workspaceOf = (team: string, given: Call): Workspace => {
    const known = workspaces.get(team);
    if (known?.given === given) return known;
    const call = forwarded(given, (channel) => forwarding.now({ team, channel }));
    const workspace = {
      given,
      poster: createPoster(call, timer, posting),
      pacer: known?.pacer ?? createPacer(paced, { pace }),
      timer: paced,
      native: native ? createNative(call, timer) : undefined,
    };
    workspaces.set(team, workspace);
    return workspace;
  };
  const renamed: Workspaces["renamed"] = (place, to) => forwarding.add(place, to);
  return Object.assign(workspaceOf, { renamed });
}

/** The call with the ID of today in place of the channel's. */
function forwarded(call: Call, now: (channel: string) => string): Call {
  return (method, { channel, ...options }) =>
    call(method, typeof channel === "string" ? { channel: now(channel), ...options } : options);
}
