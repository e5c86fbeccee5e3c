import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import { buttons, context, messageOf, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import type { FollowedThreads } from "../../slack/incoming/listen.ts";
import type { ReplyDecision } from "../../slack/incoming/messages.ts";
import { postAction } from "../../slack/incoming/request.ts";
import type { Collection } from "../../store/collection.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import type { Ask, Command } from "../feature.ts";
import { type Thread, threadKey } from "./memory.ts";

/** Threads in which the bot answers without being mentioned, and the command that sets it for a channel. */

const choice = z.enum(["on", "off"]);
type ThreadChoice = z.infer<typeof choice>;

/** The choice of a channel's people, and who made it. */
export const settingSchema = z.object({
  choice,
  by: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
});
export type ThreadSetting = z.infer<typeof settingSchema>;

/** The facts known of a thread: whether a question to the bot began it, and what happened there since. */
export const markSchema = z.object({
  isOwn: z.boolean(),
  /** The time of the last answer to each user there. */
  answered: z.record(z.string(), z.number()).optional(),
  /** The bot has said there that it has to be mentioned. */
  isTold: z.boolean().optional(),
});
export type ThreadMark = z.infer<typeof markSchema>;

/** Longer than a conversation is kept. */
export const markLifeMs = 60 * 24 * 60 * 60_000;

type ThreadChannel = Pick<Thread, "team" | "channel">;

type UnaskedIn = Parameters<FollowedThreads["decide"]>[0];

/** The threads in which the bot answers without being mentioned. */
export type Following = ReturnType<typeof createFollowing>;

interface FollowingRecords {
  settings: Collection<ThreadSetting>;
  marks: Collection<ThreadMark>;
  hasConversation: (thread: Thread) => Promise<boolean>;
  now: () => number;
  log: Pick<Log, "warn">;
}

/** A message that somebody writes within this time after an answer to them goes on with it, though it is no question. */
const goesOnMs = 10 * 60_000;

/** Keeps what people chose in the store. */
export function createFollowing({ settings, marks, hasConversation, now, log }: FollowingRecords) {
  const enqueue = createKeyQueue();

  async function careful<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn("threads.read.failed", { error: describe(error) });
      return otherwise;
    }
  }

  /** Changes what is known of a thread, one change after the other; threads without a mark began with an answer. */
  const mark = (thread: Thread, change: (before: ThreadMark | undefined) => ThreadMark) =>
    enqueue(threadKey(thread), async () => {
      const key = threadKey(thread);
      await marks.set(key, change(await marks.get(key)));
    });

  return {
    /** Saves how a thread began when somebody asks in it first; never rejects. */
    enter: (thread: Thread, isOwn: boolean) =>
      careful(async () => {
        // Asked at once: a question makes a conversation of its thread as soon as its turn has come.
        const isKnown = await hasConversation(thread);
        // Written again, so that it lives as long as the conversation.
        await mark(thread, (before) => before ?? { isOwn: isKnown || isOwn });
      }, undefined),
    /** Saves that somebody was answered in a thread; never rejects. */
    answered: (thread: Thread, user: string) =>
      careful(
        () =>
          mark(thread, ({ answered = {}, ...before } = { isOwn: true }) => {
            const recent = Object.entries(answered).filter(([, at]) => at > now() - goesOnMs);
            return { ...before, answered: { ...Object.fromEntries(recent), [user]: now() } };
          }),
        undefined,
      ),
    /**
     * The fate of a reply that mentions nobody; nothing if the store can't say. In a thread that the bot's own post
     * began, colleagues talk as well, so it answers questions, and whatever follows an answer to the same person.
     */
    decide: (reply: UnaskedIn) =>
      careful<ReplyDecision>(async () => {
        const { isRootOurs, isQuestion, isAnswering, user } = reply;
        const [known, setting] = await Promise.all([marks.get(threadKey(reply)), settings.get(channelKey(reply))]);
        const isConversation = async () => isAnswering || (await hasConversation(reply));
        const continuation = now() - (known?.answered?.[user] ?? 0) < goesOnMs;
        const isMeant = isRootOurs ? isQuestion || continuation : (known?.isOwn ?? true) && (await isConversation());
        if (!setting) return isMeant ? "answer" : "ignore";
        if (setting.choice === "on") return isMeant || (await isConversation()) ? "answer" : "ignore";
        if (!isMeant || !isQuestion || known?.isTold) return "ignore";
        await mark(reply, (before = { isOwn: true }) => ({ ...before, isTold: true }));
        return "tell";
      }, "ignore"),
    channel: (channel: ThreadChannel) => settings.get(channelKey(channel)),
    /** Chooses for a whole channel. */
    setChannel: (channel: ThreadChannel, setting: ThreadSetting) => settings.set(channelKey(channel), setting),
  };
}

function channelKey({ team, channel }: ThreadChannel): string {
  return `${team} ${channel}`;
}

export const threads: Command<{ following: Following; now: () => number }> = {
  verb: "threads",
  group: "manage",
  pressable: ["threads"],
  usage: "[on | off]",
  summary: "Whether I answer in my threads without being mentioned",
  examples: ["threads off", "threads on"],
  options: {},
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
  unset:
    "I answer replies in threads that started with a question to me, and questions below my own posts. Anywhere else, mention me.",
};

/** The setting that is in force here, and the ways to change it. */
function threadsView(setting: ThreadSetting | undefined): Message {
  const lead = setting ? `${lines[setting.choice]} <@${setting.by}> chose so.` : lines.unset;
  const choices = [
    { action: `${postAction}:on`, label: "In all my threads", value: "threads on" },
    { action: `${postAction}:off`, label: "When mentioned", value: "threads off" },
  ];
  const offered = choices.filter(({ value }) => value !== `threads ${setting?.choice}`);
  const small = "I ignore replies that start by mentioning someone else.";
  return messageOf(section(lead), context(small), buttons(...offered));
}
