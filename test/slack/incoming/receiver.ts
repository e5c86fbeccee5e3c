import { App, type AuthorizeResult, LogLevel, type Logger } from "@slack/bolt";
import type { Log, LogFields } from "../../../src/log.ts";
import type { ChannelChange } from "../../../src/slack/workspaces/channels.ts";
import type { createBolt } from "../../../src/slack/incoming/bolt.ts";
import { type Calls, clientOptions, createCalls } from "../../../src/slack/delivery/web-api.ts";
import { type FollowedThreads, listenToSlack } from "../../../src/slack/incoming/listen.ts";
import type { CheckAccess } from "../../../src/slack/workspaces/people.ts";
import type { Continuation, EmojiReaction, Request as Asking, Routes } from "../../../src/slack/incoming/request.ts";
import type { UnfinishedAnswer, UnfinishedAnswers } from "../../../src/slack/answer/unfinished.ts";
import { createSharing } from "../../../src/slack/answer/share.ts";
import { section } from "../../../src/slack/text/blocks.ts";
import type { Message, Reply } from "../../../src/slack/text/message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock, settled } from "../../support/clock.ts";

interface Sent {
  /** The method, or `respond`. */
  method: string;
  token: string | undefined;
  body: Record<string, unknown>;
}

interface Asked {
  line: string;
  surface: string;
  continuation?: Continuation | undefined;
  request: Asking;
}

interface Setting {
  /** Events that an earlier process has seen, by what they were noted under. */
  events?: { get(key: string): number | undefined; set(key: string, at: number): unknown };
  checkAccess?: CheckAccess;
  /** Where answers are written down until they are complete. */
  unfinished?: Partial<Pick<UnfinishedAnswers, "note" | "forget">>;
  /** Threads in which the bot answers without being mentioned. */
  following?: Partial<FollowedThreads>;
  authorize?: typeof authorizeAll;
  run?: (request: Asking, line: string) => Reply | Promise<Reply>;
  read?: Routes["read"];
  check?: Routes["check"];
  rebuild?: Routes["rebuild"];
  offer?: Routes["offer"];
  home?: Routes["home"];
  shortcut?: Routes["shortcuts"][string];
  /** Codes with which the next calls of a method are refused, in order; a number is the status, `hang` no answer ever. */
  refuses?: Record<string, (string | number)[]>;
}

/** A Bolt app without a connection, and everything that it does. */
export function setUp(setting: Setting = {}) {
  const { authorize = authorizeAll, refuses = {} } = setting;
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const text = typeof init?.body === "string" ? init.body : "";
    const form = Object.fromEntries(new URLSearchParams(text));
    const isRespond = url.includes("/response/");
    const body: Record<string, unknown> = isRespond ? JSON.parse(text) : form;
    const method = isRespond ? "respond" : (url.split("/").at(-1) ?? "");
    sent.push({ method, token: form["token"] ?? bearer(init), body });
    const refusal = refuses[method]?.shift();
    if (refusal === "hang") return new Promise(() => undefined);
    if (typeof refusal === "number") return new Response("no", { status: refusal, headers: { "retry-after": "1" } });
    if (refusal) return new Response(JSON.stringify({ ok: false, error: refusal }));
    return new Response(isRespond ? "ok" : JSON.stringify({ ok: true, ...answerTo(form, sent.length) }));
  };
  const app = new App({
    receiver: { init: () => undefined, start: async () => undefined, stop: async () => undefined },
    authorize,
    convoStore: false,
    clientOptions: clientOptions("https://slack.example/api/", fetch),
    logger: silent,
  });
  const listening = listenWith(app, createCalls(app.client).callOf, setting);
  const { events } = listening;
  const acks: unknown[] = [];
  const ack = async (answer?: unknown) => {
    events.push("ack");
    acks.push(answer);
  };
  /** Hands in what Slack sends, and waits until the answer to it stands. */
  const hear = async (body: Record<string, unknown>) => {
    await app.processEvent({ body, ack });
    for (let turn = 0; turn < 20; turn++) await settled();
  };
  return { ...listening, sent, acks, hear };
}

/** What comes of one thing that Slack sends. */
export async function heard(body: Record<string, unknown>, setting?: Setting) {
  const all = setUp(setting);
  await all.hear(body);
  return all;
}

