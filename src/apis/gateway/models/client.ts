import type { Ask } from "../ask.ts";
import { enveloped } from "../schema.ts";
import type { Credits } from "../schema.ts";
import { modelsSchema, replySchema } from "./schema.ts";
import type { Model, Reply } from "./schema.ts";

interface ChatRequest {
  /** The gateway's own choice where missing; see `models`. */
  model?: string | undefined;
  messages: { role: "system" | "user" | "assistant"; content: string }[];
  signal?: AbortSignal | undefined;
}

/** Language models, and conversations with them. */
export interface Models {
  /** Free. */
  models(signal?: AbortSignal): Promise<{ models: Model[]; credits: Credits }>;
  /** 1 credit; the reply comes whole. */
  chat(request: ChatRequest): Promise<Reply & { credits: Credits }>;
}

const REPLY_TIME = 120_000;

const ANSWERS = {
  models: enveloped(modelsSchema),
  reply: enveloped(replySchema),
};

/** Builds this part of the gateway's client. */
export function createModels(ask: Ask): Models {
  return {
    async models(signal) {
      const call = { operation: "models", method: "GET", path: "/api/v1/models", signal } as const;
      const { data, credits } = await ask.list({ ...call, schema: ANSWERS.models });
      return { models: data, credits };
    },
    // Never sent again: a reply is paid for each time it is written.
    async chat({ model, messages, signal }) {
      const { data, credits } = await ask.one({
        operation: "chat",
        method: "POST",
        path: "/api/v1/chat/completions",
        body: model === undefined ? { messages } : { model, messages },
        within: REPLY_TIME,
        schema: ANSWERS.reply,
        signal,
      });
      return { ...data, credits };
    },
  };
}
