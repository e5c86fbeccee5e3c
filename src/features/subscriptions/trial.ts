import { when } from "../../slack/mrkdwn.ts";
import type { Subscription } from "./subscription.ts";

interface Trial extends Pick<Subscription, "number" | "state" | "silentUntil"> {
  noun: string;
  now: number;
}

/** Stands above what a test shows; `how` is what else to know of it. */
export function trialWords(trial: Trial, how: string): string {
  const { noun, number } = trial;
  const idle = idleOf(trial);
  const does = idle ? `is ${idle.is}; it would post this` : "would post it now";
  return `_Only you see this: ${noun} ${number} ${does}${how}._${idle ? `\n${idle.hint}` : ""}`;
}

/** Says below what a test has found why nothing comes; nothing where it would come. */
export function idleWords(trial: Trial): string {
  const idle = idleOf(trial);
  return idle ? ` It is ${idle.is}. ${idle.hint}` : "";
}

function idleOf({ noun, number, state, silentUntil = 0, now }: Trial): { is: string; hint: string } | undefined {
  const type = (verb: string) => `type \`/${noun}s ${verb} ${number}\`.`;
  if (state === "paused") return { is: state, hint: `To resume it, ${type("resume")}` };
  if (state === "removed") return { is: state, hint: `To bring it back, ${type("resume")}` };
  if (silentUntil <= now) return undefined;
  return { is: `muted until ${when(silentUntil)}`, hint: `To have it come before, ${type("unmute")}` };
}
