/**
 * The protocol between the workspace server and its page. The page reads `GET /workspace/state` once, follows `GET
 * /workspace/events` (server-sent events, each `data:` one WorkspaceEvent) and sends each action of a person by POST.
 */

export interface WorkspaceUser {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
  timeZone: string;
  /** The locale of their Slack; `en-US` if it is missing. */
  locale?: string;
  /** Their role in the workspace; a partner belongs to another workspace and shares channels with this one. */
  role: "member" | "admin" | "guest" | "partner";
}

export interface WorkspaceConversation {
  id: string;
  /** Channel name without `#`; for a direct message the other person's or the app's name. */
  name: string;
  /** `im` is a direct message between two, `mpim` a group direct message. */
  kind: "channel" | "private" | "im" | "mpim";
  topic: string;
  members: string[];
  isArchived: boolean;
  /** Shared with another workspace. */
  isShared?: boolean;
}

/** A block or element of Block Kit, as the Web API received it. */
export type WorkspaceBlock = { type: string; [field: string]: unknown };

export interface WorkspaceMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user: string;
  text: string;
  blocks?: WorkspaceBlock[];
  /** False only if the sender asked for plain text (`mrkdwn: false`). */
  mrkdwn?: boolean;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  /** The only user who sees the message, if it is ephemeral. */
  onlyFor?: string;
  /** The command that an ephemeral message answers, as it was typed. */
  typed?: string;
  edited?: { ts: string };
  reply_count?: number;
  /** Set for messages of the app. */
  bot_id?: string;
  /** True while the app still appends to the message. */
  streaming?: boolean;
  /** A reply that is shown in the channel too. */
  reply_broadcast?: boolean;
  /** The emoji that people put on the message, with who did. */
  reactions?: { name: string; users: string[]; count: number }[];
}

export interface WorkspaceView {
  id: string;
  type: "modal" | "home";
  title: string;
  submit?: string;
  close?: string;
  callback_id: string;
  private_metadata: string;
  blocks: WorkspaceBlock[];
  /** Field errors by block_id, after a refused submission. */
  errors?: Record<string, string>;
}

export interface SlashCommand {
  command: string;
  description: string;
  usage_hint: string;
  /** The words that may come first after the command. */
  words?: CommandWord[];
}

/** A word with a meaning after a command or a mention. */
export interface CommandWord {
  word: string;
  summary: string;
}

/** The app's status in a thread; empty when it is done. */
export interface WorkspaceStatus {
  channel: string;
  thread_ts: string;
  status: string;
  /** Set if the person can stop it. */
  canStop?: true;
}

export interface WorkspaceState {
  team: { id: string; name: string };
  /** The workspace's own commands, as Slack has some. */
  commands: SlashCommand[];
  app: {
    id: string;
    name: string;
    botUserId: string;
    description: string;
    connected: boolean;
    commands: SlashCommand[];
    /** The words that may come first after a mention. */
    words: CommandWord[];
    messageShortcuts: { name: string; callback_id: string }[];
    globalShortcuts: { name: string; callback_id: string }[];
    suggestedPrompts: { title: string; message: string }[];
  };
  /** The user that the page acts as. */
  me: string;
  users: WorkspaceUser[];
  conversations: WorkspaceConversation[];
  /** Every message by conversation, oldest first, thread replies and ephemerals for `me` included. */
  messages: Record<string, WorkspaceMessage[]>;
  home?: WorkspaceView;
  modals: WorkspaceView[];
  /** The statuses of the app in threads. */
  statuses?: WorkspaceStatus[];
  /** The state of the demo, if the workspace is one. */
  demo?: DemoState;
}

export const demoActions = ["spike", "story", "tomorrow", "slow", "refuse", "restart", "over"] as const;

/** `POST /workspace/demo`: an action of the demo panel. */
export type DemoAction = (typeof demoActions)[number];

