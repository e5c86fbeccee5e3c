import { editMessage } from "./answer/edit-budget.ts";
import type { Message, Posted } from "./text/message.ts";
import type { PostTarget } from "./delivery/post.ts";
import type { Call } from "./delivery/web-api.ts";
import type { Workspaces } from "./workspaces.ts";

interface ErrandsOptions {
  workspaceOf: Workspaces;
  callOf: (team: string) => Promise<Call>;
  /** Calls off what still waits for its turn. */
  signal: AbortSignal;
}

/** The ways to Slack for what nobody there has just asked for. */
export function createErrands({ workspaceOf, callOf, signal }: ErrandsOptions) {
  return {
    /** Posts once under its key, after all that people wait for; rejects with SlackRefused, or with the signal's reason. */
    async post({ team, ...place }: PostTarget & { team: string }, message: Message): Promise<Posted> {
      const { poster } = workspaceOf(team, await callOf(team));
      return poster.post(place, () => message, { isBackground: true, signal });
    },
    /** Replaces what was posted so, at the pace of everything that is edited there; rejects with SlackRefused. */
    async edit(team: string, posted: Posted, message: Message): Promise<void> {
      await editMessage(workspaceOf(team, await callOf(team)), posted, message);
    },
  };
}
