import { randomUUID } from "node:crypto";

import { z } from "zod";

import { buttons, context } from "./text/blocks.ts";
import type { Respond } from "./answer/private-reply.ts";
import { sendPlainerEachTime } from "./delivery/post.ts";
import { limits } from "./text/limits.ts";
import type { Block, Message } from "./text/message.ts";

/** Keeps private replies for as long as they may be shared. */
export interface Shelf {
  put(key: string, message: Message): Promise<unknown>;
  /**
   * Lends a message to one at a time, and says whether it was there. It stays where its use rejects or never ends, as
   * when the process is killed, and is gone once that resolves.
   */
  lend(key: string, use: (message: Message) => Promise<void>): Promise<boolean>;
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

/** Shows a private reply to its channel, once, in the name of who pressed the button; rejects where Slack refuses. */
export async function share(key: string, user: string, shelf: Shelf, respond: Respond): Promise<void> {
  const tell = (text: string) => respond({ response_type: "ephemeral", replace_original: false, text });
  try {
    if (!(await shelf.lend(key, (message) => show(message, user, respond)))) {
      await tell("This result was shared already, or is more than a day old. Run the command again to share it.");
      return;
    }
  } catch (error) {
    await tell(isRefused(error) ? notTaken : unknown).catch(() => undefined);
    throw error;
  }
  await respond({ response_type: "ephemeral", text: "", delete_original: true });
}

const notTaken = "Slack did not let me share this. Press “Share in channel” once more.";
const unknown =
  "Slack does not say whether this is shared. Look whether it stands in the channel; if not, press “Share in channel” once more.";

async function show({ text, blocks = [], instead }: Message, user: string, respond: Respond): Promise<void> {
  const by = context(`Shared by <@${user}>`);
  const shared = { text, blocks: [...blocks, by], ...(instead && { instead: [...instead, by] }) };
  await sendPlainerEachTime(
    shared,
    (body) =>
      respond({
        response_type: "in_channel",
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
        ...body,
      }),
    // Everybody would read it twice, where it may stand already.
    isRefused,
  );
}

const refused = z.object({ statusCode: z.number().min(400).max(428) });

/** Whether Slack surely did not take what was sent to a response_url. */
function isRefused(error: unknown): boolean {
  return refused.safeParse(error).success;
}
