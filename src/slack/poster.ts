import type { Timer } from "./timer.ts";
import { withoutEmptyRows } from "./text/blocks.ts";
import type { Waiting } from "./lanes.ts";
import { rates } from "./text/limits.ts";
import { createLookup } from "./lookup.ts";
import { type Block, type Message, type Posted, fitText } from "./text/message.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";
import { type Body, type Letter, type Place, createSender, waitOf } from "./sender.ts";
import type { Call } from "./web.ts";

export type { Place } from "./sender.ts";

export type Poster = ReturnType<typeof createPoster>;

/** What to do with a post that may stand in Slack where its history cannot be read. */
type Delivery = "at-most-once" | "at-least-once";

/** How posts go out. */
export interface Posting {
  delivery?: Delivery;
  /** Most posts a minute into all channels together. */
  postsPerMinute?: number;
}

/** How a post is retried while Slack is out: until its attempts or its time are used up. */
interface Patience {
  attempts: number;
  /** How often it is looked for after each of them. */
  looks: number;
  forMs: number;
  /** Longest pause between two attempts; the first is a second, and each twice as long as the one before. */
  pauseMostMs: number;
  /** A code that nobody knows may be gone by the next time. */
  retriesOfUnknown: number;
}

const endless = Number.POSITIVE_INFINITY;
/** What somebody asked is still of use to them after ten minutes; after that they have asked again, or elsewhere. */
const usual: Patience = {
  attempts: endless,
  looks: endless,
  forMs: 10 * 60_000,
  pauseMostMs: 15_000,
  retriesOfUnknown: 0,
};
/** Its job tries again by itself. */
const unasked: Patience = { attempts: 10, looks: 12, forMs: endless, pauseMostMs: 0, retriesOfUnknown: 2 };
/**
 * Posts that people wait for and that are retried at a time; one more is given up at its first failure, so that memory
 * stays bounded. As many as can be looked up in ten minutes, at 30 threads a minute.
 */
const retriedMost = 300;
const unknownPauseMs = 2_000;

/**
 * Posts and edits messages in one workspace: a message is posted once even where Slack did not say whether it took it,
 * posts to a channel keep Slack's pace, and what Slack finds malformed goes out as plain text.
 */
export function createPoster(
  call: Call,
  timer: Timer,
  { delivery = "at-most-once", postsPerMinute = rates.postsPerMinute }: Posting = {},
) {
  const lookup = createLookup(call, timer);
  const sender = createSender(call, timer, postsPerMinute);
  const means: Means = { lookup, sender, delivery, timer, retried: new Set() };
  return {
    /**
     * Posts what `newest` gives when it is this post's turn; rejects with SlackRefused, or with the signal's reason
     * where that comes before the turn. A call that is under way is finished.
     */
    async post(place: Place, newest: () => Message, waiting: Waiting = {}): Promise<Posted> {
      const letter = sender.letterOf(place);
      const patience = waiting.isUnasked ? unasked : usual;
      const how = { newest, waiting, ...patience, until: timer.now() + patience.forMs };
      const earlier =
        place.sentSince === undefined ? undefined : await standing(means, letter, { ...how, refused: unsure });
      const posted = earlier ?? (await sendUntilTaken(means, letter, how).finally(() => means.retried.delete(letter)));
      sender.forget(letter.key);
      lookup.met(place.channel, posted.channel);
      return posted;
    },
    /** Replaces a message with one call; rejects with SlackRefused. */
    async update(posted: Posted, message: Message): Promise<void> {
      await call("chat.update", { channel: posted.channel, ts: posted.ts, ...bodyOf(message) });
    },
    /** Takes a message away with one call; says whether it is gone. */
    async remove({ channel, ts }: Posted): Promise<boolean> {
      return call("chat.delete", { channel, ts }).then(
        () => true,
        () => false,
      );
    },
    /** Shows a message to one person only; what Slack finds malformed goes out plainer. Rejects with SlackRefused. */
    async whisper(place: Place & { user: string }, message: Message): Promise<void> {
      const { channel, thread, user } = place;
      const { text } = bodyOf(message);
      const forms = formsOf(message);
      for (const [index, blocks] of forms.entries()) {
        try {
          await call("chat.postEphemeral", { channel, user, thread_ts: thread, text, ...(blocks && { blocks }) });
          return;
        } catch (error) {
          const { reaction } = refusalOf("chat.postEphemeral", error);
          if (reaction !== "plainer" || index === forms.length - 1) throw error;
        }
      }
    },
  };
}

