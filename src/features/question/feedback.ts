import { plainText } from "../../slack/text/blocks.ts";
import type { Block } from "../../slack/text/message.ts";
import { postAction } from "../../slack/incoming/request.ts";

/** Two buttons to say whether an answer helped. */
export function feedbackRow(key: string): Block {
  const judgement = (label: string, spokenLabel: string, value: string) => ({
    text: plainText(label, 75),
    accessibility_label: spokenLabel,
    value: `feedback ${value} ${key}`,
  });
  return {
    type: "context_actions",
    elements: [
      {
        type: "feedback_buttons",
        action_id: `${postAction}:feedback`,
        positive_button: judgement("Helpful", "Helpful: this answer helped", "good"),
        negative_button: judgement("Not helpful", "Not helpful: this answer did not help", "bad"),
      },
    ],
  };
}
