import type { App, Logger, Receiver, SocketModeReceiver } from "@slack/bolt";

import { type Line, openLine } from "./line.ts";
import type { Timer } from "../pacer.ts";
import { type SlackRefused, refusalOf } from "../refusal.ts";

/**
 * Slack refreshes a Socket Mode connection every few hours, and its client then stays away for ten seconds. Two
 * connections to the same app hear everything meanwhile; each gets its successor the moment that Slack announces the end.
 */
const connections = 2;
/** A connection that ends sooner is no better than one that Slack did not give: its successor waits. */
const steadyMs = 10_000;
const longestPauseMs = 30_000;

interface SocketOptions {
  appToken: string;
  apiUrl: string;
  logger: Logger;
  timer: Timer;
}

/** A receiver that keeps Socket Mode connections open, and says whether one is; its start fails where Slack gives none. */
export function createSockets(options: SocketOptions): Receiver & { isConnected(): boolean } {
  const { logger, timer } = options;
  const open = new Set<SocketModeReceiver>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let app: App | undefined;

  async function connect(): Promise<Line> {
    const line = await openLine(options, app);
    if (signal.aborted) await line.receiver.stop();
    return line;
  }
  const keep = createKeeper({ connect, open, logger, timer, signal });

  return {
    isConnected: () => open.size > 0,
    init(to) {
      app = to;
    },
    async start() {
      const lines = await Promise.allSettled(Array.from({ length: connections }, connect));
      const refused = lines.filter((line) => line.status === "rejected");
      if (refused.length === connections) throw refused[0]?.reason;
      for (const { reason } of refused) missing(reason, logger);
      for (const line of lines) void keep(line.status === "fulfilled" ? line.value : undefined);
    },
    async stop() {
      stopping.abort();
      await Promise.all([...open].map((receiver) => receiver.stop()));
    },
  };
}

interface Keeping {
  connect: () => Promise<Line>;
  open: Set<SocketModeReceiver>;
  logger: Logger;
  timer: Timer;
  signal: AbortSignal;
}

/** Gives a connection, or one that failed to come, successors until the signal: one after the other, never a storm. */
function createKeeper({ connect, open, logger, timer, signal }: Keeping) {
  /** Lets a connection live, and counts the attempts that have failed in a row when it is over. */
  async function hold({ receiver, ended }: Line, failures: number): Promise<number> {
    const since = timer.now();
    open.add(receiver);
    const reason = await ended;
    open.delete(receiver);
    if (signal.aborted) return 0;
    const isSteady = timer.now() - since >= steadyMs;
    const farewell = `a Socket Mode connection ends: ${reason}`;
    if (isSteady) logger.info(farewell);
    else logger.warn(farewell);
    if (reason !== "link_disabled") return isSteady ? 0 : failures + 1;
    logger.warn("Slack has Socket Mode turned off for this app: turn it on in its settings, Socket Mode.");
    return failures + 1;
  }

  return async (first: Line | undefined): Promise<void> => {
    let failures = first ? await hold(first, 0) : 1;
    let askedMs = 0;
    while (!signal.aborted) {
      if (failures > 0) await pause(Math.max(askedMs, backOffMs(failures)), timer, signal);
      if (signal.aborted) return;
      askedMs = 0;
      try {
        failures = await hold(await connect(), failures);
      } catch (error) {
        failures++;
        askedMs = missing(error, logger).retryAfterMs ?? 0;
      }
    }
  };
}

const backOffMs = (failures: number) => Math.min(longestPauseMs, 500 * 2 ** failures);

function missing(error: unknown, logger: Logger): SlackRefused {
  const refused = refusalOf("apps.connections.open", error);
  logger.warn(`no Socket Mode connection: ${refused.code}`);
  return refused;
}

/** Resolves after a while, or as soon as the signal says so. */
function pause(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = timer.after(ms, finish);
    signal.addEventListener("abort", finish, { once: true });
  });
}
