import { randomUUID } from "node:crypto";

import { Client, type ClientConfig } from "pg";

import { type LockOptions, waitFor } from "./engine.ts";
import { heldByAnother } from "./errors.ts";

export interface PostgresLock {
  /** Throws while this bot does not have the lock. */
  check(): void;
  close(): Promise<void>;
}

interface PostgresLockOptions extends LockOptions {
  settings: ClientConfig;
  place: string;
  /** Of all that has the same name in the database, one holds the lock. */
  name: string;
  /** Where it is written down who held it last: a bot that finds another one there knows nothing of what that did. */
  table: string;
}

const beatMs = 5_000;
const retryMs = 250;

/** A connection was lost, and its lock with it; it is being taken again. */
class LockLost extends Error {
  override readonly name = "LockLost";
}

/**
 * Holds a lock on a connection of its own, so that it is free as soon as the process ends or is cut off. Takes it again
 * where the connection is lost; where another bot has or had it meanwhile, everything is refused and this bot told to stop.
 */
export async function takePostgresLock(options: PostgresLockOptions): Promise<PostgresLock> {
  const { settings, place, name, table, log, after, taken = stopProcess } = options;
  const holder = randomUUID();
  let hasHeld = false;
  let state: "free" | "held" | "taken" | "closed" = "free";
  let client: Client | undefined;
  let beating: NodeJS.Timeout | undefined;

  async function connect(): Promise<Client> {
    const fresh = new Client({ ...settings, query_timeout: beatMs });
    fresh.on("error", () => undefined);
    await fresh.connect();
    // Of a bot that was cut off the database knows within a quarter of a minute.
    await fresh.query("SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2");
    return fresh;
  }

  /** Whether the lock could be had, now or for good; rejects where the database cannot be asked. */
  async function take(): Promise<boolean> {
    const asking = await connect();
    try {
      if (!(await isLockFree(asking))) return false;
      if (hasHeld && (await lastHolder(asking)) !== holder) {
        state = "taken";
        return true;
      }
      if (!hasHeld) await writeHolder(asking);
      hasHeld = true;
      if (state === "closed") return true;
      state = "held";
      client = asking;
      asking.once("end", () => lose(asking));
      beating = setInterval(() => void asking.query("SELECT 1").catch(() => lose(asking)), beatMs).unref();
      return true;
    } finally {
      if (client !== asking) await asking.end();
    }
  }

  async function isLockFree(asking: Client): Promise<boolean> {
    const { rows } = await asking.query<{ free: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS free",
      [name],
    );
    return rows[0]?.free === true;
  }

  async function lastHolder(asking: Client): Promise<string | undefined> {
    const { rows } = await asking.query<{ value: string }>(
      `SELECT value FROM ${table} WHERE key = 'holder' AND COALESCE(namespace, '') = ''`,
    );
    return rows[0]?.value;
  }

  async function writeHolder(asking: Client): Promise<void> {
    await asking.query(
      `INSERT INTO ${table} (key, value) VALUES ('holder', $1)
        ON CONFLICT (key, COALESCE(namespace, '')) DO UPDATE SET value = excluded.value`,
      [holder],
    );
  }

  function lose(lost: Client): void {
    if (client !== lost || state !== "held") return;
    client = undefined;
    state = "free";
    clearInterval(beating);
    void lost.end().catch(() => undefined);
    log.warn("store.lock.lost", { place });
    void regain();
  }

  async function regain(): Promise<void> {
    const away = () => "away" as const;
    while (state === "free") {
      const found = await waitFor(async () => state === "closed" || take(), { after, held: () => undefined }).catch(
        away,
      );
      if (found === "away") await new Promise<void>((resolve) => void after(retryMs, resolve));
      else if (!found) state = "taken";
    }
    if (state === "held") log.info("store.lock.taken", { place });
    if (state !== "taken") return;
    log.error("store.taken", { place });
    taken();
  }

  const held = () => log.info("store.held", { path: place });
  if (!(await waitFor(take, { after, held }))) throw heldByAnother(place);
  return {
    check() {
      if (state === "taken") throw heldByAnother(place);
      if (state === "free") throw new LockLost(`the connection that keeps other bots from ${place} was lost`);
    },
    async close() {
      state = "closed";
      clearInterval(beating);
      await client?.end();
    },
  };
}

/** Ends in order what has nothing left to do here: whoever keeps the process running starts it again. */
function stopProcess(): void {
  process.kill(process.pid, "SIGTERM");
}
