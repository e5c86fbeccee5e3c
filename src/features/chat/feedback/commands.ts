import { UsageError } from "../../../apis/errors.ts";
import type { Command } from "../../feature.ts";
import { thanksView } from "./view.ts";

const judgement = /^(good|bad) ([\w-]{1,64})$/;

/** Keeps whether an answer helped; what a person says last of an answer counts. */
export const feedback: Command = {
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
