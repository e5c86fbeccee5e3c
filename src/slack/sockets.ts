import { type App, type Logger, type Receiver, SocketModeReceiver } from "@slack/bolt";

import type { Timer } from "./pacer.ts";
import { clientOptions } from "./web.ts";

/**
 * Slack refreshes a Socket Mode connection every few hours, and its client then stays away for ten seconds. Two
 * connections to the same app hear everything meanwhile; each gets its successor the moment that Slack announces the end.
 */
const connections = 2;
const longestPauseMs = 30_000;

interface SocketOptions {
  appToken: string;
  apiUrl: string;
  logger: Logger;
  timer: Timer;
}

/** A receiver that keeps Socket Mode connections open, and says whether one is. */
export function createSockets(options: SocketOptions): Receiver & { isConnected(): boolean } {
  const open = new Set<SocketModeReceiver>();
  let app: App | undefined;
  let isStopped = false;

  async function connect(): Promise<void> {
    const receiver = createReceiver(options);
    if (app) receiver.init(app);
    let isReplaced = false;
    const replace = () => {
      open.delete(receiver);
      if (isReplaced || isStopped) return;
      isReplaced = true;
      void reconnect(1);
    };
    receiver.client.on("ws_message", (data: unknown) => isFarewell(data) && replace());
    await receiver.start();
    if (isStopped) return receiver.stop();
    open.add(receiver);
    receiver.client.on("disconnected", replace);
  }

  async function reconnect(attempt: number): Promise<void> {
    try {
      await connect();
    } catch (error) {
      options.logger.warn(`no Socket Mode connection: ${String(error)}`);
      if (!isStopped)
        options.timer.after(Math.min(longestPauseMs, 500 * 2 ** attempt), () => void reconnect(attempt + 1));
    }
  }

  return {
    isConnected: () => open.size > 0,
    init(to) {
      app = to;
    },
    async start() {
      await Promise.all(Array.from({ length: connections }, connect));
    },
    async stop() {
      isStopped = true;
      await Promise.all([...open].map((receiver) => receiver.stop()));
    },
  };
}

function createReceiver({ appToken, apiUrl, logger }: SocketOptions): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken,
    logger,
    // We replace connections ourselves: the client's own way back takes long, and its failures reach nobody.
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl) },
  });
}

/** Whether Slack says on a connection that it will end it. */
function isFarewell(data: unknown): boolean {
  return typeof data === "string" && data.length < 1_000 && /"type"\s*:\s*"disconnect"/.test(data);
}
