import type { Method } from "../desk.ts";
import { assistantMethods } from "./assistant.ts";
import { chatMethods } from "./chat.ts";
import { conversationMethods } from "./conversations.ts";
import { userMethods } from "./users.ts";
import { viewMethods } from "./views.ts";

/** Every Web API method this workspace knows. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...assistantMethods,
    ...chatMethods,
    ...conversationMethods,
    ...userMethods,
    ...viewMethods,
  }),
);