interface Means {
  lookup: ReturnType<typeof createLookup>;
  sender: ReturnType<typeof createSender>;
  delivery: Delivery;
  timer: Timer;
  /** What people wait for that Slack has not taken yet. */
  retried: Set<Letter>;
}

interface How extends Patience {
  newest: () => Message;
  waiting: Waiting;
  until: number;
}

/** Sends a letter until Slack takes it, or says that there is no use in it, or it has been tried for long enough. */
async function sendUntilTaken(means: Means, letter: Letter, how: How): Promise<Posted> {
  const { sender, timer } = means;
  const form = { plainer: 0, isLast: false };
  let attempts = 0;
  let unknown = 0;
  for (;;) {
    try {
      return await sender.send(letter, () => bodyIn(how.newest(), form), how.waiting);
    } catch (error) {
      if (!(error instanceof SlackRefused)) throw error;
      const { reaction } = error;
      const isPassing = reaction === "wait" || reaction === "look";
      if (isPassing && !mayRetry(means, letter, how)) throw error;
      const isLast = isPassing && (++attempts >= how.attempts || timer.now() >= how.until);
      const found = reaction === "look" ? await standing(means, letter, { ...how, refused: error }) : undefined;
      if (found) return found;
      sender.forget(letter.key);
      if (reaction === "plainer" && !form.isLast) form.plainer++;
      else if (reaction === "unknown" && ++unknown <= how.retriesOfUnknown)
        await pause(timer, unknown * unknownPauseMs, how.waiting);
      else if (!isPassing || isLast) throw error;
      else if (reaction === "wait") sender.hold(letter.place.channel, waitOf(error));
      else await pause(timer, Math.min(2 ** attempts * 500, how.pauseMostMs), how.waiting);
    }
  }
}

/** Whether a letter that has just failed may be sent again. */
function mayRetry({ retried }: Means, letter: Letter, { waiting }: How): boolean {
  if (waiting.isUnasked || retried.has(letter)) return true;
  if (retried.size >= retriedMost) return false;
  retried.add(letter);
  return true;
}

/**
 * Where a message stands that may have been sent, or nothing where it may be sent again. Rejects with `refused` where
 * nobody can say for now, and as `unsure` where nobody ever can and twice is worse than not at all.
 */
async function standing(
  { lookup, delivery, timer }: Means,
  { place, key, since = timer.now(), sentAt = since }: Letter,
  { refused, looks, until }: { refused: SlackRefused; looks: number; until: number },
): Promise<Posted | undefined> {
  const { channel, thread } = place;
  try {
    return await lookup.find({ channel, thread, key, since, sentAt, looks, until });
  } catch (error) {
    const reading = refusalOf("conversations.history", error);
    if (reading.reaction === "wait" || reading.reaction === "look") throw refused;
    if (isOver(reading)) throw reading;
    if (delivery === "at-least-once") return undefined;
    throw new SlackRefused(refused.method, refused.code, { reaction: "unsure", cause: reading.code });
  }
}

const unsure = new SlackRefused("chat.postMessage", "unsure", { reaction: "look" });

/** Whether what stands in the way of reading would stand in the way of posting, too. */
function isOver({ reaction, code }: SlackRefused): boolean {
  if (reaction === "install") return !["missing_scope", "not_allowed_token_type"].includes(code);
  return reaction === "destination" && !["not_in_channel", "method_not_supported_for_channel_type"].includes(code);
}

/** Ends early where the post is called off. */
async function pause(timer: Timer, ms: number, { signal }: Waiting): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer.after(ms, resolve);
  const end = () => resolve();
  signal?.addEventListener("abort", end);
  await promise;
  signal?.removeEventListener("abort", end);
  cancel();
}

/** A message in the plainest form that was come to; says whether there is a plainer one. */
function bodyIn(message: Message, form: { plainer: number; isLast: boolean }): Body {
  const blocks = formsOf(message)[form.plainer];
  form.isLast = blocks === undefined;
  return { text: fitText(message.text), ...(blocks && { blocks }) };
}

/** Blocks to try one after the other while Slack finds them malformed; in the end the words alone. */
export function formsOf({ blocks, instead }: Message): (Block[] | undefined)[] {
  const meant = blocks && withoutEmptyRows(blocks);
  return [...new Set([meant, instead ? withoutEmptyRows(instead) : meant, undefined])];
}

/** What of a message goes over the wire. */
export function bodyOf(message: Message): Body {
  return { text: fitText(message.text), ...(message.blocks && { blocks: withoutEmptyRows(message.blocks) }) };
}
