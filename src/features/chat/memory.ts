import { type Log, describe } from "../../log.ts";
import { createForwarding } from "../../slack/forwarding.ts";
import type { Collection } from "../../store/collection.ts";
import { rename } from "../../store/rename.ts";
import { createTurns } from "../../store/turns.ts";
import type { Ask } from "../feature.ts";
import { type Thread, answeredIn, threadKey } from "../thread.ts";
import { type Conversation, type Standing, type Turn, newConversation, withTurn } from "./conversation.ts";
import { type Changes, framed } from "./frame/rule.ts";

/** What an answer adds to what is known of its thread. */
interface Told {
  turn: Turn;
  /** Articles that were chosen for it. */
  standing?: Standing | undefined;
  changes?: Changes | undefined;
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
  /** Adds an answer to the thread that it stands in or starts; never rejects. */
  remember(ask: Ask, told: Told): Promise<void>;
  /** Takes the threads of a channel along where it goes by another ID. */
  follow(place: Pick<Thread, "team" | "channel">, to: string): Promise<void>;
}

/** The memories in the store. */
export function createMemories(conversations: Collection<Conversation>, log: Pick<Log, "error">): Memories {
  const inTurn = createTurns();
  const forwarding = createForwarding();

  /** What a thread is kept under now: an answer that began before its channel went by another ID names the old one. */
  function keyOf(thread: Thread): string {
    return threadKey({ ...thread, channel: forwarding.now(thread) });
  }

  async function changeNow(key: string, changed: Change): Promise<boolean> {
    try {
      await conversations.set(key, changed((await conversations.get(key)) ?? newConversation));
      return true;
    } catch (error) {
      log.error("conversation.unsaved", { error: describe(error) });
      return false;
    }
  }

  async function change(thread: Thread | undefined, changed: Change): Promise<boolean> {
    if (!thread) return false;
    const key = keyOf(thread);
    return inTurn(key, () => changeNow(key, changed));
  }

  return {
    change,
    async remember(ask, { turn, standing, changes = {} }) {
      await change(await answeredIn(ask), (before) => {
        const frame = framed(before.frame, changes);
        return withTurn({ ...before, ...(standing && { standing }), frame }, turn);
      });
    },
    async follow({ team, channel }, to) {
      forwarding.add({ team, channel }, to);
      await rename(conversations, {
        from: `${team} ${channel} `,
        to: `${team} ${to} `,
        join: (before, meanwhile) => ({ ...before, ...meanwhile, turns: [...before.turns, ...meanwhile.turns] }),
        inTurn,
      });
    },
    async recall(thread) {
      if (!thread) return newConversation;
      try {
        return (await conversations.get(keyOf(thread))) ?? newConversation;
      } catch (error) {
        log.error("conversation.forgotten", { error: describe(error) });
        return newConversation;
      }
    },
  };
}
