import { z } from "zod";

import type { GenerativeMessage } from "../../apis/intelligence/generate.ts";
import type { Conversation } from "./conversation.ts";

/** A thread that nobody touched for so long is forgotten. */
export const conversationLifeMs = 30 * 24 * 60 * 60_000;

/** A stored conversation; message contents are what the API gave and takes back, so they are kept whole. */
export const conversationSchema: z.ZodType<Conversation> = z.object({
  turns: z.array(
    z.object({
      messages: z.array(
        z.custom<GenerativeMessage>(
          (value) =>
            z
              .object({ role: z.enum(["user", "assistant", "tool"]), content: z.looseObject({ type: z.string() }) })
              .safeParse(value).success,
        ),
      ),
    }),
  ),
});
