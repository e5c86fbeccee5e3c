import { randomUUID } from "node:crypto";

import { withoutEmptyRows } from "../text/blocks.ts";
import { type Block, type Message, type Posted, fitText } from "../text/message.ts";
import { type Timer, steady } from "../timer.ts";
import { type Waiting, createChannelQueue } from "./channel-queue.ts";
import { type SoughtPost, createPostFinder } from "./find-post.ts";
import { type Reads, createReads } from "./reads.ts";
import { SlackRefused, isPassing, refusalOf, waitMsOf } from "./refusal.ts";
import type { Call } from "./web-api.ts";

export type Poster = ReturnType<typeof createPoster>;

/** The place to post in, a channel or a thread of it, and how the post is known there. */
export interface PostTarget {
  channel: string;
  thread?: string | undefined;
  /** Shows what goes to a thread in its channel, too. */
  broadcast?: true | undefined;
  /** The idempotency key that the message carries; one of its own if nobody has to look for it later. */
  key?: string | undefined;
  /** The time of an earlier try that may stand there, in epoch milliseconds: it is looked for before it is sent. */
  sentSince?: number | undefined;
  /** Called just before the call goes out, each time; if that rejects, nothing is sent. */
  onSend?: (() => Promise<void>) | undefined;
}

/**
 * A reply that people asked for is still of use to them after ten minutes; a post that nobody waits for is tried again
 * by its job.
 */
const retriedMs = { asked: 10 * 60_000, background: 2 * 60_000 };
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/**
 * Posts and edits messages in one workspace. A message is posted once even if Slack did not say whether it took it: it
 * carries an idempotency key, and is looked up in the channel's history before it is sent a second time. If that
 * history cannot be read, it is not sent a second time.
 */
export function createPoster(call: Call, timer: Timer, reads: Pick<Reads, "read"> = createReads(call, timer)) {
  const queue = createChannelQueue(steady(timer));
  const find = createPostFinder(reads, timer);

  /**
   * Posts what `newest` gives when it is this post's turn, and tries again while Slack is out of order; rejects with
   * SlackRefused, or with the signal's reason if that comes before the turn. A call that is under way is finished.
   */
  async function post(target: PostTarget, newest: () => Message, waiting: Waiting = {}): Promise<Posted> {
    const { channel, thread, key = randomUUID() } = target;
    const until = timer.now() + retriedMs[waiting.isBackground ? "background" : "asked"];
    let since = target.sentSince;
    let pauseMs = firstPauseMs;
    let fallback = 0;

    const findUnconfirmed = (from: number, refused: SlackRefused) =>
      find({ channel, thread, key, since: from, until }).catch((error: unknown) => {
        throw lookupRefusal(refusalOf("conversations.history", error), refused);
      });

    if (since !== undefined) {
      const found = await findUnconfirmed(since, unknownOutcome);
      if (found) return found;
    }
    for (;;) {
      let fallbacks: ReturnType<typeof blockFallbacks> = [];
      try {
        return await queue.run(channel, waiting, async () => {
          const message = newest();
          fallbacks = blockFallbacks(message);
          const body = bodyWith(message, fallbacks[fallback]);
          await target.onSend?.();
          since ??= timer.now();
          return await postOnce(call, { ...target, key }, body);
        });
      } catch (error) {
        if (!(error instanceof SlackRefused)) throw error;
        if (error.reaction === "plainer" && fallback < fallbacks.length - 1) {
          fallback++;
          continue;
        }
        if (!isPassing(error)) throw error;
        if (error.reaction === "wait") queue.hold(channel, waitMsOf(error));
        else {
          const found = await findUnconfirmed(since ?? timer.now(), error);
          if (found) return found;
          await pauseUnlessAborted(timer, pauseMs, waiting.signal);
          pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        }
        if (timer.now() >= until) throw error;
      }
    }
  }

  return {
    post,
    /** The place where a post of an earlier process stands, or nothing if it surely does not; rejects with SlackRefused. */
    find: (sought: Pick<SoughtPost, "channel" | "thread" | "key" | "since">): Promise<Posted | undefined> =>
      find({ ...sought, until: timer.now() + retriedMs.background }),
    /** Replaces a message with one call; rejects with SlackRefused. */
    async update(posted: Posted, message: Message): Promise<void> {
      await call("chat.update", { channel: posted.channel, ts: posted.ts, ...messageBody(message) });
    },
    /** Takes a message away with one call; says whether it is gone. */
    async remove({ channel, ts }: Posted): Promise<boolean> {
      return call("chat.delete", { channel, ts }).then(
        () => true,
        () => false,
      );
    },
    /** Shows a message to one person only; what Slack finds malformed goes out plainer. Rejects with SlackRefused. */
    async postEphemeral(target: PostTarget & { user: string }, message: Message): Promise<void> {
      const { channel, thread, user } = target;
      await sendPlainerEachTime(
        message,
        (body) => call("chat.postEphemeral", { channel, user, thread_ts: thread, ...body }),
        (error) => refusalOf("chat.postEphemeral", error).reaction === "plainer",
      );
    },
  };
}

