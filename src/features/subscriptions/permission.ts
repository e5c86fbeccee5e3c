import { UsageError } from "../../apis/errors.ts";
import { StepRequired } from "../failure.ts";
import type { Ask } from "../feature.ts";
import type { Subscription } from "./model.ts";
import { uninvited } from "./view.ts";
import type { ChannelDirectory } from "../../slack/workspaces/channels.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { isPublic } from "../../slack/incoming/request.ts";

/**
 * What somebody wants to do with what comes to a place. Ending it takes less than any other change, and so does being
 * spared a part of it for a while: that is for whoever reads it, also where admins alone decide what comes.
 */
export type SubscriptionAction = "add" | "change" | "end" | "mute";

/** Where something goes, and who asked for it. */
type ConcernedSubscription = Pick<Subscription, "channel" | "owner">;

/** Who asks, and who reads the answer. */
type PermissionAsker = Pick<Ask, "team" | "user" | "channel" | "surface" | "replacesPublic">;

/** What says who somebody is, and in which channels they and the bot are. */
export interface PermissionDependencies {
  people: Pick<People, "isAdmin">;
  slackChannels: Pick<ChannelDirectory, "isIn" | "stateOf">;
  subscribing: "members" | "admins";
}

interface PermissionRequest {
  ask: PermissionAsker;
  deps: PermissionDependencies;
  /** How one asks for a direct message instead. */
  toMe?: string;
}

/** How that is typed. */
export const inLine = "end the line with `--in me`";

/** Throws a UsageError, which says why and who may, where whoever asks may not do it. */
export async function permit(deed: SubscriptionAction, concerned: ConcernedSubscription, asked: PermissionRequest) {
  const { ask, deps, toMe = inLine } = asked;
  const { channel, owner } = concerned;
  if (isPerson(channel)) {
    if (channel === ask.user) return;
    throw new UsageError("It goes to somebody’s direct messages, so only they can change it.");
  }
  const isOwn = owner === ask.user;
  // Nobody should have to ask others to be rid of what they began, also after they left the channel.
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
  // Where Slack does not say, what somebody asked for is still theirs.
  if (isIn || (isIn === undefined && isOwn && deed !== "add")) return;
  throw new UsageError(
    isIn === undefined
      ? `Slack isn’t telling me whether you’re in <#${channel}>. Type the command there.`
      : `Only members of <#${channel}> can change what I post there, and I can’t see you in it. Join it, then try again. If you’re in it and it’s private, type \`/invite @Bellwether\` there first.`,
  );
}

/**
 * Whether everybody who reads the answer may see it. Whoever asks sees what is theirs and what comes where they are; what
 * all of a channel read holds only what comes to that channel. That somebody may change it does not count: admins see no
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

/** Those of many that everybody who reads the answer may see, by one question to Slack for all of them. */
export async function onlyVisible<S extends ConcernedSubscription>(
  all: S[],
  ask: PermissionAsker,
  { slackChannels }: { slackChannels: Pick<ChannelDirectory, "joined"> },
): Promise<S[]> {
  const isAsked = !isPublic(ask) && all.some((each) => !isNear(each, ask) && !isPerson(each.channel));
  const joined = isAsked ? await slackChannels.joined(ask) : undefined;
  return all.filter((each) => isNear(each, ask) || (!isPerson(each.channel) && joined?.has(each.channel)));
}

/** The part of that which takes no question to Slack, and which lists show. */
export function isNear({ channel, owner }: ConcernedSubscription, ask: PermissionAsker): boolean {
  if (channel === ask.channel) return true;
  return !isPublic(ask) && (owner === ask.user || channel === ask.user);
}

/** What comes as a direct message has a person for its place. */
export function isPerson(channel: string): boolean {
  return /^[UW]/.test(channel);
}

/**
 * Throws a UsageError where nothing could be posted, which says what to do; `toMe` is how one asks for a direct message.
 * Where Slack does not say, it may be tried.
 */
export async function needReach(channel: string, { ask, deps, toMe = inLine }: PermissionRequest): Promise<void> {
  if (isPerson(channel)) return;
  const state = await deps.slackChannels.stateOf(ask.team, channel);
  if (state === "archived") throw new UsageError(`<#${channel}> is archived, so I can’t post there.`);
  if (state !== "closed") return;
  if (channel === ask.channel) throw new StepRequired(uninvited(channel, toMe));
  throw new UsageError(uninvited(channel, toMe));
}

/** What to know of a place, a line each, where something comes all the same. */
export async function placeNotes(
  channel: string,
  ask: Ask,
  deps: Pick<PermissionDependencies, "slackChannels">,
): Promise<string[]> {
  if (isPerson(channel) || (await deps.slackChannels.stateOf(ask.team, channel)) !== "open") return [];
  return ["Tip: `/invite @Bellwether` so I can verify every post arrives."];
}
