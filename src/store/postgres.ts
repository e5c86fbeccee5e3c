import { setTimeout as sleep } from "node:timers/promises";

import { KeyvPostgres, type KeyvPostgresOptions } from "@keyv/postgres";
import { Client, type ClientConfig, Pool } from "pg";

import type { Engine, EngineOptions, Row } from "./engine.ts";
import { StoreError, cannotReach, isCut, nothingThere, reasonOf } from "./errors.ts";
import { type PostgresLock, takePostgresLock } from "./postgres-lock.ts";

/** The table; a schema is a store. */
const tableName = "bellwether";
/** With the schema's name after it, the lock that bots share, and that a tool has to itself. */
export const lockName = "bellwether ";
const startMs = 60_000;
/** A database that is started again is back within it, and nobody notices. */
const cutMs = 10_000;
const retryMs = 200;
const sweepMs = 3_600_000;
const sweptAtOnce = 5_000;
const rowsAtOnce = 500;

type Found = Record<string, unknown>;
type Query = (sql: string, values?: unknown[]) => Promise<Found[]>;

/**
 * Keeps the values in a table of PostgreSQL, in the schema that its connections begin in (`search_path`). Waits a minute
 * for a database that does not answer yet. A connection that is lost is replaced, and what was asked meanwhile asked again.
 */
export async function openPostgres(url: string, { log, confirm, create = true }: EngineOptions): Promise<Engine> {
  const place = placeOf(url);
  const settings = settingsOf(url);
  const pool = new Pool(settings);
  // An idle connection was lost: the next statement opens another one.
  pool.on("error", () => undefined);
  let lock: PostgresLock | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let isClosing = false;
  let cutSince: number | undefined;

  async function ask(sql: string, values?: unknown[]): Promise<Found[]> {
    const client = await pool.connect();
    const onError = () => undefined;
    client.on("error", onError);
    let isLost = false;
    try {
      // As late as can be: it may have waited for a connection.
      await confirm?.();
      lock?.check();
      const { rows } = await client.query<Found>(sql, values);
      cutSince = undefined;
      return rows;
    } catch (error) {
      isLost = isCut(error);
      throw error;
    } finally {
      client.off("error", onError);
      client.release(isLost);
    }
  }

  /** Every statement can be done twice: after a lost connection nobody knows whether it was. */
  const query: Query = async (sql, values) => {
    for (;;) {
      try {
        return await ask(sql, values);
      } catch (error) {
        if (isClosing || !isCut(error)) throw error;
        cutSince ??= performance.now();
        if (performance.now() - cutSince > cutMs) throw error;
        await sleep(retryMs);
      }
    }
  };

  async function sweep(table: string): Promise<void> {
    const some = `DELETE FROM ${table} WHERE expires < $1
      AND ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE expires < $1 LIMIT ${sweptAtOnce})) RETURNING 1`;
    try {
      while ((await query(some, [Date.now()])).length === sweptAtOnce);
    } catch (error) {
      if (!isClosing) log?.warn("store.sweep.failed", { reason: reasonOf(error) });
    }
  }

  function startSweeping(table: string): void {
    void sweep(table);
    sweeping = setInterval(() => void sweep(table), sweepMs).unref();
  }

  const refuse = (error: unknown): never => {
    throw error instanceof StoreError ? error : cannotReach(place, error);
  };

  try {
    const { schema, table } = await prepare({ pool, place, log, create });
    // A bot tidies up; whoever only reads does not.
    if (confirm) startSweeping(table);
    return {
      place,
      adapter: () => createAdapter(query, schema, table),
      ask: (statement) => query(statement(table)),
      rows: () => readTable(query, table),
      fill: (rows) => fillTable({ settings, table }, rows),
      trouble: () => undefined,
      async lock(options) {
        lock = await takePostgresLock({ ...options, settings, place, name: lockName + schema }).catch(refuse);
      },
      async exclusively(name, work) {
        // On a connection of its own: those of the pool may all be waiting for what this work is about to ask.
        const client = new Client(settings);
        client.on("error", () => undefined);
        try {
          await client.connect();
          await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`${lockName}${schema} ${name}`]);
          return await work();
        } finally {
          // The lock ends with its connection.
          await client.end();
        }
      },
      // The database's own vacuum does that.
      async vacuum() {},
      async close() {
        isClosing = true;
        clearInterval(sweeping);
        await pool.end();
        await lock?.close();
      },
    };
  } catch (error) {
    await pool.end();
    return refuse(error);
  }
}

/** The settings with which to connect to the database at a URL. */
export function settingsOf(url: string): ClientConfig {
  return {
    // The mode that `pg` makes of all of these today, with a warning: the certificate is checked.
    connectionString: /[?&]uselibpqcompat=true/.test(url)
      ? url
      : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full"),
    application_name: "bellwether",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    // The database gives up first, so that nothing that was given up is done later.
    statement_timeout: 10_000,
    query_timeout: 15_000,
  };
}

/** The address without who it is for. */
export function placeOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `postgres://${host || (searchParams.get("host") ?? "")}${pathname}`;
  } catch {
    throw new StoreError("STORE_URL is no address that can be read: postgres://USER:PASSWORD@HOST/DATABASE.");
  }
}

interface Preparing extends EngineOptions {
  pool: Pool;
  place: string;
}

