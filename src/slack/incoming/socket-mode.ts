import type { App, Logger, Receiver, ReceiverEvent } from "@slack/bolt";
import { SocketModeClient } from "@slack/socket-mode";
import { z } from "zod";

import { SlackRefused, refusalOf } from "../delivery/refusal.ts";
import { clientOptions } from "../delivery/web-api.ts";
import { type Timer, pause } from "../timer.ts";
import { type ProcessEvent, isPassingFailure } from "./process-event.ts";

/**
 * Slack refreshes a Socket Mode connection every few hours, and its client then stays away for ten seconds. Two
 * connections to the same app hear everything meanwhile; each is replaced the moment that Slack announces its end.
 */
const connectionCount = 2;
/** A connection that ends sooner counts as a failed attempt, so that the next one waits. */
const lastingMs = 10_000;
const longestPauseMs = 30_000;

interface SocketModeOptions {
  appToken: string;
  apiUrl: string;
  logger: Logger;
  timer: Timer;
  processEvent: ProcessEvent;
}

/** A connection that Slack has greeted. */
interface Connection {
  client: SocketModeClient;
  /** Resolves with the reason as soon as Slack announces the end, or the connection is gone. */
  ended: Promise<string>;
}

/** A receiver that keeps Socket Mode connections open, and says whether one is; its start fails if Slack gives none. */
export function createSocketMode(options: SocketModeOptions) {
  const { logger, timer } = options;
  const open = new Set<SocketModeClient>();
  let stopping = new AbortController();
  let app: App | undefined;

  async function connect(signal: AbortSignal): Promise<Connection> {
    const connection = await openConnection(options, app);
    if (signal.aborted) void connection.client.disconnect();
    return connection;
  }

  /** Uses a connection until it ends; says whether it lasted long enough to be replaced at once. */
  async function use({ client, ended }: Connection, signal: AbortSignal): Promise<boolean> {
    const since = timer.now();
    open.add(client);
    // It was stopped while the other connection was being opened.
    if (signal.aborted) void client.disconnect();
    const reason = await ended;
    open.delete(client);
    if (signal.aborted) return true;
    const hasLasted = timer.now() - since >= lastingMs;
    logger[hasLasted ? "info" : "warn"](`a Socket Mode connection ends: ${reason}`);
    if (reason !== "link_disabled") return hasLasted;
    logger.warn("Slack has Socket Mode turned off for this app: turn it on in its settings, Socket Mode.");
    return false;
  }

  /** Uses a connection until it ends and opens the next one, again and again until the receiver is stopped. */
  async function keepConnected(first: Promise<Connection>, signal: AbortSignal): Promise<void> {
    let failures = 0;
    for (let attempt = first; ; attempt = connect(signal)) {
      let retryAfterMs = 0;
      try {
        failures = (await use(await attempt, signal)) ? 0 : failures + 1;
      } catch (error) {
        const refused = refusalOf("apps.connections.open", error);
        logger.warn(`no Socket Mode connection: ${refused.code}`);
        retryAfterMs = refused.retryAfterMs ?? 0;
        failures++;
      }
      const pauseMs = Math.max(retryAfterMs, Math.min(longestPauseMs, 500 * 2 ** failures));
      if (failures > 0 && !signal.aborted) await pause(timer, pauseMs);
      if (signal.aborted) return;
    }
  }

  return {
    isConnected: (): boolean => open.size > 0,
    init(to: App): void {
      app = to;
    },
    async start(): Promise<void> {
      stopping = new AbortController();
      const { signal } = stopping;
      const attempts = Array.from({ length: connectionCount }, () => connect(signal));
      const failed = (await Promise.allSettled(attempts)).filter(({ status }) => status === "rejected");
      if (failed.length === connectionCount) await attempts[0];
      for (const attempt of attempts) void keepConnected(attempt, signal);
    },
    async stop(): Promise<void> {
      stopping.abort();
      for (const client of open) void client.disconnect();
    },
  } satisfies Receiver & Record<string, unknown>;
}

/** Opens a Socket Mode connection for the app; rejects if Slack does not greet it. */
async function openConnection(
  { appToken, apiUrl, logger, processEvent }: SocketModeOptions,
  app: App | undefined,
): Promise<Connection> {
  const client = new SocketModeClient({
    appToken,
    logger,
    // We replace connections ourselves: the client's own reconnect takes ten seconds, and reports no failure.
    autoReconnectEnabled: false,
    clientOptions: clientOptions(apiUrl),
  });
  client.on("slack_event", ({ body, ack }: ReceiverEvent) => {
    if (!app) return;
    // Slack sends again what is not acknowledged; what may be answered then is logged already.
    processEvent(app, { body, ack }).catch((error: unknown) => {
      if (!isPassingFailure(error)) logger.warn(`what Slack sent cannot be read: ${String(error)}`);
    });
  });
  const ended = Promise.withResolvers<string>();
  let reason = "closed";
  client.on("ws_message", (data: unknown) => {
    const announced = reasonOfEnd(data);
    if (announced !== undefined) ended.resolve(announced);
  });
  client.on("error", (error: unknown) => {
    if (error instanceof Error) reason = error.message;
  });
  client.on("disconnected", () => ended.resolve(reason));
  try {
    await client.start();
  } catch (error) {
    if (error !== undefined) throw error;
    // The client rejects with nothing if the connection ends before Slack has greeted it.
    throw new SlackRefused("a Socket Mode connection", `${await ended.promise} before hello`, { reaction: "lookUp" });
  }
  return { client, ended: ended.promise };
}

const noticeSchema = z.looseObject({ type: z.literal("disconnect"), reason: z.string().catch("no reason") });

/** The reason in Slack's announcement that a connection ends; most messages are long, and none of these. */
function reasonOfEnd(data: unknown): string | undefined {
  if (typeof data !== "string" || data.length > 1_000 || !data.includes('"disconnect"')) return undefined;
  try {
    return noticeSchema.parse(JSON.parse(data)).reason;
  } catch {
    return undefined;
  }
}
