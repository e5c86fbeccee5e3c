import { countArg, flagArg, needText, textArg } from "../args.ts";
import { readTs } from "../clock.ts";
import type { AppManifest } from "../manifest.ts";
import type { Fields } from "../page/fields.ts";
import type { WorkspaceConversation, WorkspaceMessage } from "../protocol.ts";
import { needScope, readScopes } from "../scopes.ts";
import { APP } from "../seed.ts";
import { shownMessage } from "../shown.ts";
import { SlackError } from "../slack-error.ts";
import type { WorkspaceWorld } from "../world.ts";
import { findReadable } from "./channels.ts";
import type { SlackMethod } from "./method.ts";

/** Parts of the workspace that conversation methods read. */
export interface ConversationContext {
  world: WorkspaceWorld;
  manifest: AppManifest;
}

/** A conversation as conversations.info shows it. */
function shownConversation(conversation: WorkspaceConversation): Fields {
  const { id, kind, name, topic, members, isArchived, isShared = false } = conversation;
  const shared = {
    id,
    is_archived: isArchived,
    is_channel: kind === "channel",
    is_group: kind === "private",
    is_im: kind === "im",
    is_mpim: kind === "mpim",
    is_private: kind !== "channel",
    is_ext_shared: isShared,
    is_shared: isShared,
  };
  if (kind === "im") return { ...shared, user: members.find((one) => one !== APP.botUser) ?? "" };
  return {
    ...shared,
    name,
    is_member: members.includes(APP.botUser),
    topic: { value: topic, creator: "", last_set: 0 },
  };
}

interface Page<T> {
  items: T[];
  has_more: boolean;
  response_metadata: { next_cursor: string };
}

/** One page of a list; a cursor is opaque text that names the start of the next page. */
function pageOf<T>(items: T[], args: Fields, range: { usual: number; most: number }): Page<T> {
  const cursor = textArg(args, "cursor");
  const from = cursor === undefined ? 0 : Number(/^at:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1]);
  if (!Number.isInteger(from) || from > items.length) throw new SlackError("invalid_cursor");
  const to = from + countArg(args, "limit", range);
  const has_more = to < items.length;
  const next_cursor = has_more ? Buffer.from(`at:${to}`).toString("base64") : "";
  return { items: items.slice(from, to), has_more, response_metadata: { next_cursor } };
}

/** The messages between `oldest` and `latest`, with those two only if `inclusive` is set. */
function between(messages: WorkspaceMessage[], args: Fields): WorkspaceMessage[] {
  const micros = (name: string, usual: number) => {
    const text = textArg(args, name);
    const read = text === undefined ? usual : readTs(text);
    if (read === undefined) throw new SlackError(`invalid_ts_${name}`);
    return read;
  };
  const oldest = micros("oldest", 0);
  const latest = micros("latest", Number.POSITIVE_INFINITY);
  const inclusive = flagArg(args, "inclusive");
  return messages.filter(({ ts }) => {
    const at = readTs(ts) ?? 0;
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
}

function shownList(context: ConversationContext, messages: WorkspaceMessage[], args: Fields): Fields[] {
  const isWhole = flagArg(args, "include_all_metadata");
  return messages.map((message) => {
    const shown = shownMessage(message, context);
    if (!message.metadata || isWhole) return shown;
    return { ...shown, metadata: { event_type: message.metadata.event_type } };
  });
}

const history: SlackMethod<ConversationContext> = (context, args) => {
  const { id } = findReadable(context, args, "history");
  const shown = context.world
    .messages(id)
    .filter((one) => !one.onlyFor && (!one.thread_ts || one.thread_ts === one.ts || one.reply_broadcast))
    .toReversed();
  const { items, ...rest } = pageOf(between(shown, args), args, { usual: 100, most: 999 });
  return { messages: shownList(context, items, args), pin_count: 0, ...rest };
};

const replies: SlackMethod<ConversationContext> = (context, args) => {
  const { id } = findReadable(context, args, "history");
  const ts = needText(args, "ts", "thread_not_found");
  const asked = context.world.find(id, ts);
  if (!asked || asked.onlyFor) throw new SlackError("thread_not_found");
  const root = asked.thread_ts ?? ts;
  const head = context.world.find(id, root);
  const thread = context.world.messages(id).filter((one) => !one.onlyFor && one.ts !== root && one.thread_ts === root);
  const all = [...(head ? [head] : []), ...between(thread, args)];
  const { items, ...rest } = pageOf(all, args, { usual: 1000, most: 1000 });
  return { messages: shownList(context, items, args), ...rest };
};

const kindsByType: Record<string, WorkspaceConversation["kind"] | undefined> = {
  public_channel: "channel",
  private_channel: "private",
  im: "im",
  mpim: "mpim",
};

/** The conversations of the given kinds that a user is in, if the app can see them. */
const ofUser: SlackMethod<ConversationContext> = (context, args) => {
  const types = (textArg(args, "types") ?? "public_channel").split(",");
  const kinds = types.flatMap((type) => kindsByType[type.trim()] ?? []);
  for (const kind of kinds) needScope(context.manifest, readScopes.read[kind]);
  const user = textArg(args, "user") ?? APP.botUser;
  const found = context.world
    .conversations()
    .filter((one) => kinds.includes(one.kind))
    .filter((one) => one.kind === "channel" || one.members.includes(APP.botUser))
    .filter((one) => one.members.includes(user));
  const { items, response_metadata } = pageOf(found, args, { usual: 100, most: 1000 });
  const channels = items.map((one) => ({ ...shownConversation(one), num_members: one.members.length }));
  return { channels, response_metadata };
};

const info: SlackMethod<ConversationContext> = (context, args) => ({
  channel: shownConversation(findReadable(context, args, "read")),
});

const members: SlackMethod<ConversationContext> = (context, args) => {
  const conversation = findReadable(context, args, "read");
  const { items, response_metadata } = pageOf(conversation.members, args, { usual: 100, most: 1000 });
  return { members: items, response_metadata };
};

/** Opens the direct conversation of the app with one person. */
const open: SlackMethod<ConversationContext> = (context, args) => {
  const user = context.world.user(needText(args, "users", "users_list_not_supplied"));
  if (!user) throw new SlackError("user_not_found");
  if (user.isBot) throw new SlackError("cannot_dm_bot");
  return { channel: { id: context.world.direct(user.id).id } };
};

/** The conversation methods. */
export const conversationMethods: Record<string, SlackMethod<ConversationContext>> = {
  "conversations.history": history,
  "conversations.replies": replies,
  "conversations.info": info,
  "conversations.members": members,
  "conversations.open": open,
  "users.conversations": ofUser,
};
