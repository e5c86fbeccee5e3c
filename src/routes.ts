import { distance } from "fastest-levenshtein";

import { UsageError } from "./apis/errors.ts";
import { commandNamed, commands } from "./features.ts";
import { failureView } from "./features/failure.ts";
import type { Command, Services } from "./features/feature.ts";
import { typed } from "./features/help.ts";
import { splitVerb } from "./slack/arguments.ts";
import { escape, inCode, shorten } from "./slack/mrkdwn.ts";
import type { Route, Routes } from "./slack/request.ts";

const umbrella = "bellwether";

/** Every slash command that Slack has to know, with its slash. */
export const slashes: string[] = [
  ...commands.filter((command) => command.isSlash).map(({ verb }) => `/${verb}`),
  `/${umbrella}`,
];

/** What answers a line: one grammar for slash commands, mentions, direct messages and buttons. */
export function createRoutes(services: Services): Routes {
  function routeTo(command: Command, text: string): Route {
    const { verb, working } = command;
    return { name: verb, working, run: (request) => command.run({ ...request, text }, services) };
  }

  return {
    slashes,
    find(line, surface) {
      const typedLine = splitVerb(line);
      const { verb, rest } = typedLine.verb === umbrella ? splitVerb(typedLine.rest) : typedLine;
      const isAddressed = surface === "mention" || surface === "direct";
      // "Help!" and "trending?" are said to somebody, not typed as a command.
      const word = isAddressed && rest === "" ? verb.replace(/[!?.,:;…]+$/, "") : verb;
      const command = word ? commandNamed(word) : commandNamed("help");
      if (command && (!isAddressed || (command.fits?.(rest) ?? true))) return routeTo(command, rest);
      const ask = commandNamed("ask");
      if (isAddressed && ask) return routeTo(ask, line);
      throw new UsageError(unknownVerb(verb, rest));
    },
    explain: (error, last) => failureView(error, services.now(), last),
  };
}

function unknownVerb(verb: string, rest: string): string {
  const [nearest] = commands.toSorted((one, other) => distance(one.verb, verb) - distance(other.verb, verb));
  const unknown = `I know no command “${escape(shorten(verb, 40))}”.`;
  const all = "`/bellwether help` lists all commands.";
  if (!nearest || distance(nearest.verb, verb) > 2) {
    return `${unknown} To ask a question, type \`/ask ${inCode(`${verb} ${rest}`)}\`. ${all}`;
  }
  const meant = [typed({ ...nearest, usage: "" }), inCode(rest)].filter(Boolean).join(" ");
  return `${unknown} Did you mean \`${meant}\`? ${all}`;
}
