import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { findCrowded } from "./features/subscriptions/capacity.ts";
import { type Subscription, bot } from "./features/subscriptions/model.ts";
import { removedLifeMs } from "./features/subscriptions/store.ts";
import { openRecords, recordSchemas } from "./records.ts";
import type { LogFields } from "./log.ts";
import { isPattern, zoneNamed } from "./schedule/runs.ts";
import { plainWords } from "./slack/text/mrkdwn.ts";
import type { Collection } from "./store/collection.ts";
import { openStore } from "./store/store.ts";

/** The file cannot be written or taken in; the message says why, and nothing of it was taken. */
export class TransferError extends Error {
  override readonly name = "TransferError";
}

/** Goes up whenever what is written down changes: a file of another version is refused, not guessed at. */
const version = 3;
const problemsShown = 20;
/** A database takes only so many entries at once. */
const entriesAtOnce = 500;

/** Writes an export into a file, or to the standard output where none is named; gives what to tell the operator. */
export async function exportFile(storeUrl: string, file: string | undefined): Promise<string[]> {
  const unread: string[] = [];
  const note = (event: string, fields?: LogFields) => {
    if (!sayWaiting(event, fields)) unread.push(`${event} ${JSON.stringify(fields)}`);
  };
  // Making a store would let an export of nothing pass for one of everything.
  const store = await openStore(storeUrl, { info: () => {}, warn: note, error: note }, { create: false });
  const kinds: [string, Record<string, unknown>][] = [];
  try {
    for (const [name, records] of Object.entries<Collection<unknown>>(openRecords(store))) {
      kinds.push([name, Object.fromEntries(await allOf(records))]);
    }
  } finally {
    await store.close();
  }
  const text = `${JSON.stringify({ bellwether: version, ...Object.fromEntries(kinds) }, undefined, 1)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeWhole(file, text);
  const counts = kinds.map(([name, entries]) => `${Object.keys(entries).length} ${name}`);
  return [`Exported ${counts.join(", ")}.`, ...unread.map((line) => `Could not be read, and is missing: ${line}`)];
}

/** A database that does not answer yet is waited for, which an operator should see. Whether the event was one of waiting. */
export function sayWaiting(event: string, { place = "the store", reason = "no answer" }: LogFields = {}): boolean {
  if (event === "store.waiting") console.error(`Waiting for ${place}: ${reason}`);
  return event === "store.waiting";
}

async function allOf(records: Collection<unknown>): Promise<[string, unknown][]> {
  const all: [string, unknown][] = [];
  for await (const entry of records.entries()) all.push(entry);
  return all;
}

/** What stood in the file stays there until all of the new one is written. */
async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  try {
    // Others on the machine need not know what people follow.
    await writeFile(part, text, { mode: 0o600, flush: true });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    const advice = "Name one in a folder that you may write to, on a disk that has room.";
    throw new TransferError(`Cannot write the file ${file}: ${reasonOf(error)}. ${advice}`);
  }
}

/** Takes in a file that an export has written, or the standard input where none is named; gives what to tell the operator. */
export async function importFile(storeUrl: string, file: string | undefined): Promise<string[]> {
  const text = file === undefined ? await textOf(process.stdin) : await readFile(file, "utf8").catch(unreadable);
  return [
    ...(await importState(storeUrl, text)),
    "Bellwether reads them when it starts: if it runs, stop it and start it again.",
  ];
}

/**
 * Takes in what an export has written: all of it, or nothing where a part of it cannot be read (TransferError). What is
 * another thing in this store stays as it is here. Gives a line for each kind of entry.
 */
export async function importState(storeUrl: string, text: string): Promise<string[]> {
  const document = readDocument(text);
  const store = await openStore(storeUrl, { info: () => {}, warn: sayWaiting, error: () => {} });
  try {
    const collections = openRecords(store);
    const plans = await Promise.all(
      Object.entries<Collection<unknown>>(collections).map(([name, records]) =>
        planImport(name, records, document[name] ?? {}),
      ),
    );
    const problems = [
      ...Object.keys(document).flatMap((name) =>
        name in collections ? [] : [`${name}: this version knows no such entries`],
      ),
      ...plans.flatMap((plan) => plan.problems),
      ...findCrowded({
        digests: await subscriptionsAfter(collections.digests, plans),
        alerts: await subscriptionsAfter(collections.alerts, plans),
      }),
    ];
    if (problems.length > 0) throw new TransferError(refusal(problems));
    // In the order of the kinds, the numbers first: where this is cut off, none is given twice.
    for (const plan of plans) await write(plan).catch(brokeOff);
    return plans.map(({ line }) => line);
  } finally {
    await store.close();
  }
}

/** What people would have subscribed to if all were taken in. */
async function subscriptionsAfter<S extends Subscription>(own: Collection<S>, plans: ImportPlan[]): Promise<S[]> {
  const added = plans.find(({ records }) => records === own)?.added ?? [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the plan holds what the schema of these records took
  return [...(await allOf(own)), ...added].map(([, subscription]) => subscription as S);
}

interface ImportPlan {
  records: Collection<unknown>;
  /** Entries that cannot be read. */
  problems: string[];
  added: [string, unknown][];
  /** For the operator. */
  line: string;
}

/** What would become of the entries of one kind. */
async function planImport(
  name: string,
  records: Collection<unknown>,
  entries: Record<string, unknown>,
): Promise<ImportPlan> {
  const existing = new Map(await allOf(records));
  const schema = new Map<string, z.ZodType>(Object.entries(recordSchemas)).get(name) ?? z.never();
  const names = namesIn[name] ?? z.unknown();
  const problems: string[] = [];
  const added: [string, unknown][] = [];
  const different: string[] = [];
  for (const [key, raw] of Object.entries(entries)) {
    const parsed = schema.safeParse(raw);
    const error = parsed.error ?? names.safeParse(raw).error;
    if (error) {
      const [issue] = error.issues;
      problems.push(`${name} “${key}”: ${issue?.path.join(".")} ${issue?.message}`.trim());
      continue;
    }
    const own = existing.get(key);
    const isHigher = typeof own === "number" && typeof parsed.data === "number" && parsed.data > own;
    if (own === undefined || isHigher) added.push([key, parsed.data]);
    else if (typeof own !== "number" && !isDeepStrictEqual(own, parsed.data)) different.push(key);
  }
  const there = Object.keys(entries).length - added.length - different.length;
  const rest = different.length > 0 ? `, ${different.length} left as they are here: ${different.join(", ")}` : "";
  return { records, problems, added, line: `${name}: ${added.length} added, ${there} there already${rest}.` };
}

async function write({ records, added }: ImportPlan): Promise<void> {
  for (const [isRemoved, own] of Map.groupBy(added, ([, value]) => removedSchema.safeParse(value).success)) {
    for (let at = 0; at < own.length; at += entriesAtOnce) {
      // How much of its time was left is not known any more.
      await records.setMany(own.slice(at, at + entriesAtOnce), isRemoved ? { ttlMs: removedLifeMs } : {});
    }
  }
}

const personSchema = z.string().regex(/^[UW][A-Z0-9]+$/, "is no ID of a person");

const teamSchema = z.string().regex(/^[ET][A-Z0-9]+$/, "is no ID of a workspace");

/** Who, where and when in a subscription: people would read what else stands there, or it would never be due. */
const subscriptionNames = z.object({
  team: teamSchema,
  channel: z.string().regex(/^[CDGUW][A-Z0-9]+$/, "is no ID of a channel or a person"),
  maker: personSchema,
  schedule: z.object({
    pattern: z.string().refine(isPattern, "is no cron expression"),
    zone: z.string().refine((zone) => zoneNamed(zone) !== undefined, "is no time zone"),
  }),
  changed: z.array(z.object({ by: z.literal(bot).or(personSchema) })),
  mutes: z.array(z.object({ by: personSchema })).optional(),
});

/** Who, where and when stands in the entries of each kind. */
const namesIn: Record<string, z.ZodType> = {
  digests: subscriptionNames,
  alerts: subscriptionNames,
  watchlists: z.object({ team: teamSchema, owner: personSchema, changed: z.object({ by: personSchema }) }),
};

const removedSchema = z.object({ state: z.literal("removed") });
const documentSchema = z.object({ bellwether: z.number() }).catchall(z.record(z.string(), z.unknown()));

function readDocument(text: string): Record<string, Record<string, unknown>> {
  const parsed = documentSchema.safeParse(parse(text));
  if (!parsed.success) throw new TransferError("This is no export of Bellwether: nothing was taken in.");
  const { bellwether: written, ...kinds } = parsed.data;
  if (written === version) return kinds;
  throw new TransferError(
    `This export is of version ${written}, and I read version ${version}: nothing was taken in. Export it again with the version of Bellwether that runs here: its store is read as it is.`,
  );
}

/** Texts that the bot writes as mrkdwn, and shows as they stand: what is wrong, and what a waiting digest says. */
const mrkdwnFields = new Set(["problem", "note", "lead", "bill"]);

/**
 * Reads a file, which anybody may have written: of mrkdwn only the words stay, so that it cannot ping, or pass one link
 * off as another. npm prints lines of its own before what a script does.
 */
function parse(text: string): unknown {
  const inWords = (field: string, value: unknown) =>
    typeof value === "string" && mrkdwnFields.has(field) ? plainWords(value) : value;
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf("{"))), inWords) as unknown;
  } catch {
    return undefined;
  }
}

function refusal(problems: string[]): string {
  const shown = problems.slice(0, problemsShown).map((problem) => `  - ${problem}`);
  const more = problems.length > shown.length ? [`  - and ${problems.length - shown.length} more`] : [];
  return ["Nothing was taken in, because of:", ...shown, ...more].join("\n");
}

function brokeOff(error: unknown): never {
  throw new TransferError(
    `The store took only a part of it: ${reasonOf(error)}. Make sure that its disk has room, then import the same file again: nothing comes twice.`,
  );
}

function unreadable(error: unknown): never {
  throw new TransferError(`Cannot read the file: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
