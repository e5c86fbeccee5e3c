import { z } from "zod";

import type { Form, Shortcut } from "../feature.ts";
import { quoteWindow } from "./view.ts";

const usualQuestion = "What is behind this? Find the news about it.";

/** Channel, thread and words of a message. */
const messageSchema = z.tuple([z.string(), z.string(), z.string()]);

/** A question about the articles of a list. */
export const aboutForm: Form = {
  name: "about",
  read: ({ fields, state }) => ({ line: `about ${state} ${fields["question"] ?? ""}` }),
};

/** Words for a model that was chosen. */
export const chatForm: Form = {
  name: "chat",
  read: ({ fields, state }) => ({ line: `chat ${state}: ${fields["prompt"] ?? ""}` }),
};

/** A question about a message, which is quoted below it; answered in the message's thread. */
export const quoteForm: Form = {
  name: "quote",
  read({ fields, state }) {
    const [channel, thread, text] = messageSchema.parse(JSON.parse(state));
    const quote = text ? `\n\n${text.replace(/^/gm, "> ")}` : "";
    return { line: `ask ${fields["question"] ?? usualQuestion}${quote}`, channel, thread };
  },
};

/** In the menu of every message. */
export const askAboutMessage: Shortcut = {
  name: "ask_about_message",
  title: "Ask Bellwether",
  summary: "Ask a question about this message; the answer comes in its thread",
  open: (quoted) => quoteWindow(quoted, usualQuestion),
};
