import { z } from "zod";

import type { GenerativeMessage } from "../../apis/intelligence/generate.ts";
import { stageSchema } from "../../apis/intelligence/schema.ts";
import type { Conversation } from "./conversation.ts";
import type { Frame } from "./frame/rule.ts";

/** A thread that nobody touched for so long is forgotten. */
export const conversationLifeMs = 30 * 24 * 60 * 60_000;

const message = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.looseObject({ type: z.string() }),
});
const messages = z.array(z.custom<GenerativeMessage>((value) => message.safeParse(value).success));

const frame: z.ZodType<Frame> = z.object({
  since: z
    .union([
      z.object({ count: z.number(), unit: z.enum(["h", "d", "w"]) }),
      z.object({ day: z.string(), start: z.number() }),
    ])
    .optional(),
  channel: z.object({ id: z.number(), name: z.string(), stages: z.array(stageSchema) }).optional(),
  isOnly: z.boolean().optional(),
});

const chosen = z.object({
  title: z.string(),
  count: z.number(),
  messages,
  key: z.string().optional(),
  subjects: z.array(z.string()).optional(),
});

/** A stored conversation; message contents are what the API gave and takes back, so they are kept whole. */
export const conversationSchema: z.ZodType<Conversation> = z.object({
  turns: z.array(z.object({ messages, open: z.string().optional(), heardTo: z.string().optional() })),
  standing: chosen.extend({ earlier: z.array(chosen).optional() }).optional(),
  frame: frame.optional(),
  isChat: z.boolean().optional(),
  model: z.string().optional(),
});
