import PQueue from "p-queue";
import { z } from "zod";

import type { Posted } from "../text/message.ts";
import { type Timer, pause } from "../timer.ts";
import type { Reads } from "./reads.ts";
import { SlackRefused, isPassing, refusalOf } from "./refusal.ts";

/** A post of ours that may stand in Slack. */
export interface SoughtPost {
  channel: string;
  thread?: string | undefined;
  /** The idempotency key in its metadata. */
  key: string;
  /** The time at which it was sent first, by our clock. */
  since: number;
  /** The time until which to look again while Slack is out of order. */
  until: number;
}

/** The posts of one channel or thread that carry a key. */
interface ReadPosts {
  channel: string;
  timestamps: Map<string, string>;
  /** All of it was read. */
  isWhole: boolean;
}

/** Slack's history can lag behind its posts by a moment; while Slack is out of order, each look waits twice as long. */
const settleMs = 1_500;
const longestPauseMs = 15_000;
/** Our clock and Slack's may differ. */
const skewMs = 60_000;
/** The time to read back if our clock was set back since the post, so that nobody knows when it was. */
const unknownMs = 24 * 60 * 60_000;
const pageSize = 200;
const pagesMost = 25;
const readsAtOnce = 3;

/** Finds posts of a workspace in its histories, by their idempotency keys. */
export function createPostFinder({ read }: Pick<Reads, "read">, timer: Timer) {
  // Slack takes far fewer reads of threads than of channels: those that wait must not hold up the others.
  const queues = {
    "conversations.replies": new PQueue({ concurrency: readsAtOnce }),
    "conversations.history": new PQueue({ concurrency: readsAtOnce }),
  };
  /** Reads that have not begun: whoever looks in the same place joins, since a later read holds all that was sent before. */
  const queued = new Map<string, { oldest: number; posts: PromiseWithResolvers<ReadPosts> }>();

  async function readPlace({ channel, thread, since }: SoughtPost): Promise<ReadPosts> {
    const now = timer.now();
    const oldest = (since > now ? now - unknownMs : since) - skewMs;
    const place = `${channel} ${thread ?? ""}`;
    const joined = queued.get(place);
    if (joined) {
      joined.oldest = Math.min(joined.oldest, oldest);
      return joined.posts.promise;
    }
    const own = { oldest, posts: Promise.withResolvers<ReadPosts>() };
    queued.set(place, own);
    const method = thread ? "conversations.replies" : "conversations.history";
    void queues[method].add(async () => {
      queued.delete(place);
      await readPosts(read, { channel, thread, oldest: own.oldest }).then(own.posts.resolve, own.posts.reject);
    });
    return own.posts.promise;
  }

  async function look(sought: SoughtPost): Promise<Posted | undefined> {
    const { channel, timestamps, isWhole } = await readPlace(sought);
    const ts = timestamps.get(sought.key);
    if (ts !== undefined) return { channel, ts };
    if (!isWhole) throw new SlackRefused("conversations.history", "too_much_to_read", { reaction: "unsure" });
    return undefined;
  }

  /** The place where it stands, or nothing if it surely does not; rejects with SlackRefused if nobody can say. */
  return async (sought: SoughtPost): Promise<Posted | undefined> => {
    let pauseMs = settleMs;
    for (;;) {
      await pause(timer, Math.ceil(pauseMs));
      try {
        return await look(sought);
      } catch (error) {
        const refused = refusalOf("conversations.history", error);
        if (!isPassing(refused) || timer.now() >= sought.until) throw refused;
        pauseMs = Math.max(Math.min(pauseMs * 2, longestPauseMs), refused.retryAfterMs ?? 0);
      }
    }
  };
}

interface HistoryRange {
  channel: string;
  thread: string | undefined;
  oldest: number;
}

async function readPosts(read: Reads["read"], { channel: address, thread, oldest }: HistoryRange): Promise<ReadPosts> {
  const channel = await channelToRead(read, address);
  const timestamps = new Map<string, string>();
  let cursor: string | undefined;
  for (let page = 1; page <= pagesMost; page++) {
    const answer = await read(thread ? "conversations.replies" : "conversations.history", {
      channel,
      ...(thread && { ts: thread }),
      oldest: (Math.max(0, oldest) / 1000).toFixed(6),
      include_all_metadata: true,
      limit: pageSize,
      ...(cursor && { cursor }),
    });
    const { messages, has_more, response_metadata } = historySchema.parse(answer);
    for (const message of messages) {
      const { data } = keyedSchema.safeParse(message);
      if (data) timestamps.set(data.metadata.event_payload.key, data.ts);
    }
    cursor = response_metadata?.next_cursor || undefined;
    if (!cursor) return { channel, timestamps, isWhole: !has_more };
  }
  return { channel, timestamps, isWhole: false };
}

/** Direct messages are addressed by the person, and have a history only by the channel that they are in. */
async function channelToRead(read: Reads["read"], address: string): Promise<string> {
  if (!/^[UW]/.test(address)) return address;
  const { data } = openedSchema.safeParse(await read("conversations.open", { users: address }));
  if (!data) throw new SlackRefused("conversations.open", "unreadable", { reaction: "lookUp" });
  return data.channel.id;
}

const openedSchema = z.object({ channel: z.object({ id: z.string() }) });

const historySchema = z.object({
  messages: z.array(z.unknown()),
  has_more: z.boolean().optional(),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional().catch(undefined),
});

const keyedSchema = z.object({
  ts: z.string(),
  metadata: z.object({ event_payload: z.object({ key: z.string() }) }),
});
