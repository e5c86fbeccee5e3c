import { z } from "zod";
import { type Log, describe } from "../../log.ts";
import { type Outbox, type PostKind, inOwnRecord, newPost, postSchema } from "../delivery/outbox.ts";
import type { Reads } from "../delivery/reads.ts";
import type { Records } from "../records.ts";
import type { Call } from "../delivery/web-api.ts";
import { editMessage } from "./edit-budget.ts";
import { isInLine, onlyFor, postAction } from "../incoming/request.ts";
import { buttons, section } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import type { Block, Posted } from "../text/message.ts";
import type { Timer } from "../timer.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

/** An answer that was cut off longer ago is nobody's concern any more. */
export const unfinishedLifeMs = 24 * 60 * 60_000;

/** An answer that is written down from just before its post until it has ended. */
export type UnfinishedAnswer = z.infer<typeof unfinishedSchema>;

export const unfinishedSchema = z.object({
  team: z.string(),
  channel: z.string(),
  /** Root of the thread that it stands in; absent if it is a root itself. */
  thread: z.string().optional(),
  /** The person who asked, and the line that asks again. */
  user: z.string().optional(),
  line: z.string().optional(),
  /** The idempotency key that its first message carries; those after it carry `KEY/2`, `KEY/3` and so on. */
  key: z.string(),
  /** The time just before it was posted, in epoch milliseconds. */
  since: z.number(),
  /** Its first message, as soon as Slack has said its place. */
  ts: z.string().optional(),
  /** The first message is one of Slack's own streams. */
  isStream: z.boolean().optional(),
  /** The message below it that says what became of the answer, if it could not be said in the answer itself. */
  posts: z.array(postSchema(z.null())).optional(),
});

interface ClosingContext {
  outbox: Pick<Outbox, "deliver">;
  callOf: (team: string) => Promise<Call>;
  workspaceOf: Workspaces;
  timer: Timer;
}

export type UnfinishedAnswers = ReturnType<typeof createUnfinishedAnswers>;

/**
 * Knows which answers are under way, so that none that a crash cut in the middle stands unfinished for ever. One process
 * at a time works for a workspace, so what it finds there that is not its own was cut off.
 */
export function createUnfinishedAnswers(records: Records<UnfinishedAnswer>, log: Pick<Log, "warn">) {
  /** The workspaces of those that are under way here, by their keys. */
  const own = new Map<string, string>();
  // An answer goes on even if it cannot be written down.
  const orLog = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => log.warn("answer.record.failed", { error: describe(error) }));
  };

  async function findCutOff(fits: (team: string) => boolean): Promise<UnfinishedAnswer[]> {
    const found: UnfinishedAnswer[] = [];
    for await (const [key, answer] of records.entries()) if (fits(answer.team) && !own.has(key)) found.push(answer);
    // The oldest first: one read of a channel's history then serves the younger ones, too.
    return found.toSorted((one, other) => one.since - other.since);
  }

  return {
    /** Writes down what is known of an answer; never rejects. */
    note(answer: UnfinishedAnswer): Promise<void> {
      own.set(answer.key, answer.team);
      return orLog(records.set(answer.key, answer));
    },
    /** An answer has ended; never rejects. */
    async forget(key: string): Promise<void> {
      await orLog(records.delete(key));
      own.delete(key);
    },
    /** Counts the answers under way here as cut off in the workspaces that fit: another process may have them. */
    leave(fits: (team: string) => boolean): void {
      for (const [key, team] of own) if (fits(team)) own.delete(key);
    },
    /**
     * Adds a line and "Try again" to every answer that was cut off in a workspace that fits, or posts them below it; one that
     * Slack refuses stays noted and is logged. Rejects if they cannot be read.
     */
    async closeCutOff(context: ClosingContext, fits: (team: string) => boolean): Promise<void> {
      const close = createClosing(context);
      for (const answer of await findCutOff(fits)) {
        try {
          const posts = answer.posts ?? (await close(answer));
          if (posts && !answer.posts) await records.set(answer.key, { ...answer, posts });
          if (posts) await context.outbox.deliver(lineBelow(records, answer.key), { ...answer, posts });
          else await records.delete(answer.key);
        } catch (error) {
          const { team, channel, ts } = answer;
          log.warn("answer.close.failed", { team, channel, ts, error: describe(error) });
        }
      }
    },
    /** Tries again to post the lines below answers that Slack did not take before. */
    async retry({ outbox }: Pick<ClosingContext, "outbox">, fits: (team: string) => boolean): Promise<void> {
      for (const answer of await findCutOff(fits)) {
        if (answer.posts) await outbox.deliver(lineBelow(records, answer.key), answer);
      }
    },
  };
}

