import { z } from "zod";

import type { Block, Message } from "./message.ts";
import type { Shelf } from "./share.ts";

/** How long a private reply may be shared. */
export const shelfLifeMs = 24 * 60 * 60_000;

/** A stored message. */
export const shelfSchema: z.ZodType<Message> = z
  .object({
    text: z.string(),
    blocks: z.array(z.custom<Block>((value) => z.looseObject({ type: z.string() }).safeParse(value).success)),
  })
  .partial({ blocks: true })
  .transform(({ text, blocks }) => ({ text, ...(blocks && { blocks }) }));

interface Records {
  get(key: string): Promise<Message | undefined>;
  set(key: string, message: Message): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** A shelf on the store; whoever deletes a record first has taken it. */
export function createShelf(records: Records): Shelf {
  return {
    put: (key, message) => records.set(key, message),
    async take(key) {
      const message = await records.get(key);
      return message && (await records.delete(key)) ? message : undefined;
    },
  };
}
