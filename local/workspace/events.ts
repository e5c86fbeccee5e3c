import type { Ids, WorkspaceClock } from "./clock.ts";
import type { AppDelivery } from "./delivery.ts";
import type { EventFeed } from "./feed.ts";
import type { AppManifest } from "./manifest.ts";
import type { Fields } from "./page/fields.ts";
import { type Ping, notePings } from "./pings.ts";
import type { WorkspaceConversation, WorkspaceEvent, WorkspaceMessage } from "./protocol.ts";
import { eventScopes } from "./scopes.ts";
import { APP, PARTNER, TEAM, homeOf } from "./seed.ts";
import { channelTypes, shownMessage } from "./shown.ts";
import type { WorkspaceWorld, WorldChange } from "./world.ts";

/** Parts of the workspace that events are made from and sent with. */
interface EventContext {
  clock: WorkspaceClock;
  ids: Ids;
  manifest: AppManifest;
  world: WorkspaceWorld;
  feed: EventFeed;
  pings: Ping[];
  delivery: AppDelivery;
  /** The verification token that old payloads still carry. */
  token: string;
}

/** Sends events to the app. */
export interface EventSender {
  /** Sends an event that no change of the world causes. */
  sendEvent: (event: Fields) => Promise<void>;
  /** Resolves when the app has acknowledged, or missed, all events that are under way. */
  settled: () => Promise<void>;
}

/** An event before it is wrapped: the name under which the app subscribes to it, and its body. */
interface SlackEvent {
  subscription: string;
  event: Fields;
}

/** Reports every change of the world to the page and, as Slack's events, to the app. */
export function createEventSender(context: EventContext): EventSender {
  const { manifest, world, feed, pings, delivery } = context;
  const underWay = new Set<Promise<void>>();

  function send(one: SlackEvent): Promise<void> {
    if (!isSubscribed(manifest, one)) return Promise.resolve();
    const sent = delivery.event(wrapEvent(context, one.event)).finally(() => underWay.delete(sent));
    underWay.add(sent);
    return sent;
  }

  world.onChange((change) => {
    if ((change.kind === "posted" || change.kind === "edited") && change.message.bot_id === APP.bot) {
      notePings(pings, change.message, change.kind === "edited" ? change.previous : undefined);
    }
    feed.publish(pageEvent(change), readerOf(change));
    for (const one of eventsOf(change, context)) void send(one);
  });

  return {
    sendEvent: (event) => send({ subscription: String(event["type"]), event }),
    async settled() {
      await Promise.all(underWay);
    },
  };
}

function pageEvent(change: WorldChange): WorkspaceEvent {
  if (change.kind === "posted") return { type: "message", message: change.message };
  if ("message" in change) return { type: "message_changed", message: change.message };
  if (change.kind === "deleted") {
    return { type: "message_deleted", channel: change.previous.channel, ts: change.previous.ts };
  }
  if (change.kind === "moved") return { type: "moved", from: change.from, conversation: change.conversation };
  return { type: "conversation", conversation: change.conversation };
}

/** The only user who may see a change, if it is private. */
function readerOf(change: WorldChange): string | undefined {
  if ("message" in change) return change.message.onlyFor;
  return change.kind === "deleted" ? change.previous.onlyFor : undefined;
}

const messageSubscriptions: Record<WorkspaceConversation["kind"], string> = {
  channel: "message.channels",
  private: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
};

/** Slack's events for a change to a public and to a private channel. */
const archiveEvents = {
  archived: { channel: "channel_archive", private: "group_archive" },
  unarchived: { channel: "channel_unarchive", private: "group_unarchive" },
};

/** The Slack events of one change; none if the app is not in the conversation. */
function eventsOf(change: WorldChange, context: EventContext): SlackEvent[] {
  const about = "message" in change ? change.message : change.kind === "deleted" ? change.previous : undefined;
  const conversation =
    "conversation" in change ? change.conversation : context.world.conversation(about?.channel ?? "");
  const isOwn = "user" in change && change.kind === "left" && change.user === APP.botUser;
  if (!conversation || about?.onlyFor !== undefined) return [];
  if (!isOwn && !conversation.members.includes(APP.botUser)) return [];
  const { id: channel, kind } = conversation;
  const named = (type: string, fields: Fields) => {
    return [{ subscription: type, event: { type, ...fields, event_ts: context.ids.ts() } }];
  };
  switch (change.kind) {
    case "posted":
      return messageEvents(change.message, conversation, context);
    case "edited":
    case "deleted":
      return [changeEvent(change, conversation, context)];
    case "joined":
    case "left": {
      if (isOwn) return named(kind === "channel" ? "channel_left" : "group_left", { channel });
      const type = change.kind === "joined" ? "member_joined_channel" : "member_left_channel";
      const channel_type = kind === "channel" ? "C" : "G";
      return named(type, { user: change.user, channel, channel_type, team: homeOf(change.user) });
    }
    case "archived":
    case "unarchived":
      if (kind === "im" || kind === "mpim") return [];
      return named(archiveEvents[change.kind][kind], { channel, user: change.user });
    case "shared":
      return named("channel_shared", { connected_team_id: PARTNER.id, channel });
    case "moved":
      return named("channel_id_changed", { old_channel_id: change.from, new_channel_id: channel });
    default:
      return [];
  }
}

function messageEvents(
  message: WorkspaceMessage,
  { kind }: WorkspaceConversation,
  context: EventContext,
): SlackEvent[] {
  const { channel, ts, text, bot_id } = message;
  const base = { ...shownMessage(message, context), channel, event_ts: ts };
  const plain = { subscription: messageSubscriptions[kind], event: { ...base, channel_type: channelTypes[kind] } };
  const isMention = text.includes(`<@${APP.botUser}>`) && bot_id === undefined;
  // A mention in a direct message, or a group one, has no event of its own.
  if (!isMention || kind === "im" || kind === "mpim") return [plain];
  return [plain, { subscription: "app_mention", event: { ...base, type: "app_mention" } }];
}

function changeEvent(
  change: WorldChange & { kind: "edited" | "deleted" },
  { kind }: WorkspaceConversation,
  context: EventContext,
): SlackEvent {
  const { previous } = change;
  const ts = context.ids.ts();
  const shared = { type: "message", hidden: true, channel: previous.channel, ts, event_ts: ts };
  const previous_message = shownMessage(previous, context);
  const body =
    change.kind === "edited"
      ? { subtype: "message_changed", message: shownMessage(change.message, context), previous_message }
      : { subtype: "message_deleted", deleted_ts: previous.ts, previous_message };
  return {
    subscription: messageSubscriptions[kind],
    event: { ...shared, ...body, channel_type: channelTypes[kind] },
  };
}

/** Whether the manifest subscribes to an event and has the scope for it. */
function isSubscribed(manifest: AppManifest, { subscription }: SlackEvent): boolean {
  const scope = eventScopes[subscription];
  return manifest.events.has(subscription) && (scope === undefined || manifest.scopes.has(scope));
}

/** Wraps an event as the Events API sends it. */
function wrapEvent({ ids, clock, world, token }: EventContext, event: Fields): Fields {
  const who = { enterprise_id: null, team_id: TEAM.id, user_id: APP.botUser };
  return {
    token,
    team_id: TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP.id,
    event,
    type: "event_callback",
    event_id: ids.next("Ev"),
    event_time: Math.floor(clock.now() / 1000),
    authorizations: [{ ...who, is_bot: true, is_enterprise_install: false }],
    is_ext_shared_channel: world.conversation(String(event["channel"]))?.isShared ?? false,
    event_context: ids.next("4-"),
  };
}
