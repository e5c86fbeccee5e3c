import type { PostTarget } from "./delivery/post.ts";
import { SlackRefused, refusalOf } from "./delivery/refusal.ts";
import type { Call } from "./delivery/web-api.ts";
import type { Block, Posted } from "./text/message.ts";
import type { Timer } from "./timer.ts";

export type Native = ReturnType<typeof createNative>;

/** Where a native stream is to stand, and who it is for: Slack wants to know both outside direct messages. */
export interface NativePlace extends PostTarget {
  team?: string | undefined;
  user?: string | undefined;
}

/** What can be added to a native stream. */
export type Chunk =
  | { type: "markdown_text"; text: string }
  | { type: "task_update"; id: string; title: string; status: "in_progress" | "complete" }
  | { type: "blocks"; blocks: Block[] };

interface Ending {
  chunks: Chunk[];
  /** What stands below the words. */
  blocks: Block[];
  /** What the message is known by. */
  key?: string | undefined;
}

/** How long a workspace that refused a stream for a reason of its own is not asked again. */
const restMs = 60 * 60_000;
const settleMs = 1_500;
/** Our clock and Slack's may differ. */
const skewMs = 60_000;

/** Codes that say something of one reader or place, and nothing of the workspace. */
const ofThePlace =
  /^(?:missing_recipient|user_|channel_|thread_|invalid_thread|method_not_supported_for_channel_type|restricted_action|messages_tab|invalid_chunks|msg_|no_text|streaming_)/;

/** Slack's own streams in one workspace: a message that grows by what is added to it, until it is stopped. */
export function createNative(call: Call, timer: Timer) {
  let restsUntil = Number.NEGATIVE_INFINITY;

  return {
    /** Whether it is worth asking for a stream. */
    isOffered(): boolean {
      return timer.now() >= restsUntil;
    },
    /** Begins a stream in a thread; rejects with SlackRefused, and then nothing stands. */
    async start(place: NativePlace, chunks: Chunk[]): Promise<Posted> {
      const since = timer.now();
      try {
        const answer = await call("chat.startStream", {
          channel: place.channel,
          thread_ts: place.thread,
          recipient_team_id: place.team,
          recipient_user_id: place.user,
          chunks,
        });
        return postedIn(answer, place);
      } catch (error) {
        const refused = refusalOf("chat.startStream", error);
        const found = refused.reaction === "look" && (await find({ call, timer }, place, since));
        if (found) return found;
        const isOurs = ["final", "unknown", "install"].includes(refused.reaction) && !ofThePlace.test(refused.code);
        if (isOurs) restsUntil = timer.now() + restMs;
        throw refused;
      }
    },
    /** Adds to a stream with one call; rejects with SlackRefused. */
    async append({ channel, ts }: Posted, chunks: Chunk[]): Promise<void> {
      await call("chat.appendStream", { channel, ts, chunks });
    },
    /** Ends a stream with one call, with the last of its words and what stands below them; rejects with SlackRefused. */
    async stop({ channel, ts }: Posted, { chunks, blocks, key }: Ending): Promise<void> {
      await call("chat.stopStream", {
        channel,
        ts,
        ...(chunks.length > 0 && { chunks }),
        ...(blocks.length > 0 && { blocks }),
        ...(key && { metadata: { event_type: "bellwether_message", event_payload: { key } } }),
      });
    },
  };
}

function postedIn({ channel, ts }: Record<string, unknown>, place: PostTarget): Posted {
  if (typeof ts !== "string") throw new SlackRefused("chat.startStream", "unreadable", { reaction: "look" });
  return { channel: typeof channel === "string" ? channel : place.channel, ts };
}

/**
 * The stream that a start has begun whose answer was lost: a message of a bot in the thread that still streams and has
 * come since. Where nobody can say, nothing; the stream that may stand there dies by itself, with the first words only.
 */
async function find({ call, timer }: { call: Call; timer: Timer }, place: PostTarget, since: number) {
  await new Promise<void>((resolve) => timer.after(settleMs, resolve));
  const oldest = ((since - skewMs) / 1000).toFixed(6);
  const answer = await call("conversations.replies", {
    channel: place.channel,
    ts: place.thread,
    oldest,
    limit: 100,
  }).catch(() => ({ messages: [] }));
  const messages: unknown[] = Array.isArray(answer.messages) ? answer.messages : [];
  const ts = messages.map(streamingSince).findLast(Boolean);
  return ts ? { channel: place.channel, ts } : undefined;
}

function streamingSince(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("ts" in message)) return undefined;
  const isStreaming = "streaming_state" in message && message.streaming_state === "in_progress";
  return isStreaming && typeof message.ts === "string" ? message.ts : undefined;
}
