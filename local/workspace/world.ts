import type { Ids } from "./clock.ts";
import type { WorkspaceConversation, WorkspaceMessage, WorkspaceUser } from "./protocol.ts";
import { APP, CHANNELS, GROUP, ME, PEOPLE, isFromOutside, openChannel } from "./seed.ts";

/** A change of the world, from which the page's events and Slack's are made. */
export type WorldChange =
  | { kind: "posted"; message: WorkspaceMessage }
  | { kind: "edited"; message: WorkspaceMessage; previous: WorkspaceMessage }
  /** A change that the page shows without an event to the app, such as a reply count. */
  | { kind: "touched"; message: WorkspaceMessage }
  | { kind: "deleted"; previous: WorkspaceMessage }
  | { kind: "joined" | "left" | "archived" | "unarchived"; conversation: WorkspaceConversation; user: string }
  | { kind: "opened" | "shared"; conversation: WorkspaceConversation }
  /** A conversation gets a new ID. */
  | { kind: "moved"; conversation: WorkspaceConversation; from: string };

/** A message before it has a timestamp. */
export type MessageDraft = Omit<WorkspaceMessage, "ts">;

/** The state of a world whose workspace has stopped. */
export interface SavedWorld {
  conversations: WorkspaceConversation[];
  /** The messages by conversation, oldest first. */
  messages: Record<string, WorkspaceMessage[]>;
  /** The new IDs of conversations by their old ones. */
  moves: Record<string, string>;
}

/** The users, conversations and messages of one workspace. A conversation or message is replaced, never changed. */
export interface WorkspaceWorld {
  user: (id: string) => WorkspaceUser | undefined;
  users: () => WorkspaceUser[];
  conversation: (id: string) => WorkspaceConversation | undefined;
  conversations: () => WorkspaceConversation[];
  /** The direct conversation between a person and the app; created if there is none. */
  direct: (user: string) => WorkspaceConversation;
  /** The group direct message of exactly these people; created if there is none. */
  group: (members: string[]) => WorkspaceConversation;
  join: (channel: string, user: string) => void;
  leave: (channel: string, user: string) => void;
  archive: (channel: string, user: string, isArchived: boolean) => void;
  /** Shares a channel with the other workspace; returns its ID, which is new if the channel is private. */
  share: (channel: string) => string;
  /** The ID that a conversation has now. */
  currentId: (id: string) => string;
  /** The messages of a conversation, oldest first, replies and ephemerals included. */
  messages: (channel: string) => WorkspaceMessage[];
  find: (channel: string, ts: string) => WorkspaceMessage | undefined;
  post: (draft: MessageDraft) => WorkspaceMessage;
  /** Replaces a message; does nothing if it was deleted. */
  edit: (message: WorkspaceMessage) => void;
  /** Replaces a message without an event to the app. */
  touch: (message: WorkspaceMessage) => void;
  remove: (channel: string, ts: string) => void;
  onChange: (listener: (change: WorldChange) => void) => void;
  save: () => SavedWorld;
}

type ChangeListener = (change: WorldChange) => void;

/** Whether a user may see a conversation at all. */
export function canSee({ kind, members }: WorkspaceConversation, user: string): boolean {
  return (kind === "channel" && !isFromOutside(user)) || members.includes(user);
}

interface WorldOptions {
  ids: Ids;
  /** The name of the app. */
  name: string;
  /** The names of additional channels. */
  channels: string[];
  /** The time zone of the page's own user, if it is not the default. */
  timeZone?: string | undefined;
  /** The locale of their Slack. */
  locale?: string | undefined;
  saved?: SavedWorld | undefined;
}

/** Builds the world from the saved state, or else from the seed. */
export function createWorld({ ids, name, channels, timeZone, locale, saved }: WorldOptions): WorkspaceWorld {
  const listeners: ChangeListener[] = [];
  const emit: ChangeListener = (change) => {
    for (const listener of listeners) listener(change);
  };
  const own = { ...(timeZone && { timeZone }), ...(locale && { locale }) };
  const people = PEOPLE.map((one) => (one.id === ME ? { ...one, ...own } : one));
  const users = new Map([...people, appUser(name)].map((one) => [one.id, one]));
  const nameOf = (id: string) => users.get(id)?.name ?? id;
  const messages = createMessages(ids, emit);
  const conversations = createConversations({
    ids,
    emit,
    appName: name,
    nameOf,
    moveMessages: (from, to) => messages.move(from, to),
  });

  if (saved) {
    conversations.load(saved);
    for (const message of Object.values(saved.messages).flat()) messages.append(message);
  } else {
    for (const one of [...CHANNELS, ...channels.map(openChannel)]) conversations.put(one);
    for (const { id, role } of PEOPLE) if (role !== "partner") conversations.direct(id);
    conversations.put({
      ...GROUP,
      name: groupName(GROUP.members.map(nameOf)),
      kind: "mpim",
      topic: "",
      isArchived: false,
    });
  }

  return {
    ...conversations,
    ...messages,
    user: (id) => users.get(id),
    users: () => [...users.values()],
    onChange: (listener) => void listeners.push(listener),
    save() {
      const all = conversations.conversations();
      return {
        conversations: all,
        messages: Object.fromEntries(all.map(({ id }) => [id, messages.messages(id)])),
        moves: conversations.moves(),
      };
    },
  };
}

function appUser(name: string): WorkspaceUser {
  const handle = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return { id: APP.botUser, name: handle, realName: name, isBot: true, timeZone: "Etc/UTC", role: "member" };
}

