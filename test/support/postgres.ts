import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Server, type Socket, connect, createServer } from "node:net";

import { Client } from "pg";
import { onTestFinished } from "vitest";

const standard = "postgres://postgres:postgres@127.0.0.1:5432/postgres";
// Scripts set it to an empty text, which counts as not set.
const given = process.env["TEST_POSTGRES_URL"] || undefined;

/** The database to test with: the one that TEST_POSTGRES_URL names, or one on the usual port; undefined if none answers. */
export const postgresUrl: string | undefined = await find(given ?? standard);

/** For the title of tests that need one. */
export const whyNoPostgres = postgresUrl ? "" : " (SKIPPED: no PostgreSQL answers, see README.md)";

async function find(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return url;
  } catch (error) {
    const isNeeded = given !== undefined || process.env["TEST_POSTGRES"] === "required";
    if (isNeeded) throw new Error(`The tests need a PostgreSQL at ${new URL(url).host}.`, { cause: error });
    console.warn(
      `No PostgreSQL answers at ${new URL(url).host}: its tests are skipped. README.md says how to start one.`,
    );
    return undefined;
  }
}

/** A schema of its own in that database until the test ends, and a client that sees it. */
export async function createSchema() {
  const name = `bellwether_test_${randomUUID().replaceAll("-", "")}`;
  const client = new Client(postgresUrl);
  await client.connect();
  await client.query(`CREATE SCHEMA ${name}; SET search_path = ${name}`);
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA ${name} CASCADE`);
    await client.end();
  });
  return {
    client,
    url: urlIn(name),
    /** The same through another address. */
    through: (host: string) => urlIn(name, host),
  };
}

function urlIn(schema: string, host?: string): string {
  const url = new URL(postgresUrl ?? standard);
  if (host !== undefined) url.host = host;
  return `${url.href}${url.search ? "&" : "?"}options=-c%20search_path%3D${schema}`;
}

/** A way to the database that can be cut and mended until the test ends. */
export async function createBridge() {
  const { hostname, port } = new URL(postgresUrl ?? standard);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let own = 0;

  async function open(): Promise<void> {
    server = createServer((near) => {
      const far = connect(Number(port || 5432), hostname);
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        sockets.add(one);
        one.on("error", () => undefined).on("close", () => void (sockets.delete(one), other.destroy()));
        one.pipe(other);
      }
    }).listen(own, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address === "object" && address) own = address.port;
  }

  async function close(): Promise<void> {
    const closed = server?.listening ? once(server, "close") : undefined;
    server?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await open();
  onTestFinished(close);
  return {
    host: `127.0.0.1:${own}`,
    /** Breaks every connection; new ones work. */
    cut: () => sockets.forEach((socket) => void socket.destroy()),
    /** Existing connections pass nothing more, without an error; new ones work. */
    silence: () => sockets.forEach((socket) => void socket.unpipe().pause()),
    open,
    /** Breaks every connection, and refuses new ones until it is opened again. */
    close,
  };
}
