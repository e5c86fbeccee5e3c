import { context, header, section } from "../slack/blocks.ts";
import type { Message } from "../slack/message.ts";
import type { Command, Feature } from "./feature.ts";

/** How a command is typed in full: `/news QUERY`, `/bellwether status`. */
export function typed({ verb, usage, isSlash }: Pick<Command, "verb" | "usage" | "isSlash">): string {
  return [isSlash ? `/${verb}` : `/bellwether ${verb}`, usage].filter(Boolean).join(" ");
}

/** Everything the bot does on one screen, or one command in detail. */
export function helpView(features: Feature[], verb?: string): Message {
  const commands = features.flatMap((feature) => feature.commands);
  const one = commands.find((command) => command.verb === verb);
  return one ? commandHelp(one) : overview(commands);
}

function overview(commands: Command[]): Message {
  const lines = commands.map((command) => `\`${typed(command)}\`\n${command.summary}`);
  const anywhere =
    "The same words work after a mention and in a direct message: `@Bellwether news oil`. Anything else you say to me is a question.";
  return {
    text: ["What I can do", ...commands.map((command) => `${typed(command)}: ${command.summary}`), anywhere].join("\n"),
    blocks: [header("What I can do"), section(lines.join("\n")), context(anywhere)],
  };
}

function commandHelp(command: Command): Message {
  const examples = command.examples
    .map((example) => `\`${command.isSlash ? "/" : "/bellwether "}${example}\``)
    .join("\n");
  const text = `*${typed(command)}*\n${command.summary}`;
  return { text: `${text}\nFor example:\n${examples}`, blocks: [section(text), section(`For example\n${examples}`)] };
}
