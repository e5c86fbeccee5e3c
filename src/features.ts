import { UsageError } from "./apis/errors.ts";
import { accountFeature } from "./features/account/index.ts";
import { chatFeature } from "./features/chat/index.ts";
import { entitiesFeature } from "./features/entities/index.ts";
import type { Command, Feature } from "./features/feature.ts";
import { helpView } from "./features/help.ts";
import { newsFeature } from "./features/news/index.ts";
import { summariesFeature } from "./features/summaries/index.ts";

const help: Command = {
  verb: "help",
  usage: "[COMMAND]",
  summary: "This overview, or one command in detail",
  examples: ["help", "help news"],
  isSlash: false,
  working: "",
  fits: (text) => text === "" || commandNamed(text) !== undefined,
  run({ text }) {
    const verb = text.trim().replace(/^\//, "").toLowerCase();
    if (verb && !commandNamed(verb)) {
      throw new UsageError("I know no such command. Type `/bellwether help` to see them all.");
    }
    return helpView(features, verb);
  },
};

/** Everything the bot does, in the order of help. */
export const features: Feature[] = [
  newsFeature,
  entitiesFeature,
  summariesFeature,
  chatFeature,
  accountFeature,
  { name: "help", commands: [help] },
];

/** Every command of every feature, in the order of help. */
export const commands: Command[] = features.flatMap((feature) => feature.commands);

/** The command that a verb names. */
export function commandNamed(verb: string): Command | undefined {
  const name = verb.trim().replace(/^\//, "").toLowerCase();
  return commands.find((command) => command.verb === name);
}
