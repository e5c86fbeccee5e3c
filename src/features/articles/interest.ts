import { z } from "zod";

import { type Log, describe } from "../../log.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import type { BaseContext } from "../base.ts";
import { foldName } from "../names.ts";
import { countByName } from "./importance.ts";
import type { ArticleList } from "./list.ts";

/**
 * The interest of channels: the names whose stories people there opened, asked about or shared. Slack doesn't tell a bot
 * who follows a link, but the bot's own buttons and threads say as much.
 */

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** A use counts half after two weeks, and is forgotten after two months. */
const halfLifeMs = 14 * dayMs;
const interestLifeMs = 60 * dayMs;
/** Names that are kept for a channel, and the latest uses of each. */
const namesMost = 200;
const usesMost = 8;
/** Uses of one kind within an hour count once: several questions in a thread, or pages that are turned. */
const onceMs = hourMs;
/** The weight of a use of a story. A question says more than a look. */
const weights = { asked: 1, shared: 1, opened: 0.5 };

const useSchema = z.object({
  at: z.number(),
  how: z.enum(["asked", "opened", "shared"]),
  /** The part of what was used that is about the name: 1 if all of it is, or if a question names it. */
  part: z.number(),
});
export type Use = z.infer<typeof useSchema>;

/** A main entity of stories that a channel used; its latest use first. */
const usedNameSchema = z.object({ id: z.number(), uses: z.array(useSchema) });
export type UsedName = z.infer<typeof usedNameSchema>;
export const interestSchema = z.array(usedNameSchema);

/** The place where somebody uses a story; alone with the bot, it's their own. */
interface UsedWhere {
  team: string;
  channel: string;
  user: string;
}

type UsedList = Pick<ArticleList, "articles" | "names">;

interface InterestDependencies {
  /** A record for each channel. */
  records: Collection<UsedName[]>;
  now: () => number;
  log: Pick<Log, "warn">;
}

export type Interest = ReturnType<typeof createInterest>;

export function createInterest({ records, now, log }: InterestDependencies) {
  const enqueue = createKeyQueue();
  return {
    /** Notes that somebody used the stories of a list, with the question that they asked about it; nobody waits for that. */
    note({ team, channel, user }: UsedWhere, how: Use["how"], list: UsedList, question = ""): void {
      const key = keyOf({ team, channel: /^[CG]/.test(channel) ? channel : user });
      const at = now();
      const noted = enqueue(key, async () => {
        const parts = partsOf(list, question);
        if (parts.size === 0) return;
        const before = (await records.get(key)) ?? [];
        await records.set(key, withUse(before, parts, { at, how }));
      });
      noted.catch((error: unknown) => log.warn("interest.note.failed", { error: describe(error) }));
    },
    /** The names that a channel used; a channel that is a person is their direct message. */
    async of(place: { team: string; channel: string }): Promise<UsedName[]> {
      const key = keyOf(place);
      return enqueue(key, async () => (await records.get(key)) ?? []);
    },
  };
}

export function openInterest({ store, now, log }: Pick<BaseContext, "store" | "now" | "log">): Interest {
  return createInterest({
    records: store.collection("interest", interestSchema, { ttlMs: interestLifeMs }),
    now,
    log,
  });
}

const keyOf = ({ team, channel }: { team: string; channel: string }) => `${team} ${channel}`;

/** The part that each main name has in a list, by how many of its articles are about it; all of it, for names in the question. */
function partsOf({ articles, names = {} }: UsedList, question: string): Map<number, number> {
  const counts = countByName(articles);
  const asked = ` ${foldName(question)} `;
  const named = [...counts.keys()].filter((id) => isNamedIn(asked, names[id] ?? ""));
  if (named.length > 0) return new Map(named.map((id) => [id, 1]));
  return new Map([...counts].map(([id, count]) => [id, count / articles.length]));
}

/** True if a question has a name or its first word, because hardly anybody types “Semiconductor SE”. */
function isNamedIn(asked: string, name: string): boolean {
  const whole = foldName(name);
  const [first = ""] = whole.split(" ");
  return whole !== "" && (asked.includes(` ${whole} `) || (first.length >= 4 && asked.includes(` ${first} `)));
}

/** Adds a use of these names, each with its part, to a record; pure. Names that count least are dropped if there are too many. */
export function withUse(record: UsedName[], parts: ReadonlyMap<number, number>, use: Omit<Use, "part">): UsedName[] {
  const known = new Map(record.map(({ id, uses }) => [id, uses]));
  for (const [id, part] of parts) known.set(id, addUse(known.get(id) ?? [], { ...use, part }));
  const names = [...known].map(([id, uses]) => ({ id, uses: uses.filter(({ at }) => at > use.at - interestLifeMs) }));
  return names
    .filter(({ uses }) => uses.length > 0)
    .toSorted((one, other) => weightOf(other.uses, use.at) - weightOf(one.uses, use.at))
    .slice(0, namesMost);
}

function addUse(uses: Use[], use: Use): Use[] {
  const isSame = (each: Use) => each.how === use.how && each.at > use.at - onceMs;
  const part = Math.max(use.part, ...uses.filter(isSame).map((each) => each.part));
  return [{ ...use, part }, ...uses.filter((each) => !isSame(each))].slice(0, usesMost);
}

/** The weight of each name that a channel used, as it has faded by now. */
export function interestNow(record: UsedName[], now: number): Map<number, number> {
  return new Map(record.map(({ id, uses }) => [id, weightOf(uses, now)]));
}

function weightOf(uses: Use[], now: number): number {
  return uses.reduce((sum, { at, how, part }) => sum + weights[how] * part * 0.5 ** ((now - at) / halfLifeMs), 0);
}
