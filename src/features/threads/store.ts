import { z } from "zod";

import { type Log, describe } from "../../log.ts";
import type { Collection } from "../../store/collection.ts";
import { rename } from "../../store/rename.ts";
import { createTurns } from "../../store/turns.ts";
import { type Thread, threadKey } from "../thread.ts";
import { type Choice, type Mark, type Setting, answersUnasked } from "./rule.ts";

const choice = z.enum(["on", "off"]);
export const settingSchema: z.ZodType<Setting> = z.object({ choice, by: z.string(), at: z.number() });
export const markSchema: z.ZodType<Mark> = z.object({ isOwn: z.boolean(), choice: choice.optional() });

/** Longer than a conversation lives that nobody goes on with. */
export const markLifeMs = 60 * 24 * 60 * 60_000;

type Channel = Omit<Thread, "thread">;

/** In which threads the bot answers without being mentioned. */
export interface Following {
  /** Notes down how a thread began when somebody asks in it first; never rejects. */
  enter(thread: Thread, isOwn: boolean): Promise<void>;
  /**
   * Whether what is said in a thread is meant for the bot; not where the store cannot say. An answer that is under way
   * makes a thread a conversation before anything of it is remembered.
   */
  isOurs(thread: Thread & { isAnswering: boolean }): Promise<boolean>;
  channel(place: Channel): Promise<Setting | undefined>;
  thread(place: Thread): Promise<Mark | undefined>;
  /** Chooses for a whole channel; nothing goes back to what is usual. */
  setChannel(place: Channel, setting: Setting | undefined): Promise<void>;
  setThread(place: Thread, choice: Choice): Promise<void>;
  /** Takes all of it along where a channel goes by another ID. */
  follow(place: Channel, to: string): Promise<void>;
}

interface Records {
  settings: Collection<Setting>;
  marks: Collection<Mark>;
  /** Whether the bot has a conversation in a thread. */
  hasConversation: (thread: Thread) => Promise<boolean>;
  log: Pick<Log, "warn">;
}

/** What people chose, kept in the store. */
export function createFollowing({ settings, marks, hasConversation, log }: Records): Following {
  const inTurn = createTurns();

  async function careful<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn("threads.unknown", { error: describe(error) });
      return otherwise;
    }
  }

  return {
    enter: (thread, isOwn) =>
      careful(
        () =>
          // A mark is read before it is written.
          inTurn(threadKey(thread), async () => {
            // Both at once: a question makes a conversation of its thread as soon as its turn has come.
            const [mark, isKnown] = await Promise.all([marks.get(threadKey(thread)), hasConversation(thread)]);
            // Written again, so that it lives as long as the conversation.
            if (mark) await marks.set(threadKey(thread), mark);
            else if (!isKnown) await marks.set(threadKey(thread), { isOwn });
          }),
        undefined,
      ),
    isOurs: (thread) =>
      careful(async () => {
        if (!thread.isAnswering && !(await hasConversation(thread))) return false;
        const [mark, setting] = await Promise.all([marks.get(threadKey(thread)), settings.get(channelKey(thread))]);
        return answersUnasked(mark, setting);
      }, false),
    channel: (place) => settings.get(channelKey(place)),
    thread: (place) => marks.get(threadKey(place)),
    async setChannel(place, setting) {
      if (setting) await settings.set(channelKey(place), setting);
      else await settings.delete(channelKey(place));
    },
    setThread: (place, chosen) =>
      inTurn(threadKey(place), async () => {
        const mark = await marks.get(threadKey(place));
        await marks.set(threadKey(place), { isOwn: mark?.isOwn ?? true, choice: chosen });
      }),
    async follow({ team, channel }, to) {
      const [from, now] = [channelKey({ team, channel }), channelKey({ team, channel: to })];
      const setting = await settings.get(from);
      if (setting && !(await settings.get(now))) await settings.set(now, setting);
      if (setting) await settings.delete(from);
      const join = (before: Mark, meanwhile: Mark) => ({ ...before, choice: meanwhile.choice ?? before.choice });
      await rename(marks, { from: `${from} `, to: `${now} `, join, inTurn });
    },
  };
}

function channelKey({ team, channel }: Channel): string {
  return `${team} ${channel}`;
}
