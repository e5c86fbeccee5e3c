import { type Notice, type Standing, abandoned } from "./rule.ts";
import type { Standings } from "./standings.ts";

/** Looks are a minute apart, unless nobody looked. */
const sleptMs = 5 * 60_000;

interface Options {
  standings: Standings;
  /** A standing with what is to be told of it. */
  withLines: (standing: Standing, notices: Notice[]) => Standing;
  now: () => number;
}

/** Lets go of what is wrong and read by nothing any more; to be called every minute, gives what it let go of. */
export function createLettingGo({ standings, withLines, now }: Options): () => Promise<Notice[]> {
  const watch = { since: now(), lookedAt: now() };

  return async () => {
    // What was not read while the bot was down or the machine slept is read soon, if anything follows it.
    if (Math.abs(now() - watch.lookedAt) > sleptMs) watch.since = now();
    watch.lookedAt = now();
    const isGone = (standing: Standing) => abandoned(standing, watch.since, now());
    const notices: Notice[] = [];
    for (const [key] of [...(await standings.all())].filter(([, standing]) => isGone(standing))) {
      await standings.change(key, (current) => {
        const gone = isGone(current);
        if (!gone) return current;
        notices.push(gone.notice);
        return withLines(gone.standing, [gone.notice]);
      });
    }
    return notices;
  };
}
