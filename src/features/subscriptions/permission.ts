import { UsageError } from "../../apis/errors.ts";
import { StepRequired } from "../failure.ts";
import type { Ask } from "../feature.ts";
import type { Subscription } from "./model.ts";
import { uninvited } from "./view.ts";
import type { ChannelDirectory } from "../../slack/workspaces/channels.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { isPublic } from "../../slack/incoming/request.ts";

/**
 * An action on a subscription. Ending one takes fewer rights than any other change, and so does
 * muting: anybody in the channel may, even if only admins decide what is posted there.
 */
export type SubscriptionAction = "add" | "change" | "end" | "mute";

type ConcernedSubscription = Pick<Subscription, "channel" | "owner">;

/** The asker, and the surface on which others may read the answer. */
type PermissionAsker = Pick<Ask, "team" | "user" | "channel" | "surface" | "replacesPublic">;

export interface PermissionDependencies {
  people: Pick<People, "isAdmin">;
  slackChannels: Pick<ChannelDirectory, "isIn" | "stateOf">;
  subscribing: "members" | "admins";
}

interface PermissionRequest {
  ask: PermissionAsker;
  deps: PermissionDependencies;
  /** Says how to ask for a direct message instead. */
  toMe?: string;
}

/** The hint for typed commands. */
export const inLine = "end the line with `--in me`";

/** Throws a UsageError, which says why and who may, if the asker may not do it. */
export async function permit(deed: SubscriptionAction, concerned: ConcernedSubscription, asked: PermissionRequest) {
  const { ask, deps, toMe = inLine } = asked;
  const { channel, owner } = concerned;
  if (isPerson(channel)) {
    if (channel === ask.user) return;
    throw new UsageError("It goes to somebody’s direct messages, so only they can change it.");
  }
  const isOwn = owner === ask.user;
  // Owners can always end what they created, even after they left the channel.
  if (isOwn && deed === "end") return;
  if (deps.subscribing === "admins" && deed !== "mute") {
    if (await deps.people.isAdmin(ask.team, ask.user)) return;
    const more =
      deed === "add"
        ? `, or ${toMe} for a direct message to you.`
        : ". The person who created it can pause or remove it.";
    throw new UsageError(`In this workspace, only admins change what I post in channels. Ask one of them${more}`);
  }
  if (channel === ask.channel) return;
  const isIn = await deps.slackChannels.isIn(ask, channel);
  // If Slack doesn't say, owners may still change what is theirs.
  if (isIn || (isIn === undefined && isOwn && deed !== "add")) return;
  throw new UsageError(
    isIn === undefined
      ? `Slack isn’t telling me whether you’re in <#${channel}>. Type the command there.`
      : `Only members of <#${channel}> can change what I post there, and I can’t see you in it. Join it, then try again. If you’re in it and it’s private, type \`/invite @Bellwether\` there first.`,
  );
}

/**
 * True if everybody who reads the answer may see it. An asker sees their own and those of their channels; an answer that
 * a whole channel reads holds only what is posted in that channel. The right to change it doesn't count: admins see no
 * more than others.
 */
export async function maySee(
  concerned: ConcernedSubscription,
  ask: PermissionAsker,
  deps: Pick<PermissionDependencies, "slackChannels">,
): Promise<boolean> {
  if (isNear(concerned, ask)) return true;
  if (isPublic(ask) || isPerson(concerned.channel)) return false;
  return (await deps.slackChannels.isIn(ask, concerned.channel)) === true;
}

/** The subscriptions that everybody who reads the answer may see, by one request to Slack. */
export async function onlyVisible<S extends ConcernedSubscription>(
  all: S[],
  ask: PermissionAsker,
  { slackChannels }: { slackChannels: Pick<ChannelDirectory, "joined"> },
): Promise<S[]> {
  const isAsked = !isPublic(ask) && all.some((each) => !isNear(each, ask) && !isPerson(each.channel));
  const joined = isAsked ? await slackChannels.joined(ask) : undefined;
  return all.filter((each) => isNear(each, ask) || (!isPerson(each.channel) && joined?.has(each.channel)));
}

/** True if the asker may see it without a request to Slack; lists show these. */
export function isNear({ channel, owner }: ConcernedSubscription, ask: PermissionAsker): boolean {
  if (channel === ask.channel) return true;
  return !isPublic(ask) && (owner === ask.user || channel === ask.user);
}

/** True if a place is a person, who gets direct messages. */
export function isPerson(channel: string): boolean {
  return /^[UW]/.test(channel);
}

/**
 * Throws a UsageError, which says what to do, if nothing could be posted; `toMe` says how to ask for a direct message.
 * If Slack doesn't say, posting may be tried.
 */
export async function needReach(channel: string, { ask, deps, toMe = inLine }: PermissionRequest): Promise<void> {
  if (isPerson(channel)) return;
  const state = await deps.slackChannels.stateOf(ask.team, channel);
  if (state === "archived") throw new UsageError(`<#${channel}> is archived, so I can’t post there.`);
  if (state !== "closed") return;
  if (channel === ask.channel) throw new StepRequired(uninvited(channel, toMe));
  throw new UsageError(uninvited(channel, toMe));
}

/** Tips about a place where the bot can post, a line each. */
export async function placeNotes(
  channel: string,
  ask: Ask,
  deps: Pick<PermissionDependencies, "slackChannels">,
): Promise<string[]> {
  if (isPerson(channel) || (await deps.slackChannels.stateOf(ask.team, channel)) !== "open") return [];
  return ["Tip: `/invite @Bellwether` so I can verify every post arrives."];
}
