import { concernsWorkspace, refusalOf } from "../delivery/refusal.ts";
import { accessibleText } from "../text/mrkdwn.ts";
import type { Timer } from "../timer.ts";
import type { Call } from "../delivery/web-api.ts";

export type StatusLine = ReturnType<typeof createStatusLine>;

/** The time for which a workspace that refused a status is not asked again. */
const restMs = 60 * 60_000;

interface StatusPlace {
  channel: string;
  thread?: string | undefined;
}

/**
 * Slack's own line that says that the bot is at work in a thread. Slack takes it away by itself when the bot posts there,
 * or after two minutes.
 */
export function createStatusLine(call: Call, timer: Timer) {
  let restsUntil = Number.NEGATIVE_INFINITY;
  const set = ({ channel, thread }: StatusPlace, status: string, messages: string[]) =>
    call("assistant.threads.setStatus", {
      channel_id: channel,
      thread_ts: thread,
      status,
      ...(messages.length > 0 && { loading_messages: messages }),
    });

  return {
    /** Says what is going on, and whether Slack shows it; never rejects. */
    async show(place: StatusPlace, text: string): Promise<boolean> {
      if (!place.thread || timer.now() < restsUntil) return false;
      try {
        await set(place, "is at work…", [accessibleText(text).slice(0, 100).toWellFormed()]);
        return true;
      } catch (error) {
        if (concernsWorkspace(refusalOf("assistant.threads.setStatus", error))) restsUntil = timer.now() + restMs;
        return false;
      }
    },
    /** Takes the line away if nothing will be posted; never rejects. */
    async clear(place: StatusPlace): Promise<void> {
      await set(place, "", []).catch(() => undefined);
    },
  };
}
