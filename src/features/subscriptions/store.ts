import { z } from "zod";
import { type Destination, type Name, type Subscription, subscriptionKey } from "./model.ts";
import { isSchedule } from "../../schedule/runs.ts";
import type { Collection } from "../../store/collection.ts";
import { createRecordCache } from "../../store/record-cache.ts";
import { createKeyQueue } from "../../store/key-queue.ts";

/** A removed subscription can be brought back for this long. */
export const removedLifeMs = 30 * 24 * 60 * 60_000;

/** A subscription before it has a number. */
export type Draft<S extends Subscription> = Omit<S, "number" | "state" | "changed">;

interface SubscriptionsOptions<S extends Subscription> {
  records: Collection<S>;
  /** The number that was given last, by workspace. */
  numbers: Collection<number>;
  /** True if a draft would post the same in the same place. */
  isSame: (one: S, draft: Draft<S>) => boolean;
  isDue: (subscription: S, now: number) => boolean;
  /** True if this process works for a workspace; records of other workspaces are neither seen nor changed. */
  isServed?: ((team: string) => boolean) | undefined;
}

/** The subscriptions of one kind. */
export type Subscriptions<S extends Subscription> = ReturnType<typeof createSubscriptions<S>>;

/**
 * Subscriptions as they stand, held in memory and written down before a change is told of: one process at a time works for
 * a workspace. The writes to one come one after the other.
 */
export function createSubscriptions<S extends Subscription>(options: SubscriptionsOptions<S>) {
  const { records, numbers, isSame, isDue, isServed = () => true } = options;
  const enqueue = createKeyQueue();
  const { all, reload, evict } = createRecordCache(records, { keyOf: subscriptionKey, isServed });

  const filter = async (fit: (subscription: S) => boolean) =>
    [...(await all()).values()].filter((each) => isServed(each.team) && fit(each));

  async function get(name: Name): Promise<S | undefined> {
    return isServed(name.team) ? (await all()).get(subscriptionKey(name)) : undefined;
  }

  async function write(subscription: S): Promise<void> {
    const life = subscription.state === "removed" ? { ttlMs: removedLifeMs } : {};
    await records.set(subscriptionKey(subscription), subscription, life);
  }

  const changing = (name: Name, change: (current: S) => S, isWritten: boolean): Promise<S | undefined> =>
    enqueue(subscriptionKey(name), async () => {
      const current = await get(name);
      const changed = current && change(current);
      if (!changed || changed === current) return current;
      if (isWritten) await write(changed);
      (await all()).set(subscriptionKey(name), changed);
      return changed;
    });

  async function add(draft: Draft<S>, now: number, check?: () => Promise<void>) {
    if (!isServed(draft.team)) throw new Error(`${draft.team} is another replica's by now`);
    const [standing] = await filter((each) => isStanding(each) && isSame(each, draft));
    if (standing) return { subscription: standing, isNew: false };
    await check?.();
    // Higher than any number in use, even if the record of the last number is lost.
    const own = await filter((each) => each.team === draft.team);
    const number = own.reduce((most, each) => Math.max(most, each.number), (await numbers.get(draft.team)) ?? 0) + 1;
    // First, so that a number is never given twice, whatever happens in between.
    await numbers.set(draft.team, number);
    const subscription = withNumber(draft, number, now);
    await write(subscription);
    (await all()).set(subscriptionKey(subscription), subscription);
    return { subscription, isNew: true };
  }

  return {
    /**
     * Adds one, or gives the one that posts the same in the same place already. `check` throws if there may be no
     * new one; nobody else adds one in between.
     */
    add(draft: Draft<S>, now: number, check?: () => Promise<void>) {
      return enqueue(draft.team, () => add(draft, now, check));
    },
    /** Also a removed one, as long as it can be brought back. */
    get,
    /** All of a workspace by their numbers, without removed ones. */
    async ofTeam(team: string): Promise<S[]> {
      const own = await filter((each) => each.team === team && isStanding(each));
      return own.toSorted((one, other) => one.number - other.number);
    },
    /** All that post in a place, without removed ones. */
    at: ({ team, channel }: Destination) =>
      filter((each) => each.team === team && each.channel === channel && isStanding(each)),
    /** All that wait for their channel, or for a notice to their owner. */
    unreachable: () => filter(({ unreachable, ownerNotice }) => unreachable !== undefined || ownerNotice !== undefined),
    /** All with something to do, the longest due first. */
    async due(now: number): Promise<S[]> {
      const due = await filter((each) => isDue(each, now));
      return due.toSorted((one, other) => one.nextRun - other.nextRun);
    },
    reload,
    evict,
    /** Changes one as it stands now, whoever else has changed it meanwhile; gives it as it stands then. */
    update(name: Name, change: (current: S) => S) {
      return changing(name, change, true);
    },
    /** The same for what is not worth a write of its own: it is written down with the next update, and lost with the process. */
    updateInMemory(name: Name, change: (current: S) => S) {
      return changing(name, change, false);
    },
  };
}

