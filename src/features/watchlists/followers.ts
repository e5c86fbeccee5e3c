import type { Digest } from "../digests/digest.ts";
import type { ScheduledQuestion } from "../digests/question.ts";
import type { ArticleSource } from "../sources/source.ts";
import { type Watchlist, type WatchlistSource, watchlistSourceOf } from "../sources/watchlist.ts";
import type { Subscription } from "../subscriptions/model.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import { plural } from "../text.ts";
import type { DigestsAndAlerts } from "../digests-and-alerts.ts";

/** The digests and alerts that are set up on a watchlist. */

/** The source that a digest or an alert follows; missing for an alert on what is trending. */
type Followed = Digest["source"] | ArticleSource | undefined;

function follows(followed: Followed, { team, id }: Pick<Watchlist, "team" | "id">): boolean {
  if (followed?.kind === "several") return followed.of.some((each) => follows(each, { team, id }));
  const source = followed?.kind === "ask" ? followed.within : followed;
  return source?.kind === "watchlist" && source.team === team && source.id === id;
}

/** The source of a digest after its watchlist has changed. */
function following(
  followed: Digest["source"],
  list: Pick<Watchlist, "team" | "id">,
  source: WatchlistSource,
): Digest["source"] {
  const after = <Part extends ArticleSource | ScheduledQuestion>(part: Part) => {
    if (!follows(part, list)) return part;
    return part.kind === "ask" ? { ...part, within: source } : source;
  };
  if (followed.kind === "several") return { ...followed, of: followed.of.map(after) };
  return followed.kind === "trending" ? followed : after(followed);
}

/** `2 digests and 1 alert follow`; nothing if there are none. `by` keeps it to those of some people. */
export async function followersWords(
  list: Watchlist,
  { digests, alerts }: DigestsAndAlerts,
  by: (owner: string) => boolean = () => true,
): Promise<string | undefined> {
  const isOne = (each: { source?: Followed; owner: string }) => follows(each.source, list) && by(each.owner);
  const counts = [
    { noun: "digest", count: (await digests.ofTeam(list.team)).filter(isOne).length },
    { noun: "alert", count: (await alerts.ofTeam(list.team)).filter(isOne).length },
  ];
  const some = counts.filter(({ count }) => count > 0);
  const total = some.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  return `${some.map(({ noun, count }) => plural(count, noun)).join(" and ")} ${total === 1 ? "follows" : "follow"}`;
}

/**
 * Lets what is set up on a watchlist follow its new name and content. Once it is private again, only its owner's do; those
 * of others are left without it.
 */
export async function updateFollowers(
  before: Watchlist,
  after: Watchlist,
  { digests, alerts }: DigestsAndAlerts,
): Promise<void> {
  const source = watchlistSourceOf(after);
  await updateAll(digests, { before, after }, (digest) => ({
    ...digest,
    source: following(digest.source, before, source),
  }));
  await updateAll(alerts, { before, after }, (alert) => ({ ...alert, source }));
}

async function updateAll<S extends Subscription & { source?: Followed }>(
  subscriptions: Subscriptions<S>,
  { before, after }: { before: Watchlist; after: Watchlist },
  change: (current: S) => S,
): Promise<void> {
  for (const each of await subscriptions.ofTeam(before.team)) {
    if (!follows(each.source, before) || (after.id !== before.id && each.owner !== after.owner)) continue;
    await subscriptions.update(each, (current) => (follows(current.source, before) ? change(current) : current));
  }
}
