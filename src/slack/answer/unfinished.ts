import { z } from "zod";
import { type Log, describe } from "../../log.ts";
import { type Outbox, type PostKind, inOwnRecord, newPost, postSchema } from "../delivery/outbox.ts";
import type { Records } from "../records.ts";
import type { Call } from "../delivery/web-api.ts";
import { isInLine, onlyFor, postAction } from "../incoming/request.ts";
import { buttons, section } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import type { Block } from "../text/message.ts";
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
  /** The idempotency key that its first message carries. */
  key: z.string(),
  /** The time just before it was posted, in epoch milliseconds. */
  since: z.number(),
  /** Its first message, as soon as Slack has said its place. */
  ts: z.string().optional(),
  /** The first message is one of Slack's own streams. */
  isStream: z.boolean().optional(),
  /** The message below it that says that it was cut off. */
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
     * Posts a line and "Try again" below every answer that was cut off in a workspace that fits; one that Slack refuses stays
     * noted for the next time, and is logged.
     */
    async closeCutOff(context: ClosingContext, fits: (team: string) => boolean): Promise<void> {
      for (const answer of await findCutOff(fits)) {
        try {
          const posts = answer.posts ?? (await postBelow(answer, context));
          if (posts && !answer.posts) await records.set(answer.key, { ...answer, posts });
          if (posts) await context.outbox.deliver(lineBelow(records, answer.key), { ...answer, posts });
          else await records.delete(answer.key);
        } catch (error) {
          const { team, channel, ts } = answer;
          log.warn("answer.close.failed", { team, channel, ts, error: describe(error) });
        }
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

/** The post that says below an answer that it was cut off; none if nothing of it stands and nobody sees the question. */
async function postBelow(
  answer: UnfinishedAnswer,
  { callOf, workspaceOf, timer }: ClosingContext,
): Promise<UnfinishedAnswer["posts"]> {
  const { team, channel, ts, key } = answer;
  const call = await callOf(team);
  if (answer.isStream) await call("chat.stopStream", { channel, ts }).catch(() => undefined);
  if (answer.thread && channel.startsWith("D")) await endStatus(call, channel, answer.thread);
  let root = answer.thread;
  // An answer without a thread is the root of one, but in line in a direct message.
  if (!isInLine(answer)) root ??= ts ?? (await workspaceOf(team, call).poster.find(answer))?.ts;
  if (root === undefined && !isInLine(answer)) return undefined;
  const place = { channel, ...(root !== undefined && { thread: { channel, ts: root } }) };
  return [newPost({ key: `${key} left`, since: timer.now(), content: null, place })];
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
