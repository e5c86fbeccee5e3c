import type { Pace } from "./budget.ts";
import { type Native, createNative } from "./native.ts";
import { type Pacer, type Timer, createPacer } from "./pacer.ts";
import { type Poster, type Posting, createPoster } from "./poster.ts";
import { steady } from "./steady.ts";
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
export type Workspaces = (team: string, call: Call) => Workspace;

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
  const workspaces = new Map<string, Workspace & { call: Call }>();
  return (team, call) => {
    const known = workspaces.get(team);
    if (known?.call === call) return known;
    const workspace = {
      call,
      poster: createPoster(call, timer, posting),
      pacer: known?.pacer ?? createPacer(paced, { pace }),
      timer: paced,
      native: native ? createNative(call, timer) : undefined,
    };
    workspaces.set(team, workspace);
    return workspace;
  };
}
