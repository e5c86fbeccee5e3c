import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "./clock.ts";
import { type Fields, isFields, parseJson, textOf } from "./fields.ts";
import type { Ids } from "./ids.ts";

/** Why Slack asks a client to go. */
export type Farewell = "refresh_requested" | "warning" | "link_disabled";

/** One open Socket Mode connection. */
export interface Connection {
  id: string;
  send(frame: Fields): void;
}

/** The Socket Mode connections of the app. */
export interface Link {
  /** The address for one connection, good for 30 seconds and one use. */
  address(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The connection whose turn it is, if possible another than `except`. */
  choose(except?: string): Connection | undefined;
  count(): number;
  /** Asks every connection to go, as Slack does when it refreshes them. */
  disconnect(reason: Farewell): void;
  stop(): void;
}

/** What the link reports; each comes after its own books are up to date. */
export interface LinkEvents {
  onAck(envelope: string, payload: Fields): void;
  onGone(connection: string): void;
  onCount(count: number): void;
}

interface Open extends Connection {
  socket: WebSocket;
  leaving: boolean;
  alive: boolean;
}

const MOST_CONNECTIONS = 10;
const TICKET_MS = 30_000;
const PING_MS = 10_000;
/** How long Slack keeps a connection that was told to go and does not. */
const LINGER_MS = 10_000;

function textIn(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return data instanceof ArrayBuffer ? Buffer.from(data).toString("utf8") : data.toString("utf8");
}

/** Builds the link; `host` is `127.0.0.1:PORT`, known once the server listens. */
export function createLink(options: { clock: Clock; ids: Ids; app: string; host: () => string } & LinkEvents): Link {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const tickets = new Map<string, () => void>();
  const open: Open[] = [];
  let turn = 0;

  function hello(): Fields {
    const debug = { host: "workspace", build_number: 1, approximate_connection_time: 18_060 };
    const connection_info = { app_id: options.app };
    return { type: "hello", num_connections: open.length, debug_info: debug, connection_info };
  }

  function gone(one: Open): void {
    const at = open.indexOf(one);
    if (at < 0) return;
    open.splice(at, 1);
    options.onCount(open.length);
    options.onGone(one.id);
  }

  function receive(data: RawData): void {
    const frame = parseJson(textIn(data));
    if (!isFields(frame) || typeof frame["envelope_id"] !== "string") return;
    const { payload } = frame;
    options.onAck(frame["envelope_id"], isFields(payload) ? payload : {});
  }

  function keepAlive(one: Open): void {
    options.clock.after(PING_MS, () => {
      if (!open.includes(one)) return;
      if (!one.alive) return one.socket.terminate();
      one.alive = false;
      one.socket.ping();
      keepAlive(one);
    });
  }

  function welcome(socket: WebSocket): void {
    const id = options.ids.next("conn-");
    const one: Open = { id, socket, leaving: false, alive: true, send: (frame) => socket.send(JSON.stringify(frame)) };
    socket.on("error", () => socket.terminate());
    if (open.length >= MOST_CONNECTIONS) {
      one.send({ type: "disconnect", reason: "too_many_websockets", debug_info: { host: "workspace" } });
      socket.close(1000);
      return;
    }
    open.push(one);
    socket.on("message", receive);
    socket.on("pong", () => (one.alive = true));
    socket.on("close", () => gone(one));
    one.send(hello());
    socket.ping();
    keepAlive(one);
    options.onCount(open.length);
  }

  return {
    address() {
      const ticket = options.ids.secret();
      tickets.set(
        ticket,
        options.clock.after(TICKET_MS, () => tickets.delete(ticket)),
      );
      return `ws://${options.host()}/link/?ticket=${ticket}&app_id=${options.app}`;
    },
    upgrade(request, socket, head) {
      const address = new URL(textOf(request.url), "ws://localhost");
      const ticket = address.searchParams.get("ticket") ?? "";
      const forget = tickets.get(ticket);
      if (address.pathname !== "/link/" || !forget) {
        socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      forget();
      tickets.delete(ticket);
      server.handleUpgrade(request, socket, head, welcome);
    },
    choose(except) {
      const staying = open.filter((one) => !one.leaving);
      const others = staying.filter((one) => one.id !== except);
      const among = others.length > 0 ? others : staying;
      turn += 1;
      return among[turn % among.length];
    },
    count: () => open.length,
    disconnect(reason) {
      for (const one of open) {
        one.leaving = true;
        one.send({ type: "disconnect", reason, debug_info: { host: "workspace" } });
        options.clock.after(LINGER_MS, () => one.socket.terminate());
      }
    },
    stop() {
      for (const one of [...open]) one.socket.terminate();
      server.close();
    },
  };
}
