import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Ids, WorkspaceClock } from "./clock.ts";
import { type Fields, fieldsOf, parseJson } from "./page/fields.ts";

/** The reason why Slack asks a client to disconnect. */
export type DisconnectReason = "refresh_requested" | "warning" | "link_disabled" | "too_many_websockets";

/** One open Socket Mode connection. */
interface SocketConnection {
  id: string;
  /** Whether it was asked to close: nothing more is sent there. */
  isLeaving: () => boolean;
  send: (frame: Fields) => void;
  leave: (reason: DisconnectReason) => void;
  /** Closes it from this side; resolves when it is gone. */
  close: () => Promise<void>;
}

/** The Socket Mode connections of the app. */
export interface SocketMode {
  /** The address for one connection, good for 30 seconds and one use. */
  address: () => string;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** The connection whose turn it is, if possible not `except`. */
  choose: (except?: string) => SocketConnection | undefined;
  count: () => number;
  /** Asks the `count` oldest connections to close, as Slack does when it refreshes them. */
  disconnect: (reason: DisconnectReason, count: number) => void;
  /** Closes every connection; resolves when they are gone. */
  stop: () => Promise<void>;
}

interface SocketModeOptions {
  clock: WorkspaceClock;
  ids: Ids;
  app: string;
  /** The server's host, `127.0.0.1:PORT`, known once it listens. */
  host: () => string;
  onAck: (envelope: string, payload: Fields) => void;
  onGone: (connection: string) => void;
  onCount: (count: number) => void;
}

const maxConnections = 10;
const maxBytes = 1024 * 1024;
const ticketLifeMs = 30_000;
const pingEveryMs = 10_000;
/** The time after which Slack cuts a connection that was asked to close, in milliseconds. */
const lingerMs = 10_000;
/** The time that a peer has to answer a close, in milliseconds. */
const closeMs = 500;
const goingAway = 1001;

/** Builds the Socket Mode of one workspace. */
export function createSocketMode(options: SocketModeOptions): SocketMode {
  const { clock, ids, app, host, onAck, onGone, onCount } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: maxBytes });
  const tickets = new Map<string, () => void>();
  const open = new Map<string, SocketConnection>();
  let turn = 0;

  function forget(id: string): void {
    if (!open.delete(id)) return;
    onCount(open.size);
    onGone(id);
  }

  function welcome(socket: WebSocket): void {
    const id = ids.next("conn-");
    const connection = createConnection({ id, socket, clock, onAck, onGone: () => forget(id) });
    if (open.size >= maxConnections) return connection.leave("too_many_websockets");
    open.set(id, connection);
    const debug_info = { host: "workspace", build_number: 1, approximate_connection_time: 18_060 };
    connection.send({ type: "hello", num_connections: open.size, debug_info, connection_info: { app_id: app } });
    onCount(open.size);
  }

  return {
    address() {
      const ticket = ids.secret();
      tickets.set(
        ticket,
        clock.after(ticketLifeMs, () => tickets.delete(ticket)),
      );
      return `ws://${host()}/link/?ticket=${ticket}&app_id=${app}`;
    },
    upgrade(request, socket, head) {
      const { pathname, searchParams } = new URL(request.url ?? "/", "ws://localhost");
      const ticket = searchParams.get("ticket") ?? "";
      tickets.get(ticket)?.();
      if (pathname === "/link/" && tickets.delete(ticket)) server.handleUpgrade(request, socket, head, welcome);
      else socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    },
    choose(except) {
      const staying = [...open.values()].filter((one) => !one.isLeaving());
      const others = staying.filter((one) => one.id !== except);
      const among = others.length > 0 ? others : staying;
      turn += 1;
      return among[turn % among.length];
    },
    count: () => open.size,
    disconnect(reason, count) {
      for (const connection of [...open.values()].slice(0, count)) connection.leave(reason);
    },
    async stop() {
      await Promise.all([...open.values()].map((connection) => connection.close()));
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

interface ConnectionOptions extends Pick<SocketModeOptions, "clock" | "onAck"> {
  id: string;
  socket: WebSocket;
  onGone: () => void;
}

/** Wraps a socket that has just been opened. */
function createConnection({ id, socket, clock, onAck, onGone }: ConnectionOptions): SocketConnection {
  let isLeaving = false;
  const send = (frame: Fields) => socket.send(JSON.stringify(frame));

  socket.on("error", () => socket.terminate());
  socket.on("close", onGone);
  socket.on("message", (data) => {
    const { envelope_id, payload } = fieldsOf(parseJson(textIn(data)));
    if (typeof envelope_id === "string") onAck(envelope_id, fieldsOf(payload));
  });
  keepAlive(socket, clock);

  return {
    id,
    isLeaving: () => isLeaving,
    send,
    leave(reason) {
      isLeaving = true;
      send({ type: "disconnect", reason, debug_info: { host: "workspace" } });
      clock.after(lingerMs, () => socket.terminate());
    },
    close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => socket.terminate(), closeMs);
      socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      if (socket.readyState === socket.OPEN) socket.close(goingAway);
      return promise;
    },
  };
}

/** Pings a peer regularly, and drops it if it has not answered the ping before. */
function keepAlive(socket: WebSocket, clock: WorkspaceClock): void {
  let isAlive = true;
  socket.on("pong", () => (isAlive = true));
  function beat(): void {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    clock.after(pingEveryMs, beat);
  }
  beat();
}

function textIn(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
