import { type Log, describe } from "../../log.ts";
import { createForwarding } from "../../slack/forwarding.ts";
import type { Collection } from "../../store/collection.ts";
import { rename } from "../../store/rename.ts";
import { createTurns } from "../../store/turns.ts";
import type { Ask } from "../feature.ts";
import { type Thread, answeredIn, askedIn, threadKey } from "../thread.ts";
import {
  type Chosen,
  type Conversation,
  type Question,
  type Turn,
  joined,
  newConversation,
  withAnswer,
  withQuestion,
} from "./conversation.ts";
import { type Changes, framed } from "./frame/rule.ts";

/** What a question brings with it to its thread. */
interface Brought {
  /** Articles that were chosen for it. */
  standing?: Chosen | undefined;
  changes?: Changes | undefined;
  /** Asked of a language model without the news, and of which, where one is named. */
  isChat?: boolean | undefined;
  model?: string | undefined;
}

type Change = (latest: Conversation) => Conversation;

/** What the bot knows of its threads. */
export interface Memories {
  /** What a thread is about; a store that fails costs the memory, not the answer. */
  recall(thread: Thread | undefined): Promise<Conversation>;
  /**
   * Changes what is known of a thread, one change after the other, so that none is lost. Never rejects: a store that
   * fails is the operator's matter, and says so with false.
   */
  change(thread: Thread | undefined, changed: Change): Promise<boolean>;
  /**
   * Adds a question to the thread that its answer stands in or starts, so that it outlives whatever becomes of the
   * answer; never rejects. Resolves no sooner than the answer is posted where that starts the thread.
   */
  begin(ask: Ask, asked: Brought & { question: Question }): Promise<void>;
  /** Adds an answer to the thread that it stands in or starts, in the place of its question; never rejects. */
  remember(ask: Ask, told: Brought & { turn: Turn }): Promise<void>;
  /** Takes the threads of a channel along where it goes by another ID. */
  follow(place: Pick<Thread, "team" | "channel">, to: string): Promise<void>;
  /** Takes a thread along where it begins with another message; never rejects. */
  move(thread: Thread, to: string): Promise<void>;
}

/** The memories in the store. */
export function createMemories(conversations: Collection<Conversation>, log: Pick<Log, "error">): Memories {
  const inTurn = createTurns();
  const keys = createKeys();

  const saved = (work: () => Promise<unknown>) => isSaved(work, log);
  const latest = async (key: string) => (await conversations.get(key)) ?? newConversation;

  async function change(thread: Thread | undefined, changed: Change): Promise<boolean> {
    if (!thread) return false;
    const key = keys.now(thread);
    return inTurn(key, () => saved(async () => conversations.set(key, changed(await latest(key)))));
  }

  async function moveNow(from: string, to: string): Promise<void> {
    const before = await conversations.get(from);
    if (before) await conversations.set(to, joinedTo(before, await latest(to)));
    await conversations.delete(from);
  }

  return {
    change,
    async begin(ask, { question, ...brought }) {
      // In a thread that is known, before anything is posted: the process may end at any time after that.
      await change(askedIn(ask) ?? (await answeredIn(ask)), (before) =>
        withQuestion(grounded(before, brought), question, ask.stopKey),
      );
    },
    async remember(ask, { turn, ...brought }) {
      await change(await answeredIn(ask), (before) => {
        // What somebody chose since the question was added holds.
        const isBegun = before.turns.some(({ open }) => open === ask.stopKey);
        return withAnswer(isBegun ? before : grounded(before, brought), turn, ask.stopKey);
      });
    },
    async follow({ team, channel }, to) {
      keys.renamed({ team, channel }, to);
      const names = { from: `${team} ${channel} `, to: `${team} ${to} ` };
      await rename(conversations, { ...names, join: joinedTo, inTurn });
    },
    async move(thread, to) {
      const from = keys.now(thread);
      const next = keys.moved(thread, to);
      if (from !== next) await inTurn(from, () => inTurn(next, () => saved(() => moveNow(from, next))));
    },
    async recall(thread) {
      if (!thread) return newConversation;
      try {
        return (await conversations.get(keys.now(thread))) ?? newConversation;
      } catch (error) {
        log.error("conversation.forgotten", { error: describe(error) });
        return newConversation;
      }
    },
  };
}

/** What threads are kept under now: an answer that began before its thread went by another name knows the old one. */
function createKeys() {
  const forwarding = createForwarding();
  /** Roots of today by keys of before, for as long as the process lives. */
  const roots = new Map<string, string>();

  function now(thread: Thread): string {
    const key = threadKey({ ...thread, channel: forwarding.now(thread) });
    const root = roots.get(key);
    return root === undefined ? key : now({ ...thread, thread: root });
  }

  return {
    now,
    /** A channel goes by another ID. */
    renamed: (place: Omit<Thread, "thread">, to: string) => forwarding.add(place, to),
    /** A thread begins with another message; gives what it is kept under from now on. */
    moved(thread: Thread, to: string): string {
      const before = now(thread);
      const after = now({ ...thread, thread: to });
      if (before !== after) roots.set(before, to);
      return after;
    },
  };
}

async function isSaved(work: () => Promise<unknown>, log: Pick<Log, "error">): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log.error("conversation.unsaved", { error: describe(error) });
    return false;
  }
}

function joinedTo(before: Conversation, meanwhile: Conversation): Conversation {
  return { ...before, ...meanwhile, turns: [...before.turns, ...meanwhile.turns] };
}

function grounded(before: Conversation, { standing, changes = {}, isChat, model }: Brought): Conversation {
  const stood = standing && { standing: joined(before.standing, standing) };
  return { ...before, ...stood, ...(model && { model }), frame: framed(before.frame, changes), isChat };
}
