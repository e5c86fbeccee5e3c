import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WorkspaceConversation, WorkspaceState, WorkspaceUser } from "../protocol.ts";
import { createTimes, type Times } from "./times.ts";

/** The people and conversations that messages refer to by ID, and the format of the reader's times. */
export interface PageLookup {
  me: string;
  appUser: string;
  users: WorkspaceUser[];
  conversations: WorkspaceConversation[];
  times: Times;
}

export const LookupContext = createContext<PageLookup>({
  me: "",
  appUser: "",
  users: [],
  conversations: [],
  times: createTimes(),
});

export function useLookup(): PageLookup {
  return useContext(LookupContext);
}

/** The user with this ID. */
export function userOf({ users }: PageLookup, id: string): WorkspaceUser | undefined {
  return users.find((user) => user.id === id);
}

/** A person's name; the ID if it is unknown. */
export function nameOf(lookup: PageLookup, id: string): string {
  const user = userOf(lookup, id);
  return user?.realName || user?.name || id;
}

/** The other person of a direct conversation. */
export function otherOf({ members }: WorkspaceConversation, me: string): string {
  return members.find((member) => member !== me) ?? me;
}

/** A conversation's name as a title: `#newsroom`, or the people in it besides the reader. */
export function titleOf(lookup: PageLookup, conversation: WorkspaceConversation): string {
  const { kind, name, members } = conversation;
  if (kind === "im") return nameOf(lookup, otherOf(conversation, lookup.me));
  if (kind !== "mpim") return `#${name}`;
  const others = members.filter((member) => member !== lookup.me);
  return others.map((member) => nameOf(lookup, member)).join(", ");
}

/** Whether a conversation is a channel and not a direct message. */
export function isChannel({ kind }: WorkspaceConversation): boolean {
  return kind === "channel" || kind === "private";
}

/** The app's own direct conversation. */
export function appConversation({ conversations, app }: WorkspaceState): WorkspaceConversation | undefined {
  return conversations.find(({ kind, members }) => kind === "im" && members.includes(app.botUserId));
}
