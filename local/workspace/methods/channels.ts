import { needText, textArg } from "../args.ts";
import type { AppManifest } from "../manifest.ts";
import type { Fields } from "../page/fields.ts";
import type { WorkspaceConversation, WorkspaceMessage } from "../protocol.ts";
import { needScope, readScopes } from "../scopes.ts";
import { APP } from "../seed.ts";
import { SlackError } from "../slack-error.ts";
import type { WorkspaceWorld } from "../world.ts";

/** Conversations, and what the app may do in them. */
interface ChannelContext {
  world: WorkspaceWorld;
  manifest: AppManifest;
}

/** Finds a conversation by its ID, if the app can see it. */
export function findChannel(world: WorkspaceWorld, args: Fields, name = "channel"): WorkspaceConversation {
  return needVisible(world.conversation(needText(args, name, "channel_not_found")));
}

function needVisible(found: WorkspaceConversation | undefined): WorkspaceConversation {
  const isHidden = found && found.kind !== "channel" && !found.members.includes(APP.botUser);
  if (!found || isHidden) throw new SlackError("channel_not_found");
  return found;
}

/** Finds a conversation that the app may post to, by its ID; a channel also by its name, a direct message by its person. */
export function findWritable({ world, manifest }: ChannelContext, args: Fields): WorkspaceConversation {
  const given = needText(args, "channel", "channel_not_found");
  const name = given.replace(/^#/, "");
  const person = world.user(given);
  const conversation = needVisible(
    world.conversation(given) ??
      world.conversations().find((one) => (one.kind === "channel" || one.kind === "private") && one.name === name) ??
      (person && !person.isBot ? world.direct(given) : undefined),
  );
  if (conversation.isArchived) throw new SlackError("is_archived");
  if (conversation.kind === "im" && !manifest.hasMessagesTab) throw new SlackError("messages_tab_disabled");
  const isMember = conversation.members.includes(APP.botUser);
  if (!isMember && !manifest.scopes.has("chat:write.public")) throw new SlackError("not_in_channel");
  return conversation;
}

/** Finds a conversation whose messages or details the app may read. */
export function findReadable(
  { world, manifest }: ChannelContext,
  args: Fields,
  what: "history" | "read",
): WorkspaceConversation {
  const conversation = findChannel(world, args);
  needScope(manifest, readScopes[what][conversation.kind]);
  if (what === "history" && !conversation.members.includes(APP.botUser)) throw new SlackError("not_in_channel");
  return conversation;
}

/** The thread of a message, as its fields; refuses a thread that does not exist. */
export function threadFields(world: WorkspaceWorld, channel: string, args: Fields): { thread_ts?: string } {
  const ts = textArg(args, "thread_ts");
  if (ts === undefined) return {};
  const head = world.find(channel, ts);
  if (!head || head.onlyFor !== undefined) throw new SlackError("thread_not_found");
  return { thread_ts: head.thread_ts ?? ts };
}

/** Finds a message of the app itself, for a change to it. */
export function findOwn(world: WorkspaceWorld, args: Fields, notOwn: string): WorkspaceMessage {
  const { id } = findChannel(world, args);
  const message = world.find(id, needText(args, "ts", "message_not_found"));
  if (!message || message.onlyFor !== undefined) throw new SlackError("message_not_found");
  if (message.bot_id !== APP.bot) throw new SlackError(notOwn);
  return message;
}
