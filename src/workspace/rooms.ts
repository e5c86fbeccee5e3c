import type { Conversation } from "./protocol.ts";
import { APP } from "./seed.ts";
import type { Change } from "./world.ts";

/** Channels and direct conversations, and who is in them. */
export interface Rooms {
  conversation: (id: string) => Conversation | undefined;
  conversations: () => Conversation[];
  /** The direct conversation between a person and the app, made where there is none. */
  direct: (user: string) => Conversation;
  add: (conversation: Conversation) => void;
  join: (channel: string, user: string) => void;
  leave: (channel: string, user: string) => void;
  archive: (channel: string, user: string, isArchived: boolean) => void;
}

/** Builds the rooms; the direct ones go by the app's name. */
export function createRooms(options: { tell: (change: Change) => void; name: string }): Rooms {
  const rooms = new Map<string, Conversation>();

  function put(conversation: Conversation): Conversation {
    rooms.set(conversation.id, conversation);
    return conversation;
  }

  function setMembers(kind: "joined" | "left", channel: string, user: string): void {
    const known = rooms.get(channel);
    if (!known || known.members.includes(user) === (kind === "joined")) return;
    const others = known.members.filter((one) => one !== user);
    const conversation = put({ ...known, members: kind === "joined" ? [...others, user] : others });
    options.tell({ kind, conversation, user });
  }

  return {
    conversation: (id) => rooms.get(id),
    conversations: () => [...rooms.values()],
    direct(user) {
      const id = `D${user.slice(1)}`;
      const members = [user, APP.botUser];
      return rooms.get(id) ?? put({ id, name: options.name, kind: "im", topic: "", members, isArchived: false });
    },
    add: put,
    join: (channel, user) => setMembers("joined", channel, user),
    leave: (channel, user) => setMembers("left", channel, user),
    archive(channel, user, isArchived) {
      const known = rooms.get(channel);
      if (!known || known.isArchived === isArchived) return;
      const conversation = put({ ...known, isArchived });
      options.tell({ kind: isArchived ? "archived" : "unarchived", conversation, user });
    },
  };
}
