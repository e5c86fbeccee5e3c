import { nextRuns } from "../../../schedule/runs.ts";
import { earlyMs } from "../../subscriptions/subscription.ts";
import { type Alert, type Episode, type Standing, isLive, standingsOf } from "../alert.ts";

const minuteMs = 60_000;
/** Looks that are no further apart follow each other, whatever was missed between them; so do samples that are kept. */
const nearMs = 30 * minuteMs;
/** What nobody has seen for a day, or for as long as it would have to rest, is over as far as anybody knows. */
const lostMs = 24 * 60 * minuteMs;

/**
 * As it is after looks were missed: what had to hold in several in a row begins anew, and what nobody has seen for so long
 * that it may have cooled and rested is over. Its messages say so for the last time.
 */
export function afterGap(alert: Alert, at: number): Alert {
  const { last, rule, episodes } = alert;
  if (!last || episodes.length === 0 || !hasMissed(alert, last.at, at)) return alert;
  const begun = episodes.filter(({ state }) => state !== "pending");
  if (at - last.at < Math.max(lostMs, rule.restMs)) {
    return { ...alert, episodes: begun.map((episode) => ({ ...episode, streak: 0 })) };
  }
  const left = [...(alert.left ?? []), ...lostAt(last.at, begun)];
  const over = begun.map((episode) => overSince(last.at, episode));
  return { ...alert, episodes: over, ...(left.length > 0 && { left }) };
}

/** Whether more than one look was missed: one alone can fail. */
function hasMissed({ schedule }: Alert, then: number, at: number): boolean {
  if (at - then < nearMs) return false;
  // A sample can be a moment older than the look that it is for.
  const [, , third] = nextRuns(schedule, then + minuteMs, 3);
  return third !== undefined && third <= at + earlyMs;
}

function lostAt(lostSince: number, episodes: Episode[]): Standing[] {
  return standingsOf(episodes)
    .filter(isLive)
    .map((standing) => ({ ...standing, lostSince }));
}

/** Rested already: what is above the floors now rises anew. */
function overSince(at: number, episode: Episode): Episode {
  if (episode.state === "cooled") return { ...episode, shown: undefined };
  return { ...episode, state: "cooled", streak: 0, changedAt: at, shown: undefined };
}
