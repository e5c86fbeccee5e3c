import { randomUUID } from "node:crypto";

import { buttons, context } from "./blocks.ts";
import type { Respond } from "./deliver.ts";
import type { Block, Message } from "./message.ts";
import { bodyOf } from "./poster.ts";

/** Keeps private replies for as long as they may be shared. */
export interface Shelf {
  put(key: string, message: Message): Promise<unknown>;
  /** Gives a message once; nothing the second time. */
  take(key: string): Promise<Message | undefined>;
}

export const shareAction = "share";

/** The message with a Share button, kept on the shelf until somebody presses it. */
export async function offerShare(message: Message, shelf: Shelf): Promise<Message> {
  if (!message.shareable || !message.blocks) return message;
  const key = randomUUID();
  await shelf.put(key, message);
  return { ...message, blocks: withButton(message.blocks, key) };
}

/** The button beside those at the end of the message, or in a row of its own. */
function withButton(blocks: Block[], key: string): Block[] {
  const row = buttons({ action: shareAction, label: "Share in channel", value: key });
  const last = blocks.at(-1);
  if (last?.type !== "actions" || row.type !== "actions") return [...blocks, row];
  return [...blocks.slice(0, -1), { ...last, elements: [...last.elements, ...row.elements] }];
}

/** Shows a private reply to its channel, once, in the name of who pressed the button. */
export async function share(key: string, user: string, shelf: Shelf, respond: Respond): Promise<void> {
  const message = await shelf.take(key);
  if (!message) {
    const text = "This result was shared already, or is more than a day old. Run the command again to share it.";
    await respond({ response_type: "ephemeral", replace_original: false, text });
    return;
  }
  const blocks = [...(message.blocks ?? []), context(`Shared by <@${user}>`)];
  try {
    await respond({ response_type: "in_channel", replace_original: false, ...bodyOf({ text: message.text, blocks }) });
  } catch (error) {
    await shelf.put(key, message);
    throw error;
  }
  await respond({ response_type: "ephemeral", text: "", delete_original: true });
}
