import { z } from "zod";

import type { Block, Message } from "./text/message.ts";
import type { Shelf } from "./share.ts";

/** How long a private reply may be shared. */
export const shelfLifeMs = 24 * 60 * 60_000;

const blocks = z.array(z.custom<Block>((value) => z.looseObject({ type: z.string() }).safeParse(value).success));

/** A stored message. */
export const shelfSchema: z.ZodType<Message> = z
  .object({ text: z.string(), blocks, instead: blocks })
  .partial({ blocks: true, instead: true })
  .transform((stored) => ({
    text: stored.text,
    ...(stored.blocks && { blocks: stored.blocks }),
    ...(stored.instead && { instead: stored.instead }),
  }));

interface Records {
  get(key: string): Promise<Message | undefined>;
  set(key: string, message: Message): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** A shelf on the store. One process has a store, so that what is lent is known here; after a crash nothing is. */
export function createShelf(records: Records): Shelf {
  const lent = new Set<string>();
  return {
    put: (key, message) => records.set(key, message),
    async lend(key, use) {
      if (lent.has(key)) return false;
      lent.add(key);
      try {
        const message = await records.get(key);
        if (!message) return false;
        await use(message);
        await records.delete(key);
        return true;
      } finally {
        lent.delete(key);
      }
    },
  };
}
