import { z } from "zod";

import { type Log, describe } from "../../log.ts";
import {
  type Drawing,
  type NothingToSay,
  type Outbox,
  type PostKind,
  inOwnRecord,
  newPost,
  postSchema,
} from "../../slack/delivery/outbox.ts";
import { type Reaction, SlackRefused } from "../../slack/delivery/refusal.ts";
import type { Collection } from "../../store/collection.ts";
import type { Feature } from "../feature.ts";
import {
  type AnySubscription,
  type Destination,
  type Kind,
  type UnreachableChannel,
  type Subscription,
  type SubscriptionStores,
  bot,
  withChange,
  resumeSubscription,
  pauseByBot,
} from "./model.ts";
import type { Subscriptions } from "./store.ts";
import { pausedNotice, placeLost, placeProblem } from "./view.ts";

/** A direct message to the owner of subscriptions that the bot paused in one channel. */
export const ownerNoticeSchema = z.object({
  team: z.string(),
  owner: z.string(),
  paused: z.array(z.object({ noun: z.string(), number: z.number() })),
  posts: z.array(postSchema(z.null())),
});
export type OwnerNotice = z.infer<typeof ownerNoticeSchema>;

/** Longer than a message is tried for. */
export const ownerNoticeLifeMs = 2 * 24 * 60 * 60_000;

interface ChannelDependencies extends SubscriptionStores {
  ownerNotices: Collection<OwnerNotice>;
  outbox: Pick<Outbox, "deliver">;
  isServed: (team: string) => boolean;
  log: Log;
  now: () => number;
}

/** Pauses, resumes or moves the subscriptions of a channel that is archived, deleted or given a new ID, or that the bot leaves or joins. */
export function createChannelFeature<Stores extends SubscriptionStores>(
  kinds: Kind<Subscription>[],
): Feature<Omit<ChannelDependencies, keyof SubscriptionStores> & Stores> {
  return {
    name: "channels",
    commands: [],
    async channelChanged(channel, change, deps) {
      if (typeof change === "object") return moveToNewId(channel, change.newId, deps);
      // After it was removed, the bot waits until it is invited again, even if the channel is unarchived meanwhile.
      if (change === "joined" || change === "unarchived") {
        const over: UnreachableChannel[] = change === "joined" ? ["archived", "removed"] : ["archived"];
        return resumeChannel(await gather(deps, (each) => each.at(channel)), over, deps);
      }
      await pauseChannel(channel, { unreachable: unreachableAfter[change], problem: placeLost[change] }, deps);
      await tellOwners(deps);
    },
    // Retries notices that couldn't be sent at once.
    jobs: [{ name: "owners", every: "* * * * *", run: (deps) => tellOwners(deps) }],
  };

  async function moveToNewId(channel: Destination, newId: string, deps: ChannelDependencies): Promise<void> {
    const own = await gather(deps, (each) => each.at(channel));
    const change = { by: bot, at: deps.now(), type: "moved" as const };
    await updateAll(own, deps, (current) =>
      current.channel === channel.channel
        ? withChange(withChannelId(current, channel.channel, newId), change)
        : current,
    );
    if (own.length > 0) deps.log.info("channel.renamed", { channel: channel.channel, to: newId, moved: own.length });
  }

  async function gather(
    deps: SubscriptionStores,
    read: (subscriptions: Subscriptions<Subscription>) => Promise<Subscription[]>,
  ): Promise<AnySubscription[]> {
    const all = kinds.map(async (kind) =>
      (await read(kind.subscriptions(deps))).map((subscription) => ({ kind, subscription })),
    );
    return (await Promise.all(all)).flat();
  }

  /** Notifies owners of everything that the bot has paused, in one message for each channel. */
  async function tellOwners(deps: ChannelDependencies): Promise<void> {
    const { ownerNotices, outbox, isServed } = deps;
    const waiting = await gather(deps, (each) => each.unreachable());
    const due = waiting.filter(({ subscription: each }) => each.ownerNotice && isServed(each.team));
    const notices = Map.groupBy(due, ({ subscription: { team, channel, owner, unreachable } }) =>
      [team, channel, owner, unreachable].join(" "),
    );
    for (const [first, ...others] of notices.values()) if (first) await decideNotice([first, ...others], deps);
    for await (const [key, notice] of ownerNotices.entries()) {
      if (isServed(notice.team)) await outbox.deliver(noticesUnder(key, deps), notice);
    }
  }

  /** Writes down one notice on all that is paused in one channel; written down again after a crash, it's the same one. */
  async function decideNotice(
    paused: [AnySubscription, ...AnySubscription[]],
    deps: ChannelDependencies,
  ): Promise<void> {
    const { ownerNotices, now } = deps;
    const [{ subscription: first }] = paused;
    const { team, channel, owner } = first;
    const latest = Math.max(...paused.map(({ subscription: { changed } }) => changed[0]?.at ?? 0));
    const key = `paused ${team} ${channel} ${owner} ${latest}`;
    if (owner !== channel && !(await ownerNotices.get(key))) {
      const named = paused.map(({ kind: { noun }, subscription: { number } }) => ({ noun, number }));
      const post = newPost({ key, since: now(), content: null });
      await ownerNotices.set(key, { team, owner, paused: named, posts: [post] });
    }
    await updateAll(paused, deps, (current) => ({ ...current, ownerNotice: undefined }));
  }

  /** The notice under a key, which is forgotten once it stands, or never will. */
  function noticesUnder(key: string, deps: ChannelDependencies): PostKind<OwnerNotice, null> {
    const { ownerNotices } = deps;
    return {
      name: "owner-notice",
      label: ({ team, owner }) => ({ team, owner }),
      ...inOwnRecord(ownerNotices, key),
      place: ({ owner }) => ({ channel: owner }),
      async draw({ team, paused }): Promise<Drawing<null> | NothingToSay> {
        const all = await gather(deps, (each) => each.ofTeam(team));
        const isNamed = ({ kind: { noun }, subscription: { number } }: AnySubscription) =>
          paused.some((each) => each.noun === noun && each.number === number);
        const [first, ...others] = all.filter((each) => isNamed(each) && each.subscription.state === "paused");
        return first ? { message: pausedNotice([first, ...others]) } : {};
      },
      // An owner whose direct messages are closed can't be notified.
      onRefused: async (_notice, _post, { reaction }) => (lastingReactions.includes(reaction) ? "dropped" : "retried"),
    };
  }
}

