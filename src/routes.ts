import { distance } from "fastest-levenshtein";

import { UsageError } from "./apis/errors.ts";
import { type FeatureDependencies, commandNamed, commands, features } from "./features.ts";
import { failureView } from "./features/failure.ts";
import type { Command } from "./features/feature.ts";
import { typed } from "./features/help.ts";
import { parseOptions } from "./features/options.ts";
import { splitVerb } from "./slack/text/typed-text.ts";
import { escape, inCode, shorten } from "./slack/text/mrkdwn.ts";
import { type GoingOn, type Quoted, type Request, type Route, type Routes, isAside } from "./slack/incoming/request.ts";
import { smallTalkOf } from "./slack/incoming/small-talk.ts";
import { fitting, isSentence } from "./features/names.ts";

const umbrella = "bellwether";

/** Characters of a line or a field that anything reads: room for a chat of 6,000, or a question of 3,000 and its options. */
const longestTyped = 8_000;

function tooLong({ length }: string): UsageError {
  return new UsageError(
    `That’s ${length.toLocaleString("en")} characters long, and I read ${longestTyped.toLocaleString("en")} at most. Send only the part that matters: a question has room for 3,000, a search for 500.`,
  );
}

/** Every slash command that Slack has to know, with its slash. */
export const slashes: string[] = [
  ...commands.filter((command) => command.isSlash).map(({ verb }) => `/${verb}`),
  `/${umbrella}`,
];

/** What answers a line: one grammar for slash commands, mentions, direct messages and buttons. */
export function createRoutes(dependencies: FeatureDependencies): Routes {
  function routeTo(command: Command<FeatureDependencies>, text: string): Route {
    const { verb, working, isQuestion = false } = command;
    return {
      name: verb,
      line: [verb, text].filter(Boolean).join(" "),
      isQuestion,
      working,
      run({ team, channel, user, ...rest }) {
        if (command.options) parseOptions(text, command.options, { usage: `\`${typed(command)}\`` });
        const gateway = dependencies.spending.gatewayFor({ team, user });
        return command.run({ ...rest, team, channel, user, text }, { ...dependencies, gateway });
      },
    };
  }

  return {
    slashes,
    find(line, surface, goesOn) {
      if (line.length > longestTyped)
        return { name: "help", line: "help", isQuestion: false, working: "", run: () => Promise.reject(tooLong(line)) };
      const { verb, rest, command } = meantBy(line, surface, goesOn);
      if (command) return routeTo(command, rest);
      const ask = commandNamed(goesOn ? "reply" : "ask");
      // Buttons of ours hold commands, but for the one that asks again what was said to the bot.
      if ((!isAside({ surface }) || surface === "button") && ask) return routeTo(ask, line);
      throw new UsageError(unknownVerb(verb, rest));
    },
    explain: (error, last, asked) =>
      failureView(error, { now: dependencies.now(), configured: dependencies.configured }, last, asked),
    read(name, filled) {
      const long = Object.entries(filled.fields).filter(([, words]) => words.length > longestTyped);
      if (long.length > 0) {
        return { errors: Object.fromEntries(long.map(([field, words]) => [field, tooLong(words).message])) };
      }
      return formNamed(name).read(filled);
    },
    check: async (name, filled, asker) => (await formNamed(name).check?.(filled, asker, dependencies)) ?? {},
    async rebuild(name, filled, asker) {
      const form = formNamed(name);
      if (!form.rebuild) throw new Error(`no field of ${name} depends on another`);
      return form.rebuild(filled, asker, dependencies);
    },
    async offer(name, words, person) {
      const picker = features.flatMap(({ pickers = [] }) => pickers).find((each) => each.name === name);
      if (!picker) throw new Error(`no list ${name}`);
      const gateway = dependencies.spending.gatewayFor(person);
      const choices = await picker.choices({ ...dependencies, gateway }, person, words);
      return picker.isSearched ? choices : fitting(words, choices, ({ label }) => label);
    },
    shortcuts: Object.fromEntries(
      features
        .flatMap(({ shortcuts = [] }) => shortcuts)
        .map((shortcut) => [shortcut.name, (quoted: Quoted) => shortcut.open(quoted)]),
    ),
    async home(person) {
      const pages = await Promise.all(
        features.map(async (feature) => (await feature.home?.(person, dependencies)) ?? []),
      );
      return pages.flat();
    },
    async channelChanged(place, change) {
      await Promise.all(features.map(async (feature) => feature.channelChanged?.(place, change, dependencies)));
    },
  };
}

function formNamed(name: string) {
  const form = features.flatMap(({ forms = [] }) => forms).find((each) => each.name === name);
  if (!form) throw new Error(`no form ${name}`);
  return form;
}

/** The command that a line names on a surface, if it names one, and what follows the name. */
function meantBy(line: string, surface: Request["surface"], goesOn: GoingOn | undefined) {
  // Said to the bot in words: what fits no command is a question.
  const isSaid = !isAside({ surface });
  const typedLine = splitVerb(line);
  const { verb, rest } = typedLine.verb === umbrella ? splitVerb(typedLine.rest) : typedLine;
  // "Help!" and "trending?" are said to somebody, not typed as a command.
  const word = isSaid && rest === "" && goesOn !== "reply" ? verb.replace(/[!?.,:;…]+$/, "") : verb;
  const named = word || isSaid ? commandNamed(word) : commandNamed("help");
  const fits = named && (!isSaid || fitsThere(named, rest, goesOn));
  if (fits) return { verb, rest, command: named };
  const talk = isSaid ? smallTalkOf(line) : undefined;
  return talk ? { verb, rest: `${talk} ${line}`.trim(), command: commandNamed("talk") } : { verb, rest };
}

/**
 * Whether what was said to the bot is a command. Those who talk with it say “summary of both, please” as well: there, what
 * reads as a sentence is a question. Nothing that costs credits or asks a service is run where nobody called the bot.
 */
function fitsThere(command: Command, rest: string, goesOn: GoingOn | undefined): boolean {
  const { needs, isHidden, verb } = command;
  if (goesOn === "reply" && verb !== "ask" && (needs || isHidden)) return false;
  if (command.fits) return command.fits(rest);
  if (!goesOn || verb === "ask") return true;
  // In line in a direct message, "trending" alone is the command.
  return rest === "" ? goesOn === "inLine" : !isSentence(rest);
}

/** Words that begin a question, though some of them are spelt nearly like a command. */
const questions = /^(what|who|whom|whose|why|when|where|which|how|is|are|was|were|do|does|did|has|have|had|can|will)$/;

function unknownVerb(verb: string, rest: string): string {
  const possible = questions.test(verb) ? [] : commands.filter((command) => command.fits?.(rest) ?? true);
  const [nearest] = possible.toSorted((one, other) => distance(one.verb, verb) - distance(other.verb, verb));
  const unknown = `There’s no command “${escape(shorten(verb, 40))}”.`;
  const all = "`/bellwether help` lists all commands.";
  if (!nearest || distance(nearest.verb, verb) > 2) {
    return `${unknown} To ask a question, type \`/ask ${inCode(`${verb} ${rest}`)}\`. ${all}`;
  }
  const meant = [typed({ ...nearest, usage: "" }), inCode(rest)].filter(Boolean).join(" ");
  return `${unknown} Did you mean \`${meant}\`? ${all}`;
}
