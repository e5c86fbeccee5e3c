import { App, type AuthorizeResult, LogLevel, type Logger } from "@slack/bolt";

import type { Message, Reply } from "../../src/slack/message.ts";
import type { Request as Asking } from "../../src/slack/request.ts";
import { route } from "../../src/slack/router.ts";
import { clientOptions } from "../../src/slack/web.ts";
import { createClock, settled } from "../support/clock.ts";

interface Sent {
  /** The method, or `respond`. */
  method: string;
  token: string | undefined;
  body: Record<string, unknown>;
}

interface Asked {
  line: string;
  surface: string;
  request: Asking;
}

interface Setting {
  authorize?: typeof authorizeAll;
  run?: (request: Asking) => Reply;
}

/** A Bolt app without a connection, and everything that it does. */
export function setUp({ authorize = authorizeAll, run = answerOk }: Setting = {}) {
  const clock = createClock();
  const sent: Sent[] = [];
  const asked: Asked[] = [];
  const events: string[] = [];
  const note = (event: string, fields?: unknown) => void events.push(`${event} ${JSON.stringify(fields)}`);
  const shelf = new Map<string, Message>();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const text = typeof init?.body === "string" ? init.body : "";
    const form = Object.fromEntries(new URLSearchParams(text));
    const isRespond = url.includes("/response/");
    const body: Record<string, unknown> = isRespond ? JSON.parse(text) : form;
    sent.push({
      method: isRespond ? "respond" : (url.split("/").at(-1) ?? ""),
      token: form["token"] ?? bearer(init),
      body,
    });
    const answer = isRespond ? "ok" : JSON.stringify({ ok: true, channel: form["channel"], ts: `${sent.length}.0` });
    return new Response(answer);
  };
  const app = new App({
    receiver: { init: () => undefined, start: async () => undefined, stop: async () => undefined },
    authorize,
    convoStore: false,
    clientOptions: clientOptions("https://slack.example/api/", fetch),
    logger: silent,
  });
  const answers = route(app, {
    routes: {
      slashes: ["/news", "/bellwether"],
      find(line, surface) {
        events.push("find");
        return {
          name: line.split(" ")[0] ?? "",
          working: "Working…",
          run(request) {
            asked.push({ line, surface, request });
            return run(request);
          },
        };
      },
      explain: (error) => ({ text: String(error) }),
    },
    shelf: {
      put: async (key, message) => shelf.set(key, message),
      take: async (key) => {
        const message = shelf.get(key);
        shelf.delete(key);
        return message;
      },
    },
    ledger: { begin: async () => undefined, end: async () => undefined },
    timer: clock,
    log: { debug: note, info: note, warn: note, error: note },
  });
  /** Hands in what Slack sends, and waits until the answer to it stands. */
  const hear = async (body: Record<string, unknown>) => {
    await app.processEvent({ body, ack: async () => void events.push("ack") });
    for (let turn = 0; turn < 20; turn++) await settled();
  };
  const lines = () => asked.map(({ line }) => line);
  return { clock, sent, asked, events, shelf, answers, hear, lines };
}

function answerOk(): Reply {
  return { text: "ok" };
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
function delivery(event: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
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

export function command(name: string, text: string): Record<string, unknown> {
  return {
    command: name,
    text,
    team_id: "T1",
    user_id: "U1",
    channel_id: "C1",
    trigger_id: "1.2",
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
