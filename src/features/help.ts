import { buttons, context, header, section } from "../slack/blocks.ts";
import type { Message } from "../slack/message.ts";
import { turnAction } from "../slack/request.ts";
import type { Command } from "./feature.ts";

/** How a command is typed in full: `/news QUERY`, `/bellwether status`. */
export function typed({ verb, usage, isSlash }: Pick<Command, "verb" | "usage" | "isSlash">): string {
  return [isSlash ? `/${verb}` : `/bellwether ${verb}`, usage].filter(Boolean).join(" ");
}

/** What follows `help` for the commands that follow `/bellwether`. */
export const more = "more";

/** What the bot does, in two screens: the slash commands, then the others; or one command in detail. */
export function helpView(commands: Command[], verb?: string): Message {
  const one = commands.find((command) => command.verb === verb);
  if (one) return commandHelp(one);
  const isMore = verb === more;
  return overview(
    commands.filter(({ isSlash }) => isSlash !== isMore),
    isMore,
  );
}

function overview(commands: Command[], isMore: boolean): Message {
  const title = isMore ? "More that I can do" : "What I can do";
  const lines = commands.map((command) => `\`${inShort(command)}\`\n${command.summary}`);
  const anywhere =
    "The same words work after a mention and in a direct message: `@Bellwether news oil`. Anything else you say to me is a question. `/bellwether help news` explains one command.";
  const other = isMore
    ? { action: `${turnAction}:back`, label: "Back", value: "help" }
    : { action: `${turnAction}:more`, label: "More commands", value: `help ${more}` };
  return {
    text: [title, ...commands.map((command) => `${inShort(command)}: ${command.summary}`), anywhere].join("\n"),
    blocks: [header(title), section(lines.join("\n")), context(anywhere), buttons(other)],
  };
}

/** What does not fit into a line of a phone is left to the help of the one command. */
function inShort(command: Command): string {
  const whole = typed(command);
  return whole.length <= lineLength ? whole : `${typed({ ...command, usage: "" })} …`;
}

const lineLength = 34;

function commandHelp(command: Command): Message {
  const examples = command.examples
    .map((example) => `\`${command.isSlash ? "/" : "/bellwether "}${example}\``)
    .join("\n");
  const text = `*${typed(command)}*\n${command.summary}`;
  return { text: `${text}\nFor example:\n${examples}`, blocks: [section(text), section(`For example\n${examples}`)] };
}
