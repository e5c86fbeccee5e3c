import type { Feature } from "../feature.ts";
import { about, ask, stand } from "./commands.ts";
import { chat, models } from "./completions.ts";
import { feedback } from "./feedback/commands.ts";
import { aboutForm, askAboutMessage, chatForm, quoteForm } from "./forms.ts";
import { reply } from "./reply.ts";

/** Questions that are answered as the model writes, in threads that are conversations. */
export const chatFeature: Feature = {
  name: "chat",
  commands: [ask, reply, chat, models, about, stand, feedback],
  forms: [aboutForm, chatForm, quoteForm],
  shortcuts: [askAboutMessage],
};
