import { countArg, flagArg, needText, textArg } from "../args.ts";
import type { Desk, Method } from "../desk.ts";
import type { Fields } from "../fields.ts";
import { readTs } from "../ids.ts";
import { shownMessage } from "../identity.ts";
import type { Conversation, WorkspaceMessage } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { READ_SCOPES } from "../scopes.ts";
import { APP, TEAM } from "../seed.ts";
import { findPlace, findReadable, missingScope } from "./place.ts";

/** A conversation as conversations.info shows it. */
function shownConversation(place: Conversation): Fields {
  const isIm = place.kind === "im";
  const shared = {
    id: place.id,
    created: 1_700_000_000,
    is_archived: place.isArchived,
    is_channel: place.kind === "channel",
    is_group: place.kind === "private",
    is_im: isIm,
    is_mpim: place.kind === "mpim",
    is_private: place.kind !== "channel",
    is_org_shared: false,
    is_ext_shared: place.isShared ?? false,
    is_shared: place.isShared ?? false,
    context_team_id: TEAM.id,
  };
  if (isIm) return { ...shared, user: place.members.find((one) => one !== APP.botUser) ?? "" };
  return {
    ...shared,
    name: place.name,
    name_normalized: place.name,
    is_member: place.members.includes(APP.botUser),
    is_general: false,
    creator: place.members[0] ?? "",
    topic: { value: place.topic, creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
  };
}

interface Page<T> {
  items: T[];
  has_more: boolean;
  response_metadata: { next_cursor: string };
}

/** One page of a list; cursors are Slack's in kind only: opaque text that names where to go on. */
export function pageOf<T>(items: T[], args: Fields, range: { usual: number; most: number }): Page<T> {
  const cursor = textArg(args, "cursor");
  const from = cursor === undefined ? 0 : Number(/^at:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1]);
  if (!Number.isInteger(from) || from > items.length) throw new Refusal("invalid_cursor");
  const to = from + countArg(args, "limit", range);
  const has_more = to < items.length;
  const next_cursor = has_more ? Buffer.from(`at:${to}`).toString("base64") : "";
  return { items: items.slice(from, to), has_more, response_metadata: { next_cursor } };
}

function tsArg(args: Fields, name: string, fallback: number): number {
  const text = textArg(args, name);
  if (text === undefined) return fallback;
  const micros = readTs(text);
  if (micros === undefined) throw new Refusal(`invalid_ts_${name}`);
  return micros;
}

