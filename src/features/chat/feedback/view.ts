import { plain } from "../../../slack/blocks.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { runAction } from "../../../slack/request.ts";

/** Two buttons that say whether an answer helped, for whoever reads it. */
export function feedbackRow(key: string): Block {
  const judgement = (label: string, spoken: string, value: string) => ({
    text: plain(label, 75),
    accessibility_label: spoken,
    value: `feedback ${value} ${key}`,
  });
  return {
    type: "context_actions",
    elements: [
      {
        type: "feedback_buttons",
        action_id: `${runAction}:feedback`,
        positive_button: judgement("Helpful", "This answer helped", "good"),
        negative_button: judgement("Not helpful", "This answer did not help", "bad"),
      },
    ],
  };
}

/** Thanks to whoever said whether an answer helped. */
export function thanksView(isGood: boolean): Message {
  return {
    text: isGood
      ? "Thank you, noted: this answer helped."
      : "Thank you, noted: this answer did not help. Ask me in the thread for what is missing.",
  };
}
