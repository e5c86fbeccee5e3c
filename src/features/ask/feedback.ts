import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Log } from "../../log.ts";
import type { Collection } from "../../store/collection.ts";
import type { Command } from "../feature.ts";
import { thanksView } from "./view.ts";

/** The opinion of one person on one answer. */
export const feedbackSchema = z.object({
  isGood: z.boolean(),
  /** Epoch milliseconds. */
  at: z.number(),
  channel: z.string(),
  /** Root of the thread that the answer was posted in; undefined if the answer itself is the root. */
  thread: z.string().optional(),
});
export type Feedback = z.infer<typeof feedbackSchema>;

/** Long enough to see whether answers get better. */
export const feedbackLifeMs = 180 * 24 * 60 * 60_000;

const judgement = /^(good|bad) ([\w-]{1,64})$/;

/** Keeps whether an answer helped; what a person says last of an answer counts. */
export const feedback: Command<{ feedback: Collection<Feedback>; log: Log; now: () => number }> = {
  verb: "feedback",
  usage: "good | bad ANSWER",
  summary: "Say whether an answer helped",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => judgement.test(text),
  async run({ text, team, channel, thread, user }, { feedback: kept, log, now }) {
    const [, word, key] = judgement.exec(text) ?? [];
    if (!key) throw new UsageError("To say whether an answer helped, press one of the buttons under it.");
    const isGood = word === "good";
    await kept.set(`${team} ${key} ${user}`, { isGood, at: now(), channel, thread });
    log.info("feedback", { team, user, channel, thread, answer: key, isGood });
    return thanksView(isGood);
  },
};
