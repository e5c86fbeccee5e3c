import { z } from "zod";

import { StoreError } from "./errors.ts";

/** Values of one kind under text keys; reads hold what the schema promises. */
export interface Collection<T> {
  get(key: string): Promise<T | undefined>;
  /** Keys without a value are absent from the map. */
  getMany(keys: readonly string[]): Promise<Map<string, T>>;
  set(key: string, value: T, options?: { ttlMs?: number }): Promise<void>;
  setMany(entries: Iterable<readonly [string, T]>, options?: { ttlMs?: number }): Promise<void>;
  /** True when there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** In the order of the keys; deleting while reading is safe. */
  entries(): AsyncIterable<[string, T]>;
}

/** One namespace of the store, values as they are kept. */
export interface Table {
  get(key: string): Promise<unknown>;
  getMany(keys: string[]): Promise<unknown[]>;
  set(entries: { key: string; value: unknown; ttl?: number }[]): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, unknown]>;
}

/** A value of one version as the next one has it; pure, and forgiving: what it gives is still held to the schema. */
export type Migration = (value: unknown) => unknown;

interface CollectionOptions<T> {
  name: string;
  table: Table;
  schema: z.ZodType<T>;
  ttlMs?: number | undefined;
  /** One for each version that there was, the oldest first; the schema is that of the version after the last. */
  migrations?: readonly Migration[] | undefined;
  /** Told of a record that is passed over, with the reason. */
  unreadable(key: string, reason: string): void;
}

const recordSchema = z.object({ v: z.int().positive(), value: z.unknown() });

/**
 * A typed view of one namespace. Records of an older version are read as the present one, and written so when they are
 * next changed. A record that no longer fits its schema counts as absent and is reported, never thrown: one old record
 * must not stop a whole list from being read. It stays until it is overwritten. A record that a later version of the bot
 * has written makes the read reject with a StoreError: that bot should be started again.
 */
export function createCollection<T>(options: CollectionOptions<T>): Collection<T> {
  const { name, table, schema, migrations = [] } = options;
  const version = migrations.length + 1;

  function read(key: string, raw: unknown): T[] {
    if (raw === undefined || raw === null) return [];
    const record = recordSchema.safeParse(raw);
    if (!record.success) return passOver(key, record.error);
    const { v, value } = record.data;
    if (v > version) throw tooNew(name);
    const parsed = schema.safeParse(migrated(value, migrations.slice(v - 1)));
    return parsed.success ? [parsed.data] : passOver(key, parsed.error);
  }

  function passOver(key: string, { issues: [issue] }: z.ZodError): T[] {
    options.unreadable(key, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit"}`);
    return [];
  }

  async function write(entries: (readonly [string, T])[], ttlMs = options.ttlMs): Promise<void> {
    const life = ttlMs === undefined ? {} : { ttl: ttlMs };
    await table.set(entries.map(([key, value]) => ({ key, value: { v: version, value }, ...life })));
  }

  return {
    get: async (key) => read(key, await table.get(key))[0],
    async getMany(keys) {
      if (keys.length === 0) return new Map();
      const unique = [...new Set(keys)];
      const values = await table.getMany(unique);
      return new Map(unique.flatMap((key, at) => read(key, values[at]).map((value) => [key, value] as const)));
    },
    set: (key, value, { ttlMs } = {}) => write([[key, value]], ttlMs),
    async setMany(entries, { ttlMs } = {}) {
      const list = [...entries];
      if (list.length > 0) await write(list, ttlMs);
    },
    delete: (key) => table.delete(key),
    async *entries() {
      for await (const [key, raw] of table.entries()) {
        for (const value of read(key, raw)) yield [key, value];
      }
    },
  };
}

/** As the present version has it; nothing where a migration cannot read it, and no schema takes that. */
function migrated(value: unknown, migrations: readonly Migration[]): unknown {
  try {
    return migrations.reduce((current, migrate) => migrate(current), value);
  } catch {
    return undefined;
  }
}

function tooNew(name: string): StoreError {
  return new StoreError(
    `The store was written by a newer Bellwether: its ${name} are of a version that this one does not know. Start the newer one again.`,
  );
}
