import { randomUUID } from "node:crypto";

import { z } from "zod";

import type { Records } from "../records.ts";
import { sendPlainerEachTime } from "../delivery/post.ts";
import { buttons, context, withoutEmptyRows } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import type { Block, Message } from "../text/message.ts";
import type { Respond } from "./private-reply.ts";

export const shareAction = "share";

/** The time for which a private reply may be shared. */
export const shareLifeMs = 24 * 60 * 60_000;

/** Blocks as they were stored, or as Slack says them. */
export const blocksSchema = z.array(
  z.custom<Block>((value) => z.looseObject({ type: z.string() }).safeParse(value).success),
);

/** A stored reply. */
export const sharedReplySchema: z.ZodType<Message> = z
  .object({ text: z.string(), blocks: blocksSchema, fallbackBlocks: blocksSchema })
  .partial({ blocks: true, fallbackBlocks: true })
  .transform((stored) => ({
    text: stored.text,
    ...(stored.blocks && { blocks: stored.blocks }),
    ...(stored.fallbackBlocks && { fallbackBlocks: stored.fallbackBlocks }),
  }));

export type Sharing = ReturnType<typeof createSharing>;

/** Keeps private replies until somebody presses their Share button. Only one process uses the store at a time. */
export function createSharing(records: Omit<Records<Message>, "entries">) {
  /** The replies that are being shared right now. After a crash nothing is, and the reply is still there. */
  const underway = new Set<string>();
  return {
    /** The message with a Share button; as it is if it is not meant to be shared, or has no room for a button. */
    async offer(message: Message): Promise<Message> {
      const { blocks, fallbackBlocks } = message;
      const isFull = Math.max(blocks?.length ?? 0, fallbackBlocks?.length ?? 0) >= limits.blocks;
      if (!message.shareable || !blocks || isFull) return message;
      const key = randomUUID();
      await records.set(key, message);
      return {
        ...message,
        blocks: withButton(blocks, key),
        ...(fallbackBlocks && { fallbackBlocks: withButton(fallbackBlocks, key) }),
      };
    },
    /** Shows a private reply to its channel, once, in the name of who pressed the button; rejects if Slack refuses. */
    async share(key: string, user: string, respond: Respond): Promise<void> {
      const tell = (text: string) => respond({ response_type: "ephemeral", replace_original: false, text });
      const tellGone = () =>
        tell("This result was shared already, or is more than a day old. Run the command again to share it.");
      if (underway.has(key)) return void (await tellGone());
      underway.add(key);
      try {
        const message = await records.get(key);
        if (!message) return void (await tellGone());
        await showShared(message, user, respond);
        await records.delete(key);
      } catch (error) {
        await tell(isRefused(error) ? notTaken : unknown).catch(() => undefined);
        throw error;
      } finally {
        underway.delete(key);
      }
      await respond({ response_type: "ephemeral", text: "", delete_original: true });
    },
  };
}

/** The button beside those at the end of the message, or in a row of its own. */
function withButton(blocks: Block[], key: string): Block[] {
  const row = buttons({ action: shareAction, label: "Share in channel", value: key });
  const shown = withoutEmptyRows(blocks);
  const last = shown.at(-1);
  if (last?.type !== "actions" || row.type !== "actions" || last.elements.length >= limits.elements) {
    return [...shown, row];
  }
  return [...shown.slice(0, -1), { ...last, elements: [...last.elements, ...row.elements] }];
}

const notTaken = "Slack didn’t let me share this. Press *Share in channel* again.";
const unknown = "Slack didn’t say whether this was shared. If it isn’t in the channel, press *Share in channel* again.";

async function showShared(
  { text, blocks = [], fallbackBlocks }: Message,
  user: string,
  respond: Respond,
): Promise<void> {
  const by = context(`Shared by <@${user}>`);
  await sendPlainerEachTime(
    { text, blocks: [...blocks, by], ...(fallbackBlocks && { fallbackBlocks: [...fallbackBlocks, by] }) },
    (body) =>
      respond({
        response_type: "in_channel",
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
        ...body,
      }),
    // Everybody would read it twice, if it may stand already.
    isRefused,
  );
}

const refusedSchema = z.object({ statusCode: z.number().min(400).max(428) });

/** True if Slack surely did not take what was sent to a response_url. */
function isRefused(error: unknown): boolean {
  return refusedSchema.safeParse(error).success;
}
