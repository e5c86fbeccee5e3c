import { randomUUID } from "node:crypto";

import { z } from "zod";

import { buttons, context } from "./blocks.ts";
import { type Respond, plainerEachTime } from "./deliver.ts";
import { limits } from "./limits.ts";
import type { Block, Message } from "./message.ts";

/** Keeps private replies for as long as they may be shared. */
export interface Shelf {
  put(key: string, message: Message): Promise<unknown>;
  /** Gives a message once; nothing the second time. */
  take(key: string): Promise<Message | undefined>;
}

export const shareAction = "share";

/** The message with a Share button, kept on the shelf until somebody presses it; as it is where there is no room for one. */
export async function offerShare(message: Message, shelf: Shelf): Promise<Message> {
  const { blocks, instead } = message;
  if (!message.shareable || !blocks || Math.max(blocks.length, instead?.length ?? 0) >= limits.blocks) return message;
  const key = randomUUID();
  await shelf.put(key, message);
  return { ...message, blocks: withButton(blocks, key), ...(instead && { instead: withButton(instead, key) }) };
}

/** The button beside those at the end of the message, or in a row of its own. */
function withButton(blocks: Block[], key: string): Block[] {
  const row = buttons({ action: shareAction, label: "Share in channel", value: key });
  const last = blocks.at(-1);
  if (last?.type !== "actions" || row.type !== "actions" || last.elements.length >= limits.elements) {
    return [...blocks, row];
  }
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
  const { text, blocks = [], instead } = message;
  const by = context(`Shared by <@${user}>`);
  const shared = { text, blocks: [...blocks, by], ...(instead && { instead: [...instead, by] }) };
  try {
    await plainerEachTime(
      shared,
      (body) => respond({ response_type: "in_channel", replace_original: false, ...body }),
      // Everybody would read it twice, where it may stand already.
      (error) => !isRefused(error),
    );
  } catch (error) {
    await shelf.put(key, message);
    throw error;
  }
  await respond({ response_type: "ephemeral", text: "", delete_original: true });
}

const refused = z.object({ statusCode: z.number().min(400).max(428) });

/** Whether Slack surely did not take what was sent to a response_url. */
function isRefused(error: unknown): boolean {
  return refused.safeParse(error).success;
}
