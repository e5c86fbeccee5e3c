import { LRUCache } from "lru-cache";
import PQueue from "p-queue";

import { context } from "../../slack/text/blocks.ts";
import type { Request } from "../../slack/incoming/request.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import { Busy } from "../failure.ts";
import type { Message } from "../feature.ts";
import { plural } from "../text.ts";
import { answeredIn, askedIn, keysOf, threadKey } from "./memory.ts";
import { stopRow } from "../question/growing.ts";

/** Most questions that wait in a workspace. */
const mostWaiting = 100;

const minuteMs = 60_000;

export interface QueueLimits {
  /** Answers under way in a workspace. */
  answersAtOnce: number;
  /** Questions of one person. */
  questionsPerMinute: number;
}

/** A question that waits in the queue: its asker and its place. */
type QueuedQuestion = Pick<
  Request,
  "team" | "user" | "channel" | "thread" | "isThreadNew" | "surface" | "posted" | "stopKey" | "signal"
>;

/**
 * Lets as many answers be under way as the workspace can take, one at a time in each thread; other questions wait. Those of
 * different people alternate: a person's second question begins only after the questions that others asked before it.
 */
export type QuestionQueue = ReturnType<typeof createQuestionQueue>;

/** A question that is waiting or being answered. */
interface QueueEntry {
  /** Its answer's message is posted, or never will be. */
  posted: Promise<unknown>;
  /** It has been answered, and everything before it in its thread. */
  ended: Promise<unknown>;
}

interface WorkspaceQueue {
  running: PQueue;
  /** Questions that are being answered, or could be if there were room. */
  ready: number;
  waiting: number;
}

/** The queue of all workspaces; it lives in this process, because one process serves a workspace at a time. */
export function createQuestionQueue(
  { answersAtOnce, questionsPerMinute }: QueueLimits,
  { now }: { now: () => number },
) {
  const workspaces = new Map<string, WorkspaceQueue>();
  /** The last question of each thread that is still to be answered. */
  const threads = new Map<string, QueueEntry>();
  const countQuestion = createRateLimit(questionsPerMinute, now);
  const inPersonsOrder = createKeyQueue();

  function workspaceOf(team: string): WorkspaceQueue {
    const known = workspaces.get(team) ?? {
      running: new PQueue({ concurrency: answersAtOnce }),
      ready: 0,
      waiting: 0,
    };
    workspaces.set(team, known);
    return known;
  }

  /** Makes later questions in this thread wait for the entry. */
  function addToThread(thread: string, entry: QueueEntry): void {
    threads.set(thread, entry);
    void entry.ended.then(() => {
      if (threads.get(thread) === entry) threads.delete(thread);
    });
  }

  /** Resolves when the question begins; its place in the workspace is free again once it has ended. */
  async function begin(
    { team, user }: QueuedQuestion,
    before: Promise<unknown> | undefined,
    ended: Promise<void>,
  ): Promise<void> {
    const workspace = workspaceOf(team);
    await before;
    workspace.ready++;
    void ended.then(() => workspace.ready--);
    // Only one question of each person is in the workspace's queue at a time, so that people alternate.
    await inPersonsOrder(`${team} ${user}`, async () => {
      const begun = Promise.withResolvers<void>();
      void workspace.running.add(() => {
        begun.resolve();
        return ended;
      });
      await begun.promise;
    });
  }

  return {
    /**
     * The messages of an answer once its turn has come, and one message before them while it waits. `states` gets
     * true if other answers were posted between the question and its answer. Rejects with Busy if somebody asks much too fast
     * or too many wait, and with the signal's reason.
     */
    async *answer(
      question: QueuedQuestion,
      states: (isApart: boolean) => AsyncIterable<Message>,
    ): AsyncGenerator<Message> {
      const { team, user, posted, signal } = question;
      signal.throwIfAborted();
      const workspace = workspaceOf(team);
      const thread = askedIn(question);
      const keys = thread ? keysOf(thread) : [];
      const before = keys.map((key) => threads.get(key)).find((entry) => entry !== undefined);
      const hasToWait = before !== undefined || workspace.ready >= answersAtOnce;
      if (hasToWait && workspace.waiting >= mostWaiting) throw new Busy(tooMany);
      countQuestion(`${team} ${user}`);
      const end = Promise.withResolvers<void>();
      const entry = { posted, ended: Promise.all([before?.ended, end.promise]) };
      for (const key of keys) addToThread(key, entry);
      if (!thread) void answeredIn(question).then((started) => started && addToThread(threadKey(started), entry));
      try {
        let hasBegun = false;
        const begun = begin(question, before?.ended, end.promise).then(() => void (hasBegun = true));
        if (hasToWait) workspace.waiting++;
        try {
          // The message that says that a question waits is posted below the answer that it waits for.
          if (hasToWait) await untilAborted(Promise.race([before?.posted, begun]), signal);
          if (hasToWait && !hasBegun) yield waitingView(question);
          await untilAborted(begun, signal);
        } finally {
          if (hasToWait) workspace.waiting--;
        }
        yield* states(before !== undefined && !thread?.continues);
      } finally {
        // Also if the reader has left before it began: its turn passes at once.
        end.resolve();
      }
    },
  };
}

/** The work's result; rejects with the signal's reason as soon as that aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Counts the questions of each person; throws Busy for one more than they can ask in a minute. */
function createRateLimit(perMinute: number, now: () => number) {
  const asked = new LRUCache<string, number[]>({ max: 10_000, ttl: minuteMs, ttlResolution: 0, perf: { now } });
  return (person: string): void => {
    const time = now();
    const times = (asked.get(person) ?? []).filter((at) => at > time - minuteMs);
    const [first = time] = times;
    if (times.length >= perMinute) throw new Busy(tooFast(perMinute, first + minuteMs - time));
    asked.set(person, [...times, time]);
  };
}

function tooFast(perMinute: number, ms: number): string {
  const most = plural(perMinute, "question");
  return `You can ask ${most} a minute. Ask again in ${plural(Math.ceil(ms / 1000), "second")}.`;
}

const tooMany = `${plural(mostWaiting, "question")} are waiting already. Ask again in a minute.`;

/** A question that waits for its turn. */
function waitingView({ user, stopKey }: QueuedQuestion): Message {
  const words = "Your question is in the queue. I’ll answer it when it’s your turn.";
  return {
    text: words,
    blocks: [context(`:hourglass_flowing_sand: <@${user}> ${words}`), stopRow(stopKey)],
    progress: true,
  };
}
