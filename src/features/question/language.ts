import { UsageError } from "../../apis/errors.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { alike, foldName } from "../names.ts";

/** The languages that an answer can be asked for in: by name or code. */

/** As the question is written, whatever language its asker has in Slack. */
export const asWritten = "auto";

const inEnglish = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** "German" for `de`, `de-DE` and `de_DE`; undefined if the code is of no language. */
function nameOfCode(code: string): string | undefined {
  try {
    const [language = ""] = Intl.getCanonicalLocales(code.replaceAll("_", "-"));
    // Brazilian Portuguese and simplified Chinese are asked for as such; Austrian German is German.
    return /^(pt|zh)-/i.test(language) ? inEnglish.of(language) : inEnglish.of(language.split("-")[0] ?? "");
  } catch {
    return undefined;
  }
}

/** Every language with a code of two letters: its English name, and the names by which its speakers know it. */
let known: { name: string; folded: string[] }[] | undefined;

function knownLanguages() {
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  known ??= letters.flatMap((first) =>
    letters.flatMap((second) => {
      const code = first + second;
      const name = nameOfCode(code);
      // Old codes that now mean another one name it a second time.
      if (!name || Intl.getCanonicalLocales(code)[0] !== code) return [];
      const own = new Intl.DisplayNames(code, { type: "language" }).of(code) ?? name;
      return [{ name, folded: [foldName(name), foldName(own)] }];
    }),
  );
  return known;
}

/** The English name of a language that somebody typed, by its name or code; throws a UsageError if there is none. */
export function readLanguage(typed: string): string {
  const words = typed.trim();
  if (words === "") throw new UsageError("Which language? Type for example `--language German` or `--language de`.");
  if (/^(auto|default|any)$/i.test(words)) return asWritten;
  const wanted = foldName(words);
  const found = knownLanguages().find(({ folded }) => folded.includes(wanted))?.name;
  const byCode = /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/i.test(words) ? nameOfCode(words) : undefined;
  const name = found ?? byCode;
  if (name) return name;
  const [near] = alike(words, knownLanguages(), (each) => each.name);
  const hint = near
    ? ` Did you mean \`--language ${near.name}\`?`
    : " Type its English name or its code, such as `de`.";
  throw new UsageError(`I couldn’t find a language called “${inCode(shorten(words, 40))}”.${hint}`);
}

interface Asker {
  team: string;
  user: string;
  channel: string;
}

/**
 * The language of an answer if none was named: in private, the asker's own in Slack; in a channel, which others read
 * too, the question's. English need not be asked for.
 */
export function usualLanguage(asker: Asker, people: Pick<People, "localeKnown">): string | undefined {
  // From the bot's own page, the answer goes to a direct message, too.
  const isPrivate = asker.channel.startsWith("D") || asker.channel === asker.user;
  return isPrivate ? ownLanguage(asker, people) : undefined;
}

/** Somebody's own language in Slack; undefined if it's English or unknown. */
export function ownLanguage(
  { team, user }: Pick<Asker, "team" | "user">,
  people: Pick<People, "localeKnown">,
): string | undefined {
  const locale = people.localeKnown(team, user);
  return locale === undefined || /^en\b/i.test(locale) ? undefined : nameOfCode(locale);
}

/** The order to a model; undefined if it is to write as the question is written. */
export function languageOrder(language: string | undefined): string | undefined {
  return language === undefined || language === asWritten ? undefined : `Answer in ${language}.`;
}

/** The English name of a language if a word is one, in English or in the language itself. */
export function languageNamed(word: string): string | undefined {
  const wanted = foldName(word);
  return knownLanguages().find(({ folded }) => folded.includes(wanted))?.name;
}
