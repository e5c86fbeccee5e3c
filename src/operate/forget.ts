import { z } from "zod";

import { formerMember } from "../features/subscriptions/model.ts";
import { removedLifeMs } from "../features/subscriptions/store.ts";
import { spentLifeMs } from "../features/account/spending.ts";
import type { Collection } from "../store/collection.ts";
import { openStoreExclusively } from "../store/lock.ts";
import type { Store } from "../store/store.ts";
import { operatorWaits } from "./transfer.ts";

/** All that is kept, as it is. */
type Kept = Map<string, Collection<unknown>>;

/** All that is kept, by the name of its collection. */
export async function openKept(store: Store): Promise<Kept> {
  const names = new Set([...(await store.names()), "departures"]);
  return new Map([...names].map((name) => [name, store.collection(name, z.unknown())]));
}

/** Somebody, or a direct message with the bot, in one workspace or in all; or a whole workspace. */
interface KeptSubject {
  /** As Slack writes it: `U…` or `W…`, `D…`, `T…` or `E…`. */
  id: string;
  team?: string | undefined;
}

interface KeptRecord {
  name: string;
  key: string;
  value: unknown;
}

/** The fate of a record when a subject is forgotten: it is deleted, or stays without the name. */
type Fate = "deleted" | { value: unknown } | undefined;

const isTeam = (id: string) => /^[TE][A-Z0-9]+$/.test(id);
const ownedSchema = z
  .looseObject({
    team: z.string(),
    enterprise: z.string(),
    channel: z.string(),
    user: z.string(),
    owner: z.string(),
    isShared: z.boolean(),
  })
  .partial();

function teamOf({ key, value }: KeptRecord): string | undefined {
  const [first = ""] = key.split(" ");
  return isTeam(first) ? first : ownedSchema.safeParse(value).data?.team;
}

function fateOf(record: KeptRecord, { id, team }: KeptSubject): Fate {
  const { name, key, value } = record;
  const { enterprise, channel, user, owner, isShared } = ownedSchema.safeParse(value).data ?? {};
  if (isTeam(id)) return teamOf(record) === id || enterprise === id ? "deleted" : undefined;
  if (team !== undefined && teamOf(record) !== team) return undefined;
  if (key.split(" ").includes(id)) return "deleted";
  const isOwn = name === "watchlists" ? owner === id && isShared !== true : channel === id || user === id;
  if (isOwn) return "deleted";
  if (!named.has(name) || !JSON.stringify(value).includes(`"${id}"`)) return undefined;
  return { value: withoutName(value, id) };
}

/** The collections of things that others go on using after somebody who has set them up or changed them is forgotten. */
const named = new Set(["digests", "alerts", "watchlists", "thread-settings", "spending"]);

/** A value in which nobody finds an ID any more: what was counted under it is left out, and elsewhere somebody unnamed stands. */
function withoutName(value: unknown, id: string): unknown {
  if (value === id) return formerMember;
  if (Array.isArray(value)) return value.map((each) => withoutName(each, id));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([field]) => field !== id);
  return Object.fromEntries(kept.map(([field, each]) => [field, withoutName(each, id)]));
}

async function* find(
  kept: Kept,
  subject: KeptSubject,
): AsyncGenerator<KeptRecord & { fate: Exclude<Fate, undefined> }> {
  for (const [name, records] of kept) {
    for await (const [key, value] of records.entries()) {
      const record = { name, key, value };
      const fate = fateOf(record, subject);
      if (fate) yield { ...record, fate };
    }
  }
}

/** The records kept of a subject, by collection and key; of a workspace without its token. */
export async function readAbout(kept: Kept, subject: KeptSubject): Promise<Record<string, Record<string, unknown>>> {
  const found: Record<string, Record<string, unknown>> = {};
  for await (const { name, key, value } of find(kept, subject)) {
    if (name !== "installations") found[name] = { ...found[name], [key]: value };
  }
  return found;
}

/** Deletes what is kept of a subject, and takes its name out of what others go on using. */
export async function forget(kept: Kept, subject: KeptSubject): Promise<{ deleted: number; changed: number }> {
  const count = { deleted: 0, changed: 0 };
  for await (const { name, key, fate } of find(kept, subject)) {
    const records = kept.get(name);
    if (fate === "deleted") {
      count.deleted += 1;
      await records?.delete(key);
    } else {
      count.changed += 1;
      const isRemoved = z.object({ state: z.literal("removed") }).safeParse(fate.value).success;
      const ttlMs = isRemoved ? removedLifeMs : name === "spending" ? spentLifeMs : undefined;
      await records?.set(key, fate.value, ttlMs === undefined ? {} : { ttlMs });
    }
  }
  return count;
}

/** Prints or deletes what is kept of a subject, in a store that no bot has open; gives the text and what to tell the operator. */
export async function handleSubject(
  command: "about" | "forget",
  subject: KeptSubject,
  storeUrl: string,
): Promise<{ text?: string; report: string }> {
  // A bot that runs holds subscriptions in memory, and would write them down again. An empty store in a place that was
  // mistyped would pass for one that holds nothing of anybody.
  const store = await openStoreExclusively(storeUrl, { ...operatorWaits, create: false });
  try {
    const kept = await openKept(store);
    if (command === "about") {
      const found = await readAbout(kept, subject);
      const count = Object.values(found).reduce((sum, records) => sum + Object.keys(records).length, 0);
      return { text: `${JSON.stringify(found, undefined, 1)}\n`, report: `${count} records about ${subject.id}.` };
    }
    const { deleted, changed } = await forget(kept, subject);
    await store.vacuum();
    return { report: `Forgot ${subject.id}: ${deleted} records deleted, the name taken out of ${changed}.` };
  } finally {
    await store.close();
  }
}

/** The time for which the state of a workspace that took the app out is kept: it may come back. */
export const departedLifeMs = 30 * 24 * 60 * 60_000;

/**
 * Deletes the state of workspaces that took the app out a month ago. When that was is noted the first time that this is
 * called without the app there, and forgotten once it is back. Gives the workspaces whose state was deleted.
 */
export async function forgetDeparted(kept: Kept, { isServed, isInstalled, now }: DepartedOptions): Promise<string[]> {
  const departures = kept.get("departures");
  const teams = new Set<string>();
  for (const [name, records] of kept) {
    for await (const [key, value] of records.entries()) {
      const team = teamOf({ name, key, value });
      if (team !== undefined) teams.add(team);
    }
  }
  const forgotten: string[] = [];
  for (const team of [...teams].filter(isServed)) {
    const { at } = departureSchema.safeParse(await departures?.get(team)).data ?? {};
    if (isInstalled(team)) {
      if (at !== undefined) await departures?.delete(team);
    } else if (at === undefined) {
      await departures?.set(team, { at: now });
    } else if (now - at >= departedLifeMs) {
      await forget(kept, { id: team });
      forgotten.push(team);
    }
  }
  return forgotten;
}

interface DepartedOptions {
  /** Tells whether this process works for a workspace: for others it doesn't know whether the bot is installed. */
  isServed: (team: string) => boolean;
  isInstalled: (team: string) => boolean;
  now: number;
}

const departureSchema = z.object({ at: z.number() });
