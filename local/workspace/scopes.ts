import type { AppManifest } from "./manifest.ts";
import type { WorkspaceConversation } from "./protocol.ts";
import { SlackError } from "./slack-error.ts";

const history = ["channels:history", "groups:history", "im:history", "mpim:history"];
const read = ["channels:read", "groups:read", "im:read", "mpim:read"];

/** The bot scopes that a method requires before it looks at its arguments; any one of the list is enough. */
export const methodScopes: Record<string, readonly string[]> = {
  "chat.postMessage": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  // Open to any token.
  "chat.getPermalink": [],
  "chat.startStream": ["chat:write"],
  "chat.appendStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "conversations.history": history,
  "conversations.replies": history,
  "conversations.info": read,
  "conversations.members": read,
  "conversations.open": ["im:write"],
  "users.conversations": read,
  "users.info": ["users:read"],
  "assistant.threads.setStatus": ["assistant:write", "chat:write"],
  "agents.sessions.setStatus": ["assistant:write", "chat:write"],
};

/** The scope for reading a conversation, by its kind. */
export const readScopes: Record<"history" | "read", Record<WorkspaceConversation["kind"], string>> = {
  history: { channel: "channels:history", private: "groups:history", im: "im:history", mpim: "mpim:history" },
  read: { channel: "channels:read", private: "groups:read", im: "im:read", mpim: "mpim:read" },
};

/** The scope that an event requires, besides the subscription. */
export const eventScopes: Record<string, string | undefined> = {
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  "message.im": "im:history",
  "message.mpim": "mpim:history",
  app_mention: "app_mentions:read",
  reaction_added: "reactions:read",
  reaction_removed: "reactions:read",
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

/** Refuses a call whose scope is not in the manifest. */
export function needScope({ scopes }: AppManifest, needed: string): void {
  if (scopes.has(needed)) return;
  throw new SlackError("missing_scope", { needed, provided: [...scopes].join(",") });
}
