import { createWriteStream, existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { type Taking, crowdedBy } from "./features/subscriptions/capacity.ts";
import { removedLifeMs } from "./features/subscriptions/store.ts";
import type { Subscription } from "./features/subscriptions/model.ts";
import { importSchemas, openRecords } from "./records.ts";
import type { Collection } from "./store/collection.ts";
import { openStore, sqlitePath } from "./store/store.ts";

/** The file cannot be taken in; the message says what is wrong with it, and nothing of it was taken. */
export class TransferError extends Error {
  override readonly name = "TransferError";
}

/** Goes up whenever what is written down changes: a file of another version is refused, not guessed at. */
const version = 3;
const problemsShown = 20;

/** Entries of one kind, whatever they hold. */
interface Cargo {
  name: string;
  entries(): AsyncIterable<[string, unknown]>;
  /** What would become of entries that come from elsewhere; writes nothing. */
  plan(entries: Record<string, unknown>): Promise<Plan>;
}

interface Plan {
  /** Entries that cannot be read. */
  problems: string[];
  taken: Taken;
  carryOut(): Promise<void>;
}

/** What becomes of the entries of one kind; those that are another thing here are left as they are here. */
export interface Taken {
  name: string;
  added: number;
  there: number;
  /** Their keys. */
  different: string[];
}

interface CargoOptions<T> {
  name: string;
  records: Collection<T>;
  schema: z.ZodType<T>;
  /** What stays of two that differ, where that is not simply what was there. */
  merged?: (own: T, other: T) => T;
  ttlOf?: (value: T) => number | undefined;
}

function cargo<T>({ name, records, schema, merged, ttlOf }: CargoOptions<T>): Cargo {
  async function plan(entries: Record<string, unknown>): Promise<Plan> {
    const problems: string[] = [];
    const added: [string, T][] = [];
    const taken: Taken = { name, added: 0, there: 0, different: [] };
    const standing = new Map<string, T>();
    for (const keys of chunks(Object.keys(entries))) {
      for (const [key, value] of await records.getMany(keys)) standing.set(key, value);
    }
    for (const [key, raw] of Object.entries(entries)) {
      const parsed = schema.safeParse(raw);
      const own = standing.get(key);
      if (!parsed.success) problems.push(`${name} “${key}”: ${issueIn(parsed.error)}`);
      else if (own === undefined) added.push([key, parsed.data]);
      else if (merged || isDeepStrictEqual(own, parsed.data)) {
        taken.there++;
        const best = merged?.(own, parsed.data);
        if (best !== undefined && best !== own) added.push([key, best]);
      } else taken.different.push(key);
    }
    taken.added = added.filter(([key]) => !standing.has(key)).length;
    return {
      problems,
      taken,
      async carryOut() {
        for (const [ttlMs, own] of Map.groupBy(added, ([, value]) => ttlOf?.(value))) {
          for (const some of chunks(own)) await records.setMany(some, ttlMs === undefined ? {} : { ttlMs });
        }
      },
    };
  }
  return { name, entries: () => records.entries(), plan };
}

/** A database takes only so many at once. */
function* chunks<T>(all: T[], size = 500): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

type Records = ReturnType<typeof openRecords>;

/** The numbers come first: where a move is cut off, none is given twice. */
function cargoesOf(records: Records): Cargo[] {
  // How much of its time was left is not known any more.
  const ttlOf = ({ state }: { state: string }) => (state === "removed" ? removedLifeMs : undefined);
  const latest = { merged: Math.max };
  return [
    cargo({
      name: "digest-numbers",
      records: records["digest-numbers"],
      schema: importSchemas["digest-numbers"],
      ...latest,
    }),
    cargo({
      name: "alert-numbers",
      records: records["alert-numbers"],
      schema: importSchemas["alert-numbers"],
      ...latest,
    }),
    cargo({ name: "lists", records: records.lists, schema: importSchemas.lists }),
    cargo({
      name: "seen",
      records: records.seen,
      schema: importSchemas.seen,
      merged: (own, other) => (other.at > own.at ? other : own),
    }),
    // What is there is newer than what was carried along.
    cargo({
      name: "announced-stories",
      records: records["announced-stories"],
      schema: importSchemas["announced-stories"],
      merged: (own) => own,
    }),
    cargo({
      name: "arrivals",
      records: records.arrivals,
      schema: importSchemas.arrivals,
      merged: (own, other) => (isDeepStrictEqual(own, { ...other, ...own }) ? own : { ...other, ...own }),
    }),
    cargo({ name: "samples", records: records.samples, schema: importSchemas.samples }),
    cargo({ name: "digests", records: records.digests, schema: importSchemas.digests, ttlOf }),
    cargo({ name: "alerts", records: records.alerts, schema: importSchemas.alerts, ttlOf }),
  ];
}

/** What an export found: how many entries of each kind, and what it could not read in the store. */
interface Found {
  counts: Record<string, number>;
  unread: string[];
}

/** All that subscriptions rest on as one JSON document, an entry a line; what was found is told on the way. */
async function* exportState(storeUrl: string, found: Found): AsyncGenerator<string> {
  const note = (event: string, fields?: unknown) => void found.unread.push(`${event} ${JSON.stringify(fields)}`);
  const store = await openStore(storeUrl, { info: () => {}, warn: note, error: note });
  try {
    yield `{\n"bellwether": ${version}`;
    for (const each of cargoesOf(openRecords(store))) {
      yield `,\n${JSON.stringify(each.name)}: {`;
      let count = 0;
      for await (const [key, value] of each.entries()) {
        yield `${count++ === 0 ? "" : ","}\n${JSON.stringify(key)}: ${JSON.stringify(value)}`;
      }
      yield "\n}";
      found.counts[each.name] = count;
    }
    yield "\n}\n";
  } finally {
    await store.close();
  }
}

/** Takes in what an export has written: all of it, or nothing where a part of it cannot be read (TransferError). */
export async function importState(storeUrl: string, text: string): Promise<Taken[]> {
  const kinds = read(text);
  const store = await openStore(storeUrl);
  try {
    const records = openRecords(store);
    const cargoes = cargoesOf(records);
    const names = cargoes.map(({ name }) => name);
    const unknown = Object.keys(kinds).filter((name) => !names.includes(name));
    const plans: Plan[] = [];
    for (const each of cargoes) plans.push(await each.plan(kinds[each.name] ?? {}));
    const problems = [
      ...unknown.map((name) => `${name}: this version knows no such entries`),
      ...plans.flatMap((plan) => plan.problems),
      ...(await crowdingOf(records, kinds)),
    ];
    if (problems.length > 0) throw new TransferError(refusal(problems));
    for (const plan of plans) await plan.carryOut().catch(brokeOff);
    return plans.map(({ taken }) => taken);
  } finally {
    await store.close();
  }
}

/** Where a file would bring more to a channel, or of a person, than there may be. */
async function crowdingOf(records: Records, { digests, alerts }: ReturnType<typeof read>): Promise<string[]> {
  return crowdedBy({
    digests: await takingOf(records.digests, importSchemas.digests, digests),
    alerts: await takingOf(records.alerts, importSchemas.alerts, alerts),
  });
}

async function takingOf<T extends Subscription>(
  records: Collection<T>,
  schema: z.ZodType<T>,
  entries: Record<string, unknown> = {},
): Promise<Taking> {
  const standing = new Map<string, T>();
  for await (const [key, subscription] of records.entries()) standing.set(key, subscription);
  const added = Object.entries(entries).flatMap(([key, raw]) => {
    const { data } = schema.safeParse(raw);
    return data && !standing.has(key) ? [data] : [];
  });
  return { standing: [...standing.values()], added };
}

/** What stood in the file stays there until all of the new one is written. */
async function writeWhole(source: AsyncIterable<string>, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    // Others on the machine need not know what people follow.
    await pipeline(source, createWriteStream(part, { mode: 0o600, flush: true }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const advice = "Name one in a folder that you may write to, on a disk that has room.";
    throw new TransferError(`Cannot write the file ${file}: ${error.message}. ${advice}`);
  }
}

/** Opening a store makes one, and an export of nothing would pass for one of everything. */
async function mustExist(storeUrl: string): Promise<void> {
  const path = sqlitePath(storeUrl);
  if (path === ":memory:" || existsSync(path)) return;
  throw new TransferError(
    `There is no store at ${path}, so there is nothing to export. Check STORE_URL and the folder you are in.`,
  );
}

function brokeOff(error: unknown): never {
  const reason = error instanceof Error ? error.message : "unknown reason";
  throw new TransferError(
    `The store took only a part of it: ${reason}. Make sure that its disk has room, then import the same file again: nothing comes twice.`,
  );
}

/** Writes an export into a file, or to the standard output where none is named; gives what to tell the operator. */
export async function exportFile(storeUrl: string, file: string | undefined): Promise<string[]> {
  await mustExist(storeUrl);
  const found: Found = { counts: {}, unread: [] };
  const source = exportState(storeUrl, found);
  if (file === undefined) await pipeline(source, process.stdout, { end: false });
  else await writeWhole(source, file);
  const parts = Object.entries(found.counts).map(([name, count]) => `${count} ${name}`);
  return [`Exported ${parts.join(", ")}.`, ...found.unread.map((line) => `Could not be read, and is missing: ${line}`)];
}

/** Takes in a file that an export has written, or the standard input where none is named; gives what to tell the operator. */
export async function importFile(storeUrl: string, file: string | undefined): Promise<string[]> {
  const given = file === undefined ? await textOf(process.stdin) : await readFile(file, "utf8").catch(unreadable);
  const taken = await importState(storeUrl, given);
  return [
    ...taken.map(({ name, added, there, different }) => {
      const rest = different.length > 0 ? `, ${different.length} left as they are here: ${different.join(", ")}` : "";
      return `${name}: ${added} added, ${there} there already${rest}.`;
    }),
    "Bellwether reads them when it starts: if it runs, stop it and start it again.",
  ];
}

function unreadable(error: unknown): never {
  throw new TransferError(`Cannot read the file: ${error instanceof Error ? error.message : String(error)}`);
}

const documentSchema = z.object({ bellwether: z.number() }).catchall(z.record(z.string(), z.unknown()));

function read(text: string): Record<string, Record<string, unknown>> {
  const parsed = documentSchema.safeParse(parse(text));
  if (!parsed.success) throw new TransferError("This is no export of Bellwether: nothing was taken in.");
  const { bellwether: written, ...kinds } = parsed.data;
  if (written === version) return kinds;
  throw new TransferError(
    `This export is of version ${written}, and I read version ${version}: nothing was taken in. Export it again with the version of Bellwether that runs here: its store is read as it is.`,
  );
}

/** npm prints lines of its own before what a script does. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf("{")))) as unknown;
  } catch {
    return undefined;
  }
}

function issueIn({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join(".") ?? ""} ${issue?.message ?? "cannot be read"}`.trim();
}

function refusal(problems: string[]): string {
  const shown = problems.slice(0, problemsShown).map((problem) => `  - ${problem}`);
  const more = problems.length > shown.length ? [`  - and ${problems.length - shown.length} more`] : [];
  return ["Nothing was taken in, because of:", ...shown, ...more].join("\n");
}
