import { watchlistSourceOf } from "../sources/watchlist.ts";
import type { Source } from "../sources/source.ts";
import type { Subscription, SubscriptionStores } from "../subscriptions/model.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import { plural } from "../text.ts";
import { type Watchlist } from "../sources/watchlist.ts";

/** The digests and alerts that are set up on a watchlist. */

type OfWatchlist = Pick<Watchlist, "team" | "id">;

function isOn(source: { kind: string } | undefined, { team, id }: OfWatchlist): source is WatchlistSource {
  return source !== undefined && isWatchlist(source) && source.team === team && source.id === id;
}

/** `2 digests and 1 alert follow`; nothing where there are none. `by` keeps it to those of some people. */
export async function followersWords(
  list: Watchlist,
  needs: SubscriptionStores,
  by: (maker: string) => boolean = () => true,
): Promise<string | undefined> {
  const counts = storesOf(needs).map(async ([noun, subscriptions]) => {
    const all = await subscriptions.ofTeam(list.team);
    return { noun, count: all.filter((each) => follows(each, list) && by(each.maker)).length };
  });
  const some = (await Promise.all(counts)).filter(({ count }) => count > 0);
  const total = some.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  return `${some.map(({ noun, count }) => plural(count, noun)).join(" and ")} ${total === 1 ? "follows" : "follow"}`;
}

/**
 * Lets what is set up on a watchlist follow its new name and content. Once it is private again, only its owner's do; those
 * of others are left without it.
 */
export async function updateFollowers(before: Watchlist, after: Watchlist, needs: SubscriptionStores): Promise<void> {
  const source = watchlistSourceOf(after);
  for (const [, subscriptions] of storesOf(needs)) {
    for (const each of await subscriptions.ofTeam(before.team)) {
      if (!follows(each, before) || (after.id !== before.id && each.maker !== after.owner)) continue;
      await subscriptions.update(each, (current) => (follows(current, before) ? { ...current, source } : current));
    }
  }
}
