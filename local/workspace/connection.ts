import type { RawData, WebSocket } from "ws";
import type { Clock } from "./clock.ts";
import { type Fields, isFields, parseJson } from "./fields.ts";

/** One open Socket Mode connection. */
export interface Connection {
  id: string;
  /** True once it was asked to go: nothing more is sent there. */
  isLeaving: () => boolean;
  send: (frame: Fields) => void;
  leave: (reason: string) => void;
  /** Closes it from this side; resolves when it is gone. */
  close: () => Promise<void>;
}

/** What a connection reports. */
export interface ConnectionEvents {
  onAck: (envelope: string, payload: Fields) => void;
  onGone: () => void;
}

const PING_MS = 10_000;
/** How long Slack keeps a connection that was told to go and does not. */
const LINGER_MS = 10_000;
/** How long a peer has to answer a close. */
const CLOSE_MS = 500;
const GOING_AWAY = 1001;

function textIn(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

/** Pings a peer and drops it when it has not answered the ping before. */
function keepAlive(socket: WebSocket, clock: Clock): void {
  let isAlive = true;
  socket.on("pong", () => (isAlive = true));
  function beat(): void {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    clock.after(PING_MS, beat);
  }
  beat();
}

/** Wraps a socket that has just been opened. */
export function createConnection(
  options: { id: string; socket: WebSocket; clock: Clock } & ConnectionEvents,
): Connection {
  const { id, socket, clock } = options;
  let leaving = false;
  const send = (frame: Fields) => socket.send(JSON.stringify(frame));

  socket.on("error", () => socket.terminate());
  socket.on("close", options.onGone);
  socket.on("message", (data) => {
    const frame = parseJson(textIn(data));
    if (!isFields(frame) || typeof frame["envelope_id"] !== "string") return;
    options.onAck(frame["envelope_id"], isFields(frame["payload"]) ? frame["payload"] : {});
  });
  keepAlive(socket, clock);

  return {
    id,
    isLeaving: () => leaving,
    send,
    leave(reason) {
      leaving = true;
      send({ type: "disconnect", reason, debug_info: { host: "workspace" } });
      clock.after(LINGER_MS, () => socket.terminate());
    },
    close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(() => socket.terminate(), CLOSE_MS);
      socket.once("close", () => {
        clearTimeout(patience);
        resolve();
      });
      if (socket.readyState === socket.OPEN) socket.close(GOING_AWAY);
      return promise;
    },
  };
}
