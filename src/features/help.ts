import { buttons, context, header, section } from "../slack/text/blocks.ts";
import type { Message } from "../slack/text/message.ts";
import { spoken } from "../slack/text/mrkdwn.ts";
import { turnAction } from "../slack/incoming/request.ts";
import type { Command, Configured } from "./feature.ts";
import { helpOfOptions } from "./options.ts";

/** How a command is typed in full: `/news QUERY`, `/bellwether status`. */
export function typed({ verb, usage, isSlash }: Pick<Command, "verb" | "usage" | "isSlash">): string {
  return [isSlash ? `/${verb}` : `/bellwether ${verb}`, usage].filter(Boolean).join(" ");
}

/** What follows `help` for the commands that follow `/bellwether`. */
export const more = "more";

/** What the bot does, in two screens: the slash commands, then the others; or one command in detail. */
export function helpView(commands: Command[], configured: Configured, verb?: string): Message {
  const one = commands.find((command) => command.verb === verb);
  if (one) return commandHelp(one, configured);
  const isMore = verb === more;
  return overview(
    commands.filter(({ isSlash }) => isSlash !== isMore),
    { isMore, configured },
  );
}

function overview(commands: Command[], { isMore, configured }: { isMore: boolean; configured: Configured }): Message {
  const title = isMore ? "More that I can do" : "What I can do";
  const lines = commands.map((command) => `\`${inShort(command)}\`\n${command.summary}`);
  const anywhere =
    "The same words work after a mention and in a direct message: `@Bellwether news oil`. Anything else you say to me is a question. `/bellwether help news` explains one command.";
  const idle = commands.filter((command) => isIdle(command, configured));
  const names = idle.map((command) => `\`${typed({ ...command, usage: "" })}\``).join(", ");
  const missing = idle.length > 0 ? [`Not set up here: ${names}. ${whatIsMissing}`] : [];
  const other = isMore
    ? { action: `${turnAction}:back`, label: "Back", value: "help" }
    : { action: `${turnAction}:more`, label: "More commands", value: `help ${more}` };
  return {
    text: [
      title,
      ...commands.map((command) => `${inShort(command)}: ${command.summary}`),
      ...missing.map(spoken),
      anywhere,
    ].join("\n"),
    blocks: [
      header(title),
      section(lines.join("\n")),
      ...missing.map((words) => context(words)),
      context(anywhere),
      buttons(other),
    ],
  };
}

const whatIsMissing = "`/bellwether status` says what is missing.";

/** Whether a command cannot do anything, because none of the services that it needs is set up. */
function isIdle({ needs }: Command, configured: Configured): boolean {
  return needs !== undefined && !needs.some((api) => configured[api]);
}

/** What does not fit into a line of a phone is left to the help of the one command. */
function inShort(command: Command): string {
  const whole = typed(command);
  return whole.length <= lineLength ? whole : `${typed({ ...command, usage: "" })} …`;
}

const lineLength = 34;

function commandHelp(command: Command, configured: Configured): Message {
  const examples = command.examples
    .map((example) => `\`${command.isSlash ? "/" : "/bellwether "}${example}\``)
    .join("\n");
  const options = helpOfOptions(command.options ?? {}).map((option) => `\`${option.typed}\` ${option.help}`);
  const text = [`*${typed(command)}*`, command.summary, ...options].join("\n");
  const missing = isIdle(command, configured) ? [`It is not set up here. ${whatIsMissing}`] : [];
  return {
    text: [text, ...missing.map(spoken), "For example:", examples].join("\n"),
    blocks: [section(text), ...missing.map((words) => context(words)), section(`For example\n${examples}`)],
  };
}
