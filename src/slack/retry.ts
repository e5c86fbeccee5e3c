import type { SlackRefused } from "./delivery/refusal.ts";
import type { Timer } from "./timer.ts";

/** How long an edit is tried again while Slack is out, and the pauses between. */
const outMostMs = 10 * 60_000;
const shortestPauseMs = 500;
const longestPauseMs = 30_000;
/** How often it is tried again where Slack refuses it for another reason. */
const tries = 10;

/** Whether and when an edit that failed is tried again. */
export function createRetry(timer: Timer) {
  let failures = 0;
  let outSince: number | undefined;
  const outMs = () => timer.now() - (outSince ?? timer.now());
  return {
    reset(): void {
      failures = 0;
      outSince = undefined;
    },
    failed({ reaction }: SlackRefused): void {
      if (reaction === "wait" || reaction === "look") outSince ??= timer.now();
      else failures++;
    },
    giveUp(): void {
      failures = tries;
    },
    isOver: () => failures >= tries || outMs() >= outMostMs,
    /** As long again as Slack has been out. */
    pauseMs: () => Math.min(Math.max(outMs(), shortestPauseMs), longestPauseMs),
  };
}
