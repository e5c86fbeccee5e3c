import { UsageError } from "../../apis/errors.ts";
import type { Log } from "../../log.ts";
import type { Command } from "../feature.ts";
import { thanksView } from "./view.ts";

const judgement = /^(good|bad) ([\w-]{1,64})$/;

/** Logs whether an answer helped. */
export const feedback: Command<{ log: Pick<Log, "info"> }> = {
  verb: "feedback",
  usage: "good | bad ANSWER",
  summary: "Say whether an answer helped",
  isHidden: true,
  fits: (text) => judgement.test(text),
  run({ text, team, channel, thread, user }, { log }) {
    const [, word, answer] = judgement.exec(text) ?? [];
    if (!answer) throw new UsageError("To say whether an answer helped, press one of the buttons under it.");
    const isGood = word === "good";
    log.info("feedback", { team, user, channel, thread, answer, isGood });
    return thanksView(isGood);
  },
};
