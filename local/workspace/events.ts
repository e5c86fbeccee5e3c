import { EVENT_SCOPES } from "./scopes.ts";
import type { Clock } from "./clock.ts";
import type { Fields } from "./fields.ts";
import { CHANNEL_TYPE, shownMessage } from "./identity.ts";
import type { Ids } from "./ids.ts";
import type { Manifest } from "./manifest.ts";
import type { Conversation, WorkspaceMessage } from "./protocol.ts";
import { APP, PARTNER, TEAM, homeOf } from "./seed.ts";
import type { Change, World } from "./world.ts";

/** An event before it is wrapped: what the app subscribes to it as, and its body. */
export interface SlackEvent {
  subscription: string;
  event: Fields;
}

const MESSAGE_SUBSCRIPTION: Record<Conversation["kind"], string> = {
  channel: "message.channels",
  private: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
};

function messageEvents(message: WorkspaceMessage, conversation: Conversation, app: Manifest): SlackEvent[] {
  const base = { ...shownMessage(message, app), channel: message.channel, event_ts: message.ts };
  const plain = { ...base, channel_type: CHANNEL_TYPE[conversation.kind] };
  const events: SlackEvent[] = [{ subscription: MESSAGE_SUBSCRIPTION[conversation.kind], event: plain }];
  const isMention = message.text.includes(`<@${APP.botUser}>`) && message.bot_id === undefined;
  // In direct messages, also those of a group, a mention has no event of its own.
  if (isMention && (conversation.kind === "channel" || conversation.kind === "private")) {
    events.push({ subscription: "app_mention", event: { ...base, type: "app_mention" } });
  }
  return events;
}

function changeEvent(change: Change & { kind: "edited" | "deleted" }, inside: Conversation, to: Wrapping): SlackEvent {
  const { previous } = change;
  const ts = to.ids.ts();
  const shared = { type: "message", hidden: true, channel: previous.channel, ts, event_ts: ts };
  const previous_message = shownMessage(previous, to.manifest);
  const body =
    change.kind === "edited"
      ? { subtype: "message_changed", message: shownMessage(change.message, to.manifest), previous_message }
      : { subtype: "message_deleted", deleted_ts: previous.ts, previous_message };
  const channel_type = CHANNEL_TYPE[inside.kind];
  return { subscription: MESSAGE_SUBSCRIPTION[inside.kind], event: { ...shared, ...body, channel_type } };
}

function memberEvents(change: Change & { kind: "joined" | "left" }, event_ts: string): SlackEvent[] {
  const { conversation, user } = change;
  // Who is no longer there hears of it in a way of its own.
  if (change.kind === "left" && user === APP.botUser) {
    const gone = conversation.kind === "channel" ? "channel_left" : "group_left";
    return [{ subscription: gone, event: { type: gone, channel: conversation.id, event_ts } }];
  }
  const type = change.kind === "joined" ? "member_joined_channel" : "member_left_channel";
  const channel_type = conversation.kind === "channel" ? "C" : "G";
  const event = { type, user, channel: conversation.id, channel_type, team: homeOf(user), event_ts };
  return [{ subscription: type, event }];
}

/** What Slack calls each change in a public and in a private channel. */
const ARCHIVE = {
  archived: { channel: "channel_archive", private: "group_archive" },
  unarchived: { channel: "channel_unarchive", private: "group_unarchive" },
};

function shareEvents(change: Change & { kind: "moved" | "shared" }, event_ts: string): SlackEvent[] {
  const { id } = change.conversation;
  if (change.kind === "shared") {
    const type = "channel_shared";
    return [{ subscription: type, event: { type, connected_team_id: PARTNER.id, channel: id, event_ts } }];
  }
  const type = "channel_id_changed";
  return [{ subscription: type, event: { type, old_channel_id: change.from, new_channel_id: id, event_ts } }];
}

interface Wrapping {
  ids: Ids;
  manifest: Manifest;
  world: World;
}

/** The Slack events of one change; none where the app is not in the conversation. */
export function eventsOf(change: Change, to: Wrapping): SlackEvent[] {
  if (change.kind === "touched" || change.kind === "opened") return [];
  if (change.kind === "moved" || change.kind === "shared") {
    return change.conversation.members.includes(APP.botUser) ? shareEvents(change, to.ids.ts()) : [];
  }
  if (change.kind === "joined" || change.kind === "left") {
    const isOwn = change.user === APP.botUser;
    return isOwn || change.conversation.members.includes(APP.botUser) ? memberEvents(change, to.ids.ts()) : [];
  }
  if (change.kind === "archived" || change.kind === "unarchived") {
    const { conversation, user } = change;
    const { kind, members } = conversation;
    if (kind === "im" || kind === "mpim" || !members.includes(APP.botUser)) return [];
    const type = ARCHIVE[change.kind][kind];
    return [{ subscription: type, event: { type, channel: conversation.id, user, event_ts: to.ids.ts() } }];
  }
  const about = change.kind === "deleted" ? change.previous : change.message;
  const conversation = to.world.conversation(about.channel);
  if (about.onlyFor !== undefined || !conversation?.members.includes(APP.botUser)) return [];
  return change.kind === "posted"
    ? messageEvents(change.message, conversation, to.manifest)
    : [changeEvent(change, conversation, to)];
}

/** Wraps an event as the Events API sends it; undefined where the manifest does not subscribe to it or lacks its scope. */
export function wrapped(one: SlackEvent, to: Wrapping & { clock: Clock; token: string }): Fields | undefined {
  const { manifest } = to;
  const scope = EVENT_SCOPES[one.subscription];
  if (!manifest.events.has(one.subscription) || (scope && !manifest.scopes.has(scope))) return undefined;
  const authorization = {
    enterprise_id: null,
    team_id: TEAM.id,
    user_id: APP.botUser,
    is_bot: true,
    is_enterprise_install: false,
  };
  return {
    token: to.token,
    team_id: TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP.id,
    event: one.event,
    type: "event_callback",
    event_id: to.ids.next("Ev"),
    event_time: Math.floor(to.clock.now() / 1000),
    authorizations: [authorization],
    is_ext_shared_channel: to.world.conversation(String(one.event["channel"]))?.isShared ?? false,
    event_context: to.ids.next("4-"),
  };
}