/** Waits for the database, and makes the table if there is none. */
async function prepare(options: Preparing): Promise<{ schema: string; table: string }> {
  const until = performance.now() + startMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await makeTable(options);
    } catch (error) {
      if (!isCut(error) || performance.now() > until) throw error;
      if (isFirst) options.log?.warn("store.waiting", { place: options.place, reason: reasonOf(error) });
      await sleep(retryMs);
    }
  }
}

async function makeTable({ pool, place, log, create }: Preparing): Promise<{ schema: string; table: string }> {
  const { rows } = await pool.query<{ schema: string | null; own: string; isThere: boolean; readonly: boolean }>(
    `SELECT current_schema() AS schema, quote_ident(current_schema()) AS own, pg_is_in_recovery() AS readonly,
      to_regclass(quote_ident(current_schema()) || '.${tableName}') IS NOT NULL AS "isThere"`,
  );
  const [{ schema, own, isThere, readonly } = { schema: null, own: "", isThere: false, readonly: false }] = rows;
  if (schema === null) throw new Error("none of the schemas of its search_path exists");
  if (readonly) throw new Error("it is a standby, which cannot be written");
  const table = `${own}.${tableName}`;
  if (isThere) {
    await pool.query(`SELECT 1 FROM ${table} LIMIT 1`);
  } else if (!create) {
    throw nothingThere(place);
  } else {
    // Keys are in the same order everywhere. Of two that make it at once, one waits.
    await pool.query(`SELECT pg_advisory_xact_lock(hashtextextended('${tableName} table', 0));
      CREATE TABLE IF NOT EXISTS ${table} (key TEXT COLLATE "C" NOT NULL, value TEXT, namespace TEXT COLLATE "C", expires BIGINT);
      CREATE UNIQUE INDEX IF NOT EXISTS ${tableName}_key_namespace_idx ON ${table} (key, COALESCE(namespace, ''));
      CREATE INDEX IF NOT EXISTS ${tableName}_namespace_idx ON ${table} (namespace, key);
      CREATE INDEX IF NOT EXISTS ${tableName}_expires_idx ON ${table} (expires) WHERE expires IS NOT NULL`);
    // An operator who expected the state of yesterday sees that there is none.
    log?.info("store.new", { path: place });
  }
  return { schema, table };
}

async function* readTable(query: Query, table: string): AsyncGenerator<Row> {
  for (let last = ["", ""]; ;) {
    const found = await query(
      `SELECT namespace, key, value, expires FROM ${table}
        WHERE (namespace, key) > ($1, $2) AND (expires IS NULL OR expires > $3) ORDER BY namespace, key LIMIT ${rowsAtOnce}`,
      [...last, Date.now()],
    );
    for (const { namespace, key, value, expires } of found) {
      last = [String(namespace), String(key)];
      const lasts = expires === null ? undefined : Number(expires);
      yield { namespace: String(namespace), key: String(key), value: String(value), expires: lasts };
    }
    if (found.length < rowsAtOnce) return;
  }
}

/** Writes all rows in one transaction, which a connection that breaks leaves undone. */
async function fillTable(
  { settings, table }: { settings: ClientConfig; table: string },
  rows: AsyncIterable<Row>,
): Promise<void> {
  const client = new Client(settings);
  client.on("error", () => undefined);
  let waiting: Row[] = [];
  const flush = async () => {
    const column = (name: keyof Row) => waiting.map((row) => row[name] ?? null);
    await client.query(
      `INSERT INTO ${table} (namespace, key, value, expires) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
      [column("namespace"), column("key"), column("value"), column("expires")],
    );
    waiting = [];
  };
  try {
    await client.connect();
    await client.query("BEGIN");
    for await (const row of rows) {
      waiting.push(row);
      if (waiting.length >= rowsAtOnce) await flush();
    }
    await flush();
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

/** The adapter without the names of its private parts, one of which is replaced. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same class
const Adapter = KeyvPostgres as unknown as new (options: KeyvPostgresOptions) => Pick<KeyvPostgres, keyof KeyvPostgres>;

/**
 * The adapter's statements on connections of ours. By itself it has a pool that nobody can watch, alters the table at each
 * start, and deletes what has expired by its key, which may by then hold a new value: here reads only read.
 */
function createAdapter(query: Query, schema: string, table: string) {
  class OnOurs extends Adapter {
    async init(): Promise<Query> {
      return query;
    }
  }
  const adapter = new OnOurs({ schema, table: tableName, iterationLimit: 500 });

  async function getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const { namespace = "" } = adapter;
    const names = keys.map((key) => (key.startsWith(`${namespace}:`) ? key.slice(namespace.length + 1) : key));
    const rows = await query(
      `SELECT key, value FROM ${table} WHERE key = ANY($1) AND COALESCE(namespace, '') = $2
        AND (expires IS NULL OR expires > $3)`,
      [names, namespace, Date.now()],
    );
    const values = new Map(rows.map(({ key, value }) => [key, value]));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a text, which Keyv reads
    return names.map((name) => values.get(name) as Value | undefined);
  }

  return Object.assign(adapter, {
    getMany,
    get: async <Value>(key: string) => (await getMany<Value>([key]))[0],
    disconnect: async () => {},
  });
}