/** Everything that a person can do in Slack, before commands that remember what was asked. */
export function listenWith(app: App, calls: Calls, setting: Setting) {
  const { run = answerOk, read = () => ({ errors: {} }) } = setting;
  const clock = createClock();
  const asked: Asked[] = [];
  const reactions: EmojiReaction[] = [];
  const moves: { team: string; channel: string; change: ChannelChange }[] = [];
  const events: string[] = [];
  const note = (event: string, fields?: unknown) => void events.push(`${event} ${JSON.stringify(fields)}`);
  const shared = new Map<string, Message>();
  /** Answers that would be told of if the bot crashed now. */
  const noted = new Map<string, UnfinishedAnswer>();
  const answers = listenToSlack(app, calls, {
    routes: {
      slashes: ["/news", "/bellwether"],
      find(line, surface, continuation) {
        events.push("find");
        return {
          name: line.split(" ")[0] ?? "",
          line: `again ${line}`,
          isQuestion: line.endsWith("?"),
          working: "Working…",
          run(request) {
            asked.push({ line, surface, continuation, request });
            return run(request, line);
          },
        };
      },
      explain: (error) => ({ text: String(error), private: true }),
      read,
      check: setting.check ?? (async () => ({})),
      rebuild: setting.rebuild ?? (async () => ({ text: "" })),
      offer: setting.offer ?? (async () => []),
      shortcuts: { quote: setting.shortcut ?? (({ text }) => ({ text, window: { title: "Quoted" } })) },
      reacted: async (reaction) => void reactions.push(reaction),
      channelChanged: async (place, change) => {
        moves.push({ ...place, change });
      },
      home: setting.home ?? (async ({ user }) => [section(`Hello ${user}`)]),
    },
    sharing: createSharing({
      get: async (key) => shared.get(key),
      set: async (key, message) => void shared.set(key, message),
      delete: async (key) => shared.delete(key),
    }),
    unfinished: {
      note: async (answer) => void noted.set(answer.key, answer),
      forget: async (key) => void noted.delete(key),
      ...setting.unfinished,
    },
    checkAccess: setting.checkAccess ?? (async () => "allowed"),
    following: {
      enter: async () => undefined,
      answered: async () => undefined,
      decide: async () => "ignore",
      ...setting.following,
    },
    events: {
      get: async (key) => setting.events?.get(key),
      set: async (key, at) => void setting.events?.set(key, at),
    },
    workspaceOf: createWorkspaces(clock),
    timer: clock,
    log: { debug: note, info: note, warn: note, error: note },
  });
  const lines = () => asked.map(({ line }) => line);
  return { clock, asked, moves, reactions, events, shared, noted, answers, lines };
}

/** A direct message that is addressed by the person stands in a channel of its own. */
function answerTo({ channel }: Record<string, string>, number: number) {
  return { channel: channel?.replace(/^U/, "D"), ts: `${number}.0`, view: { id: `V${number}` } };
}

/** The views that were sent to Slack, in order. */
export function viewsIn(sent: Sent[]) {
  return sent.flatMap(({ method, body }) => (body["view"] ? [{ method, ...readView(body["view"]), sent: body }] : []));
}

/** What a person reads and uses of a view. */
function readView(view: unknown) {
  const { type, title, blocks, ...more } = JSON.parse(typeof view === "string" ? view : JSON.stringify(view));
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return { type, title: title?.text, words, metadata: JSON.parse(more.private_metadata ?? "{}"), blocks };
}

function answerOk(): Reply {
  return { text: "ok" };
}

