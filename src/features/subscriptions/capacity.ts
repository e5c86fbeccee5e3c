import { UsageError } from "../../apis/errors.ts";
import type { Ask } from "../feature.ts";
import type { Kind, Subscription, SubscriptionStores } from "./model.ts";
import { isPerson } from "./permission.ts";

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

interface RoomRequest {
  ask: Pick<Ask, "user">;
  needs: SubscriptionStores;
}

/** Throws a UsageError, which says what to do, where there is no room for a new one. */
export async function needRoom<S extends Subscription>(
  kind: Pick<Kind<S>, "noun" | "subscriptions">,
  wanted: Pick<S, "team" | "channel" | "maker">,
  asked: RoomRequest,
): Promise<void> {
  await needRoomAt(kind, wanted, asked);
  await needRoomFor(wanted, asked);
}

/** The same where a channel has too many already. */
export async function needRoomAt<S extends Subscription>(
  { noun, subscriptions }: Pick<Kind<S>, "noun" | "subscriptions">,
  wanted: Pick<S, "team" | "channel">,
  { needs }: Pick<RoomRequest, "needs">,
): Promise<void> {
  const there = await subscriptions(needs).at(wanted);
  if (there.length < channelMost) return;
  const { channel } = wanted;
  const has = `have ${channelMost} ${noun}s, which is the most. Remove one that you do not need`;
  throw new UsageError(
    isPerson(channel)
      ? `Your direct messages ${has} (\`/${noun}s list\`), or choose a channel.`
      : `<#${channel}> has ${channelMost} ${noun}s, which is the most. Remove one that nobody needs (\`/${noun}s list\`), or choose another channel.`,
  );
}

/** The same where whoever asks for it has too many already. */
export async function needRoomFor(
  { team, maker }: Pick<Subscription, "team" | "maker">,
  asked: RoomRequest,
): Promise<void> {
  const { ask, needs } = asked;
  const all = [...(await needs.digests.ofTeam(team)), ...(await needs.alerts.ofTeam(team))];
  if (all.filter((each) => each.maker === maker).length < personMost) return;
  const most = `${personMost} digests and alerts, which is the most`;
  throw new UsageError(
    maker === ask.user
      ? `You have asked for ${most}. Remove some that you no longer need: \`/digests list\` and \`/alerts list\` show them.`
      : `Whoever asked for it has ${most}. Add one of your own instead: \`/digests add\` or \`/alerts add\`.`,
  );
}
