/**
 * What the workspace server and its page say to each other. The page reads `GET /workspace/state` once, follows
 * `GET /workspace/events` (server-sent events, each `data:` one WorkspaceEvent) and sends what a person does by POST.
 */

export interface WorkspaceUser {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
  timeZone: string;
  /** The locale of their Slack; `en-US` where it is missing. */
  locale?: string;
  /** What they are to the workspace; a partner belongs to another one and is met in shared channels. */
  role: "member" | "admin" | "guest" | "partner";
}

export interface WorkspaceConversation {
  id: string;
  /** Channel name without `#`; for a direct message the other person's or the app's name. */
  name: string;
  /** `im` is between two, `mpim` a group direct message. */
  kind: "channel" | "private" | "im" | "mpim";
  topic: string;
  members: string[];
  isArchived: boolean;
  /** Shared with another workspace. */
  isShared?: boolean;
}

/** A block or element of Block Kit, as it came over the Web API. */
export type WorkspaceBlock = { type: string; [field: string]: unknown };

export interface WorkspaceMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user: string;
  text: string;
  blocks?: WorkspaceBlock[];
  /** False only where the sender asked for plain text (`mrkdwn: false`). */
  mrkdwn?: boolean;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  /** Set for an ephemeral message: the only user who sees it. */
  onlyFor?: string;
  /** For an ephemeral message: the command that it answers, as it was typed. */
  typed?: string;
  edited?: { ts: string };
  reply_count?: number;
  /** Set for what the app posted. */
  bot_id?: string;
  /** True while the app still appends to the message. */
  streaming?: boolean;
  /** A reply that is shown in the channel too. */
  reply_broadcast?: boolean;
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
  /** What may come first after it. */
  words?: CommandWord[];
}

/** A word that means something after a command or a mention. */
export interface CommandWord {
  word: string;
  summary: string;
}

/** What the app says it is doing in a thread; empty when it is done. */
export interface WorkspaceStatus {
  channel: string;
  thread_ts: string;
  status: string;
  /** Set where the person can stop it. */
  canStop?: true;
}

export interface WorkspaceState {
  team: { id: string; name: string };
  /** Commands that are the workspace's own, as Slack has some. */
  commands: SlashCommand[];
  app: {
    id: string;
    name: string;
    botUserId: string;
    description: string;
    connected: boolean;
    commands: SlashCommand[];
    /** What may come first after a mention. */
    words: CommandWord[];
    messageShortcuts: { name: string; callback_id: string }[];
    globalShortcuts: { name: string; callback_id: string }[];
    suggestedPrompts: { title: string; message: string }[];
  };
  /** The user the page acts as. */
  me: string;
  users: WorkspaceUser[];
  conversations: WorkspaceConversation[];
  /** Every message by conversation, oldest first, thread replies and ephemerals for `me` included. */
  messages: Record<string, WorkspaceMessage[]>;
  home?: WorkspaceView;
  modals: WorkspaceView[];
  /** Threads in which the app says that it is doing something. */
  statuses?: WorkspaceStatus[];
  /** What can be made to happen, where the workspace is a demo. */
  demo?: DemoState;
}

export const demoActions = ["spike", "story", "tomorrow", "slow", "refuse", "restart", "over"] as const;

/** `POST /workspace/demo`: something that the demo panel makes happen. */
export type DemoAction = (typeof demoActions)[number];

/** What the demo panel shows. */
export interface DemoState {
  /** Another one after a start over. */
  run: string;
  /** How far the demo's clock is ahead of the machine's, in milliseconds. */
  aheadMs: number;
  /** Whose coverage would spike next. */
  company: string;
  /** How the spike that is under way stands. */
  spike?: "spreading" | "peak" | "fading";
  /** Breaking stories that are left. */
  stories: number;
  isSlow: boolean;
  isRefusing: boolean;
  isRestarting: boolean;
  /** Where the page opens. */
  opening?: { channel: string; thread: string };
}

export type WorkspaceEvent =
  | { type: "message"; message: WorkspaceMessage }
  | { type: "message_changed"; message: WorkspaceMessage }
  | { type: "message_deleted"; channel: string; ts: string }
  | { type: "conversation"; conversation: WorkspaceConversation }
  /** A conversation goes by another ID from now on, with all that was said in it. */
  | { type: "moved"; from: string; conversation: WorkspaceConversation }
  | { type: "modals"; modals: WorkspaceView[] }
  | { type: "home"; home: WorkspaceView }
  | { type: "connected"; connected: boolean }
  | { type: "demo"; demo: DemoState }
  | ({ type: "status" } & WorkspaceStatus)
  /**
   * A line only the page shows: "/news failed with the error operation_timeout". `channel` is a conversation or view,
   * empty for wherever the person is.
   */
  | { type: "notice"; channel: string; text: string };

/** `POST /workspace/say`: a message, or a slash command where the text begins with one the app has. */
export interface Say {
  channel: string;
  text: string;
  thread_ts?: string;
}

/** What came of it: the message, or the conversation that a command has opened. */
export interface SayResult {
  ts?: string;
  opened?: string;
}

/** `POST /workspace/act`: a button, select or other interactive element was used. */
export interface ElementUse {
  /** Where the element stands. */
  container: { channel: string; ts: string } | { view: string };
  block_id: string;
  action_id: string;
  /** Element type and what was chosen, in Slack's own field names (`value`, `selected_option`, `selected_date` …). */
  action: { type: string; [field: string]: unknown };
  /** What stands in the fields around it, as Slack's `state.values`. */
  values?: Submit["values"];
}

/** `POST /workspace/suggest`: what the app offers in an `external_select` of a view, for what was typed so far. */
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
/** `POST /workspace/stop`: the person stops the app's work in a thread, where the app shows a session at work. */
export interface StopSession {
  channel: string;
  thread_ts: string;
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
  /** The method, or what the payload is: `app_mention`, `/news`, `block_actions`. */
  name: string;
  /** The channel that it is about. */
  channel?: string;
  ms: number;
  /** `ok`, or the error. */
  outcome: string;
  /** Of what was sent and answered, in bytes of JSON. */
  bytes: number;
}

/** What is left of a rate limit. */
export interface LimitLeft {
  method: string;
  /** Where it holds for a single channel. */
  channel?: string;
  left: number;
  most: number;
}

/** `GET /workspace/inspector?after=ID`: what was exchanged since then, oldest first. */
export interface Inspection {
  exchanges: Exchange[];
  limits: LimitLeft[];
}