/** The name of a group direct message: Slack lists its members. */
function groupName(members: string[]): string {
  return `mpdm-${members.join("--")}-1`;
}

interface ConversationOptions {
  ids: Ids;
  emit: ChangeListener;
  /** The name of the app, which its direct conversations have too. */
  appName: string;
  nameOf: (user: string) => string;
  moveMessages: (from: string, to: string) => void;
}

function createConversations({ ids, emit, appName, nameOf, moveMessages }: ConversationOptions) {
  const known = new Map<string, WorkspaceConversation>();
  const moves = new Map<string, string>();

  function put(conversation: WorkspaceConversation): WorkspaceConversation {
    known.set(conversation.id, conversation);
    return conversation;
  }

  function setMembers(kind: "joined" | "left", channel: string, user: string): void {
    const before = known.get(channel);
    if (!before || before.members.includes(user) === (kind === "joined")) return;
    const others = before.members.filter((one) => one !== user);
    const conversation = put({ ...before, members: kind === "joined" ? [...others, user] : others });
    emit({ kind, conversation, user });
  }

  return {
    put,
    conversation: (id: string) => known.get(id),
    conversations: () => [...known.values()],
    direct(user: string) {
      const id = `D${user.slice(1)}`;
      const members = [user, APP.botUser];
      return known.get(id) ?? put({ id, name: appName, kind: "im", topic: "", members, isArchived: false });
    },
    group(wanted: string[]) {
      const members = [...new Set(wanted)];
      const key = members.toSorted().join();
      const same = [...known.values()].find((one) => one.kind === "mpim" && one.members.toSorted().join() === key);
      if (same) return same;
      const name = groupName(members.map(nameOf));
      const made = put({ id: ids.next("G0"), name, kind: "mpim", topic: "", members, isArchived: false });
      emit({ kind: "opened", conversation: made });
      return made;
    },
    join: (channel: string, user: string) => setMembers("joined", channel, user),
    leave: (channel: string, user: string) => setMembers("left", channel, user),
    archive(channel: string, user: string, isArchived: boolean) {
      const before = known.get(channel);
      if (!before || before.isArchived === isArchived) return;
      emit({ kind: isArchived ? "archived" : "unarchived", conversation: put({ ...before, isArchived }), user });
    },
    share(channel: string) {
      const before = known.get(channel);
      if (!before || before.isShared) return channel;
      const id = before.kind === "private" ? ids.next("C0") : channel;
      const conversation = { ...before, id, isShared: true };
      // The conversation keeps its place in the order.
      const all = [...known.values()].map((one) => (one.id === channel ? conversation : one));
      known.clear();
      for (const one of all) put(one);
      if (id !== channel) {
        moves.set(channel, id);
        moveMessages(channel, id);
        emit({ kind: "moved", from: channel, conversation });
      }
      emit({ kind: "shared", conversation });
      return id;
    },
    currentId: (id: string) => moves.get(id) ?? id,
    moves: () => Object.fromEntries(moves),
    load(saved: SavedWorld) {
      for (const one of saved.conversations) put(one);
      for (const [from, to] of Object.entries(saved.moves)) moves.set(from, to);
    },
  };
}

const keptMessages = 2000;

function createMessages(ids: Ids, emit: ChangeListener) {
  const logs = new Map<string, WorkspaceMessage[]>();
  const log = (channel: string) => logs.get(channel) ?? [];
  const find = (channel: string, ts: string) => log(channel).findLast((one) => one.ts === ts);

  /** Puts a message with its own timestamp at the end, without an event. */
  function append(message: WorkspaceMessage): void {
    const list = log(message.channel);
    list.push(message);
    if (list.length > keptMessages) list.splice(0, list.length - keptMessages);
    logs.set(message.channel, list);
  }

  function swap(message: WorkspaceMessage): WorkspaceMessage | undefined {
    const list = log(message.channel);
    const at = list.findLastIndex((one) => one.ts === message.ts);
    const previous = list[at];
    if (previous) list[at] = message;
    return previous;
  }

  function touch(message: WorkspaceMessage): void {
    if (swap(message)) emit({ kind: "touched", message });
  }

  /** Updates the number of replies on a thread's first message; ephemerals do not count. */
  function recount({ channel, ts, thread_ts: root, onlyFor }: WorkspaceMessage): void {
    const head = root === undefined || root === ts ? undefined : find(channel, root);
    if (!head || root === undefined || onlyFor !== undefined) return;
    const replies = log(channel).filter((one) => one.thread_ts === root && one.ts !== root && !one.onlyFor);
    touch({ ...head, thread_ts: root, reply_count: replies.length });
  }

  return {
    append,
    messages: log,
    find,
    touch,
    post(draft: MessageDraft) {
      const message = { ...draft, ts: ids.ts() };
      append(message);
      emit({ kind: "posted", message });
      recount(message);
      return message;
    },
    edit(message: WorkspaceMessage) {
      const previous = swap(message);
      if (previous) emit({ kind: "edited", message, previous });
    },
    remove(channel: string, ts: string) {
      const list = log(channel);
      const at = list.findLastIndex((one) => one.ts === ts);
      const [previous] = at < 0 ? [] : list.splice(at, 1);
      if (!previous) return;
      emit({ kind: "deleted", previous });
      recount(previous);
    },
    /** Moves the messages of a conversation to its new ID. */
    move(from: string, to: string) {
      const moved = log(from).map((one) => ({ ...one, channel: to }));
      logs.delete(from);
      logs.set(to, moved);
    },
  };
}
