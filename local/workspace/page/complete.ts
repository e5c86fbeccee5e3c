/** The composer's suggestions while someone types, and the text that it sends; pure. */

import type { CommandWord, SlashCommand } from "../protocol.ts";
import { isChannel, type PageLookup, nameOf } from "./lookup.ts";

export interface Completion {
  key: string;
  label: string;
  hint: string;
  detail: string;
  /** The text that replaces the one from `from` to the caret. */
  insert: string;
  from: number;
  /** The person whose avatar is shown. */
  user?: string;
  /** Set if nothing of it has been typed, so that the text can be sent without it. */
  isOffer?: true;
}

const maxCompletions = 20;

/** The commands and words that the app understands. */
interface Understood {
  commands: SlashCommand[];
  /** The words after a mention of the app. */
  words: CommandWord[];
}

/** The suggestions at the caret; empty if nothing there can be completed. */
export function completionsAt(before: string, lookup: PageLookup, understood: Understood): Completion[] {
  if (/^\/\S*$/.test(before)) return completeCommand(before.toLowerCase(), understood.commands);
  const words = wordsAt(before, lookup, understood);
  if (words) return completeWord(words.typed, before.length - words.typed.length, words.words);
  const match = /(?:^|[\s(])([@#])([\p{L}\p{M}\p{N}._'-]*(?: [\p{L}\p{M}\p{N}._'-]*)?)$/u.exec(before);
  if (!match) return [];
  const [, sign, query = ""] = match;
  const from = before.length - query.length - 1;
  const complete = sign === "@" ? completePerson : completeChannel;
  return complete(query.toLowerCase(), from, lookup).slice(0, maxCompletions);
}

function completeCommand(typed: string, commands: SlashCommand[]): Completion[] {
  return commands
    .filter(({ command }) => command.toLowerCase().startsWith(typed))
    .map(({ command, usage_hint, description, words = [] }) => {
      const label = { label: command, hint: words.length > 0 ? "" : readableHint(usage_hint), detail: description };
      return { key: command, ...label, insert: `${command} `, from: 0 };
    });
}

/** The words that may come first after the command or mention at the beginning of a line, and the typed part of one. */
function wordsAt(before: string, lookup: PageLookup, { commands, words }: Understood) {
  const [, sign = "", typed = ""] = /^(.+?) +(\S*)$/s.exec(before) ?? [];
  const command = commands.find((one) => one.command === sign);
  if (command) return { typed, words: command.words ?? [] };
  return sign === `@${nameOf(lookup, lookup.appUser)}` ? { typed, words } : undefined;
}

function completeWord(typed: string, from: number, words: CommandWord[]): Completion[] {
  return words
    .filter(({ word }) => word.startsWith(typed.toLowerCase()))
    .map(({ word, summary }) => {
      const offer = typed === "" ? { isOffer: true as const } : {};
      return { key: word, label: word, hint: "", detail: summary, insert: `${word} `, from, ...offer };
    });
}

function completePerson(query: string, from: number, lookup: PageLookup): Completion[] {
  const fits = (name: string) => {
    const lower = name.toLowerCase();
    return lower.startsWith(query) || lower.split(" ").some((word) => word.startsWith(query));
  };
  return lookup.users
    .filter((user) => fits(user.realName || user.name) || fits(user.name))
    .toSorted((left, right) => Number(right.id === lookup.appUser) - Number(left.id === lookup.appUser))
    .map(({ id, isBot, role }) => {
      const name = nameOf(lookup, id);
      const detail = isBot ? "App" : id === lookup.me ? "you" : role === "member" ? "" : role;
      return { key: id, label: name, hint: "", detail, insert: `@${name} `, from, user: id };
    });
}

function completeChannel(query: string, from: number, lookup: PageLookup): Completion[] {
  return lookup.conversations
    .filter((one) => isChannel(one) && !one.isArchived && one.name.startsWith(query))
    .map(({ id, name, topic }) => ({ key: id, label: `#${name}`, hint: "", detail: topic, insert: `#${name} `, from }));
}

/** A usage hint for people: `NAME | SYMBOL` becomes "NAME or SYMBOL". */
export function readableHint(hint: string): string {
  return hint.replaceAll(" | ", " or ");
}

/** The command at the beginning of the text, once its name is complete. */
export function commandOf(text: string, commands: SlashCommand[]): SlashCommand | undefined {
  const name = /^(\/\S+)(?:\s|$)/.exec(text)?.[1];
  return commands.find(({ command }) => command === name);
}

/** The text as it is sent to the workspace, which escapes it: IDs replace every `@Name` and `#channel` that exists. */
export function encode(text: string, lookup: PageLookup): string {
  const people = lookup.users.map(({ id }) => [`@${nameOf(lookup, id)}`, `<@${id}>`] as const);
  const channels = lookup.conversations
    .filter(isChannel)
    .map(({ id, name }) => [`#${name}`, `<#${id}|${name}>`] as const);
  const pairs = [...people, ...channels];
  if (pairs.length === 0) return text;
  const known = new Map(pairs.map(([shown, sent]) => [shown.toLowerCase(), sent]));
  // The names in their own spelling: lower case can turn one letter into two, which the pattern would not find.
  const names = pairs
    .map(([shown]) => shown)
    .toSorted((left, right) => right.length - left.length)
    .map((shown) => shown.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${names.join("|")})(?![\p{L}\p{M}\p{N}_-])`, "giu");
  return text.replace(pattern, (shown) => known.get(shown.toLowerCase()) ?? shown);
}