/** Keeps what lies between `oldest` and `latest`; the ends themselves only where `inclusive` is set. */
function between(messages: WorkspaceMessage[], args: Fields): WorkspaceMessage[] {
  const oldest = tsArg(args, "oldest", 0);
  const latest = tsArg(args, "latest", Number.POSITIVE_INFINITY);
  const inclusive = flagArg(args, "inclusive");
  return messages.filter(({ ts }) => {
    const at = readTs(ts) ?? 0;
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
}

function shownList(desk: Desk, messages: WorkspaceMessage[], args: Fields): Fields[] {
  const isWhole = flagArg(args, "include_all_metadata");
  return messages.map((message) => {
    const shown = shownMessage(message, desk.manifest);
    if (!message.metadata || isWhole) return shown;
    return { ...shown, metadata: { event_type: message.metadata.event_type } };
  });
}

const history: Method = (desk, args) => {
  const place = findReadable(desk, args, "history");
  const shown = desk.world
    .messages(place.id)
    .filter((one) => !one.onlyFor && (!one.thread_ts || one.thread_ts === one.ts || one.reply_broadcast))
    .toReversed();
  const page = pageOf(between(shown, args), args, { usual: 100, most: 999 });
  const { items, ...rest } = page;
  return { messages: shownList(desk, items, args), pin_count: 0, ...rest };
};

const replies: Method = (desk, args) => {
  const place = findReadable(desk, args, "history");
  const ts = needText(args, "ts", "thread_not_found");
  const head = desk.world.find(place.id, ts);
  if (!head || head.onlyFor) throw new Refusal("thread_not_found");
  const root = head.thread_ts ?? ts;
  const thread = desk.world
    .messages(place.id)
    .filter((one) => !one.onlyFor && one.ts !== root && one.thread_ts === root);
  const top = desk.world.find(place.id, root);
  const all = [...(top ? [top] : []), ...between(thread, args)];
  const { items, ...rest } = pageOf(all, args, { usual: 1000, most: 1000 });
  return { messages: shownList(desk, items, args), ...rest };
};

const KINDS: Record<string, Conversation["kind"] | undefined> = {
  public_channel: "channel",
  private_channel: "private",
  im: "im",
  mpim: "mpim",
};

/** Conversations of the asked kinds that the app can see. */
function listed(desk: Desk, args: Fields): Conversation[] {
  const kinds = (textArg(args, "types") ?? "public_channel").split(",").map((one) => KINDS[one.trim()]);
  for (const kind of kinds) {
    if (kind && !desk.manifest.scopes.has(READ_SCOPES.read[kind])) throw missingScope(desk, READ_SCOPES.read[kind]);
  }
  const noArchived = flagArg(args, "exclude_archived");
  return desk.world
    .conversations()
    .filter((one) => kinds.includes(one.kind) && !(noArchived && one.isArchived))
    .filter((one) => one.kind === "channel" || one.members.includes(APP.botUser));
}

function listMethod(isOurs: (place: Conversation, user: string) => boolean): Method {
  return (desk, args) => {
    const user = textArg(args, "user") ?? APP.botUser;
    const found = listed(desk, args).filter((place) => isOurs(place, user));
    const { items, response_metadata } = pageOf(found, args, { usual: 100, most: 1000 });
    const channels = items.map((place) => ({ ...shownConversation(place), num_members: place.members.length }));
    return { channels, response_metadata };
  };
}

/** How many are in it, Slack tells only who asks for it. */
const info: Method = (desk, args) => {
  const place = findReadable(desk, args, "read");
  const count = flagArg(args, "include_num_members") ? { num_members: place.members.length } : {};
  return { channel: { ...shownConversation(place), ...count } };
};

const members: Method = (desk, args) => {
  const place = findReadable(desk, args, "read");
  const { items, response_metadata } = pageOf(place.members, args, { usual: 100, most: 1000 });
  return { members: items, response_metadata };
};

/** How many people a group direct message holds beside the app. */
const MOST_IN_GROUP = 8;

/** The direct conversation of the app with one person, or with several as a group. */
function openWith(desk: Desk, users: string[]): Conversation {
  const [user] = users;
  if (user === undefined) throw new Refusal("users_list_not_supplied");
  if (users.length > MOST_IN_GROUP) throw new Refusal("too_many_users");
  const known = users.map((one) => desk.world.user(one));
  if (known.includes(undefined)) throw new Refusal("user_not_found");
  if (known.some((one) => one?.isBot)) throw new Refusal("cannot_dm_bot");
  const needed = users.length > 1 ? "mpim:write" : "im:write";
  if (!desk.manifest.scopes.has(needed)) throw missingScope(desk, needed);
  return users.length > 1 ? desk.world.group([...users, APP.botUser]) : desk.world.direct(user);
}

const open: Method = (desk, args) => {
  if (textArg(args, "channel") !== undefined) return { channel: { id: findPlace(desk, args).id } };
  const place = openWith(desk, [...new Set(textArg(args, "users")?.split(",") ?? [])]);
  return { channel: flagArg(args, "return_im") ? shownConversation(place) : { id: place.id } };
};

const join: Method = (desk, args) => {
  const place = findPlace(desk, args);
  if (place.kind !== "channel") throw new Refusal("method_not_supported_for_channel_type");
  if (place.isArchived) throw new Refusal("is_archived");
  desk.world.join(place.id, APP.botUser);
  return { channel: shownConversation(desk.world.conversation(place.id) ?? place) };
};

/** The conversation methods. */
export const conversationMethods: Record<string, Method> = {
  "conversations.history": history,
  "conversations.replies": replies,
  "conversations.info": info,
  "conversations.list": listMethod(() => true),
  "conversations.members": members,
  "conversations.open": open,
  "conversations.join": join,
  "users.conversations": listMethod((place, user) => place.members.includes(user)),
};
