import type { Pace } from "./budget.ts";
import { type Poster, createPoster } from "./delivery/post.ts";
import type { Call } from "./delivery/web-api.ts";
import { type Native, createNative } from "./native.ts";
import { type Pacer, createPacer } from "./pacer.ts";
import { type Timer, steady } from "./timer.ts";

interface Workspace {
  poster: Poster;
  pacer: Pacer;
  /** The pacer's clock, for what is measured beside it. */
  timer: Timer;
  /** Slack's own streams, where the operator has switched them on. */
  native: Native | undefined;
}

/** What each workspace has to itself: the budget of its edits, the queues of its posts, and its streams. */
export type Workspaces = (team: string, call: Call) => Workspace;

interface WorkspacesOptions {
  /** Lets answers use Slack's own streams beside edits. */
  native?: boolean;
  /** How close to Slack's limits edits go. */
  pace?: Pace;
}

/** Workspaces that live as long as the process; a new token gets new queues, the budget stays. */
export function createWorkspaces(
  timer: Timer,
  { native = false, pace = "strict" }: WorkspacesOptions = {},
): Workspaces {
  const paced = steady(timer);
  const workspaces = new Map<string, Workspace & { call: Call }>();
  return (team, call) => {
    const known = workspaces.get(team);
    if (known?.call === call) return known;
    const workspace = {
      call,
      poster: createPoster(call, timer),
      pacer: known?.pacer ?? createPacer(paced, { pace }),
      timer: paced,
      native: native ? createNative(call, timer) : undefined,
    };
    workspaces.set(team, workspace);
    return workspace;
  };
}
