import { distance } from "fastest-levenshtein";
import { z } from "zod";

import { UsageError } from "./apis/errors.ts";
import type { BaseContext } from "./features/base.ts";
import { failureView } from "./features/failure.ts";
import type { BoundFeature, Command } from "./features/feature.ts";
import { typed } from "./features/help.ts";
import { parseOptions } from "./features/options.ts";
import { splitVerb } from "./slack/text/typed-text.ts";
import { escape, inCode, shorten } from "./slack/text/mrkdwn.ts";
import {
  type Continuation,
  type Filled,
  type Quoted,
  type Request,
  type Route,
  type Routes,
  isNotMessage,
} from "./slack/incoming/request.ts";
import { isOtherLanguage, soundsLikeWish } from "./features/talk/any-language.ts";
import { wishIn } from "./features/talk/commands.ts";
import { lookLine } from "./features/talk/line.ts";
import { smallTalkOf } from "./slack/incoming/small-talk.ts";
import { UnknownNames, WhichName, fitting, isSentence } from "./features/names.ts";
import { findLine, findVerb, readFindLine } from "./features/sources/find-names.ts";
import { type Message, type Reply, grows } from "./slack/text/message.ts";

const umbrella = "bellwether";

/** Characters of a line that anything reads: room for a chat of 6,000, or a question of 3,000 and its options. */
const longestTyped = 8_000;

function tooLong({ length }: string): UsageError {
  return new UsageError(
    `That’s ${length.toLocaleString("en")} characters long, and I read ${longestTyped.toLocaleString("en")} at most. Send only the part that matters: a question has room for 3,000, a search for 500.`,
  );
}

/** The verb of the line that saves a window’s values; they are in it as data, so that a button can try again. */
const saveVerb = "save";
const submitted = z.object({
  form: z.string(),
  fields: z.record(z.string(), z.string()),
  state: z.string(),
});

type CommandNamed = (verb: string) => Command<void> | undefined;