/** Stands for the attempt of an earlier process, whose outcome is not known. */
const unknownOutcome = new SlackRefused("chat.postMessage", "unsure", { reaction: "lookUp" });

/**
 * The error that a post is rejected with whose outcome is not known and that cannot be looked up, because reading was
 * refused.
 */
function lookupRefusal(reading: SlackRefused, refused: SlackRefused): SlackRefused {
  if (isPassing(reading)) return refused;
  if (isInTheWayOfPosts(reading)) return reading;
  return new SlackRefused(refused.method, refused.code, { reaction: "unsure", cause: reading.code });
}

/** True if a refusal to read a channel would also refuse a post there. */
function isInTheWayOfPosts({ reaction, code }: SlackRefused): boolean {
  if (reaction === "install") return !["missing_scope", "not_allowed_token_type"].includes(code);
  return reaction === "destination" && !["not_in_channel", "method_not_supported_for_channel_type"].includes(code);
}

async function postOnce(call: Call, target: PostTarget, body: MessageBody): Promise<Posted> {
  const answer = await call("chat.postMessage", {
    channel: target.channel,
    thread_ts: target.thread,
    ...(target.thread && target.broadcast && { reply_broadcast: true }),
    ...body,
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: "bellwether_message", event_payload: { key: target.key } },
  });
  const { channel, ts } = answer;
  if (typeof ts !== "string") throw new SlackRefused("chat.postMessage", "unreadable", { reaction: "lookUp" });
  return { channel: typeof channel === "string" ? channel : target.channel, ts };
}

/** Ends early when the signal aborts. */
async function pauseUnlessAborted(timer: Timer, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const cancel = timer.after(ms, end);
  signal?.addEventListener("abort", end);
  await promise;
  signal?.removeEventListener("abort", end);
  cancel();
}

/** The part of a message that goes over the wire. */
export interface MessageBody {
  text: string;
  blocks?: Block[];
}

/** The message as it is meant. */
function messageBody(message: Message): MessageBody {
  return bodyWith(message, message.blocks && withoutEmptyRows(message.blocks));
}

function bodyWith({ text }: Message, blocks: Block[] | undefined): MessageBody {
  return { text: fitText(text), ...(blocks && { blocks }) };
}

/** Blocks to try one after the other while Slack finds them malformed; in the end none, for the text alone. */
function blockFallbacks({ blocks, fallbackBlocks }: Message): (Block[] | undefined)[] {
  const drawn = [...new Set([blocks, fallbackBlocks])].filter((some) => some !== undefined);
  return [...drawn.map(withoutEmptyRows), undefined];
}

/**
 * Sends a message as it is meant, then with the blocks that it brings instead, then as text alone, for as long as the
 * error says that a plainer one may be taken; rejects with the last error.
 */
export async function sendPlainerEachTime(
  message: Message,
  send: (body: MessageBody) => Promise<unknown>,
  mayTakePlainer: (error: unknown) => boolean,
): Promise<void> {
  const fallbacks = blockFallbacks(message);
  for (const [index, blocks] of fallbacks.entries()) {
    try {
      await send(bodyWith(message, blocks));
      return;
    } catch (error) {
      if (index === fallbacks.length - 1 || !mayTakePlainer(error)) throw error;
    }
  }
}
