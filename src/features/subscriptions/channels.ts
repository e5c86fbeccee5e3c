import { type Log, describe } from "../../log.ts";
import type { PostTarget } from "../../slack/delivery/post.ts";
import { type Reaction, SlackRefused } from "../../slack/delivery/refusal.ts";
import type { Message, Posted } from "../../slack/text/message.ts";
import type { Feature } from "../feature.ts";
import {
  type AnySubscription,
  type Destination,
  type Kind,
  type Stranded,
  type Subscription,
  type SubscriptionStores,
  bot,
  noted,
  resumed,
  stopped,
} from "./model.ts";
import type { Subscriptions } from "./store.ts";
import { lostView, placeLost, placeProblem } from "./view.ts";

/** Posts where nobody has just asked, once under its key; rejects with SlackRefused. */
export type PostMessage = (to: PostTarget & { team: string }, message: Message) => Promise<Posted>;

interface ChannelDependencies extends SubscriptionStores {
  post: PostMessage;
  isServed: (team: string) => boolean;
  log: Log;
  now: () => number;
}

/** What happens to the subscriptions of a channel when the channel is archived, deleted or renamed, or the bot leaves it. */
export function createChannelFeature(kinds: Kind<Subscription>[]): Feature<ChannelDependencies> {
  return {
    name: "channels",
    commands: [],
    async channelChanged(channel, change, needs) {
      if (typeof change === "object") return moveToNewId(channel, change.newId, needs);
      // That somebody has put the bot out of it is another matter than that it was archived.
      if (change === "joined" || change === "unarchived") {
        const over: Stranded[] = change === "joined" ? ["archived", "removed"] : ["archived"];
        return resumeChannel(await gather(needs, (each) => each.at(channel)), over, needs);
      }
      await pauseChannel(channel, { stranded: strandedBy[change], problem: placeLost[change] }, needs);
      await tellOwners(needs);
    },
    // Owners who could not be told at once are told at the next minute.
    jobs: [{ name: "owners", every: "* * * * *", run: (needs) => tellOwners(needs) }],
  };

  async function moveToNewId(channel: Destination, newId: string, needs: ChannelDependencies): Promise<void> {
    const own = await gather(needs, (each) => each.at(channel));
    const change = { by: bot, at: needs.now(), what: "moved with its channel, which has a new ID" };
    for (const { kind, subscription } of own) {
      await kind
        .subscriptions(needs)
        .update(subscription, (current) =>
          current.channel === channel.channel ? noted(withChannelId(current, channel.channel, newId), change) : current,
        );
    }
    if (own.length > 0) needs.log.info("channel.renamed", { channel: channel.channel, to: newId, moved: own.length });
  }

  async function gather(
    needs: SubscriptionStores,
    read: (subscriptions: Subscriptions<Subscription>) => Promise<Subscription[]>,
  ): Promise<AnySubscription[]> {
    const all = kinds.map(async (kind) =>
      (await read(kind.subscriptions(needs))).map((subscription) => ({ kind, subscription })),
    );
    return (await Promise.all(all)).flat();
  }

  /** Tells everybody of all that the bot has paused for them, in one message for each channel. */
  async function tellOwners(needs: ChannelDependencies): Promise<void> {
    const waiting = await gather(needs, (each) => each.stranded());
    const untold = waiting.filter(({ subscription: each }) => each.untold && needs.isServed(each.team));
    const notices = Map.groupBy(untold, ({ subscription }) => {
      const { team, channel, maker, stranded, untold: told } = subscription;
      return [team, channel, maker, stranded, typeof told === "object" && told.sentAt].join(" ");
    });
    for (const [first, ...others] of notices.values()) if (first) await tellOwner([first, ...others], needs);
  }
}

const strandedBy: Record<"archived" | "deleted" | "removed", Stranded> = {
  archived: "archived",
  deleted: "removed",
  removed: "removed",
};

/** An ID stands nowhere but where it is meant, also where messages stand. */
function withChannelId<S extends Subscription>(subscription: S, from: string, to: string): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored as JSON, so that a copy by way of JSON is the same
  return JSON.parse(JSON.stringify(subscription, (_, value: unknown) => (value === from ? to : value))) as S;
}

/** Resumes what the bot itself has paused because of what is over now; what somebody paused stays so. */
async function resumeChannel(all: AnySubscription[], after: Stranded[], needs: ChannelDependencies): Promise<void> {
  const isWaiting = ({ state, stranded }: Subscription) =>
    state === "paused" && stranded !== undefined && after.includes(stranded);
  const waiting = all.filter(({ subscription }) => isWaiting(subscription));
  const now = needs.now();
  const change = { by: bot, at: now, what: "resumed" };
  for (const { kind, subscription } of waiting) {
    await kind
      .subscriptions(needs)
      .update(subscription, (current) =>
        isWaiting(current) ? noted(resumed(kind.resumed(current), now), change) : current,
      );
  }
  const [first] = waiting;
  if (first) needs.log.info("channel.back", { channel: first.subscription.channel, resumed: waiting.length });
}

