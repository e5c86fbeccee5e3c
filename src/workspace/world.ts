import { type Ids, writeTs } from "./ids.ts";
import type { Conversation, WorkspaceMessage, WorkspaceUser } from "./protocol.ts";
import { APP, CHANNELS, CHATTER, PEOPLE } from "./seed.ts";

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
  | { kind: "unarchived"; conversation: Conversation; user: string };

/** A message before it has a timestamp. */
export type Draft = Omit<WorkspaceMessage, "ts">;

/** Users, conversations and messages of one workspace; nothing else holds them. */
export interface World {
  user(id: string): WorkspaceUser | undefined;
  users(): WorkspaceUser[];
  conversation(id: string): Conversation | undefined;
  conversations(): Conversation[];
  /** The direct conversation between a person and the app, made where there is none. */
  direct(user: string): Conversation;
  /** Messages oldest first, replies and ephemerals included. */
  messages(channel: string): WorkspaceMessage[];
  find(channel: string, ts: string): WorkspaceMessage | undefined;
  post(draft: Draft): WorkspaceMessage;
  /** Replaces a message; undefined where it is gone. */
  edit(message: WorkspaceMessage): WorkspaceMessage | undefined;
  touch(message: WorkspaceMessage): void;
  remove(channel: string, ts: string): void;
  join(channel: string, user: string): void;
  leave(channel: string, user: string): void;
  archive(channel: string, user: string, isArchived: boolean): void;
  onChange(listener: (change: Change) => void): void;
}

const MESSAGES_KEPT = 2000;

/** Finds the root a message belongs to: itself, or the head of its thread. */
export function rootOf(message: WorkspaceMessage): string {
  return message.thread_ts ?? message.ts;
}

/** Says whether a user may see a conversation at all. */
export function canSee(conversation: Conversation, user: string): boolean {
  return conversation.kind === "channel" || conversation.members.includes(user);
}

/** Builds the seeded world; the app goes by `name`. */
export function createWorld(options: { ids: Ids; now: () => number; name: string }): World {
  const users = new Map(PEOPLE.map((one) => [one.id, one]));
  users.set(APP.botUser, {
    id: APP.botUser,
    name: options.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
    realName: options.name,
    isBot: true,
    timeZone: "Etc/UTC",
  });
  const conversations = new Map<string, Conversation>();
  const messages = new Map<string, WorkspaceMessage[]>();
  const listeners: ((change: Change) => void)[] = [];
  const tell = (change: Change) => listeners.forEach((listener) => listener(change));
  const log = (channel: string) => messages.get(channel) ?? [];

  function put(conversation: Conversation): Conversation {
    conversations.set(conversation.id, conversation);
    if (!messages.has(conversation.id)) messages.set(conversation.id, []);
    return conversation;
  }

  function direct(user: string): Conversation {
    const id = `D${user.slice(1)}`;
    const known = conversations.get(id);
    if (known) return known;
    const members = [user, APP.botUser];
    return put({ id, name: options.name, kind: "im", topic: "", members, isArchived: false });
  }

  function swap(message: WorkspaceMessage): WorkspaceMessage | undefined {
    const list = log(message.channel);
    const at = list.findLastIndex((one) => one.ts === message.ts);
    const previous = list[at];
    if (previous) list[at] = message;
    return previous;
  }

  function append(message: WorkspaceMessage): void {
    const list = log(message.channel);
    list.push(message);
    if (list.length > MESSAGES_KEPT) list.splice(0, list.length - MESSAGES_KEPT);
  }

  const find = (channel: string, ts: string) => log(channel).findLast((one) => one.ts === ts);

  function touch(message: WorkspaceMessage): void {
    if (swap(message)) tell({ kind: "touched", message });
  }

  /** A thread's head shows how many replies it has; ephemerals do not count. */
  function recount(channel: string, root: string): void {
    const head = find(channel, root);
    if (!head) return;
    const count = log(channel).filter((one) => one.thread_ts === root && one.ts !== root && !one.onlyFor).length;
    touch({ ...head, thread_ts: root, reply_count: count });
  }

  function setMembers(kind: "joined" | "left", channel: string, user: string): void {
    const known = conversations.get(channel);
    if (!known || known.members.includes(user) === (kind === "joined")) return;
    const others = known.members.filter((one) => one !== user);
    const conversation = put({ ...known, members: kind === "joined" ? [...others, user] : others });
    tell({ kind, conversation, user });
  }

  for (const one of CHANNELS) put({ ...one });
  for (const one of PEOPLE) direct(one.id);
  seedChatter(options.now(), append, touch);

  return {
    user: (id) => users.get(id),
    users: () => [...users.values()],
    conversation: (id) => conversations.get(id),
    conversations: () => [...conversations.values()],
    direct,
    messages: log,
    find,
    post(draft) {
      const message = { ...draft, ts: options.ids.ts() };
      append(message);
      tell({ kind: "posted", message });
      if (message.thread_ts && !message.onlyFor) recount(message.channel, message.thread_ts);
      return message;
    },
    edit(message) {
      const previous = swap(message);
      if (!previous) return undefined;
      tell({ kind: "edited", message, previous });
      return message;
    },
    touch,
    remove(channel, ts) {
      const list = log(channel);
      const at = list.findLastIndex((one) => one.ts === ts);
      const [previous] = at < 0 ? [] : list.splice(at, 1);
      if (!previous) return;
      tell({ kind: "deleted", previous });
      if (previous.thread_ts && previous.thread_ts !== ts) recount(channel, previous.thread_ts);
    },
    join: (channel, user) => setMembers("joined", channel, user),
    leave: (channel, user) => setMembers("left", channel, user),
    archive(channel, user, isArchived) {
      const known = conversations.get(channel);
      if (!known || known.isArchived === isArchived) return;
      const conversation = put({ ...known, isArchived });
      tell({ kind: isArchived ? "archived" : "unarchived", conversation, user });
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function seedChatter(
  now: number,
  append: (message: WorkspaceMessage) => void,
  touch: (message: WorkspaceMessage) => void,
): void {
  let head: WorkspaceMessage | undefined;
  for (const { channel, by, ago, text, reply } of CHATTER) {
    const ts = writeTs((now - ago * 60_000) * 1000);
    const thread = reply && head?.channel === channel ? { thread_ts: head.ts } : {};
    const message: WorkspaceMessage = { channel, ts, user: by, text, ...thread };
    append(message);
    if (message.thread_ts && head) touch({ ...head, thread_ts: head.ts, reply_count: 1 });
    else head = message;
  }
}
