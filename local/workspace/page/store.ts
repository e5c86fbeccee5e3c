import type { WorkspaceEvent, WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";

/** The reader's place, as in the address bar: `#CHANNEL`, `#CHANNEL/THREAD_TS`, `#home` or `#about`. */
export type PageRoute =
  | { kind: "home" | "about" }
  | {
      kind: "conversation";
      channel: string;
      thread?: string;
      /** Set if the thread opened because an answer began in it: the focus stays where it is. */
      isUnasked?: true;
    };

/** Reads the route from `location.hash`; undefined if it names none. */
export function parseRoute(hash: string): PageRoute | undefined {
  const [channel = "", thread = ""] = hash.replace(/^#/, "").split("/");
  if (channel === "home" || channel === "about") return { kind: channel };
  if (!/^[A-Z0-9]+$/i.test(channel)) return undefined;
  return /^\d+\.\d+$/.test(thread) ? { kind: "conversation", channel, thread } : { kind: "conversation", channel };
}

/** The hash that leads to a conversation or one of its threads. */
export function hashOf(channel: string, thread?: string): string {
  return thread ? `#${channel}/${thread}` : `#${channel}`;
}

export interface PageState {
  workspace: WorkspaceState | undefined;
  /** Whether the workspace server answers: `gone` shows the banner. */
  server: "connecting" | "online" | "gone";
  route: PageRoute | undefined;
  /** Whether the reader sees the page, and not another tab of the browser. */
  isSeen: boolean;
  /** The `ts` of the last message that the reader has seen in each conversation. */
  read: Record<string, string>;
  /** The `ts` of the last message seen before this visit, for conversations that had something new. */
  newAfter: Record<string, string>;
  /** Lines that only this page shows, by conversation or view. */
  notices: Record<string, string[]>;
  /** The ephemeral messages that the reader has dismissed, as `channel ts`. */
  dismissed: string[];
}

type PageEvent =
  | { type: "loaded"; workspace: WorkspaceState }
  | { type: "server"; server: PageState["server"] }
  | { type: "went"; route: PageRoute }
  | { type: "seen"; isSeen: boolean }
  | { type: "dismissed"; channel: string; ts: string }
  | { type: "notices_read"; channel: string }
  | WorkspaceEvent;

export interface PageStore {
  get: () => PageState;
  send: (event: PageEvent) => void;
  watch: (listener: () => void) => () => void;
}

/** Holds the page's state and calls the listeners after every change; begins with the read marks of the last visit. */
export function createStore(read: Record<string, string> = {}): PageStore {
  let state: PageState = {
    workspace: undefined,
    server: "connecting",
    route: undefined,
    isSeen: true,
    read,
    newAfter: {},
    notices: {},
    dismissed: [],
  };
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    send(event) {
      state = reduce(state, event);
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The state after an event; pure. Events may arrive twice or before the first state; both are harmless. */
function reduce(state: PageState, event: PageEvent): PageState {
  switch (event.type) {
    case "loaded":
      return arrive(begin({ ...state, workspace: event.workspace }));
    case "server":
      return { ...state, server: event.server };
    case "dismissed":
      return { ...state, dismissed: [...state.dismissed, `${event.channel} ${event.ts}`] };
    case "went": {
      const isElsewhere = channelOf(event.route) !== channelOf(state.route);
      const moved = { ...state, route: event.route };
      return isElsewhere ? arrive({ ...moved, newAfter: {} }) : moved;
    }
    case "seen":
      return markRead({ ...state, isSeen: event.isSeen });
    case "notices_read":
      return { ...state, notices: { ...state.notices, [event.channel]: [] } };
    case "notice":
      return { ...state, notices: withNotice(state, event) };
    default: {
      const workspace = state.workspace && applyEvent(state.workspace, event);
      const next = { ...state, workspace };
      if (event.type !== "message") return next;
      return state.isSeen ? markRead(next) : markNew(next);
    }
  }
}

const maxNotices = 3;

/** Adds a notice; one without a channel goes to what the reader looks at: a modal, a conversation or Home. */
function withNotice(state: PageState, { channel, text }: { channel: string; text: string }): PageState["notices"] {
  const { notices, workspace, route } = state;
  const seen = route?.kind === "conversation" ? route.channel : (workspace?.home?.id ?? "");
  const at = channel || (workspace?.modals.at(-1)?.id ?? seen);
  return { ...notices, [at]: [...(notices[at] ?? []), text].slice(-maxNotices) };
}

function channelOf(route: PageRoute | undefined): string | undefined {
  return route?.kind === "conversation" ? route.channel : undefined;
}

/** Marks conversations that this browser has never seen as read, and those of a workspace that was started over. */
function begin(state: PageState): PageState {
  const ends = Object.entries(state.workspace?.messages ?? {}).map(([channel, messages]) => {
    const end = messages.at(-1)?.ts ?? "0";
    const known = state.read[channel];
    return [channel, known !== undefined && Number(known) < Number(end) ? known : end] as const;
  });
  return { ...state, read: Object.fromEntries(ends) };
}

/** Opens the conversation of the route: new messages are marked as new, then as read. */
function arrive(state: PageState): PageState {
  return markRead(markNew(state));
}

function markRead(state: PageState): PageState {
  const channel = channelOf(state.route) ?? "";
  const end = state.workspace?.messages[channel]?.at(-1)?.ts;
  if (!state.isSeen || end === undefined || state.read[channel] === end) return state;
  return { ...state, read: { ...state.read, [channel]: end } };
}

/** Notes from which message on the conversation of the route is new, unless that is noted already. */
function markNew(state: PageState): PageState {
  const channel = channelOf(state.route) ?? "";
  if (state.newAfter[channel] !== undefined || unreadIn(state, channel).count === 0) return state;
  return { ...state, newAfter: { ...state.newAfter, [channel]: state.read[channel] ?? "0" } };
}

/** The number of new messages in a conversation, and of those for the reader: all in a direct message, else mentions. */
export function unreadIn({ workspace, read }: PageState, channel: string): { count: number; mentions: number } {
  const conversation = workspace?.conversations.find(({ id }) => id === channel);
  const mark = read[channel];
  const unread = { count: 0, mentions: 0 };
  if (!workspace || !conversation || mark === undefined) return unread;
  const isDirect = conversation.kind === "im" || conversation.kind === "mpim";
  const messages = workspace.messages[channel] ?? [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!message || Number(message.ts) <= Number(mark)) break;
    if (message.user === workspace.me || message.onlyFor) continue;
    unread.count++;
    if (isDirect || isForReader(message, workspace.me)) unread.mentions++;
  }
  return unread;
}

function isForReader({ text, blocks = [] }: WorkspaceMessage, me: string): boolean {
  const said = `${text} ${JSON.stringify(blocks)}`;
  return said.includes(`<@${me}>`) || /<!(?:here|channel|everyone)[|>]/.test(said);
}

function applyEvent(workspace: WorkspaceState, event: PageEvent): WorkspaceState {
  const inChannel = (channel: string, change: (messages: WorkspaceMessage[]) => WorkspaceMessage[]) => {
    const changed = change(workspace.messages[channel] ?? []);
    return { ...workspace, messages: { ...workspace.messages, [channel]: changed } };
  };
  switch (event.type) {
    case "message":
    case "message_changed":
      return inChannel(event.message.channel, (messages) => withMessage(messages, event.message));
    case "message_deleted":
      return inChannel(event.channel, (messages) => messages.filter((other) => other.ts !== event.ts));
    case "conversation": {
      const { conversations } = workspace;
      const at = conversations.findIndex((other) => other.id === event.conversation.id);
      const changed = at < 0 ? [...conversations, event.conversation] : conversations.with(at, event.conversation);
      return { ...workspace, conversations: changed };
    }
    case "modals":
      return { ...workspace, modals: event.modals };
    case "home":
      return { ...workspace, home: event.home };
    case "demo":
      return { ...workspace, demo: event.demo };
    case "connected":
      return { ...workspace, app: { ...workspace.app, connected: event.connected } };
    case "status":
      return { ...workspace, statuses: withStatus(workspace.statuses ?? [], event) };
    default:
      return workspace;
  }
}

/** Inserts a message by its `ts`, or replaces its older version. */
function withMessage(messages: WorkspaceMessage[], message: WorkspaceMessage): WorkspaceMessage[] {
  const at = messages.findIndex((other) => other.ts === message.ts);
  if (at >= 0) return messages.with(at, message);
  const after = messages.findLastIndex((other) => Number(other.ts) <= Number(message.ts));
  return messages.toSpliced(after + 1, 0, message);
}

function withStatus(statuses: WorkspaceStatus[], { channel, thread_ts, status, canStop }: WorkspaceStatus) {
  const others = statuses.filter((other) => other.channel !== channel || other.thread_ts !== thread_ts);
  return status === "" ? others : [...others, { channel, thread_ts, status, ...(canStop && { canStop }) }];
}
