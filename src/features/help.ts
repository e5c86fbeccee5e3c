import { button, buttons, context, header, row, section } from "../slack/text/blocks.ts";
import type { Message } from "../slack/text/message.ts";
import { accessibleText } from "../slack/text/mrkdwn.ts";
import { postAction, replaceAction } from "../slack/incoming/request.ts";
import type { Command, CommandGroup, Configured } from "./feature.ts";
import { helpOfOptions } from "./options.ts";
import { plural } from "./text.ts";

/** A command as it is typed in full: `/news QUERY`, `/bellwether status`. */
export function typed({ verb, usage, isSlash }: Pick<Command, "verb" | "usage" | "isSlash">): string {
  return [isSlash ? `/${verb}` : `/bellwether ${verb}`, usage].filter(Boolean).join(" ");
}

/** The word after `help` that lists the commands behind `/bellwether`. */
export const more = "more";

/** Help in two screens, the slash commands, then the others; or one command in detail. */
export function helpView(all: Command[], configured: Configured, verb?: string, known?: string): Message {
  const commands = all.map((command) => ({ ...command, pressable: pressableOf(command, known) }));
  const one = commands.find((command) => command.verb === verb);
  if (one) return commandHelp(one, configured);
  const isMore = verb === more;
  const shown = commands.filter(({ isSlash }) => isSlash !== isMore);
  return overview(shown, isMore, configured);
}

const groups: Record<CommandGroup, string> = { find: "Find out", ask: "Ask", follow: "Follow", manage: "Manage" };

function overview(commands: PressableCommand[], isMore: boolean, configured: Configured): Message {
  const title = isMore ? "More that I can do" : "What I can do";
  const shown = Object.entries(groups).flatMap(([group, name]) => {
    const members = commands.filter((command) => command.group === group);
    return members.length > 0 ? [groupView(name, members, configured)] : [];
  });
  const missing = missingWords(commands.filter((command) => isIdle(command, configured)));
  const other = isMore
    ? { action: `${replaceAction}:back`, label: "Back", value: "help" }
    : { action: `${replaceAction}:more`, label: "More commands", value: `help ${more}` };
  const spoken = [title, ...shown.map(({ text }) => text), ...missing.map(accessibleText), accessibleText(anywhere)];
  return {
    text: spoken.join("\n"),
    blocks: [
      header(title),
      ...shown.flatMap(({ blocks }) => blocks),
      ...missing.map((words) => context(words)),
      context(anywhere),
      buttons(other),
    ],
  };
}

const anywhere =
  "In a direct message or after a mention, leave out the slash: `@Bellwether news oil`. Say what you want in plain words: “alert us when BASF spikes”, “move my digest to 8:30”. Anything else you say to me is a question. `/bellwether help news` lists a command’s options.";

function groupView(name: string, commands: PressableCommand[], configured: Configured) {
  const lines = commands.map((command) => `\`${typed({ ...command, usage: "" })}\` ${command.summary}`);
  const words = [`*${name}*`, ...lines].join("\n");
  const pressed = commands
    .filter((command) => !isIdle(command, configured))
    .flatMap((command) => command.pressable.slice(0, 1).map(exampleButton(command)));
  return { text: accessibleText(words), blocks: [section(words), row(...pressed)] };
}

/** An example about a name is about one that is known here; without one it can't be pressed. */
function pressableOf({ pressable, examples }: Command, known: string | undefined): string[] {
  return (pressable ?? examples).flatMap((line) => {
    if (!line.endsWith(" NAME")) return [line];
    return known ? [line.replace("NAME", known)] : [];
  });
}

type PressableCommand = Command & { pressable: string[] };

/** Runs an example as if it were typed. */
function exampleButton(command: Pick<Command, "isSlash" | "credits">) {
  const { credits } = command;
  const price = credits ? ` (${plural(credits, "credit")})` : "";
  return (line: string) =>
    button({ action: `${postAction}:example`, label: `${exampleWords(command, line)}${price}`, value: line });
}

function exampleWords({ isSlash }: Pick<Command, "isSlash">, line: string): string {
  return isSlash ? `/${line}` : `/bellwether ${line}`;
}

function missingWords(idle: Command[]): string[] {
  const names = idle.map((command) => `\`${typed({ ...command, usage: "" })}\``).join(", ");
  return idle.length > 0 ? [`Not set up here: ${names}. ${whatIsMissing}`] : [];
}

const whatIsMissing = "`/bellwether status` says what is missing.";

/** Tells a command that can do nothing: none of its services is set up. */
function isIdle({ needs }: Command, configured: Configured): boolean {
  return needs !== undefined && !needs.some((api) => configured[api]);
}

/** One command: what it does, each of its options with an example, and examples to press or to type. */
function commandHelp(command: PressableCommand, configured: Configured): Message {
  const { summary, examples, notes = [], options, helpOptions = options } = command;
  const isHere = !isIdle(command, configured);
  const lead = `\`${typed(command)}\`\n${summary}`;
  const listed = helpOfOptions(helpOptions ?? {}).map((option) => optionWords(command, option));
  const pressed = isHere ? command.pressable : [];
  const others = examples
    .filter((example) => !pressed.includes(example))
    .map((example) => `\`${exampleWords(command, example)}\``);
  const idle = isHere ? [] : [`It isn’t set up here. ${whatIsMissing}`];
  const example = ["*For example*", ...others].join("\n");
  const said = [lead, ...idle, ...listed, ...notes, example, ...pressed.map((line) => exampleWords(command, line))];
  return {
    text: said.map(accessibleText).join("\n"),
    blocks: [
      section(lead),
      ...idle.map((words) => context(words)),
      ...listed.map(section),
      ...notes.map((words) => context(words)),
      section(example),
      row(...pressed.map(exampleButton(command))),
    ],
  };
}

/** An option's name and what it does, and below it how it is typed. */
function optionWords(command: Command, option: ReturnType<typeof helpOfOptions>[number]): string {
  const { example } = option;
  const whole = example.startsWith(command.verb) ? exampleWords(command, example) : example;
  return `\`${option.typed}\` ${option.help}\n_For example_ \`${whole}\``;
}