/** A draft as it is added. */
function withNumber<S extends Subscription>(draft: Draft<S>, number: number, at: number): S {
  const changed = [{ by: draft.owner, at, type: "added" }];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a draft with what it lacks is one of its kind
  return { ...draft, state: "active", number, changed } as unknown as S;
}

const isStanding = ({ state }: Subscription) => state !== "removed";

/** `words` are the schedule as a reader would say it, without the zone: `weekdays at 09:00`. */
const scheduleSchema = z
  .object({ pattern: z.string(), zone: z.string(), words: z.string(), isOnce: z.literal(true).optional() })
  .refine(isSchedule, "is no schedule");

const signed = { by: z.string(), at: z.number() };

/** One entry of a history: who did what and when. It's kept as data, and put into words when somebody looks at it. */
const changeSchema = z.discriminatedUnion("type", [
  z.object({ ...signed, type: z.enum(["added", "paused", "resumed", "removed", "moved", "posted"]) }),
  z.object({
    ...signed,
    type: z.literal("edited"),
    /** The question that a digest asks from then on. */
    question: z.string().optional(),
    schedule: scheduleSchema.optional(),
    /** Values by the keys of its kind's options. */
    options: z.record(z.string(), z.unknown()).optional(),
    channel: z.string().optional(),
  }),
  /** Without a name all of it is muted, and without an end it’s forever. */
  z.object({
    ...signed,
    type: z.enum(["muted", "unmuted"]),
    name: z.string().optional(),
    until: z.number().optional(),
  }),
  /** Somebody closed what an alert reported, or opened it again. */
  z.object({ ...signed, type: z.enum(["handled", "reopened"]), name: z.string(), words: z.string() }),
]);

/** The stored fields of every subscription; all times are epoch milliseconds. */
export const subscriptionShape = {
  team: z.string(),
  /** Names it among those of its kind in its workspace, for good. */
  number: z.int().positive(),
  schedule: scheduleSchema,
  /** A channel of Slack, or a person, who gets it as a direct message. */
  channel: z.string(),
  /** The person who created it. */
  owner: z.string(),
  /** A removed one can still be brought back for a while. */
  state: z.enum(["active", "paused", "removed"]),
  /** The bot paused it because it cannot reach its channel, and resumes it when it can. */
  unreachable: z.enum(["archived", "removed"]).optional(),
  /** A notice that the bot paused it is still due to its owner. */
  ownerNotice: z.literal("due").optional(),
  nextRun: z.number(),
  /** The end of a mute. */
  silentUntil: z.number().optional(),
  /** The problem that keeps it from running, as mrkdwn. */
  problem: z.string().optional(),
  /** The addition and the latest changes, the newest first. */
  changed: z.array(changeSchema),
};

/** The number that a workspace's latest subscription of a kind got. */
export const numberSchema: z.ZodType<number> = z.int().nonnegative();
