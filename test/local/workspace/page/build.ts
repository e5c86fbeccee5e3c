import type { WorkspaceConversation, WorkspaceUser } from "../../../../local/workspace/protocol.ts";
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
