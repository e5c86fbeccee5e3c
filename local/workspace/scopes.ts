import type { Conversation } from "./protocol.ts";

const HISTORY = ["channels:history", "groups:history", "im:history", "mpim:history"];
const READ = ["channels:read", "groups:read", "im:read", "mpim:read"];

/** Bot scopes a method needs before it looks at its arguments; any one of the list is enough. */
export const METHOD_SCOPES: Record<string, readonly string[]> = {
  "chat.postMessage": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.startStream": ["chat:write"],
  "chat.appendStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "conversations.history": HISTORY,
  "conversations.replies": HISTORY,
  "conversations.info": READ,
  "conversations.list": READ,
  "conversations.members": READ,
  "conversations.join": ["channels:join"],
  "conversations.open": ["im:write", "mpim:write"],
  "users.conversations": READ,
  "users.info": ["users:read"],
  "users.list": ["users:read"],
  "bots.info": ["users:read"],
  "team.info": ["team:read"],
  "reactions.add": ["reactions:write"],
  "reactions.remove": ["reactions:write"],
  "assistant.threads.setStatus": ["assistant:write", "chat:write"],
  "assistant.threads.setTitle": ["assistant:write"],
  "assistant.threads.setSuggestedPrompts": ["assistant:write"],
  "agents.sessions.setStatus": ["assistant:write", "chat:write"],
};

/** What reading a conversation needs, by its kind. */
export const READ_SCOPES: Record<"history" | "read", Record<Conversation["kind"], string>> = {
  history: { channel: "channels:history", private: "groups:history", im: "im:history", mpim: "mpim:history" },
  read: { channel: "channels:read", private: "groups:read", im: "im:read", mpim: "mpim:read" },
};

/** What an event needs besides being subscribed to. */
export const EVENT_SCOPES: Record<string, string | undefined> = {
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  "message.im": "im:history",
  "message.mpim": "mpim:history",
  app_mention: "app_mentions:read",
  agent_session_stopped: "assistant:write",
  member_joined_channel: "channels:read",
  member_left_channel: "channels:read",
  channel_left: "channels:read",
  group_left: "groups:read",
  channel_archive: "channels:read",
  channel_unarchive: "channels:read",
  group_archive: "groups:read",
  group_unarchive: "groups:read",
  channel_shared: "channels:read",
  channel_id_changed: "groups:read",
};