/** A log that keeps what Bolt says, each line with its level. */
export function logTo(lines: string[]): Log {
  const at = (level: string) => (_event: string, fields?: LogFields) =>
    void lines.push(`${level} ${String(fields?.["text"])}`);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** A logger of Bolt's that says nothing. */
export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

function bearer(init: RequestInit | undefined): string | undefined {
  return new Headers(init?.headers).get("authorization")?.replace("Bearer ", "");
}

async function authorizeAll({ teamId = "T1" }: { teamId?: string | undefined }): Promise<AuthorizeResult> {
  return { botToken: `xoxb-${teamId}`, botId: "BBOT", botUserId: "UBOT", teamId };
}

let serial = 0;

/** A delivery of the Events API. */
export function delivery(event: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
  const number = ++serial;
  return {
    type: "event_callback",
    team_id: "T1",
    event_id: `Ev${number}`,
    event: { user: "U1", channel: "C1", ts: `${number}.000100`, event_ts: `${number}.000100`, ...event },
    ...more,
  };
}

export const mention = (text: string, event: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  delivery({ type: "app_mention", text, ...event }, more);

export const direct = (text: string, event: Record<string, unknown> = {}) =>
  delivery({ type: "message", channel_type: "im", channel: "D1", text, ...event });

/** Something said in a thread of a channel, to nobody in particular. */
export const reply = (text: string, event: Record<string, unknown> = {}) =>
  delivery({ type: "message", channel_type: "channel", text, thread_ts: "0.000300", ...event });

/** Something said in a group direct message, where a mention comes as nothing else. */
export const inGroup = (text: string, event: Record<string, unknown> = {}) =>
  delivery({ type: "message", channel_type: "mpim", channel: "G1", text, ...event });

/** Something that became of a channel, or of somebody in it. */
export const move = (type: string, event: Record<string, unknown> = {}) => delivery({ type, ...event });

/** Slack's own way to stop what goes on in a thread. */
export const stopSession = (event: Record<string, unknown> = {}) =>
  delivery({ type: "agent_session_stopped", channel: "D1", thread_ts: "7.5", streaming_message_ts: [], ...event });

export function command(name: string, text: string): Record<string, unknown> {
  return {
    command: name,
    text,
    team_id: "T1",
    user_id: "U1",
    channel_id: "C1",
    trigger_id: `1.2.${++serial}`,
    response_url: "https://hooks.slack.example/response/1",
  };
}

export function press(action: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: "block_actions",
    team: { id: "T1" },
    user: { id: "U2" },
    channel: { id: "C1" },
    container: { type: "message", message_ts: "5.0", channel_id: "C1" },
    actions: [{ type: "button", block_id: "b", action_ts: "6.0", ...action }],
    response_url: "https://hooks.slack.example/response/2",
    trigger_id: "1.3",
    ...more,
  };
}

/** A press in a window or on the bot's own page. */
export function pressInside(action: Record<string, unknown>, view: Record<string, unknown> = {}) {
  const shown = { id: "V9", type: "modal", private_metadata: windowOf({ channel: "C1", thread: "3.0" }), ...view };
  const container = { type: "view", view_id: shown.id };
  return press(action, { channel: undefined, response_url: undefined, container, view: shown });
}

/** What a window says of where it was opened. */
export function windowOf(origin: Record<string, unknown>): string {
  return JSON.stringify({ state: "", ...origin });
}

/** A form that is sent off; `fields` as Slack tells of them. */
export function submit(fields: Record<string, unknown>, view: Record<string, unknown> = {}): Record<string, unknown> {
  const values = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { [name]: value }]));
  const number = ++serial;
  return {
    type: "view_submission",
    team: { id: "T1" },
    user: { id: "U2" },
    trigger_id: "1.4",
    view: {
      id: `V${number}`,
      hash: `${number}.h`,
      type: "modal",
      callback_id: "about",
      title: { type: "plain_text", text: "Ask" },
      private_metadata: windowOf({ channel: "C1", thread: "3.0", state: "key" }),
      blocks: Object.keys(fields).map((name) => ({ type: "input", block_id: name })),
      state: { values },
      ...view,
    },
  };
}

/** Somebody types into a list of a window. */
export function suggestion(action: string, value = ""): Record<string, unknown> {
  return {
    type: "block_suggestion",
    team: { id: "T1" },
    user: { id: "U2" },
    container: { type: "view", view_id: "V9" },
    action_id: action,
    block_id: "source",
    value,
  };
}

/** What the field of a text holds. */
export const typed = (value: string | null) => ({ type: "plain_text_input", value });

/** Somebody opens one of the bot's own tabs. */
export const open = (tab: string, event: Record<string, unknown> = {}) =>
  delivery({ type: "app_home_opened", tab, channel: "D1", ...event });

/** Somebody uses the entry in a message's menu. */
export function useShortcut(message: Record<string, unknown>): Record<string, unknown> {
  return {
    type: "message_action",
    callback_id: "quote",
    team: { id: "T1" },
    user: { id: "U2" },
    channel: { id: "C1" },
    message: { type: "message", ts: "5.0", ...message },
    response_url: "https://hooks.slack.example/response/3",
    trigger_id: "1.5",
  };
}

type Bolt = ReturnType<typeof createBolt>;
type Monitoring = Parameters<Bolt["listen"]>[0];

export const nothingMonitored: Monitoring = { readFacts: async () => ({}) };

/** Starts a bot as the app does where there is one replica. */
export async function startBolt(bolt: Bolt, monitoring = nothingMonitored) {
  const identity = await bolt.identify();
  await bolt.connect();
  await bolt.listen(monitoring);
  return identity;
}
