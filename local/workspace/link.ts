import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "./clock.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { Fields } from "./fields.ts";
import type { Ids } from "./ids.ts";
import { createTickets } from "./tickets.ts";

/** Why Slack asks a client to go. */
export type Farewell = "refresh_requested" | "warning" | "link_disabled";

/** The Socket Mode connections of the app. */
export interface Link {
  /** The address for one connection, good for 30 seconds and one use. */
  address: () => string;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** The connection whose turn it is, if possible another than `except`. */
  choose: (except?: string) => Connection | undefined;
  count: () => number;
  /** Asks the `count` oldest connections to go, as Slack does when it refreshes them. */
  disconnect: (reason: Farewell, count: number) => void;
  /** Closes every connection; resolves when they are gone. */
  stop: () => Promise<void>;
}

/** What the link reports, after its own books are up to date. */
export interface LinkEvents {
  onAck: (envelope: string, payload: Fields) => void;
  onGone: (connection: string) => void;
  onCount: (count: number) => void;
}

const MOST_CONNECTIONS = 10;
const MOST_BYTES = 1024 * 1024;

function hello(app: string, connections: number): Fields {
  const debug_info = { host: "workspace", build_number: 1, approximate_connection_time: 18_060 };
  return { type: "hello", num_connections: connections, debug_info, connection_info: { app_id: app } };
}

/** Builds the link; `host` is `127.0.0.1:PORT`, known once the server listens. */
export function createLink(options: { clock: Clock; ids: Ids; app: string; host: () => string } & LinkEvents): Link {
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });
  const tickets = createTickets(options.clock, options.ids);
  const open = new Map<string, Connection>();
  let turn = 0;

  function gone(id: string): void {
    if (!open.delete(id)) return;
    options.onCount(open.size);
    options.onGone(id);
  }

  function welcome(socket: WebSocket): void {
    const id = options.ids.next("conn-");
    const { clock, onAck } = options;
    const connection = createConnection({ id, socket, clock, onAck, onGone: () => gone(id) });
    if (open.size >= MOST_CONNECTIONS) return connection.leave("too_many_websockets");
    open.set(id, connection);
    connection.send(hello(options.app, open.size));
    options.onCount(open.size);
  }

  return {
    address: () => `ws://${options.host()}/link/?ticket=${tickets.issue()}&app_id=${options.app}`,
    upgrade(request, socket, head) {
      const address = new URL(request.url ?? "/", "ws://localhost");
      const isGood = address.pathname === "/link/" && tickets.spend(address.searchParams.get("ticket") ?? "");
      if (isGood) server.handleUpgrade(request, socket, head, welcome);
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
      for (const one of [...open.values()].slice(0, count)) one.leave(reason);
    },
    async stop() {
      await Promise.all([...open.values()].map((one) => one.close()));
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
