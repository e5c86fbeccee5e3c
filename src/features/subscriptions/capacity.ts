import { UsageError } from "../../apis/errors.ts";
import type { Kind, Subscription, SubscriptionStores } from "./model.ts";
import { placeWords } from "./view.ts";

/**
 * Subscriptions of one kind that one channel, or the direct messages of one person, can have. Slack takes about one
 * message a second in a channel, so that 50 of every minute are posted before the next ones are due; nobody reads more.
 */
const channelMost = 50;

/**
 * Subscriptions of both kinds that one person can have asked for. Each may read a source every minute: what is due has
 * 50 seconds and is read eight at a time, which is 200 reads of two seconds. More would keep those of everybody else
 * waiting, and each read of the gateway costs a credit.
 */
const personMost = 200;

/**
 * Throws a UsageError, which says what to do, if one is new in a place that has too many already, or new altogether
 * for an owner who has; `before` is the subscription before a change.
 */
export async function needRoom<S extends Subscription>(
  { noun, subscriptions }: Pick<Kind<S>, "noun" | "subscriptions">,
  wanted: Pick<S, "team" | "channel" | "owner">,
  stores: SubscriptionStores,
  before?: Pick<S, "channel">,
): Promise<void> {
  const { team, owner, channel } = wanted;
  if (before?.channel !== channel && (await subscriptions(stores).at(wanted)).length >= channelMost) {
    throw new UsageError(
      `There are already ${channelMost} ${noun}s ${placeWords(wanted)}, the most one place can have. Remove one nobody needs (\`/${noun}s list\`), or choose another place.`,
    );
  }
  const all = [...(await stores.digests.ofTeam(team)), ...(await stores.alerts.ofTeam(team))];
  if (before || all.filter((each) => each.owner === owner).length < personMost) return;
  throw new UsageError(
    `You’ve created ${personMost} digests and alerts, the most one person can have. Remove some that nobody needs: \`/digests list\` and \`/alerts list\` show them.`,
  );
}
