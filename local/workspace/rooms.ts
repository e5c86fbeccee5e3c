import type { Ids } from "./ids.ts";
import type { Conversation } from "./protocol.ts";
import { APP } from "./seed.ts";
import type { Change } from "./world.ts";

/** Channels and direct conversations, and who is in them. */
export interface Rooms {
  conversation: (id: string) => Conversation | undefined;
  conversations: () => Conversation[];
  /** The direct conversation between a person and the app, made where there is none. */
  direct: (user: string) => Conversation;
  /** The group direct message of exactly these, made where there is none. */
  group: (members: string[], name: string) => Conversation;
  add: (conversation: Conversation) => void;
  join: (channel: string, user: string) => void;
  leave: (channel: string, user: string) => void;
  archive: (channel: string, user: string, isArchived: boolean) => void;
  /** Shares a channel with the other workspace; a private one goes by another ID from then on, which comes back. */
  share: (channel: string) => string;
  /** The ID that a conversation goes by now. */
  current: (id: string) => string;
}

interface RoomsOptions {
  tell: (change: Change) => void;
  ids: Ids;
  name: string;
}

/** What becomes of channels that are shared: a private one goes by another ID from then on. */
function createSharing(
  rooms: Map<string, Conversation>,
  { tell, ids }: RoomsOptions,
): Pick<Rooms, "share" | "current"> {
  const moves = new Map<string, string>();

  /** In the same place among the others. */
  function replace(from: string, conversation: Conversation): void {
    const all = [...rooms.values()].map((one) => (one.id === from ? conversation : one));
    rooms.clear();
    for (const one of all) rooms.set(one.id, one);
  }

  return {
    share(channel) {
      const known = rooms.get(channel);
      if (!known || known.isShared) return channel;
      const id = known.kind === "private" ? ids.next("C0") : channel;
      const conversation = { ...known, id, isShared: true };
      replace(channel, conversation);
      if (id !== channel) {
        moves.set(channel, id);
        tell({ kind: "moved", from: channel, conversation });
      }
      tell({ kind: "shared", conversation });
      return id;
    },
    current: (id) => moves.get(id) ?? id,
  };
}

/** Builds the rooms; the direct ones go by the app's name. */
export function createRooms(options: RoomsOptions): Rooms {
  const { tell, ids } = options;
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
    tell({ kind, conversation, user });
  }

  return {
    conversation: (id) => rooms.get(id),
    conversations: () => [...rooms.values()],
    direct(user) {
      const id = `D${user.slice(1)}`;
      const members = [user, APP.botUser];
      return rooms.get(id) ?? put({ id, name: options.name, kind: "im", topic: "", members, isArchived: false });
    },
    group(members, name) {
      const wanted = [...new Set(members)].toSorted().join();
      const isSame = (one: Conversation) => one.kind === "mpim" && one.members.toSorted().join() === wanted;
      const known = [...rooms.values()].find(isSame);
      if (known) return known;
      const id = ids.next("G0");
      const made = put({ id, name, kind: "mpim", topic: "", members: [...new Set(members)], isArchived: false });
      tell({ kind: "opened", conversation: made });
      return made;
    },
    add: put,
    join: (channel, user) => setMembers("joined", channel, user),
    leave: (channel, user) => setMembers("left", channel, user),
    archive(channel, user, isArchived) {
      const known = rooms.get(channel);
      if (!known || known.isArchived === isArchived) return;
      const conversation = put({ ...known, isArchived });
      tell({ kind: isArchived ? "archived" : "unarchived", conversation, user });
    },
    ...createSharing(rooms, options),
  };
}
