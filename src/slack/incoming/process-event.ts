import { randomUUID } from "node:crypto";

import { type App, AuthorizationError, type Logger, type ReceiverEvent } from "@slack/bolt";

import type { Timer } from "../timer.ts";
import { NotInstalled } from "../workspaces/installations.ts";
import { type Payload, workspaceOfPayload } from "./payload.ts";

/** Hands what Slack sent to Bolt; resolves once it is acknowledged, and rejects if it will not be. */
export type ProcessEvent = (app: Pick<App, "processEvent">, event: ReceiverEvent) => Promise<void>;

interface ProcessEventOptions {
  timer: Pick<Timer, "now">;
  logger: Pick<Logger, "warn">;
  /** Does everything that an event leads to within this, under the event's own ID. */
  within?: (<T>(id: string, work: () => T) => T) | undefined;
  onAck?: ((type: string, ms: number) => void) | undefined;
  /** With several replicas: rejects if this one may no longer work for the workspace. */
  confirm?: ((team: string) => Promise<void>) | undefined;
}

/** Events by which people ask something. */
const saidEvents = new Set<unknown>(["app_mention", "message"]);

/** Another replica has taken over the workspace while this one handled a message. */
class TakenOver extends Error {}

/**
 * Processes everything that Slack sends, by HTTP and by Socket Mode alike, and measures how long Slack waits for each
 * acknowledgement. Bolt acknowledges events before anybody has looked at them; a message is acknowledged once it is written
 * down, and not if another replica has taken over meanwhile: Slack then sends it again.
 */
export function createProcessEvent(options: ProcessEventOptions): ProcessEvent {
  const { timer, logger, within = (_id, work) => work(), onAck, confirm } = options;

  async function confirmServed(body: Payload): Promise<void> {
    const team = workspaceOfPayload(body);
    if (team === undefined || !confirm) return;
    await confirm(team).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : "?";
      logger.warn(`a message is left to another replica: ${reason}`);
      throw new TakenOver(reason);
    });
  }

  return async (app, { body, ack }) => {
    const since = timer.now();
    const { event_id: id, type, command, event } = body;
    const kind = typeof command === "string" ? "command" : typeof type === "string" ? type : "other";
    const acknowledge: typeof ack = async (answer) => {
      onAck?.(kind, timer.now() - since);
      await ack(answer);
    };
    const isSaid = type === "event_callback" && saidEvents.has(event?.type);
    // Only events have an ID of Slack's; what else people do has one of ours.
    await within(typeof id === "string" ? id : randomUUID().slice(0, 8), async () => {
      let isTaken = false;
      await app.processEvent({
        body,
        async ack(answer) {
          isTaken = true;
          if (!isSaid) await acknowledge(answer);
        },
      });
      if (!isTaken) throw new Error("nothing listens for it");
      if (!isSaid) return;
      await confirmServed(body);
      await acknowledge();
    });
  };
}

/** The event may well be processed later, or by another replica. */
export function isPassingFailure(error: unknown): boolean {
  return error instanceof TakenOver || isTokenUnread(error);
}

/** Bolt could not read the token of a workspace; a workspace without an installation has none. */
export function isTokenUnread(error: unknown): boolean {
  let cause = error;
  while (cause instanceof Error && "original" in cause) cause = cause.original;
  return error instanceof AuthorizationError && !(cause instanceof NotInstalled);
}
