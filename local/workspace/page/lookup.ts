import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Conversation, WorkspaceUser } from "../protocol.ts";

/** The people and places that messages refer to by ID. */
export interface Lookup {
  me: string;
  appUser: string;
  users: WorkspaceUser[];
  conversations: Conversation[];
}

export const LookupContext = createContext<Lookup>({ me: "", appUser: "", users: [], conversations: [] });

/** The people and places of the workspace. */
export function useLookup(): Lookup {
  return useContext(LookupContext);
}

/** The user with this ID. */
export function userOf(lookup: Lookup, id: string): WorkspaceUser | undefined {
  return lookup.users.find((user) => user.id === id);
}

/** The name a person goes by; the ID where nobody has it. */
export function nameOf(lookup: Lookup, id: string): string {
  const user = userOf(lookup, id);
  return user?.realName || user?.name || id;
}

/** Who stands at the other end of a direct conversation. */
export function partnerOf(conversation: Conversation, me: string): string {
  return conversation.members.find((member) => member !== me) ?? me;
}

/** What a conversation is called where it is named alone: `#newsroom`, or who is in it besides the reader. */
export function titleOf(lookup: Lookup, conversation: Conversation): string {
  const { kind, name, members } = conversation;
  if (kind === "im") return nameOf(lookup, partnerOf(conversation, lookup.me));
  if (kind !== "mpim") return `#${name}`;
  const others = members.filter((member) => member !== lookup.me);
  return others.map((member) => nameOf(lookup, member)).join(", ");
}

/** Whether a conversation is a channel and not a direct message. */
export function isChannel({ kind }: Conversation): boolean {
  return kind === "channel" || kind === "private";
}

/** The conversation with this ID. */
export function conversationOf(lookup: Lookup, id: string): Conversation | undefined {
  return lookup.conversations.find((conversation) => conversation.id === id);
}
