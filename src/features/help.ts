import { button, buttons, context, header, messageOf, row, section } from "../slack/text/blocks.ts";
import type { Block, Message } from "../slack/text/message.ts";
import { escape, inCode } from "../slack/text/mrkdwn.ts";
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

/** The word after a command's name that lists all that can be typed after it. */
export const allOptions = "options";

/** The company of the sample news that examples are about; help writes one that is known instead. */
export const exampleName = "Novalith";

/** Help in two screens, the slash commands, then the others; or one command, in short or with all its options. */
export function helpView(all: Command[], configured: Configured, wanted = "", known?: string): Message {
  const commands = all.map((command) => ({
    ...command,
    pressable: pressableOf(command, known),
    examples: (command.examples ?? []).map((line) => (known ? line.replaceAll(exampleName, known) : line)),
  }));
  const [verb, part] = wanted.split(" ");
  const one = commands.find((command) => command.verb === verb);
  if (one) return part === allOptions ? optionsHelp(one) : commandHelp(one, configured);
  const isMore = verb === more;
  const shown = commands.filter(({ isSlash = false }) => isSlash !== isMore);
  return overview(shown, { isMore, configured, known });
}

/** In the order of the pillars. */
const groups: Record<CommandGroup, string> = { ask: "Ask", follow: "Follow", find: "Find out", manage: "Manage" };

interface Overview {
  isMore: boolean;
  configured: Configured;
  /** A name that is known here. */
  known: string | undefined;
}

function overview(commands: PressableCommand[], { isMore, configured, known }: Overview): Message {
  const title = isMore ? "More that I can do" : "What I can do";
  const shown = Object.entries(groups).flatMap(([group, name]) => {
    const members = commands.filter((command) => command.group === group);
    return members.length > 0 ? groupView(name, members, configured) : [];
  });
  const missing = missingWords(commands.filter((command) => isIdle(command, configured)));
  const other = isMore
    ? { action: `${replaceAction}:back`, label: "Back", value: "help" }
    : { action: `${replaceAction}:more`, label: "More commands", value: `help ${more}` };
  const anywhere = anywhereWords(known);
  return messageOf(
    header(title),
    ...shown,
    ...missing.map((words) => context(words)),
    context(anywhere),
    buttons(other),
  );
}

/** The other ways to say all this. */
function anywhereWords(known: string | undefined): string {
  const wishes = [...(known ? [`alert us when ${known} spikes`] : []), "send me what’s trending every weekday at 9"];
  const said = wishes.map((wish) => `“${escape(wish)}”`).join(" or ");
  return `Or just say it: ${said}. After a mention and in a direct message, commands need no slash. \`/bellwether help alerts\` explains one.`;
}

function groupView(name: string, commands: PressableCommand[], configured: Configured): Block[] {
  const lines = commands.map((command) =>
    [`\`${typed({ ...command, usage: "" })}\` ${command.summary}`, command.said && `“${escape(command.said)}”`]
      .filter(Boolean)
      .join(": "),
  );
  const pressed = commands
    .filter((command) => !isIdle(command, configured))
    .flatMap((command) => command.pressable.slice(0, 1).map(exampleButton(command)));
  return [section([`*${name}*`, ...lines].join("\n")), row(...pressed)];
}

/** An example about a name is about one that is known here; without one it can't be pressed. */
function pressableOf({ pressable, examples = [] }: Command, known: string | undefined): string[] {
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

const whatIsMissing = "`/bellwether status` says what’s missing.";

/** Tells a command that can do nothing: none of its services is set up. */
function isIdle({ needs }: Command, configured: Configured): boolean {
  return needs !== undefined && !needs.some((api) => configured[api]);
}

/** The groups under which a command's help lists its options, by their names; the others are for experts. */
const optionGroups: Record<string, string[]> = {
  "Where and when": ["in", "since", "until", "quiet-hours"],
  What: ["type", "include", "exclude", "in-source", "only"],
  How: ["compact", "thread", "lead", "language", "shared", "name"],
  "How sensitive": ["sensitivity", "silence", "escalate-to"],
};

/** One command on one screen of a phone: what it does, its options by what they are for, and examples to press or to type. */
function commandHelp(command: PressableCommand, configured: Configured): Message {
  const { summary, usage, examples = [], notes = [] } = command;
  const isHere = !isIdle(command, configured);
  // The actions of a command that has some are among its options; a form offers what they need.
  const lead = `\`${typed(command.subcommands ? { ...command, usage: "" } : command)}\`\n${summary}`;
  const options = helpOfOptions(command.helpOptions ?? command.options ?? {});
  const grouped = Object.entries(optionGroups).flatMap(([title, names]) => {
    const members = options.filter(({ name }) => names.includes(name));
    return members.length > 0 ? [[`*${title}*`, ...members.map(briefly)].join("\n")] : [];
  });
  const pressed = isHere ? command.pressable : [];
  const typedExamples = examples.filter((example) => !pressed.includes(example));
  const lines = typedExamples.map((example) => `\`${inCode(exampleWords(command, example))}\``);
  const example = lines.length > 0 ? [["*For example*", ...lines].join("\n")] : [];
  const idle = isHere ? [] : [`It isn’t set up here. ${whatIsMissing}`];
  const hasMore = options.length > 0 || (command.subcommands !== undefined && usage !== "");
  const all = { action: `${replaceAction}:options`, label: "All options", value: `help ${command.verb} ${allOptions}` };
  return messageOf(
    section(lead),
    ...idle.map((words) => context(words)),
    ...[...grouped, ...example].map(section),
    ...notes.map((words) => context(words)),
    row(...pressed.map(exampleButton(command)), ...(hasMore ? [button(all)] : [])),
  );
}

type OptionHelp = ReturnType<typeof helpOfOptions>[number];

/** An option with the first of its values and the first clause of its help. */
function briefly({ typed: whole, help }: OptionHelp): string {
  const [first = ""] = whole.split("|");
  const [clause = ""] = help.split(";");
  return `\`${first.trim()}\` ${clause}`;
}

/** All that can be typed after a command: its actions, and each option with all its values and an example. */
function optionsHelp(command: Command): Message {
  const { subcommands = {}, helpOptions = command.options } = command;
  const title = `All options of ${exampleWords(command, command.verb)}`;
  const actions = Object.entries(subcommands).map(([name, what]) => `\`${name}\` ${what}`);
  const options = helpOfOptions(helpOptions ?? {}).map((option) => optionWords(command, option));
  const lines = [`\`${typed(command)}\``, ...(actions.length > 0 ? [actions.join("\n")] : []), ...options];
  const back = { action: `${replaceAction}:back`, label: "Back", value: `help ${command.verb}` };
  return messageOf(header(title), ...lines.map(section), buttons(back));
}

/** An option's name and what it does, and below it how it is typed. */
function optionWords(command: Command, { typed: whole, help, example }: OptionHelp): string {
  const line = example.startsWith(command.verb) ? exampleWords(command, example) : example;
  return `\`${whole}\` ${help}\n_For example_ \`${line}\``;
}
