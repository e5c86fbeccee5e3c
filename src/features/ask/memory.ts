import { type Log, describe } from "../../log.ts";
import { type Request, isInLine } from "../../slack/incoming/request.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import {
  type ChosenArticles,
  type Conversation,
  type Question,
  type Turn,
  newConversation,
  withAnswer,
  withArticles,
  withQuestion,
} from "./conversation.ts";
import { type ScopeChanges, changeScope } from "../question/scope.ts";

/** A thread in Slack, or what takes its place in a direct message. */
export interface Thread {
  team: string;
  channel: string;
  /** The message that it began with. */
  thread: string;
  /** The question that begins it goes on with what was last talked about in its direct message. */
  continues?: boolean;
}

/** The key that a thread is kept under. */
export function threadKey({ team, channel, thread }: Thread): string {
  return `${team} ${channel} ${thread}`;
}

/** The same, and what the conversation that it goes on with is kept under. */
export function keysOf(thread: Thread): string[] {
  return [threadKey(thread), ...(thread.continues ? [threadKey({ ...thread, thread: inLine })] : [])];
}

/** In the place of a thread: what was last talked about in a direct message, with which a question outside its threads goes on. */
const inLine = "in-line";

/** It is over when nobody has asked anything for so long. */
const inLineLifeMs = 30 * 60_000;

type Asked = Pick<Request, "team" | "channel" | "thread" | "isThreadNew" | "surface">;

/**
 * The conversation that a question was asked in; nothing if its answer starts one. In a direct message, a slash command
 * does.
 */
export function askedIn({ team, channel, thread, isThreadNew, surface }: Asked): Thread | undefined {
  const continues = surface === "direct" && isThreadNew === true;
  if (thread !== undefined) return { team, channel, thread, ...(continues && { continues }) };
  return isInLine({ channel, thread }) && surface !== "slash" ? { team, channel, thread: inLine } : undefined;
}

type Answered = Asked & Pick<Request, "posted">;

/** The conversation that an answer was posted in or starts; undefined if it was never posted. */
export async function answeredIn({ team, thread, posted, ...asked }: Answered): Promise<Thread | undefined> {
  const at = await posted;
  // The channel of the answer, not of the question: from a window, the answer goes to a direct message with an
  // ID of its own.
  const channel = at?.channel ?? asked.channel;
  if (at && isInLine({ channel, thread })) return { team, channel, thread: inLine };
  const root = thread ?? at?.ts;
  return root === undefined ? undefined : { team, channel, thread: root };
}

type AnsweredAsk = Answered & Pick<Request, "stopKey">;

/** The things that a question brings with it to its thread. */
interface Brought {
  /** Articles that were chosen for it. */
  articles?: ChosenArticles | undefined;
  changes?: ScopeChanges | undefined;
  /** Asked of a language model without the news, and of which, if one is named. */
  isChat?: boolean | undefined;
  model?: string | undefined;
}

type ConversationChange = (latest: Conversation) => Conversation;

/** The bot's memory of its threads. */
export type Memory = ReturnType<typeof createMemory>;

/** The memory of threads in the store. */
export function createMemory(conversations: Collection<Conversation>, log: Pick<Log, "error">) {
  const enqueue = createKeyQueue();

  async function read(thread: Thread): Promise<Conversation> {
    for (const key of keysOf(thread)) {
      const known = await conversations.get(key);
      if (known) return known;
    }
    return newConversation;
  }

  /**
   * Changes what is known of a thread, one change after the other, so that none is lost. Never rejects: a store that
   * fails is the operator's matter, and says so with false.
   */
  async function change(thread: Thread | undefined, changed: ConversationChange): Promise<boolean> {
    if (!thread) return false;
    const key = threadKey(thread);
    try {
      const lasts = thread.thread === inLine ? { ttlMs: inLineLifeMs } : {};
      await enqueue(key, async () => conversations.set(key, changed(await read(thread)), lasts));
      return true;
    } catch (error) {
      log.error("conversation.save.failed", { error: describe(error) });
      return false;
    }
  }

  /** Recalls what a thread is about; a store that fails costs the memory, not the answer. */
  async function recall(thread: Thread | undefined): Promise<Conversation> {
    if (!thread) return newConversation;
    try {
      return await read(thread);
    } catch (error) {
      log.error("conversation.read.failed", { error: describe(error) });
      return newConversation;
    }
  }

  return {
    change,
    recall,
    has: async (thread: Thread): Promise<boolean> => (await conversations.get(threadKey(thread))) !== undefined,
    /** Begins the conversation in a direct message anew; says false if that could not be saved. */
    startOver: ({ team, channel }: Pick<Thread, "team" | "channel">) =>
      change({ team, channel, thread: inLine }, () => newConversation),
    /**
     * Adds a question to the thread that its answer is posted in or starts, so that it is kept whatever becomes of the
     * answer; never rejects. Resolves no sooner than the answer is posted if that starts the thread.
     */
    async begin(ask: AnsweredAsk, { question, ...brought }: Brought & { question: Question }): Promise<void> {
      // In a thread that is known, before anything is posted: the process may end at any time after that.
      const asked = askedIn(ask);
      await change(asked ?? (await answeredIn(ask)), (before) =>
        withQuestion(withBrought(asked ? before : newConversation, brought), question, ask.stopKey),
      );
    },
    /** Adds an answer to the thread that it is posted in or starts, replacing its question; never rejects. */
    async remember(ask: AnsweredAsk, { turn, ...brought }: Brought & { turn: Turn }): Promise<void> {
      const place = await answeredIn(ask);
      await change(place, (before) => {
        // Anything that somebody chose since the question was added holds.
        const isBegun = before.turns.some(({ unanswered }) => unanswered === ask.stopKey);
        if (isBegun) return withAnswer(before, turn, ask.stopKey);
        return withAnswer(withBrought(askedIn(ask) ? before : newConversation, brought), turn, ask.stopKey);
      });
      const at = await ask.posted;
      if (!at?.channel.startsWith("D") || !place) return;
      // In a direct message one goes on in the thread of an answer, or outside it.
      const known = await recall(place);
      await change({ ...place, thread: place.thread === inLine ? at.ts : inLine }, () => known);
    },
  };
}

function withBrought(before: Conversation, { articles, changes = {}, isChat, model }: Brought): Conversation {
  return {
    ...before,
    ...(articles && { articles: withArticles(before.articles, articles) }),
    ...(model && { model }),
    scope: changeScope(before.scope, changes),
    isChat,
  };
}

/** A thread that nobody touched for so long is forgotten. */
export const conversationLifeMs = 30 * 24 * 60 * 60_000;
