import { z } from "zod";

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

/** A record that is passed over, and why. */
interface Unreadable {
  key: string;
  reason: string;
}

interface CollectionOptions<T> {
  table: Table;
  schema: z.ZodType<T>;
  ttlMs?: number | undefined;
  /** The version of the schema; records of a later one are unreadable. */
  version: number;
  /** By the version that they begin with; a version without one changed nothing here. */
  migrations?: Readonly<Record<number, Migration>> | undefined;
  /** Told once of records that are passed over: the first of them, and how many there are. */
  unreadable: (first: Unreadable, count: number) => void;
}

const recordSchema = z.object({ v: z.int().positive(), value: z.unknown() });
/** Keys that were reported and are not reported again. */
const reportedMost = 1_000;

/**
 * A typed view of one namespace. Records of an older version are read as the present one, and written so when they are
 * next changed. A record that can't be read counts as absent and is reported, never thrown: one bad record must not stop a
 * whole list from being read. It stays until it is overwritten.
 */
export function createCollection<T>(options: CollectionOptions<T>): Collection<T> {
  const { table, schema, version, migrations = {} } = options;
  const reported = new Set<string>();

  function read(key: string, raw: unknown, passedOver: Unreadable[]): T[] {
    if (raw === undefined || raw === null) return [];
    const record = recordSchema.safeParse(raw).data;
    const parsed = record && record.v <= version ? schema.safeParse(migrated(record.value, record.v)) : undefined;
    if (parsed?.success) return [parsed.data];
    passedOver.push({ key, reason: parsed ? reasonOf(parsed.error) : "no record of this version" });
    return [];
  }

  /** Nothing if a migration cannot read it, and no schema takes that. */
  function migrated(value: unknown, from: number): unknown {
    try {
      let current = value;
      for (let step = from; step < version; step++) current = migrations[step]?.(current) ?? current;
      return current;
    } catch {
      return undefined;
    }
  }

  function report(passedOver: Unreadable[]): void {
    const news = passedOver.filter(({ key }) => !reported.has(key));
    for (const { key } of news) if (reported.size < reportedMost) reported.add(key);
    if (news[0]) options.unreadable(news[0], news.length);
  }

  async function getMany(keys: readonly string[]): Promise<Map<string, T>> {
    if (keys.length === 0) return new Map();
    const unique = [...new Set(keys)];
    const values = await table.getMany(unique);
    const passedOver: Unreadable[] = [];
    const found = unique.flatMap((key, at) => read(key, values[at], passedOver).map((value) => [key, value] as const));
    report(passedOver);
    return new Map(found);
  }

  async function write(entries: (readonly [string, T])[], ttlMs = options.ttlMs): Promise<void> {
    const life = ttlMs === undefined ? {} : { ttl: ttlMs };
    await table.set(entries.map(([key, value]) => ({ key, value: { v: version, value }, ...life })));
  }

  return {
    async get(key) {
      const passedOver: Unreadable[] = [];
      const [found] = read(key, await table.get(key), passedOver);
      report(passedOver);
      return found;
    },
    getMany,
    set: (key, value, { ttlMs } = {}) => write([[key, value]], ttlMs),
    async setMany(entries, { ttlMs } = {}) {
      const list = [...entries];
      if (list.length > 0) await write(list, ttlMs);
    },
    delete: (key) => table.delete(key),
    async *entries() {
      const passedOver: Unreadable[] = [];
      try {
        for await (const [key, raw] of table.entries()) {
          for (const value of read(key, raw, passedOver)) yield [key, value];
        }
      } finally {
        report(passedOver);
      }
    },
  };
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit"}`;
}
