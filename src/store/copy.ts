import { open, rename, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import type { Engine, LockOptions, Row } from "./engine.ts";
import { StoreError, nothingThere, reasonOf } from "./errors.ts";
import { openEngineExclusively } from "./lock.ts";
import { sizeOf } from "./sqlite.ts";
import { restrictFiles } from "./sqlite-driver.ts";
import { sqlitePath } from "./store.ts";
import { checkVersion, versionRow } from "./version.ts";

/** The number of records in each collection. */
type Copied = Map<string, number>;

/**
 * Copies all that a store holds into an empty one, as it stands, or nothing. Rejects with a StoreError if a bot runs on
 * either.
 */
export async function copyStore(from: string, to: string, options: LockOptions): Promise<Copied> {
  if (from === to) throw new StoreError("Both are the same store. Nothing was copied.");
  const source = await openEngineExclusively(from, options, { create: false });
  try {
    if ((await checkVersion(source)) === undefined)
      throw new StoreError(`The store ${source.place} is empty. Nothing was copied.`);
    const target = await openEngineExclusively(to, options, { create: true });
    try {
      return await copyRows(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyRows(source: Engine, target: Engine): Promise<Copied> {
  if ((await checkVersion(target)) !== undefined) {
    throw new StoreError(`The store ${target.place} isn’t empty. Name an empty one. Nothing was copied.`);
  }
  const counts: Copied = new Map();
  async function* counted(): AsyncGenerator<Row> {
    for await (const row of source.rows()) {
      if (row.namespace !== versionRow.namespace) counts.set(row.namespace, (counts.get(row.namespace) ?? 0) + 1);
      yield row;
    }
  }
  await target.fill(counted()).catch((error: unknown) => {
    throw new StoreError(`Cannot copy to the store ${target.place}: ${reasonOf(error)}. Nothing was copied.`);
  });
  return counts;
}

/**
 * Writes a whole copy of a store in SQLite into a new file, while a bot has it open or not; gives the size in bytes. The
 * store's file alone is none: what is new stands in the one beside it (-wal).
 */
export async function backUpStore(url: string, file: string): Promise<number> {
  const path = sqlitePath(url);
  if (path === undefined)
    throw new StoreError("STORE_URL names a PostgreSQL: back it up with its own tools, such as pg_dump.");
  const size = await sizeOf(path);
  if (size === "none" || size === 0) throw nothingThere(path);
  for (const name of [file, `${file}-wal`]) {
    if ((await sizeOf(name)) !== "none") {
      throw new StoreError(`There’s a file ${name} already. Name another one. Nothing was written.`);
    }
  }
  const part = `${file}.part`;
  let bytes: number;
  try {
    await rm(part, { force: true });
    await restrictFiles(part);
    copyInto(path, part);
    const written = await open(part, "r+");
    try {
      await written.sync();
      bytes = (await written.stat()).size;
    } finally {
      await written.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw new StoreError(
      `Cannot write the file ${file}: ${reasonOf(error)}. Name one in a folder that you may write to, on a disk that has room.`,
    );
  }
  return bytes;
}

function copyInto(path: string, part: string): void {
  const database = new DatabaseSync(path);
  try {
    database.prepare("VACUUM INTO ?").run(part);
  } finally {
    database.close();
  }
}
