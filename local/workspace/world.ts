import { type Ids, writeTs } from "./ids.ts";
import { createMessages, type Messages } from "./messages.ts";
import type { Conversation, WorkspaceMessage, WorkspaceUser } from "./protocol.ts";
import { createRooms, type Rooms } from "./rooms.ts";
import { APP, CHANNELS, CHATTER, GROUP, PEOPLE, isFromOutside, openChannel } from "./seed.ts";

/** What happened to the world: the source of the page's events and of Slack's. */
export type Change =
  | { kind: "posted"; message: WorkspaceMessage }
  | { kind: "edited"; message: WorkspaceMessage; previous: WorkspaceMessage }
  /** Seen on the page, but no event to the app: a reply count, a reaction. */
  | { kind: "touched"; message: WorkspaceMessage }
  | { kind: "deleted"; previous: WorkspaceMessage }
  | { kind: "joined"; conversation: Conversation; user: string }
  | { kind: "left"; conversation: Conversation; user: string }
  | { kind: "archived"; conversation: Conversation; user: string }
  | { kind: "unarchived"; conversation: Conversation; user: string }
  | { kind: "opened"; conversation: Conversation }
  | { kind: "shared"; conversation: Conversation }
  | { kind: "moved"; conversation: Conversation; from: string };

/** Users, conversations and messages of one workspace; nothing else holds them. */
export interface World extends Omit<Rooms, "add" | "group">, Omit<Messages, "restore" | "follow"> {
  /** The group direct message of exactly these, made where there is none. */
  group: (members: string[]) => Conversation;
  user: (id: string) => WorkspaceUser | undefined;
  users: () => WorkspaceUser[];
  onChange: (listener: (change: Change) => void) => void;
}

/** Says whether a user may see a conversation at all. */
export function canSee(conversation: Conversation, user: string): boolean {
  const isOpen = conversation.kind === "channel" && !isFromOutside(user);
  return isOpen || conversation.members.includes(user);
}

function appUser(name: string): WorkspaceUser {
  const handle = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return { id: APP.botUser, name: handle, realName: name, isBot: true, timeZone: "Etc/UTC", role: "member" };
}

/** Slack names a group after those who are in it. */
function groupName(members: string[], user: World["user"]): string {
  return `mpdm-${members.map((one) => user(one)?.name ?? one).join("--")}-1`;
}

interface Seed {
  rooms: Rooms;
  messages: Messages;
  now: number;
  channels: string[];
}

function seed({ rooms, messages, now, channels }: Seed): void {
  for (const one of [...CHANNELS, ...channels.map(openChannel)]) rooms.add(one);
  for (const one of PEOPLE) if (one.role !== "partner") rooms.direct(one.id);
  let head: WorkspaceMessage | undefined;
  for (const { channel, by, ago, text, reply } of CHATTER) {
    const ts = writeTs((now - ago * 60_000) * 1000);
    const thread = reply && head ? { thread_ts: head.ts } : {};
    const message: WorkspaceMessage = { channel, ts, user: by, text, ...thread };
    messages.restore(message);
    if (reply && head) messages.touch({ ...head, thread_ts: head.ts, reply_count: 1 });
    else head = message;
  }
}

/** Builds the seeded world with more channels by their names; the app goes by `name`. */
export function createWorld(options: { ids: Ids; now: () => number; name: string; channels: string[] }): World {
  const { ids, name } = options;
  const listeners: ((change: Change) => void)[] = [];
  const users = new Map([...PEOPLE, appUser(name)].map((one) => [one.id, one]));
  const user: World["user"] = (id) => users.get(id);
  function tell(change: Change): void {
    // What was said goes along before anybody looks for it.
    if (change.kind === "moved") messages.follow(change.from, change.conversation.id);
    for (const listener of listeners) listener(change);
  }
  const rooms = createRooms({ tell, ids, name });
  const messages = createMessages({ tell, ids });
  rooms.add({ ...GROUP, name: groupName(GROUP.members, user), kind: "mpim", topic: "", isArchived: false });
  seed({ rooms, messages, now: options.now(), channels: options.channels });
  return {
    ...rooms,
    ...messages,
    user,
    group: (members) => rooms.group(members, groupName(members, user)),
    users: () => [...users.values()],
    onChange: (listener) => void listeners.push(listener),
  };
}
