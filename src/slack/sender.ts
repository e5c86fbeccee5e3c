import { randomUUID } from "node:crypto";

import { type Timer, steady } from "./timer.ts";
import { createAllowance } from "./allowance.ts";
import { type Waiting, createLanes } from "./lanes.ts";
import type { Block, Posted } from "./text/message.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";
import type { Call } from "./web.ts";

/** Where to post: a channel, or a thread of it. */
export interface Place {
  channel: string;
  thread?: string | undefined;
  /** Shows what goes to a thread in its channel, too. */
  broadcast?: true | undefined;
  /** What the message carries, so that it can be found; one of its own where nobody has to look for it later. */
  key?: string | undefined;
  /** Since when an earlier try may stand there, in epoch milliseconds: it is looked for before it is sent. */
  sentSince?: number | undefined;
  /** Called just before the call goes out, each time; where that rejects, nothing is sent. */
  onSend?: (() => Promise<void>) | undefined;
}

/** What of a message goes over the wire. */
export interface Body {
  text: string;
  blocks?: Block[];
}

/** A message on its way: where to, the key that it is known by, and when it was sent first and last. */
export interface Letter {
  place: Place;
  key: string;
  since: number | undefined;
  sentAt: number | undefined;
}

/** Keys of messages of which it is not known whether they stand. */
const notedMost = 10_000;

/** Sends messages in one workspace when it is their turn, each time once, and knows what it has sent. */
export function createSender(call: Call, timer: Timer, postsPerMinute: number) {
  const paced = steady(timer);
  const allowance = createAllowance(paced, postsPerMinute);
  const laneOf = createLanes(paced, allowance);
  const startedAt = timer.now();
  /** When what may stand in Slack was sent last. */
  const sent = new Map<string, number>();

  function note(key: string, at: number): void {
    sent.set(key, at);
    const [oldest] = sent.keys();
    if (oldest !== undefined && sent.size > notedMost) sent.delete(oldest);
  }

  /** Counts a call among those of its workspace. */
  async function counted(channel: string, post: () => Promise<Posted>): Promise<Posted> {
    allowance.begin();
    try {
      const posted = await post();
      allowance.end(channel, {});
      return posted;
    } catch (error) {
      const refused = refusalOf("chat.postMessage", error);
      allowance.end(channel, refused.reaction === "wait" ? { retryAfterMs: waitOf(refused) } : {});
      throw refused;
    }
  }

  return {
    letterOf(place: Place): Letter {
      const { key = randomUUID(), sentSince: since } = place;
      if (since === undefined) return { place, key, since, sentAt: undefined };
      // What this process has not sent was sent by an earlier one.
      return { place, key, since, sentAt: sent.get(key) ?? Math.min(Math.max(since, startedAt), timer.now()) };
    },
    /** Sends it once, when it is its turn; rejects with SlackRefused, or with what came before the call. */
    async send(letter: Letter, compose: () => Body, waiting: Waiting): Promise<Posted> {
      const { place, key } = letter;
      await laneOf(place.channel).turn(waiting);
      try {
        const body = compose();
        await place.onSend?.();
        letter.since ??= timer.now();
        letter.sentAt = timer.now();
        note(key, letter.sentAt);
        return await counted(place.channel, () => postOnce(call, letter, body));
      } finally {
        if (waiting.isUnasked) allowance.leave();
      }
    },
    /** Lets nothing pass to a channel for a while. */
    hold(channel: string, ms: number): void {
      laneOf(channel).hold(ms);
    },
    /** To be told of what stands, and of what surely does not. */
    forget(key: string): void {
      sent.delete(key);
    },
  };
}

/** How long Slack asks to wait, in milliseconds. */
export const waitOf = ({ retryAfterMs = 5_000 }: SlackRefused): number => retryAfterMs;

async function postOnce(call: Call, { place, key }: Letter, body: Body): Promise<Posted> {
  const answer = await call("chat.postMessage", {
    channel: place.channel,
    thread_ts: place.thread,
    ...(place.thread && place.broadcast && { reply_broadcast: true }),
    ...body,
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: "bellwether_message", event_payload: { key } },
  });
  const { channel, ts } = answer;
  if (typeof ts !== "string") throw new SlackRefused("chat.postMessage", "unreadable", { reaction: "look" });
  return { channel: typeof channel === "string" ? channel : place.channel, ts };
}
