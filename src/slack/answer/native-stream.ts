import type { PostTarget } from "../delivery/post.ts";
import type { Reads } from "../delivery/reads.ts";
import { SlackRefused, refusalOf } from "../delivery/refusal.ts";
import { settledMarkdown } from "../text/close-markdown.ts";
import type { Block, Message, Posted } from "../text/message.ts";
import { accessibleText } from "../text/mrkdwn.ts";
import { type Timer, pause } from "../timer.ts";
import type { Call } from "../delivery/web-api.ts";

export type NativeStreams = ReturnType<typeof createNativeStreams>;

/**
 * The place where an answer is to stand, and who it is for: Slack wants to know both of a stream outside direct
 * messages.
 */
export interface AnswerPlace extends PostTarget {
  team?: string | undefined;
  user?: string | undefined;
}

/** A piece that can be added to a stream. */
export type StreamChunk =
  | { type: "markdown_text"; text: string }
  | { type: "task_update"; id: string; title: string; status: "in_progress" | "complete" }
  | { type: "blocks"; blocks: Block[] };

interface StreamEnd {
  chunks: StreamChunk[];
  /** The blocks below the words. */
  blocks: Block[];
}

/** The time for which a workspace that refused a stream for a reason of its own is not asked again. */
const restMs = 60 * 60_000;
/** Slack's history can lag behind by a moment, and our clock and Slack's may differ. */
const settleMs = 1_500;
const skewMs = 60_000;

/** Codes that say something of one reader or place, and nothing of the workspace. */
const ofThePlace =
  /^(?:missing_recipient|user_|channel_|thread_|invalid_thread|method_not_supported_for_channel_type|restricted_action|messages_tab|invalid_chunks|msg_|no_text|streaming_)/;

/** Slack's own streams in one workspace: a message that grows by what is added to it, until it is stopped. */
export function createNativeStreams(call: Call, timer: Timer, { read }: Pick<Reads, "read">) {
  let restsUntil = Number.NEGATIVE_INFINITY;

  /**
   * The stream that a start has begun whose answer was lost: a message in the thread that still streams and has come
   * since. Nothing if nobody can say; the stream that may stand there dies by itself, with the first words only.
   */
  async function findStream({ channel, thread: ts }: PostTarget, since: number): Promise<Posted | undefined> {
    await pause(timer, settleMs);
    const options = { channel, ts, oldest: ((since - skewMs) / 1000).toFixed(6), limit: 100 };
    const { messages } = await read("conversations.replies", options, true).catch(() => ({ messages: [] }));
    const found = (Array.isArray(messages) ? messages : []).map(streamingTs).findLast(Boolean);
    return found ? { channel, ts: found } : undefined;
  }

  return {
    /** True if it is worth asking for a stream. */
    isOffered(): boolean {
      return timer.now() >= restsUntil;
    },
    /** Begins a stream in a thread; rejects with SlackRefused, and then nothing stands. */
    async start(place: AnswerPlace, chunks: StreamChunk[]): Promise<Posted> {
      const since = timer.now();
      try {
        const { channel, ts } = await call("chat.startStream", {
          channel: place.channel,
          thread_ts: place.thread,
          recipient_team_id: place.team,
          recipient_user_id: place.user,
          chunks,
        });
        if (typeof ts !== "string") throw new SlackRefused("chat.startStream", "unreadable", { reaction: "lookUp" });
        return { channel: typeof channel === "string" ? channel : place.channel, ts };
      } catch (error) {
        const refused = refusalOf("chat.startStream", error);
        const found = refused.reaction === "lookUp" && (await findStream(place, since));
        if (found) return found;
        const isOfWorkspace = ["final", "unknown", "install"].includes(refused.reaction);
        if (isOfWorkspace && !ofThePlace.test(refused.code)) restsUntil = timer.now() + restMs;
        throw refused;
      }
    },
    /** Adds to a stream with one call; rejects with SlackRefused. */
    async append({ channel, ts }: Posted, chunks: StreamChunk[]): Promise<void> {
      await call("chat.appendStream", { channel, ts, chunks });
    },
    /** Ends a stream with one call, with the last of its words and what stands below them; rejects with SlackRefused. */
    async stop({ channel, ts }: Posted, { chunks, blocks }: StreamEnd): Promise<void> {
      await call("chat.stopStream", {
        channel,
        ts,
        ...(chunks.length > 0 && { chunks }),
        ...(blocks.length > 0 && { blocks }),
      });
    },
  };
}

function streamingTs(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("ts" in message)) return undefined;
  const isStreaming = "streaming_state" in message && message.streaming_state === "in_progress";
  return isStreaming && typeof message.ts === "string" ? message.ts : undefined;
}

/** The content that a stream shows. */
export interface Streamed {
  /** The Markdown that was added to it. */
  words: string;
  /** The title of the work that it shows; empty if it shows none. */
  work: string;
  /** It holds what stands around the words, such as a Stop button. */
  hasBlocks: boolean;
  /** It holds more than a last state does, and has to be edited when it has ended. */
  isPatched: boolean;
  /** It takes no more additions, and is to be ended. */
  isSpoilt: boolean;
}

