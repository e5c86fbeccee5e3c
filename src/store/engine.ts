import type { KeyvStorageAdapter } from "keyv";

import type { Log } from "../log.ts";

/** A value and its key, as the engine keeps it. */
export interface Row {
  namespace: string;
  key: string;
  value: string;
  /** In epoch milliseconds; nothing if it lasts. */
  expires: number | undefined;
}

/** The engine that keeps the values of a store: SQLite, or PostgreSQL. */
export interface Engine {
  /** The name that an operator knows the store by; holds no password. */
  place: string;
  /** The adapter that keeps the values of one namespace. */
  adapter(): KeyvStorageAdapter;
  /** Gives the rows that a statement finds in the table whose name it is given. */
  ask(statement: (table: string) => string): Promise<Record<string, unknown>[]>;
  /** All rows that have not expired. */
  rows(): AsyncIterable<Row> | Iterable<Row>;
  /** Keeps all of these rows, or none. */
  fill(rows: AsyncIterable<Row>): Promise<void>;
  /** Why nothing would be kept at present, as far as that shows before anything is written. */
  trouble(): Error | undefined;
  /** Keeps every other bot out until the engine is closed; rejects with a StoreError if one has it for good. */
  lock(options: LockOptions): Promise<void>;
  /** Does work while no other process that has the store open does work of the same name. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Leaves nothing of what was deleted where somebody could find it, as far as that is ours to do. */
  vacuum(): Promise<void>;
  /** Rejects whatever is asked of it afterwards. */
  close(): Promise<void>;
}

export type StoreLog = Pick<Log, "info" | "warn" | "error">;

/** Resolves while this process may still read and write what it had begun with, and rejects as soon as it may not. */
export type Confirm = () => Promise<void>;

export interface EngineOptions {
  log?: StoreLog | undefined;
  /** Asked before each statement; several bots share a database. */
  confirm?: Confirm | undefined;
  /** False if nothing is to be made: what is not there is refused. */
  create?: boolean | undefined;
}

export interface LockOptions {
  log: StoreLog;
  /** Calls once after that many milliseconds. */
  after: (ms: number, call: () => void) => unknown;
}

/** A bot that is being replaced takes some seconds to end. */
const longestWaitMs = 30_000;
const retryMs = 250;

/** Tries until it succeeds; false if another process holds the store for longer than a bot takes to end. */
export async function waitFor(isTaken: () => Promise<boolean>, { after, held }: Waiting): Promise<boolean> {
  for (let waitedMs = 0; !(await isTaken()); waitedMs += retryMs) {
    if (waitedMs === 0) held();
    if (waitedMs >= longestWaitMs) return false;
    await new Promise<void>((resolve) => void after(retryMs, resolve));
  }
  return true;
}

interface Waiting extends Pick<LockOptions, "after"> {
  /** Called once if another one holds it. */
  held: () => void;
}
