import { randomUUID } from "node:crypto";

import { z } from "zod";

import { createLanes } from "./lanes.ts";
import { type Block, type Message, type Posted, fitText } from "./message.ts";
import type { Timer } from "./pacer.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";
import type { Call } from "./web.ts";

/** Where to post: a channel, or a thread of it. */
export interface Place {
  channel: string;
  thread?: string | undefined;
}

export type Poster = ReturnType<typeof createPoster>;

const attempts = 4;
/** Slack's history can lag behind its posts by a moment; while Slack is out of order, each look waits twice as long. */
const settleMs = 1_500;
const looks = 6;
/** Our clock and Slack's may differ. */
const skewMs = 60_000;

/**
 * Posts and edits messages in one workspace: a message is posted once even where Slack did not say whether it took it,
 * posts to a channel keep Slack's pace, and what Slack finds malformed goes out as plain text.
 */
export function createPoster(call: Call, timer: Timer) {
  const laneOf = createLanes(timer);

  async function post(place: Place, newest: () => Message, signal?: AbortSignal): Promise<Posted> {
    const letter = { place, key: randomUUID(), since: timer.now() - skewMs };
    let isPlain = false;
    for (let attempt = 1; ; attempt++) {
      await laneOf(place.channel).turn(signal);
      const { text, blocks } = bodyOf(newest());
      try {
        return await send(call, letter, { text, ...(blocks && !isPlain && { blocks }) });
      } catch (error) {
        const refused = refusalOf("chat.postMessage", error);
        const found = refused.reaction === "look" && (await find({ call, timer }, letter, refused));
        if (found) return found;
        if (refused.reaction === "wait") laneOf(place.channel).hold(refused.retryAfterMs ?? 5_000);
        else if (refused.reaction === "plainer" && blocks && !isPlain) isPlain = true;
        else if (refused.reaction !== "look") throw refused;
        if (attempt >= attempts) throw refused;
      }
    }
  }

  return {
    /**
     * Posts what `newest` gives when it is this post's turn; rejects with SlackRefused, or with the signal's reason
     * where that comes before the turn. A call that is under way is finished.
     */
    post,
    /** Replaces a message with one call; rejects with SlackRefused. */
    async update(posted: Posted, message: Message): Promise<void> {
      await call("chat.update", { channel: posted.channel, ts: posted.ts, ...bodyOf(message) });
    },
    /** Shows a message to one person only. */
    async whisper(place: Place & { user: string }, message: Message): Promise<void> {
      const { channel, thread, user } = place;
      await call("chat.postEphemeral", { channel, user, thread_ts: thread, ...bodyOf(message) });
    },
  };
}

/** What of a message goes over the wire. */
export function bodyOf(message: Message): { text: string; blocks?: Block[] } {
  return { text: fitText(message.text), ...(message.blocks && { blocks: message.blocks }) };
}

/** A message on its way: where to, the key that it is known by, and since when it may stand there. */
interface Letter {
  place: Place;
  key: string;
  since: number;
}

async function send(call: Call, { place, key }: Letter, body: ReturnType<typeof bodyOf>): Promise<Posted> {
  const answer = await call("chat.postMessage", {
    channel: place.channel,
    thread_ts: place.thread,
    ...body,
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: "bellwether_message", event_payload: { key } },
  });
  const { channel, ts } = answer;
  if (typeof ts !== "string") throw new SlackRefused("chat.postMessage", "unreadable", { reaction: "look" });
  return { channel: typeof channel === "string" ? channel : place.channel, ts };
}

/**
 * Looks for a message that may have been posted. Rejects with what the post was refused with where nobody can say,
 * for lack of a right or because Slack stays out of order: better not at all than twice.
 */
async function find(
  { call, timer }: { call: Call; timer: Timer },
  { place, key, since }: Letter,
  refused: SlackRefused,
): Promise<Posted | undefined> {
  const method = place.thread ? "conversations.replies" : "conversations.history";
  let pauseMs = settleMs;
  for (let look = 1; ; look++) {
    await new Promise<void>((resolve) => timer.after(pauseMs, resolve));
    try {
      const answer = await call(method, {
        channel: place.channel,
        ...(place.thread && { ts: place.thread }),
        oldest: (since / 1000).toFixed(6),
        include_all_metadata: true,
        limit: 100,
      });
      const ts = listOf(answer["messages"])
        .map((message) => tsWith(key, message))
        .find(Boolean);
      return ts ? { channel: place.channel, ts } : undefined;
    } catch (error) {
      const { reaction, retryAfterMs = 0 } = refusalOf(method, error);
      if ((reaction !== "wait" && reaction !== "look") || look >= looks) throw refused;
      pauseMs = Math.max(settleMs * 2 ** look, retryAfterMs);
    }
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const keyed = z.object({
  ts: z.string(),
  metadata: z.object({ event_payload: z.object({ key: z.string() }) }),
});

/** The timestamp of a message in a channel's history where it carries a key. */
function tsWith(key: string, message: unknown): string | undefined {
  const { data } = keyed.safeParse(message);
  return data?.metadata.event_payload.key === key ? data.ts : undefined;
}
