import { UsageError } from "../../apis/errors.ts";
import { isAside } from "../../slack/incoming/request.ts";
import type { Command, Feature, Form } from "../feature.ts";
import { type HomeDependencies, homePage } from "./page.ts";
import { promptWindow, prompts } from "./view.ts";

/** Opens a window for the words of a command; typed, the command is shorter. */
export const prompt: Command<unknown> = {
  verb: "prompt",
  usage: "ask | news",
  summary: "Opens a window for a question or a search",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: isPrompt,
  run(ask) {
    const verb = ask.text.trim();
    if (!isPrompt(verb) || !isAside(ask)) {
      throw new UsageError("Type `/ask QUESTION` to ask, or `/news QUERY` to search.");
    }
    return promptWindow(verb);
  },
};

function isPrompt(text: string): text is keyof typeof prompts {
  return Object.hasOwn(prompts, text);
}

/** The words become the line of their command. */
export const promptForm: Form = {
  name: "prompt",
  read: ({ fields, state }) => ({ line: `${isPrompt(state) ? state : "ask"} ${fields["text"] ?? ""}` }),
};

/** The bot's own page in Slack. */
export const homeFeature: Feature<HomeDependencies> = {
  name: "home",
  commands: [prompt],
  forms: [promptForm],
  home: homePage,
};