async function updateAll(
  all: AnySubscription[],
  stores: SubscriptionStores,
  change: (current: Subscription, kind: Kind<Subscription>) => Subscription,
): Promise<void> {
  for (const { kind, subscription } of all) {
    await kind.subscriptions(stores).update(subscription, (current) => change(current, kind));
  }
}

const unreachableAfter: Record<"archived" | "deleted" | "removed", UnreachableChannel> = {
  archived: "archived",
  deleted: "removed",
  removed: "removed",
};

/** A copy with the new ID everywhere, also in the references to posted messages. */
function withChannelId<S extends Subscription>(subscription: S, from: string, to: string): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored as JSON, so that a copy by way of JSON is the same
  return JSON.parse(JSON.stringify(subscription, (_, value: unknown) => (value === from ? to : value))) as S;
}

/** Resumes what the bot paused for a reason that is over now; what somebody paused stays paused. */
async function resumeChannel(
  all: AnySubscription[],
  after: UnreachableChannel[],
  deps: ChannelDependencies,
): Promise<void> {
  const isWaiting = ({ state, unreachable }: Subscription) =>
    state === "paused" && unreachable !== undefined && after.includes(unreachable);
  const waiting = all.filter(({ subscription }) => isWaiting(subscription));
  const now = deps.now();
  const change = { by: bot, at: now, type: "resumed" as const };
  await updateAll(waiting, deps, (current, kind) =>
    isWaiting(current) ? withChange(resumeSubscription(kind.resume(current), now), change) : current,
  );
  const [first] = waiting;
  if (first) deps.log.info("channel.back", { channel: first.subscription.channel, resumed: waiting.length });
}

interface RefusedPost<S extends Subscription> {
  kind: Kind<S>;
  subscription: S;
  error: unknown;
}

/** Refusals that stay until somebody does something about them. */
const lastingReactions: Reaction[] = ["destination", "policy"];

/** Refusals after which a channel can come back by itself. */
const reversible: Record<string, UnreachableChannel> = {
  is_archived: "archived",
  channel_not_found: "removed",
  not_in_channel: "removed",
  user_disabled: "removed",
  user_not_found: "removed",
};

export interface PauseDependencies extends SubscriptionStores {
  log: Pick<Log, "info">;
  now: () => number;
}

/**
 * Pauses a subscription whose post Slack refuses because of its channel, and notifies its owner within a minute. False if
 * the channel isn't to blame, so that the post is tried again. A pending post is sent when the subscription resumes.
 */
export async function pauseRefused<S extends Subscription>(
  { kind, subscription, error }: RefusedPost<S>,
  deps: PauseDependencies,
): Promise<boolean> {
  if (!(error instanceof SlackRefused) || !lastingReactions.includes(error.reaction)) return false;
  const unreachable = reversible[error.code];
  const reason = { unreachable, problem: placeProblem(error) };
  await kind.subscriptions(deps).update(subscription, (current) => {
    // Somebody has taken it elsewhere meanwhile.
    if (current.channel !== subscription.channel) return current;
    return pausedFor(current, reason, deps.now());
  });
  const { team, number } = subscription;
  deps.log.info(`${kind.noun}.paused`, { team, number, error: describe(error) });
  // Everything else in the channel is paused too, so that each owner gets one message.
  if (unreachable) await pauseChannel(subscription, reason, deps);
  return true;
}

interface PauseReason {
  /** Missing if the channel can't come back by itself. */
  unreachable?: UnreachableChannel | undefined;
  /** The problem in words, as mrkdwn. */
  problem: string;
}

/** Pauses all that goes to a channel which the bot cannot reach. */
async function pauseChannel(
  channel: Destination,
  reason: PauseReason,
  { digests, alerts, log, now }: PauseDependencies,
): Promise<void> {
  let paused = 0;
  for (const subscriptions of [digests, alerts]) {
    for (const each of await subscriptions.at(channel)) {
      if (each.state !== "active") continue;
      await subscriptions.update(each, (current) => pausedFor(current, reason, now()));
      paused++;
    }
  }
  if (paused > 0) log.info("channel.lost", { channel: channel.channel, unreachable: reason.unreachable, paused });
}

/** Paused by the bot, with a notice to its owner due; unchanged if somebody paused it themselves. */
function pausedFor<S extends Subscription>(current: S, { unreachable, problem }: PauseReason, now: number): S {
  if (current.state !== "active") return current;
  return { ...pauseByBot(current, problem, now), ...(unreachable && { unreachable }), ownerNotice: "due" };
}
