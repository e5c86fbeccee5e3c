import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import { buttons, context, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { spoken } from "../../slack/text/mrkdwn.ts";
import { runAction } from "../../slack/incoming/request.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import type { Ask, Command } from "../feature.ts";
import { type Thread, threadKey } from "./memory.ts";

/** In which threads the bot answers without being mentioned, and the command that sets it for a channel. */

const choice = z.enum(["on", "off"]);
type ThreadChoice = z.infer<typeof choice>;

/** What a channel's people chose, and who did. */
export interface ThreadSetting {
  choice: ThreadChoice;
  by: string;
  /** Epoch milliseconds. */
  at: number;
}

/** What is known of a thread: whether a question to the bot began it. */
export interface ThreadMark {
  isOwn: boolean;
}

export const settingSchema: z.ZodType<ThreadSetting> = z.object({ choice, by: z.string(), at: z.number() });
export const markSchema: z.ZodType<ThreadMark> = z.object({ isOwn: z.boolean() });

/** Longer than a conversation is kept. */
export const markLifeMs = 60 * 24 * 60 * 60_000;

type ThreadChannel = Omit<Thread, "thread">;

/** In which threads the bot answers without being mentioned. */
export type Following = ReturnType<typeof createFollowing>;

interface FollowingRecords {
  settings: Collection<ThreadSetting>;
  marks: Collection<ThreadMark>;
  /** Whether the bot has a conversation in a thread. */
  hasConversation: (thread: Thread) => Promise<boolean>;
  log: Pick<Log, "warn">;
}

/** What people chose, kept in the store. */
export function createFollowing({ settings, marks, hasConversation, log }: FollowingRecords) {
  const enqueue = createKeyQueue();

  async function careful<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn("threads.unknown", { error: describe(error) });
      return otherwise;
    }
  }

  return {
    /** Saves how a thread began when somebody asks in it first; never rejects. */
    enter: (thread: Thread, isOwn: boolean) =>
      careful(
        () =>
          // A mark is read before it is written.
          enqueue(threadKey(thread), async () => {
            // Both at once: a question makes a conversation of its thread as soon as its turn has come.
            const [mark, isKnown] = await Promise.all([marks.get(threadKey(thread)), hasConversation(thread)]);
            // Written again, so that it lives as long as the conversation.
            if (mark) await marks.set(threadKey(thread), mark);
            else if (!isKnown) await marks.set(threadKey(thread), { isOwn });
          }),
        undefined,
      ),
    /**
     * Whether what is said in a thread is meant for the bot; not where the store cannot say. An answer that is under way
     * makes a thread a conversation before anything of it is remembered.
     */
    isOurs: (thread: Thread & { isAnswering: boolean }) =>
      careful(async () => {
        if (!thread.isAnswering && !(await hasConversation(thread))) return false;
        const [mark, setting] = await Promise.all([marks.get(threadKey(thread)), settings.get(channelKey(thread))]);
        return answersUnasked(mark, setting);
      }, false),
    channel: (channel: ThreadChannel) => settings.get(channelKey(channel)),
    /** Chooses for a whole channel. */
    setChannel: (channel: ThreadChannel, setting: ThreadSetting) => settings.set(channelKey(channel), setting),
  };
}

function channelKey({ team, channel }: ThreadChannel): string {
  return `${team} ${channel}`;
}

/**
 * Whether the bot answers without a mention. Where a channel's people chose nothing, it does in threads that a question to
 * it began; people who only called it into theirs talk to each other.
 */
export function answersUnasked(mark: ThreadMark | undefined, setting: ThreadSetting | undefined): boolean {
  if (setting) return setting.choice === "on";
  // Threads without a mark began with an answer, such as one to a slash command.
  return mark?.isOwn ?? true;
}

export const threads: Command<{ following: Following; now: () => number }> = {
  verb: "threads",
  group: "manage",
  pressable: ["threads"],
  usage: "[on | off]",
  summary: "Whether I answer in my threads without being mentioned",
  examples: ["threads off", "threads on"],
  options: {},
  isSlash: false,
  working: "",
  fits: (text) => /^(|on|off)$/i.test(text.trim()),
  async run({ text, team, channel, user }: Ask, { following, now }) {
    const wanted = text.trim().toLowerCase();
    const chosen = choice.safeParse(wanted).data;
    if (wanted && !chosen) throw new UsageError("Type `threads on` or `threads off`.");
    if (channel.startsWith("D") || channel === user) {
      throw new UsageError("You needn’t mention me in our direct messages. Type `threads off` in a channel.");
    }
    if (chosen) await following.setChannel({ team, channel }, { choice: chosen, by: user, at: now() });
    return threadsView(await following.channel({ team, channel }));
  },
};

const lines: Record<ThreadChoice | "unset", string> = {
  on: "In this channel I answer replies in every thread I’ve answered in.",
  off: "In this channel I answer only when I’m mentioned.",
  unset: "I answer replies in threads that started with a question to me. Anywhere else, mention me.",
};

/** What is in force here, and the ways to change it. */
function threadsView(setting: ThreadSetting | undefined): Message {
  const lead = setting ? `${lines[setting.choice]} <@${setting.by}> chose so.` : lines.unset;
  const choices = [
    { action: `${runAction}:on`, label: "In all my threads", value: "threads on" },
    { action: `${runAction}:off`, label: "When mentioned", value: "threads off" },
  ];
  const offered = choices.filter(({ value }) => value !== `threads ${setting?.choice}`);
  const small = "I ignore replies that start by mentioning someone else.";
  return { text: spoken(lead), blocks: [section(lead), context(small), buttons(...offered)] };
}
