import { editInTurn } from "./edit.ts";
import type { Message, Posted } from "./text/message.ts";
import type { Place } from "./poster.ts";
import type { Call } from "./web.ts";
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
    async post({ team, ...place }: Place & { team: string }, message: Message): Promise<Posted> {
      const { poster } = workspaceOf(team, await callOf(team));
      return poster.post(place, () => message, { isUnasked: true, signal });
    },
    /** Replaces what was posted so, at the pace of everything that is edited there; rejects with SlackRefused. */
    async edit(team: string, posted: Posted, message: Message): Promise<void> {
      await editInTurn(workspaceOf(team, await callOf(team)), posted, message);
    },
  };
}
