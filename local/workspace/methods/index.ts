import type { Method } from "../desk.ts";
import { assistantMethods } from "./assistant.ts";
import { chatMethods } from "./chat.ts";
import { conversationMethods } from "./conversations.ts";
import { streamMethods } from "./streams.ts";
import { userMethods } from "./users.ts";
import { validateMethods } from "./validate.ts";
import { viewMethods } from "./views.ts";

/** Every Web API method this workspace knows. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...assistantMethods,
    ...chatMethods,
    ...conversationMethods,
    ...streamMethods,
    ...userMethods,
    ...validateMethods,
    ...viewMethods,
  }),
);