/** The state that the demo panel shows. */
export interface DemoState {
  /** The demo's ID; a start over changes it. */
  run: string;
  /** The time that the demo's clock is ahead of the machine's, in milliseconds. */
  aheadMs: number;
  /** The company whose coverage would spike next. */
  company: string;
  /** The stage of the current spike. */
  spike?: "spreading" | "peak" | "fading";
  /** The number of breaking stories that are left. */
  stories: number;
  isSlow: boolean;
  isRefusing: boolean;
  isRestarting: boolean;
  /** The channel and thread that the page opens at. */
  opening?: { channel: string; thread: string };
}

export type WorkspaceEvent =
  | { type: "message"; message: WorkspaceMessage }
  | { type: "message_changed"; message: WorkspaceMessage }
  | { type: "message_deleted"; channel: string; ts: string }
  | { type: "conversation"; conversation: WorkspaceConversation }
  /** A conversation gets a new ID, with all its messages. */
  | { type: "moved"; from: string; conversation: WorkspaceConversation }
  | { type: "modals"; modals: WorkspaceView[] }
  | { type: "home"; home: WorkspaceView }
  | { type: "connected"; connected: boolean }
  | { type: "demo"; demo: DemoState }
  | ({ type: "status" } & WorkspaceStatus)
  /**
   * A line that only the page shows: "/news failed with the error operation_timeout". `channel` is a conversation or
   * view, empty for wherever the person is.
   */
  | { type: "notice"; channel: string; text: string };

/** `POST /workspace/say`: a message, or a slash command if the text begins with one of the app's. */
export interface Say {
  channel: string;
  text: string;
  thread_ts?: string;
}

/** The result: the message, or the conversation that a command has opened. */
export interface SayResult {
  ts?: string;
  opened?: string;
}

/** `POST /workspace/act`: the use of a button, select or other interactive element. */
export interface ElementUse {
  /** The message or view that holds the element. */
  container: { channel: string; ts: string } | { view: string };
  block_id: string;
  action_id: string;
  /** The element's type and the person's input, in Slack's field names (`value`, `selected_option`, `selected_date` …). */
  action: { type: string; [field: string]: unknown };
  /** The values of the fields around it, as Slack's `state.values`. */
  values?: Submit["values"];
}

/** `POST /workspace/suggest`: asks for the app's options in an `external_select` of a view, for the text typed so far. */
export interface Suggest {
  view: string;
  block_id: string;
  action_id: string;
  value: string;
}

/** Options of Block Kit, in the app's order. */
export interface Suggested {
  options: Record<string, unknown>[];
}

/** `POST /workspace/submit` and `POST /workspace/close`: the topmost modal; `values` as Slack's `state.values`. */
export interface Submit {
  view: string;
  values: Record<string, Record<string, { type: string; [field: string]: unknown }>>;
}

/** `POST /workspace/shortcut`: a message shortcut (with channel and ts) or a global one. */
export interface ShortcutUse {
  callback_id: string;
  channel?: string;
  ts?: string;
}
/** `POST /workspace/stop`: the person stops the app's work in a thread; possible only in a session that is processing. */
export interface StopSession {
  channel: string;
  thread_ts: string;
}

/** `POST /workspace/react`: the person puts an emoji on a message, or takes their own away. */
export interface React {
  channel: string;
  ts: string;
  /** The emoji's name, without colons. */
  name: string;
}

/** `POST /workspace/open`: the person opens a conversation or the app's Home (`tab: "home"`): sends `app_home_opened`. */
export interface Open {
  channel: string;
  tab?: "home" | "messages";
}

/** A Web API call, or a payload that was sent to the app over its connection. */
export interface Exchange {
  id: number;
  at: number;
  kind: "call" | "envelope";
  /** The method, or the payload's type: `app_mention`, `/news`, `block_actions`. */
  name: string;
  /** The channel that it is about. */
  channel?: string;
  ms: number;
  /** `ok`, or the error. */
  outcome: string;
  /** The size of the request and the answer together, in bytes of JSON. */
  bytes: number;
}

/** The calls that a rate limit has left. */
export interface LimitLeft {
  method: string;
  /** Set if the limit is for a single channel. */
  channel?: string;
  left: number;
  most: number;
}

/** `GET /workspace/inspector?after=ID`: the exchanges after that ID, oldest first. */
export interface Inspection {
  exchanges: Exchange[];
  limits: LimitLeft[];
}
