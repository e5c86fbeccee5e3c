import { UsageError } from "../../apis/errors.ts";
import { textField } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { Form } from "../feature.ts";
import { longestNote } from "./messages/words.ts";

/** The window that asks what was done about a spike, which a line names. */
export async function askHandled(text: string): Promise<Message> {
  const title = "Handled";
  const field = {
    name: "words",
    label: "What was done?",
    placeholder: "ran 14:10",
    isOptional: true,
    most: longestNote,
  };
  const state = shorten(text, 200);
  return {
    text: title,
    blocks: [textField(field)],
    window: { title, form: { name: "handled", submit: "Save", state } },
  };
}

/** The form of the window that asks what was done, without what saves it. */
export const handledForm: Form = {
  name: "handled",
  read: () => ({ unmet: [] }),
};

/** Takes `"Novalith": ran 14:10` apart; a name with a colon stands in quotes. */
export function readHandled(text: string): { line: string; note: string } {
  const [, line = "", typed = ""] = /^((?:"[^"]*"|[^":])*):?([^]*)$/.exec(text) ?? [];
  const note = shorten(typed, 1_000);
  if (Array.from(note).length > longestNote) throw new UsageError(`Say it in at most ${longestNote} characters.`);
  return { line, note };
}
