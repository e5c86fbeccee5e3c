import type { WorkspaceEvent, WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";

/** Where the reader is, as the address bar says it: `#CHANNEL`, `#CHANNEL/THREAD_TS` or `#home`. */
export type PageRoute = { kind: "home" } | { kind: "conversation"; channel: string; thread?: string };

/** Reads the route from `location.hash`; undefined where it names none. */
export function parseRoute(hash: string): PageRoute | undefined {
  const [channel = "", thread = ""] = hash.replace(/^#/, "").split("/");
  if (channel === "home") return { kind: "home" };
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
  /** How many messages came in while the reader was elsewhere, by conversation. */
  unread: Record<string, number>;
  /** Lines only this page shows, by conversation or view. */
  notices: Record<string, string[]>;
  /** Ephemeral messages that the reader put away, as `channel ts`. */
  dismissed: string[];
}

type PageEvent =
  | { type: "loaded"; workspace: WorkspaceState }
  | { type: "server"; server: PageState["server"] }
  | { type: "went"; route: PageRoute }
  | { type: "dismissed"; channel: string; ts: string }
  | { type: "notices_read"; channel: string }
  | WorkspaceEvent;

export interface PageStore {
  get: () => PageState;
  send: (event: PageEvent) => void;
  watch: (listener: () => void) => () => void;
}

/** Holds the page's state and calls the listeners after every change. */
export function createStore(): PageStore {
  let state: PageState = {
    workspace: undefined,
    server: "connecting",
    route: undefined,
    unread: {},
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

/** The state after an event; pure. Events may arrive twice or before the first state: neither does harm. */
function reduce(state: PageState, event: PageEvent): PageState {
  switch (event.type) {
    case "loaded":
      return { ...state, workspace: event.workspace };
    case "server":
      return { ...state, server: event.server };
    case "dismissed":
      return { ...state, dismissed: [...state.dismissed, `${event.channel} ${event.ts}`] };
    case "went": {
      const unread = { ...state.unread };
      if (event.route.kind === "conversation") delete unread[event.route.channel];
      return { ...state, route: event.route, unread };
    }
    case "notices_read":
      return { ...state, notices: { ...state.notices, [event.channel]: [] } };
    case "notice":
      return { ...state, notices: withNotice(state, event) };
    default: {
      const workspace = state.workspace && applyEvent(state.workspace, event);
      return { ...state, workspace, unread: countUnread(state, event) };
    }
  }
}

const maxNotices = 3;

/** A notice without a channel belongs where the reader looks: to a modal, a conversation or Home. */
function withNotice(state: PageState, { channel, text }: { channel: string; text: string }): PageState["notices"] {
  const { notices, workspace, route } = state;
  const seen = route?.kind === "conversation" ? route.channel : (workspace?.home?.id ?? "");
  const at = channel || (workspace?.modals.at(-1)?.id ?? seen);
  return { ...notices, [at]: [...(notices[at] ?? []), text].slice(-maxNotices) };
}

function countUnread({ workspace, route, unread }: PageState, event: PageEvent): Record<string, number> {
  if (event.type !== "message" || event.message.user === workspace?.me) return unread;
  const { channel, ts } = event.message;
  // What came before the first state is part of it, and what is known already was counted.
  if (!workspace || workspace.messages[channel]?.some((known) => known.ts === ts)) return unread;
  const isOpen = route?.kind === "conversation" && route.channel === channel;
  return isOpen ? unread : { ...unread, [channel]: (unread[channel] ?? 0) + 1 };
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
    case "connected":
      return { ...workspace, app: { ...workspace.app, connected: event.connected } };
    case "status":
      return { ...workspace, statuses: withStatus(workspace.statuses ?? [], event) };
    default:
      return workspace;
  }
}

/** Puts a message where its `ts` belongs, in place of an older state of itself. */
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
