import { stopAction } from "../../slack/incoming/request.ts";
import { buttons, context } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";

export const stillWaiting = ":hourglass_flowing_sand: Still waiting…";

interface Growing {
  stopKey: string;
  /** The activity at the moment, as mrkdwn. */
  doing?: string | undefined;
  /** There is nothing to read yet. */
  isEmpty: boolean;
}

/** A text that is being written: its words so far, what goes on, and a way to stop. */
export function growingMessage(
  { text, blocks }: { text: string; blocks: Block[] },
  { stopKey, doing, isEmpty }: Growing,
): Message {
  return {
    text: [text, doing?.replace(/^:\w+: /, "")].filter(Boolean).join("\n"),
    blocks: [...blocks, ...(doing ? [context(doing)] : []), stopRow(stopKey)],
    ...(isEmpty && { progress: true }),
  };
}

/** The button that stops an answer. */
export function stopRow(stopKey: string): Block {
  return buttons({ action: stopAction, label: "Stop", value: stopKey });
}