const workId = "work";

/** The start of a stream, so that it shows a page. */
export function beginStream(page: Message): { chunks: StreamChunk[]; streamed: Streamed } {
  const words = settledMarkdown(markdownIn(page));
  const work = workIn(page) || (words ? "" : "Writing");
  const first = blockChunks(page);
  const hasBlocks = first.length > 0;
  const streamed = { words, work, hasBlocks, isPatched: hasBlocks || work !== "", isSpoilt: false };
  return { chunks: [...first, ...workChunks("", work), ...wordChunks(words)], streamed };
}

/** The part of a page that a stream lacks: more words or other work, or its end; nothing if it shows the page so far. */
export function continueStream(
  streamed: Streamed,
  page: Message,
  isWhole: boolean,
): { by: "append" | "stop"; chunks: StreamChunk[] } | undefined {
  const markdown = markdownIn(page);
  const isLonger = markdown.startsWith(streamed.words) && !streamed.isSpoilt;
  if (isWhole || streamed.isSpoilt) {
    const words = isLonger ? wordChunks(markdown.slice(streamed.words.length)) : [];
    return { by: "stop", chunks: [...(streamed.isSpoilt ? [] : workChunks(streamed.work, "")), ...words] };
  }
  const settled = settledMarkdown(markdown);
  if (!settled.startsWith(streamed.words)) {
    return streamed.words.startsWith(settled) ? undefined : { by: "stop", chunks: [] };
  }
  const work = markdown && !settled ? streamed.work : workIn(page);
  const chunks = [
    ...(streamed.hasBlocks || streamed.words ? [] : blockChunks(page)),
    ...workChunks(streamed.work, work),
    ...wordChunks(settled.slice(streamed.words.length)),
  ];
  return chunks.length > 0 ? { by: "append", chunks } : undefined;
}

/** The content of a stream when it has got what it lacked of a page. */
export function afterAppend(streamed: Streamed, page: Message, chunks: StreamChunk[]): Streamed {
  const hasTask = chunks.some(({ type }) => type === "task_update");
  const hasBlocks = streamed.hasBlocks || chunks.some(({ type }) => type === "blocks");
  return {
    ...streamed,
    words: wordsAfter(streamed, chunks),
    hasBlocks,
    isPatched: streamed.isPatched || hasTask || hasBlocks,
    work: hasTask ? workIn(page) : streamed.work,
  };
}

/**
 * The blocks that can be put below the words at the end of a stream, so that it shows a page exactly; nothing if it
 * cannot.
 */
export function blocksAtEnd(streamed: Streamed, page: Message, chunks: StreamChunk[]): Block[] | undefined {
  const [first, ...below] = page.blocks ?? [];
  if (streamed.isPatched || first?.type !== "markdown" || first.text !== wordsAfter(streamed, chunks)) return undefined;
  return below;
}

function wordsAfter({ words }: Streamed, chunks: StreamChunk[]): string {
  return words + chunks.map((chunk) => (chunk.type === "markdown_text" ? chunk.text : "")).join("");
}

/** The blocks around the words, which go before them, as they cannot move. */
function blockChunks({ blocks = [] }: Message): StreamChunk[] {
  const around = blocks.filter(({ type }) => type !== "markdown" && type !== "context");
  return around.length > 0 ? [{ type: "blocks", blocks: around }] : [];
}

function wordChunks(text: string): StreamChunk[] {
  return text ? [{ type: "markdown_text", text }] : [];
}

/** The chunks that change the work that is shown; work that is done stays, with a tick. */
function workChunks(before: string, after: string): StreamChunk[] {
  if (before === after) return [];
  if (!after) return [{ type: "task_update", id: workId, title: before, status: "complete" }];
  return [{ type: "task_update", id: workId, title: after, status: "in_progress" }];
}

/** The work that a page says is being done: its small print, or its words if it has nothing else to say. */
function workIn({ text, blocks = [], progress }: Message): string {
  const last = blocks.findLast(({ type }) => type === "context" || type === "markdown");
  const [element] = last?.type === "context" ? last.elements : [];
  if (element && "text" in element) return titleOf(element.text);
  return progress ? titleOf(text) : "";
}

/** One line of plain text, as Slack wants a title; what names somebody, such as who asked, is no title of work. */
function titleOf(mrkdwn: string): string {
  if (/<[@#!]/.test(mrkdwn)) return "";
  return accessibleText(mrkdwn)
    .replace(/:[a-z_]+:\s*/g, "")
    .slice(0, 150)
    .toWellFormed();
}

/** The Markdown of a message; empty if it has none. */
export function markdownIn({ blocks = [] }: Message): string {
  const block = blocks.find(({ type }) => type === "markdown");
  return block?.type === "markdown" ? block.text : "";
}
