import type {
  WorkspaceConversation,
  WorkspaceMessage,
  WorkspaceState,
  WorkspaceUser,
} from "../../../../local/workspace/protocol.ts";
import type { PageLookup } from "../../../../local/workspace/page/lookup.ts";
import { createTimes } from "../../../../local/workspace/page/times.ts";

/** A person of the workspace. */
export function person(id: string, realName: string, more: Partial<WorkspaceUser> = {}): WorkspaceUser {
  return { id, name: id.toLowerCase(), realName, isBot: false, timeZone: "Europe/Berlin", role: "member", ...more };
}

/** A public channel of the workspace, or whatever `more` makes of it. */
export function room(id: string, name: string, more: Partial<WorkspaceConversation> = {}): WorkspaceConversation {
  return { id, name, kind: "channel", topic: "", members: [], isArchived: false, ...more };
}

/** A message by U1 in C1. */
export function message(ts: string, more: Partial<WorkspaceMessage> = {}): WorkspaceMessage {
  return { channel: "C1", ts, user: "U1", text: `text of ${ts}`, ...more };
}

/** The people and places of a small workspace: Ana reads, Bellwether is the app. */
export function lookup(more: Partial<PageLookup> = {}): PageLookup {
  return {
    me: "U1",
    appUser: "U9",
    users: [person("U1", "Ana Lima"), person("U2", "Ben Okafor"), person("U9", "Bellwether", { isBot: true })],
    conversations: [room("C1", "newsroom", { topic: "What is new" }), room("C2", "newswires")],
    times: createTimes("UTC"),
    ...more,
  };
}

/** A workspace as the server tells it, seen by U1. */
export function workspace(more: Partial<WorkspaceState> = {}): WorkspaceState {
  return {
    team: { id: "T1", name: "Desk" },
    commands: [],
    app: {
      id: "A1",
      name: "Bellwether",
      botUserId: "U9",
      description: "",
      connected: false,
      commands: [],
      messageShortcuts: [],
      globalShortcuts: [],
      suggestedPrompts: [],
    },
    me: "U1",
    users: lookup().users,
    conversations: lookup().conversations,
    messages: {},
    modals: [],
    ...more,
  };
}
