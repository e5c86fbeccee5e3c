import { buttons, context, section } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { spoken } from "../../slack/mrkdwn.ts";
import { runAction } from "../../slack/request.ts";
import type { Choice, Mark, Setting } from "./rule.ts";

interface ThreadsView {
  setting: Setting | undefined;
  /** Where it is asked in a thread. */
  mark?: Mark | undefined;
  isInThread: boolean;
}

const usual =
  "In this channel I answer without being mentioned only in threads that a question to me began. Elsewhere, mention me.";
const always = "In this channel I answer in every thread in which I have answered before, without being mentioned.";
const never = "In this channel I answer only when I am mentioned.";
const lines: Record<Choice, string> = { on: always, off: never };

/** What is in force here, and the ways to change it. */
export function threadsView({ setting, mark, isInThread }: ThreadsView): Message {
  const here = isInThread && mark?.choice ? inThread(mark.choice) : undefined;
  const lead = [here, setting ? `${lines[setting.choice]} <@${setting.by}> chose so.` : usual]
    .filter(Boolean)
    .join("\n");
  const small = "In threads, what begins with the name of somebody else is never meant for me.";
  const choices = [
    { action: `${runAction}:on`, label: "In all my threads", value: "threads on" },
    { action: `${runAction}:usual`, label: "In my own threads", value: "threads usual" },
    { action: `${runAction}:off`, label: "When mentioned", value: "threads off" },
  ];
  const inForce = setting?.choice ?? "usual";
  const offered = choices.filter(({ action }) => !action.endsWith(`:${inForce}`));
  return { text: spoken(lead), blocks: [section(lead), context(small), buttons(...offered)] };
}

/** What was chosen for one thread. */
export function threadView(choice: Choice): Message {
  const words = inThread(choice);
  return { text: words, blocks: [section(words)] };
}

function inThread(choice: Choice): string {
  return choice === "on"
    ? "In this thread I answer without being mentioned."
    : "In this thread I answer only when I am mentioned.";
}
