import type { Alert, Episode, Figures, Mute } from "../alert.ts";

/** A clock that was set back by less may have been right before: mutes stay as they were written down. */
const aheadMs = 24 * 60 * 60_000;

/**
 * With no time later than now, where a clock that was ahead has left some: what has cooled rests from now on, and what
 * was muted meanwhile is muted for as long as was meant.
 */
export function notAhead(alert: Alert, now: number): Alert {
  const mutes = mutesNotAhead(alert.mutes, now);
  const { last, baseline } = alert;
  // Whatever an episode holds was written down by a look, or after it.
  if (!last || last.at <= now) return mutes === alert.mutes ? alert : { ...alert, mutes };
  return {
    ...alert,
    mutes,
    last: { ...last, at: now },
    baseline: baseline && { ...baseline, at: Math.min(baseline.at, now) },
    episodes: alert.episodes.map((episode) => episodeNotAhead(episode, now)),
  };
}

function mutesNotAhead(mutes: Mute[], now: number): Mute[] {
  const isAhead = ({ at }: Mute) => at > now + aheadMs;
  if (!mutes.some(isAhead)) return mutes;
  return mutes.map((mute) => {
    if (!isAhead(mute)) return mute;
    const { at, until } = mute;
    return { ...mute, at: now, ...(until !== undefined && { until: now + until - at }) };
  });
}

function episodeNotAhead(episode: Episode, now: number): Episode {
  const { since, changedAt, told, peak, last, shown } = episode;
  const figures = (some: Figures) => ({ ...some, at: Math.min(some.at, now) });
  return {
    ...episode,
    since: Math.min(since, now),
    changedAt: Math.min(changedAt, now),
    told: told && figures(told),
    peak: figures(peak),
    last: figures(last),
    shown: shown && { ...shown, at: Math.min(shown.at, now), figures: figures(shown.figures) },
  };
}
