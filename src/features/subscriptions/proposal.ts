import { onlyFor, postAction, replaceAction } from "../../slack/incoming/request.ts";
import { buttons, context, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, accessibleText } from "../../slack/text/mrkdwn.ts";

/** Something that one press would set up. */
export interface Proposal {
  /** `New alert: Novalith Semiconductor`, as plain text. */
  title: string;
  /** Schedule, place and cost, as mrkdwn, a line each. */
  facts: string[];
  /** The command that sets it up. */
  line: string;
  /** The label of the button that runs it. */
  label: string;
  /** The line that opens the window of it, filled in. */
  change?: string;
}

/** A card that says what a press would set up. Only its asker may press it, and it works for as long as it stands. */
export function proposalView({ title, facts, line, label, change }: Proposal, user: string): Message {
  const words = [bold(escape(title)), ...facts].join("\n");
  const row = [
    { action: onlyFor(user, `${replaceAction}:set`), label, value: line, style: "primary" as const },
    ...(change === undefined
      ? []
      : [{ action: onlyFor(user, `${postAction}:change`), label: "Change…", value: change }]),
  ].filter(({ value }) => value.length <= limits.buttonValue);
  return {
    text: accessibleText(words),
    blocks: [section(words), ...(row.length > 0 ? [buttons(...row)] : []), context(`\`/${inCode(line)}\``)],
    isPrivate: true,
  };
}
