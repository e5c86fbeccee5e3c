import { Client, type ClientConfig } from "pg";

import { type LockOptions, waitFor } from "./engine.ts";
import { heldByAnother } from "./errors.ts";

export interface PostgresLock {
  /** Throws once the lock is lost. */
  check(): void;
  close(): Promise<void>;
}

interface PostgresLockOptions extends LockOptions {
  settings: ClientConfig;
  place: string;
  /** Of all that has the same name in the database, one holds the lock; bots share it between them. */
  name: string;
}

/**
 * Holds a lock on a connection of its own, so that it is free as soon as the process ends or is cut off. It is for work
 * that takes seconds, so a lock that is lost with its connection is not taken again: the work fails, and can be begun anew.
 */
export async function takePostgresLock({
  settings,
  place,
  name,
  log,
  after,
}: PostgresLockOptions): Promise<PostgresLock> {
  const client = new Client(settings);
  let isHeld = false;
  client.on("error", () => undefined);
  client.once("end", () => (isHeld = false));
  await client.connect();

  async function take(): Promise<boolean> {
    const { rows } = await client.query<{ free: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS free",
      [name],
    );
    return rows[0]?.free === true;
  }

  const held = () => log.info("store.held", { path: place });
  isHeld = await waitFor(take, { after, held }).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  if (!isHeld) {
    await client.end();
    throw heldByAnother(place);
  }
  return {
    check() {
      if (!isHeld) throw new Error(`the connection that keeps bots from ${place} was lost`);
    },
    close: () => client.end(),
  };
}
