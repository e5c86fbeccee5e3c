import type { Conversation, WorkspaceEvent, WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import type { Place } from "./place.ts";

export interface PageState {
  workspace: WorkspaceState | undefined;
  /** Whether the workspace server answers: `gone` shows the banner. */
  server: "connecting" | "online" | "gone";
  place: Place | undefined;
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
  | { type: "went"; place: Place }
  | { type: "dismissed"; channel: string; ts: string }
  | { type: "notices_read"; channel: string }
  | WorkspaceEvent;

const EMPTY: PageState = {
  workspace: undefined,
  server: "connecting",
  place: undefined,
  unread: {},
  notices: {},
  dismissed: [],
};

const MOST_NOTICES = 3;

/** Puts a message where its `ts` belongs, in place of an older state of itself. */
function placeMessage(messages: WorkspaceMessage[], message: WorkspaceMessage): WorkspaceMessage[] {
  const at = messages.findIndex((other) => other.ts === message.ts);
  if (at >= 0) return messages.with(at, message);
  const after = messages.findLastIndex((other) => Number(other.ts) <= Number(message.ts));
  return messages.toSpliced(after + 1, 0, message);
}

/** Tells whether the message is a reply inside a thread. */
export function isReply(message: WorkspaceMessage): boolean {
  return message.thread_ts !== undefined && message.thread_ts !== message.ts;
}

function withMessages(
  workspace: WorkspaceState,
  channel: string,
  change: (messages: WorkspaceMessage[]) => WorkspaceMessage[],
): WorkspaceState {
  return { ...workspace, messages: { ...workspace.messages, [channel]: change(workspace.messages[channel] ?? []) } };
}

function withConversation(conversations: Conversation[], conversation: Conversation): Conversation[] {
  const at = conversations.findIndex((other) => other.id === conversation.id);
  return at < 0 ? [...conversations, conversation] : conversations.with(at, conversation);
}

function withStatus(
  statuses: WorkspaceStatus[],
  { channel, thread_ts, status, canStop }: WorkspaceStatus,
): WorkspaceStatus[] {
  const others = statuses.filter((other) => other.channel !== channel || other.thread_ts !== thread_ts);
  return status === "" ? others : [...others, { channel, thread_ts, status, ...(canStop && { canStop }) }];
}

/** Everything of a conversation under its new ID. */
function withMove(workspace: WorkspaceState, from: string, conversation: Conversation): WorkspaceState {
  const { [from]: said = [], ...others } = workspace.messages;
  const at = workspace.conversations.findIndex((other) => other.id === from);
  if (at < 0) return { ...workspace, conversations: withConversation(workspace.conversations, conversation) };
  const messages = said.map((message) => ({ ...message, channel: conversation.id }));
  return {
    ...workspace,
    conversations: workspace.conversations.with(at, conversation),
    messages: { ...others, [conversation.id]: messages },
  };
}

/** A reader who is in a conversation stays in it when it goes by another ID. */
function placeAfter({ place }: PageState, event: PageEvent): Place | undefined {
  if (event.type === "went") return event.place;
  const isHere = event.type === "moved" && place?.kind === "conversation" && place.channel === event.from;
  return isHere ? { ...place, channel: event.conversation.id } : place;
}

function workspaceAfter(workspace: WorkspaceState, event: PageEvent): WorkspaceState {
  switch (event.type) {
    case "message":
    case "message_changed":
      return withMessages(workspace, event.message.channel, (messages) => placeMessage(messages, event.message));
    case "message_deleted":
      return withMessages(workspace, event.channel, (messages) => messages.filter((other) => other.ts !== event.ts));
    case "conversation":
      return { ...workspace, conversations: withConversation(workspace.conversations, event.conversation) };
    case "moved":
      return withMove(workspace, event.from, event.conversation);
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

function unreadAfter(state: PageState, event: PageEvent): Record<string, number> {
  if (event.type === "went" && event.place.kind === "conversation") {
    const { [event.place.channel]: _read, ...rest } = state.unread;
    return rest;
  }
  if (event.type !== "message" || event.message.user === state.workspace?.me) return state.unread;
  const { channel, ts } = event.message;
  // What came before the first state is part of it, and what is known already was counted.
  if (!state.workspace || state.workspace.messages[channel]?.some((known) => known.ts === ts)) return state.unread;
  const open = state.place?.kind === "conversation" && state.place.channel === channel;
  return open ? state.unread : { ...state.unread, [channel]: (state.unread[channel] ?? 0) + 1 };
}

/** The conversation or view that the reader looks at. */
function lookedAt({ workspace, place }: PageState): string {
  const modal = workspace?.modals.at(-1);
  if (modal) return modal.id;
  return place?.kind === "conversation" ? place.channel : (workspace?.home?.id ?? "");
}

function noticesAfter(state: PageState, event: PageEvent): PageState["notices"] {
  const { notices } = state;
  if (event.type === "notices_read") return { ...notices, [event.channel]: [] };
  if (event.type !== "notice") return notices;
  const at = event.channel || lookedAt(state);
  return { ...notices, [at]: [...(notices[at] ?? []), event.text].slice(-MOST_NOTICES) };
}

/** The state after an event; pure. Events may arrive twice or before the first state: neither does harm. */
function reduce(state: PageState, event: PageEvent): PageState {
  const common = {
    ...state,
    unread: unreadAfter(state, event),
    notices: noticesAfter(state, event),
    place: placeAfter(state, event),
    workspace: state.workspace && workspaceAfter(state.workspace, event),
  };
  switch (event.type) {
    case "loaded":
      return { ...common, workspace: event.workspace };
    case "server":
      return { ...common, server: event.server };
    case "dismissed":
      return { ...common, dismissed: [...state.dismissed, `${event.channel} ${event.ts}`] };
    default:
      return common;
  }
}

export interface Store {
  get: () => PageState;
  send: (event: PageEvent) => void;
  watch(listener: () => void): () => void;
}

/** Holds the state and tells the listeners of every change. */
export function createStore(): Store {
  let state = EMPTY;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    send(event) {
      state = reduce(state, event);
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