/** The message was not sent: nothing of what it was to tell of is paused any more, or another one tells of it. */
class NoticeUnwanted extends Error {
  override readonly name = "NoticeUnwanted";
}

/** Refusals that may pass, or after which the message may stand in Slack: the next attempt looks for it first. */
const retriedReactions: Reaction[] = ["wait", "later", "install", "look"];

/** Tells one owner of all that is paused in one channel; once, also after a crash in between. */
async function tellOwner(paused: [AnySubscription, ...AnySubscription[]], needs: ChannelDependencies): Promise<void> {
  const [{ subscription: first }] = paused;
  const { team, channel, maker, untold } = first;
  const sentSince = typeof untold === "object" ? untold.sentAt : undefined;
  const sentAt = sentSince ?? needs.now();
  const update = async (change: (current: Subscription) => Subscription) => {
    for (const { kind, subscription } of paused) await kind.subscriptions(needs).update(subscription, change);
  };
  const onSend = async () => {
    let isWanted = false;
    await update((current) => {
      const isOurs = typeof current.untold === "object" ? current.untold.sentAt === sentSince : current.untold;
      if (!isOurs) return current;
      isWanted = true;
      return { ...current, untold: { sentAt } };
    });
    if (!isWanted) throw new NoticeUnwanted("its owner is told already, or it is not paused any more");
  };
  try {
    // Whose direct messages are closed cannot be told there.
    if (maker !== channel) {
      const key = `paused ${team} ${channel} ${maker} ${sentAt}`;
      await needs.post({ team, channel: maker, key, sentSince, onSend }, lostView(paused));
    }
  } catch (error) {
    needs.log.warn("channel.untold", { team, channel, error: describe(error) });
    if (!(error instanceof SlackRefused) || retriedReactions.includes(error.reaction)) return;
  }
  await update((current) => (current.untold ? { ...current, untold: undefined } : current));
}

interface RefusedPost<S extends Subscription> {
  kind: Kind<S>;
  subscription: S;
  error: unknown;
}

/** Refusals that stay until somebody does something about them. */
const lastingReactions: Reaction[] = ["destination", "policy"];

/** Refusals after which a channel can come back by itself. */
const reversible: Record<string, Stranded> = {
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
 * Pauses what Slack refuses in its channel, whose owner is told within a minute; false where the channel is not to blame,
 * so that the post may be tried again. What is pending stays so and comes when it is resumed.
 */
export async function pauseRefused<S extends Subscription>(
  { kind, subscription, error }: RefusedPost<S>,
  needs: PauseDependencies,
): Promise<boolean> {
  if (!(error instanceof SlackRefused) || !lastingReactions.includes(error.reaction)) return false;
  const stranded = reversible[error.code];
  const reason = { stranded, problem: placeProblem(error) };
  await kind.subscriptions(needs).update(subscription, (current) => {
    // Somebody has taken it elsewhere meanwhile.
    if (current.channel !== subscription.channel) return current;
    return pausedFor(current, reason, needs.now());
  });
  const { team, number } = subscription;
  needs.log.info(`${kind.noun}.paused`, { team, number, error: describe(error) });
  // What else goes there is paused too, so that the owner hears of all of it at once.
  if (stranded) await pauseChannel(subscription, reason, needs);
  return true;
}

interface PauseReason {
  /** Missing where the channel does not come back by itself. */
  stranded?: Stranded | undefined;
  /** What is wrong, as mrkdwn. */
  problem: string;
}

/** Pauses all that goes to a channel which the bot cannot reach. */
async function pauseChannel(
  channel: Destination,
  reason: PauseReason,
  { digests, alerts, log, now }: PauseDependencies,
): Promise<void> {
  let paused = 0;
  for (const subscriptions of [digests, alerts] as Subscriptions<Subscription>[]) {
    for (const each of await subscriptions.at(channel)) {
      if (each.state !== "active") continue;
      await subscriptions.update(each, (current) => pausedFor(current, reason, now()));
      paused++;
    }
  }
  if (paused > 0) log.info("channel.lost", { channel: channel.channel, stranded: reason.stranded, paused });
}

/** Paused by the bot, with its owner yet to be told; what somebody paused themselves stays as it is. */
function pausedFor<S extends Subscription>(current: S, { stranded, problem }: PauseReason, now: number): S {
  if (current.state !== "active") return current;
  return { ...stopped(current, problem, now), ...(stranded && { stranded }), untold: true };
}
