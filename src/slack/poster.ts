import { randomUUID } from "node:crypto";

import { rates } from "./limits.ts";
import { type Block, type Message, type Posted, fitText } from "./message.ts";
import type { Timer } from "./pacer.ts";
import { refusalOf } from "./refusal.ts";
import type { Call } from "./web.ts";

/** Where to post: a channel, or a thread of it. */
export interface Place {
  channel: string;
  thread?: string | undefined;
}

/** What of a message in a channel's history tells that it is the one we sent. */
interface PostedMessage {
  ts: string;
  metadata?: { event_payload?: Record<string, unknown> };
}

export type Poster = ReturnType<typeof createPoster>;

const attempts = 4;
/** Slack's history can lag behind its posts by a moment. */
const settleMs = 1_500;

/**
 * Posts and edits messages in one workspace: a message is posted once even where Slack did not say whether it took it,
 * posts to a channel keep Slack's pace, and what Slack finds malformed goes out as plain text.
 */
export function createPoster(call: Call, timer: Timer) {
  const lanes = new Map<string, ReturnType<typeof createLane>>();

  function laneOf(channel: string) {
    const lane = lanes.get(channel) ?? createLane(timer, () => lanes.delete(channel));
    lanes.set(channel, lane);
    return lane;
  }

  async function post(place: Place, newest: () => Message): Promise<Posted> {
    const key = randomUUID();
    const since = timer.now() / 1000 - 5;
    let isPlain = false;
    for (let attempt = 1; ; attempt++) {
      await laneOf(place.channel).turn();
      const { text, blocks } = bodyOf(newest());
      try {
        const answer = await call("chat.postMessage", {
          channel: place.channel,
          thread_ts: place.thread,
          text,
          ...(blocks && !isPlain && { blocks }),
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: "bellwether_message", event_payload: { key } },
        });
        return { channel: String(answer["channel"] ?? place.channel), ts: String(answer["ts"]) };
      } catch (error) {
        const refused = refusalOf("chat.postMessage", error);
        if (attempt >= attempts) throw refused;
        if (refused.reaction === "wait") laneOf(place.channel).hold(refused.retryAfterMs ?? 5_000);
        else if (refused.reaction === "plainer" && blocks && !isPlain) isPlain = true;
        else if (refused.reaction !== "look") throw refused;
        else {
          const found = await find(place, key, since);
          if (found) return found;
        }
      }
    }
  }

  /** Looks for a message that may have been posted; without the right to read history it was posted, as far as we know. */
  async function find(place: Place, key: string, since: number): Promise<Posted | undefined> {
    await new Promise<void>((resolve) => timer.after(settleMs, resolve));
    const method = place.thread ? "conversations.replies" : "conversations.history";
    const answer = await call(method, {
      channel: place.channel,
      ...(place.thread && { ts: place.thread }),
      oldest: since.toFixed(6),
      include_all_metadata: true,
      limit: 100,
    });
    const messages: PostedMessage[] = Array.isArray(answer["messages"]) ? answer["messages"] : [];
    const match = messages.find((message) => message.metadata?.event_payload?.["key"] === key);
    return match && { channel: place.channel, ts: match.ts };
  }

  return {
    /** Posts what `newest` gives when it is this post's turn; rejects with SlackRefused. */
    post,
    /** Replaces a message; rejects with SlackRefused. What Slack finds malformed goes out as plain text. */
    async update(posted: Posted, message: Message): Promise<void> {
      const body = bodyOf(message);
      const edit = (content: object) => call("chat.update", { channel: posted.channel, ts: posted.ts, ...content });
      try {
        await edit(body);
      } catch (error) {
        const refused = refusalOf("chat.update", error);
        if (refused.reaction !== "plainer" || !body.blocks) throw refused;
        await edit({ text: body.text, blocks: [] });
      }
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

/** Lets posts to one channel pass at Slack's pace: a short burst, then one a second. */
function createLane(timer: Timer, onIdle: () => void) {
  let tokens: number = rates.postBurst;
  let countedAt = timer.now();
  let tail = Promise.resolve();
  let waiting = 0;
  let heldUntil = 0;

  async function take(): Promise<void> {
    for (;;) {
      const now = timer.now();
      tokens = Math.min(rates.postBurst, tokens + (now - countedAt) / rates.postIntervalMs);
      countedAt = now;
      const wait = Math.max(heldUntil - now, (1 - tokens) * rates.postIntervalMs);
      if (wait <= 0) break;
      await new Promise<void>((resolve) => timer.after(Math.ceil(wait), resolve));
    }
    tokens--;
  }

  return {
    /** Resolves when it is this caller's turn. */
    async turn(): Promise<void> {
      waiting++;
      tail = tail.then(take);
      await tail;
      if (--waiting === 0) timer.after(rates.postBurst * rates.postIntervalMs, () => waiting === 0 && onIdle());
    },
    /** Lets nothing pass for a while. */
    hold(ms: number): void {
      heldUntil = Math.max(heldUntil, timer.now() + ms);
    },
  };
}
