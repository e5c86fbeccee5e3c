import { type App, type Logger, type Receiver, SocketModeReceiver } from "@slack/bolt";
import { z } from "zod";
import { SlackRefused, refusalOf } from "../delivery/refusal.ts";
import { clientOptions } from "../delivery/web-api.ts";
import { type Timer, pause } from "../timer.ts";

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
}

/** A connection that Slack has greeted. */
interface Connection {
  receiver: SocketModeReceiver;
  /** Resolves with the reason as soon as Slack announces the end, or the connection is gone. */
  ended: Promise<string>;
}

/** A receiver that keeps Socket Mode connections open, and says whether one is; its start fails where Slack gives none. */
export function createSocketMode(options: SocketModeOptions) {
  const { logger, timer } = options;
  const open = new Set<SocketModeReceiver>();
  let stopping = new AbortController();
  let app: App | undefined;

  async function connect(signal: AbortSignal): Promise<Connection> {
    const connection = await openConnection(options, app);
    if (signal.aborted) await connection.receiver.stop();
    return connection;
  }

  /** Uses a connection until it ends; says whether it lasted long enough to be replaced at once. */
  async function use({ receiver, ended }: Connection, signal: AbortSignal): Promise<boolean> {
    const since = timer.now();
    open.add(receiver);
    // It was stopped while the other connection was being opened.
    if (signal.aborted) await receiver.stop();
    const reason = await ended;
    open.delete(receiver);
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
      await Promise.all([...open].map((receiver) => receiver.stop()));
    },
  } satisfies Receiver & Record<string, unknown>;
}

/** Opens a Socket Mode connection for the app; rejects where Slack does not greet it. */
async function openConnection(
  { appToken, apiUrl, logger }: SocketModeOptions,
  app: App | undefined,
): Promise<Connection> {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    // We replace connections ourselves: the client's own reconnect takes ten seconds, and reports no failure.
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl) },
  });
  if (app) receiver.init(app);
  addEventToRateLimits(receiver.client);
  const ended = Promise.withResolvers<string>();
  let reason = "closed";
  receiver.client.on("ws_message", (data: unknown) => {
    const disconnect = disconnectMessage.safeParse(parseShortMessage(data, "disconnect")).data;
    if (disconnect) ended.resolve(disconnect.reason);
  });
  receiver.client.on("error", (error: unknown) => {
    if (error instanceof Error) reason = error.message;
  });
  receiver.client.on("disconnected", () => ended.resolve(reason));
  try {
    await receiver.start();
  } catch (error) {
    if (error !== undefined) throw error;
    // The client rejects with nothing where the connection ends before Slack has greeted it.
    throw new SlackRefused("a Socket Mode connection", `${await ended.promise} before hello`, { reaction: "look" });
  }
  return { receiver, ended: ended.promise };
}

const disconnectMessage = z.object({ type: z.literal("disconnect"), reason: z.string().catch("no reason") });

const rateLimitMessage = z.looseObject({
  type: z.literal("events_api"),
  payload: z.looseObject({ type: z.literal("app_rate_limited") }),
});

/**
 * Version 3.1.0 of the client throws at an `events_api` message without an event, which `app_rate_limited` is, so it would
 * never be acknowledged. The client is given an empty event with it.
 */
function addEventToRateLimits(client: SocketModeReceiver["client"]): void {
  const listeners = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  for (const listen of listeners) {
    client.on("ws_message", (data: unknown, isBinary: boolean) => {
      const envelope = rateLimitMessage.safeParse(parseShortMessage(data, "app_rate_limited")).data;
      const completed = envelope && JSON.stringify({ ...envelope, payload: { ...envelope.payload, event: {} } });
      listen(completed ?? data, isBinary);
    });
  }
}

/** Parses a message only where it is short and holds the word: most are long, and none of those we look for. */
function parseShortMessage(data: unknown, word: string): unknown {
  if (typeof data !== "string" || data.length > 1_000 || !data.includes(`"${word}"`)) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