/** The line below an answer, which is forgotten once that stands, or never will. */
function lineBelow(records: Records<UnfinishedAnswer>, key: string): PostKind<UnfinishedAnswer, null> {
  return {
    name: "answer-line",
    label: ({ team, channel }) => ({ team, channel }),
    ...inOwnRecord(records, key),
    place: (_, { place }) => place,
    draw: async (answer) => ({
      message: { text: cutOffWords, blocks: [section(cutOffWords), ...tryAgainRow(answer)] },
    }),
    onRefused: async (_answer, _post, { reaction }) =>
      reaction === "destination" || reaction === "policy" ? "dropped" : "retried",
  };
}

const cutOffWords = ":warning: I was restarted in the middle of this answer. Ask me again for the rest.";

type Below = UnfinishedAnswer["posts"];

/** Says in an answer that it was cut off, or gives the post that says so below it; rejects if Slack refuses. */
function createClosing({ callOf, workspaceOf, timer }: Omit<ClosingContext, "outbox">) {
  async function close(answer: UnfinishedAnswer): Promise<Below> {
    const call = await callOf(answer.team);
    const ts = answer.ts ?? (await workspaceOf(answer.team, call).poster.find(answer))?.ts;
    // In line in a direct message, an answer goes on below itself; elsewhere it is the root of a thread.
    const thread = answer.thread ?? (isInLine(answer) ? undefined : ts);
    const isSeen = thread !== undefined || isInLine(answer);
    const missed = isSeen ? below({ ...answer, thread }) : undefined;
    const posts = ts === undefined ? missed : await closeIn(call, { ...answer, thread, ts });
    if (answer.thread && answer.channel.startsWith("D")) await endStatus(call, answer.channel, answer.thread);
    return posts;
  }

  /** Adds the line to the last message of an answer; below it if that cannot be read or edited. */
  async function closeIn(call: Call, answer: UnfinishedAnswer & Posted): Promise<Below> {
    const { channel, ts } = answer;
    const message = await readLastMessage(workspaceOf(answer.team, call).reads, answer).catch(() => undefined);
    // An earlier process may have come as far as this.
    if (message && `${message.text}${JSON.stringify(message.blocks)}`.includes(cutOffWords)) return undefined;
    if (answer.isStream && (!message || message.ts === ts)) {
      // An edit could hide what was streamed. A stream that Slack has ended, as it does after some minutes, gets the line below.
      const chunks = [{ type: "markdown_text", text: `\n\n${cutOffWords}` }];
      return call("chat.stopStream", { channel, ts, chunks, blocks: tryAgainRow(answer) }).then(
        () => undefined,
        () => below(answer),
      );
    }
    // Without its blocks, an edit could hide the words that they show.
    if (!message?.blocks.length) return below(answer);
    // Buttons such as Stop would do nothing any more.
    const standing = message.blocks.filter(({ type }) => type !== "actions");
    const edited = {
      text: `${message.text}\n${cutOffWords}`,
      blocks: [...standing, section(cutOffWords), ...tryAgainRow(answer)],
    };
    const posted = { channel, ts: message.ts };
    return editMessage(workspaceOf(answer.team, call), posted, edited).then(
      () => undefined,
      () => below(answer),
    );
  }

  function below({ channel, thread, key }: UnfinishedAnswer): Below {
    const place = { channel, ...(thread !== undefined && { thread: { channel, ts: thread } }) };
    return [newPost({ key: `${key} left`, since: timer.now(), content: null, place })];
  }

  return close;
}

function tryAgainRow({ user, line }: UnfinishedAnswer): Block[] {
  if (!user || !line || line.length > limits.buttonValue) return [];
  return [buttons({ action: onlyFor(user, `${postAction}:again`), label: "Try again", value: line })];
}

/** The status of an agent's thread outlives the process that set it. */
async function endStatus(call: Call, channel: string, thread: string): Promise<void> {
  const session = { channel_id: channel, thread_ts: thread, status: "active" };
  await call("agents.sessions.setStatus", session).catch(() => undefined);
}

const repliesSchema = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      text: z.string().catch(""),
      blocks: z.array(z.custom<Block>()).catch([]),
      metadata: z
        .object({ event_payload: z.object({ key: z.string() }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

function oldestFirst({ messages }: Record<string, unknown>) {
  return { messages: Array.isArray(messages) ? messages.toReversed() : messages };
}

/** The message that holds the last words of an answer: those in which it goes on stand soon below its first. */
async function readLastMessage({ read }: Pick<Reads, "read">, { channel, ts, thread, key }: UnfinishedAnswer & Posted) {
  const range = { channel, oldest: ts, inclusive: true, include_all_metadata: true, limit: 100 };
  const answered = thread
    ? read("conversations.replies", { ts: thread, ...range })
    : read("conversations.history", range).then(oldestFirst);
  const { messages } = repliesSchema.parse(await answered);
  return messages.findLast((message) => {
    const carried = message.metadata?.event_payload.key;
    return message.ts === ts || carried === key || carried?.startsWith(`${key}/`);
  });
}
