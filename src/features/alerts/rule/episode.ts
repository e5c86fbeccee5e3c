import type { Episode, Figures, Rule } from "../alert.ts";
import { type Standing, isTimes } from "./rule.ts";

/** What became of an entity that somebody may want to be told. */
export type Happening = "rise" | "escalated" | "cooled" | "back";

/** An episode after one more sample; none where it is over and forgotten, or did not hold for long enough. */
interface Step {
  episode?: Episode | undefined;
  happened?: Happening;
}

/** An entity in a sample; one that is absent from it is below, and has no figures. */
interface Sighting {
  standing: Standing;
  figures?: Figures | undefined;
}

const isAbove = (standing: Standing) => standing === "above" || standing === "far";

/** An entity that is in a sample. */
export interface Item {
  entity: string;
  name: string;
  type: string;
  figures: Figures;
}

/** The episode of an entity that passes the floors for the first time. */
export function begun(item: Item, standing: Standing, rule: Rule): Step {
  return risen({ ...blank(item), state: "pending" }, { standing, figures: item.figures }, rule);
}

/** The episode of an entity that is found above the floors when watching begins: followed, and not told of. */
export function found(item: Item): Episode {
  return { ...blank(item), state: "continuing", told: item.figures };
}

function blank({ entity, name, type, figures }: Item) {
  const { at } = figures;
  return { entity, name, type, since: at, streak: 0, changedAt: at, peak: figures, last: figures };
}

/** An episode after one more sample, which a moment names also where the entity is absent from it. */
export function stepped(before: Episode, sighting: Sighting, { rule, now }: { rule: Rule; now: number }): Step {
  const episode = withFigures(before, sighting.figures);
  const isLow = sighting.standing === "below";
  const { state } = episode;
  if (state === "pending") return isAbove(sighting.standing) ? risen(episode, sighting, rule) : {};
  if (state === "cooled") return resting(episode, sighting, { rule, now });
  if (isLow) return cooler(episode, rule, now);
  if (state !== "cooling") return held(episode, sighting, { rule, now });
  if (!isAbove(sighting.standing)) return { episode: { ...episode, streak: 0 } };
  return held(reached(episode, "continuing", now), sighting, { rule, now });
}

function withFigures(episode: Episode, figures: Figures | undefined): Episode {
  if (!figures) return episode;
  // What comes back after it has cooled is measured by how high it was before.
  const isHighest = episode.state !== "cooled" && !isTimes(episode.peak, figures, 1);
  return { ...episode, last: figures, peak: isHighest ? figures : episode.peak };
}

function reached(episode: Episode, state: Episode["state"], now: number): Episode {
  return { ...episode, state, streak: 0, changedAt: now };
}

/** One sample more above the floors: new once it has held for long enough. */
function risen(episode: Episode, { standing, figures }: Sighting, { ticks }: Rule): Step {
  const streak = episode.streak + 1;
  if (standing !== "far" && streak < ticks) return { episode: { ...episode, streak } };
  const { last } = episode;
  return { episode: { ...reached(episode, "new", last.at), told: figures }, happened: "rise" };
}

/** Not below the floors: the same goes on, or it has come to stand out so much more that it is told again. */
function held(episode: Episode, { standing, figures }: Sighting, { rule, now }: { rule: Rule; now: number }): Step {
  const { told, state } = episode;
  if (figures && told && isAbove(standing) && isTimes(figures, told, rule.escalate)) {
    return { episode: { ...reached(episode, "escalated", now), told: figures }, happened: "escalated" };
  }
  if (state === "new" && now > episode.changedAt) return { episode: reached(episode, "continuing", now) };
  return { episode: episode.streak === 0 ? episode : { ...episode, streak: 0 } };
}

/** One sample more below: it has cooled once that has held for long enough. */
function cooler(episode: Episode, { coolTicks }: Rule, now: number): Step {
  const streak = episode.state === "cooling" ? episode.streak + 1 : 1;
  if (streak >= coolTicks) return { episode: reached(episode, "cooled", now), happened: "cooled" };
  if (episode.state === "cooling") return { episode: { ...episode, streak } };
  return { episode: { ...reached(episode, "cooling", now), streak } };
}

/** Whether so much time has passed since it cooled that it would be a new rise. */
export function isRested({ state, changedAt, unwatchedSince }: Episode, { restMs }: Rule, now: number): boolean {
  return state === "cooled" && (unwatchedSince !== undefined || now - changedAt >= restMs);
}

/** Cooled: what comes back before it has rested is the same rise, and told only where it passes its peak by far. */
function resting(episode: Episode, sighting: Sighting, { rule, now }: { rule: Rule; now: number }): Step {
  const { standing, figures } = sighting;
  if (!isAbove(standing)) return { episode: episode.streak === 0 ? episode : { ...episode, streak: 0 } };
  if (isRested(episode, rule, now)) return {};
  const streak = episode.streak + 1;
  if (standing !== "far" && streak < rule.ticks) return { episode: { ...episode, streak } };
  const again = { ...episode, told: episode.peak };
  const after = held(reached(again, "continuing", now), sighting, { rule, now });
  return { happened: "back", ...after, episode: after.episode && withFigures(after.episode, figures) };
}
