import { nextRuns } from "../../../schedule/runs.ts";
import { earlyMs } from "../../subscriptions/model.ts";
import type { Alert } from "../alert.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Whether nobody has looked for a day, and more than one look was missed: what was rising then may be over by now. */
export function isUnwatched({ last, schedule }: Alert, at: number): boolean {
  if (!last || at - last.at < dayMs) return false;
  // A sample can be a moment older than the look that it is for.
  const [, , third] = nextRuns(schedule, last.at + minuteMs, 3);
  return third !== undefined && third <= at + earlyMs;
}

/** With everything closed that was open when somebody last looked; the next look begins anew. */
export function closeUnwatched(alert: Alert, at: number): Alert {
  const { last } = alert;
  if (!last) return alert;
  const known = alert.episodes.filter(({ state }) => state !== "pending");
  const episodes = known.map((episode) =>
    episode.state === "cooled"
      ? episode
      : { ...episode, state: "cooled" as const, streak: 0, changedAt: at, unwatchedSince: last.at },
  );
  return { ...alert, episodes, last: { ...last, at, rising: 0 } };
}
