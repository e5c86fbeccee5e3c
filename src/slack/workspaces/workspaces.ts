import { type EditBudget, createEditBudget } from "../answer/edit-budget.ts";
import { type NativeStreams, createNativeStreams } from "../answer/native-stream.ts";
import { type StatusLine, createStatusLine } from "../answer/status-line.ts";
import { type Poster, createPoster } from "../delivery/post.ts";
import { type Reads, createReads } from "../delivery/reads.ts";
import type { Call } from "../delivery/web-api.ts";
import { type Timer, steady } from "../timer.ts";

interface Workspace {
  /** Its reads of channels and threads. */
  reads: Reads;
  poster: Poster;
  editBudget: EditBudget;
  /** The budget's clock, for what is measured beside it. */
  timer: Timer;
  /** Slack's own streams, if answers may use them. */
  streams: NativeStreams | undefined;
  statusLine: StatusLine;
}

/**
 * The things that each workspace has to itself: the budget of its edits, the queues of its posts, its reads, and its
 * streams.
 */
export type Workspaces = (team: string, call: Call) => Workspace;

interface WorkspacesOptions {
  /** Lets answers use Slack's own streams beside edits. */
  native?: boolean;
}

/** Workspaces that live as long as the process; a new token gets new queues, budget and limits stay. */
export function createWorkspaces(timer: Timer, { native = false }: WorkspacesOptions = {}): Workspaces {
  const paced = steady(timer);
  const workspaces = new Map<string, Workspace & { call: Call }>();
  return (team, call) => {
    const known = workspaces.get(team);
    if (known?.call === call) return known;
    const reads = createReads(call, timer, known?.reads.limiters);
    const workspace = {
      call,
      reads,
      poster: createPoster(call, timer, reads),
      editBudget: known?.editBudget ?? createEditBudget(paced),
      timer: paced,
      streams: native ? createNativeStreams(call, timer, reads) : undefined,
      statusLine: createStatusLine(call, timer),
    };
    workspaces.set(team, workspace);
    return workspace;
  };
}
