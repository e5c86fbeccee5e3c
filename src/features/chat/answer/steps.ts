import { button, menu, row } from "../../../slack/blocks.ts";
import { limits } from "../../../slack/limits.ts";
import type { Block } from "../../../slack/message.ts";
import { shorten } from "../../../slack/mrkdwn.ts";
import { belowAction, onlyFor, runAction } from "../../../slack/request.ts";

/** What a reader can do next with an answer. */
export interface Steps {
  /** What is said of the answer is kept under. */
  key: string;
  /** Whoever asked; what changes the thread is theirs. */
  user: string;
  followUps: string[];
  /** Of the kept list of its sources. */
  sources?: string | undefined;
  /** Whether the thread stands on chosen articles alone; nothing where none were chosen. */
  isOnly?: boolean | undefined;
}

/** One calm row; nothing where there is nothing to do. */
export function stepsRow({ user, followUps, sources, isOnly }: Steps): Block | undefined {
  const below = onlyFor(user, belowAction);
  const elements = [
    ...(followUps.length > 0
      ? [
          menu({
            action: below,
            placeholder: "Ask next…",
            choices: followUps.map((question) => ({
              label: shorten(question, limits.option),
              value: `ask ${question}`,
            })),
          }),
        ]
      : []),
    ...(sources ? [button({ action: `${runAction}:sources`, label: "Show sources", value: `list ${sources} 1` })] : []),
    ...(isOnly === undefined ? [] : [button({ action: below, ...switchTo(isOnly) })]),
  ];
  return elements.length > 0 ? row(...elements) : undefined;
}

function switchTo(isOnly: boolean): { label: string; value: string } {
  return isOnly
    ? { label: "Search beyond these", value: "stand more" }
    : { label: "Only these articles", value: "stand only" };
}