/** Finds the command for a line: one grammar for slash commands, mentions, direct messages and buttons. */
export function createRoutes(
  features: BoundFeature[],
  { configured, isTest, now, directory }: Pick<BaseContext, "configured" | "now" | "directory"> & { isTest?: boolean },
): Routes {
  const commands = features.flatMap((feature) => feature.commands);
  const byVerb = new Map(commands.map((command) => [command.verb, command]));
  const forms = new Map(features.flatMap((feature) => feature.forms).map((form) => [form.name, form]));
  const pickers = new Map(features.flatMap((feature) => feature.pickers).map((picker) => [picker.name, picker]));

  // Also what only buttons run.
  const commandNamed: CommandNamed = (verb) => byVerb.get(verb.trim().replace(/^\//, "").toLowerCase());

  const isKnownName = (name: string) => directory.search(name).match !== undefined;

  function routeTo(command: Command<void>, text: string): Route {
    const { verb, working = "", isQuestion = false } = command;
    return {
      name: verb,
      line: [verb, text].filter(Boolean).join(" "),
      isQuestion,
      working,
      ...(command.isPrivate?.(text) && { isPrivate: true }),
      run(request) {
        if (command.options) parseOptions(text, command.options, { usage: `\`${typed(command)}\`` });
        return command.run({ ...request, text });
      },
    };
  }

  /** Goes on with a line once names in it were searched for. */
  function routeAfterSearch(command: Command<void>, text: string, surface: Request["surface"]): Route {
    const route = routeOf(readFindLine(text).line, surface);
    return {
      ...route,
      working: command.working ?? "",
      async run(request) {
        const bill = await command.run({ ...request, text });
        return grows(bill) ? bill : withBill(() => route.run(request), bill);
      },
    };
  }

  /** Saves what somebody filled in; a name that isn't clear has to be chosen in the window, which lists those that are known. */
  function routeToForm(text: string): Route {
    const { form, ...filled } = submitted.parse(JSON.parse(text));
    const { isPrivate, save } = needNamed(forms, form);
    return {
      name: form,
      line: `${saveVerb} ${text}`,
      isQuestion: false,
      working: "One moment…",
      ...(isPrivate && { isPrivate }),
      run: (request) => save(filled, request).catch((error: unknown) => Promise.reject(inWindow(error))),
    };
  }

  function readForm(name: string, filled: Filled): ReturnType<Routes["read"]> {
    const read = needNamed(forms, name).read(filled);
    if (!("unmet" in read)) return read;
    return { line: findLine(read.unmet, `${saveVerb} ${JSON.stringify({ form: name, ...filled })}`) };
  }

  function routeOf(line: string, surface: Request["surface"], continuation?: Continuation): Route {
    if (line.length > longestTyped)
      return { name: "help", line: "help", isQuestion: false, working: "", run: () => Promise.reject(tooLong(line)) };
    if (isNotMessage({ surface }) && line.startsWith(`${saveVerb} {`))
      return routeToForm(line.slice(saveVerb.length + 1));
    const { verb, rest, command } = matchByName(line, surface, continuation, {
      commandNamed,
      isKnownName,
      canRead: configured.gateway,
    });
    if (command?.verb === findVerb) return routeAfterSearch(command, rest, surface);
    if (command) return routeTo(command, rest);
    const ask = commandNamed(continuation ? "reply" : "ask");
    // Buttons of ours hold commands, but for the one that asks again what was said to the bot.
    if ((!isNotMessage({ surface }) || surface === "button") && ask) return routeTo(ask, line);
    throw new UsageError(unknownVerb(verb, rest, commands));
  }

  return {
    slashes: [...commands.filter((command) => command.isSlash).map(({ verb }) => `/${verb}`), `/${umbrella}`],
    find: routeOf,
    explain: (error, last, asked) =>
      failureView(error, { now: now(), configured, ...(isTest && { isTest }) }, last, asked),
    read: readForm,
    check: async (name, filled, asker) => needNamed(forms, name).check(filled, asker),
    rebuild: async (name, filled, asker) => needNamed(forms, name).rebuild(filled, asker),
    async offer(name, words, person) {
      const picker = needNamed(pickers, name);
      const choices = await picker.choices(words, person);
      return picker.isSearched ? choices : fitting(words, choices, ({ label }) => label);
    },
    shortcuts: Object.fromEntries(
      features
        .flatMap(({ shortcuts }) => shortcuts)
        .map((shortcut) => [shortcut.name, (quoted: Quoted) => shortcut.open(quoted)]),
    ),
    home: async (person) => (await Promise.all(features.map((feature) => feature.home(person)))).flat(),
    async reacted(reaction) {
      await Promise.all(features.map((feature) => feature.reacted(reaction)));
    },
    async channelChanged(place, change) {
      await Promise.all(features.map((feature) => feature.channelChanged(place, change)));
    },
  };
}

/** A reply with the cost of the search before it; what the search did not find isn’t offered to be searched for again. */
async function withBill(run: () => ReturnType<Route["run"]>, bill: Message): Promise<Reply> {
  const afterSearch = (error: unknown) => (error instanceof UnknownNames ? error.afterSearch() : error);
  try {
    const reply = await run();
    if (!grows(reply))
      return reply.window ? reply : { ...reply, blocks: [...(reply.blocks ?? []), ...(bill.blocks ?? [])] };
    return (async function* () {
      try {
        yield* reply;
      } catch (error) {
        throw afterSearch(error);
      }
    })();
  } catch (error) {
    throw afterSearch(error);
  }
}

/** The error of a window's values: no button can put another name among them. */
function inWindow(error: unknown): unknown {
  const again = "Open the window again and choose from its list.";
  if (error instanceof WhichName)
    return new UsageError(`“${escape(error.typed)}” can be ${error.names.map(escape).join(" or ")}. ${again}`);
  return error instanceof UnknownNames ? new UsageError(`${error.message} ${again}`) : error;
}

/** A form or a list of choices by its name; throws if none is called so. */
function needNamed<T>(named: ReadonlyMap<string, T>, name: string): T {
  const found = named.get(name);
  if (!found) throw new Error(`nothing is named ${name}`);
  return found;
}

interface MatchDependencies {
  commandNamed: CommandNamed;
  isKnownName: (name: string) => boolean;
  /** A language model can read what the grammar can’t. */
  canRead: boolean;
}

/** The command that a line names on a surface, if it names one, and what follows the name. */
function matchByName(
  line: string,
  surface: Request["surface"],
  continuation: Continuation | undefined,
  { commandNamed, isKnownName, canRead }: MatchDependencies,
) {
  // Said to the bot in words: anything that fits no command is a question.
  const isSaid = !isNotMessage({ surface });
  const typedLine = splitVerb(line);
  const { verb, rest } = typedLine.verb === umbrella ? splitVerb(typedLine.rest) : typedLine;
  // "Help!" and "trending?" are said to somebody, not typed as a command.
  const word = isSaid && rest === "" && continuation !== "reply" ? verb.replace(/[!?.,:;…]+$/, "") : verb;
  const named = word || isSaid ? commandNamed(word) : commandNamed("help");
  const fits = named && (!isSaid || fitsThere(named, rest, continuation));
  const isRead = isSaid && (!fits || named.group === "find") && !isOtherLanguage(line);
  const wish = isRead ? wishIn(line, isKnownName) : undefined;
  // “News on BASF every weekday at 9” is no search.
  const isScheduled = wish?.act === "digest" && wish.when !== undefined;
  if (fits && !isScheduled) return { verb, rest, command: named };
  const talk = isSaid ? smallTalkOf(line) : undefined;
  if (talk) return { verb, rest: `${talk} ${line}`.trim(), command: commandNamed("talk") };
  // A model costs a credit, so none reads what people say to each other in a thread.
  if (!wish && isSaid && canRead && continuation !== "reply" && !named && soundsLikeWish(line))
    return { verb, rest: `${continuation ? "reply" : "ask"} ${line}`, command: commandNamed("interpret") };
  if (!wish) return { verb, rest };
  const look = splitVerb(lookLine(wish) ?? "");
  return look.verb
    ? { ...look, command: commandNamed(look.verb) }
    : { verb, rest: line, command: commandNamed("wish") };
}

/**
 * Decides whether something said to the bot is a command. In a conversation people also say “summary of both, please”:
 * there, a sentence is a question. Nothing that costs credits or asks a service runs if nobody called the bot.
 */
function fitsThere(command: Command<void>, rest: string, continuation: Continuation | undefined): boolean {
  const { needs, isHidden, verb } = command;
  if (continuation === "reply" && verb !== "ask" && (needs || isHidden)) return false;
  if (command.fits) return command.fits(rest);
  if (!continuation || verb === "ask") return true;
  // In line in a direct message, "trending" alone is the command.
  return rest === "" ? continuation === "inLine" : !isSentence(rest);
}

/** Words that begin a question, though some of them are spelt nearly like a command. */
const questions = /^(what|who|whom|whose|why|when|where|which|how|is|are|was|were|do|does|did|has|have|had|can|will)$/;

function unknownVerb(verb: string, rest: string, commands: Command<void>[]): string {
  const isPossible = (command: Command<void>) => !command.isHidden && (command.fits?.(rest) ?? true);
  const possible = questions.test(verb) ? [] : commands.filter(isPossible);
  const [nearest] = possible.toSorted((one, other) => distance(one.verb, verb) - distance(other.verb, verb));
  const unknown = `There’s no command “${escape(shorten(verb, 40))}”.`;
  const all = "`/bellwether help` lists all commands.";
  if (!nearest || distance(nearest.verb, verb) > 2) {
    return `${unknown} To ask a question, type \`/ask ${inCode(`${verb} ${rest}`)}\`. ${all}`;
  }
  const meant = [typed({ ...nearest, usage: "" }), inCode(rest)].filter(Boolean).join(" ");
  return `${unknown} Did you mean \`${meant}\`? ${all}`;
}
