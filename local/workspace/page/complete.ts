/** What the composer offers while someone types, and what it sends in the end; pure. */

import type { CommandWord, SlashCommand } from "../protocol.ts";
import { isChannel, type PageLookup, nameOf } from "./lookup.ts";

export interface Completion {
  key: string;
  label: string;
  hint: string;
  detail: string;
  /** What stands in the text afterwards, from `from` to the caret. */
  insert: string;
  from: number;
  /** Whose avatar to show. */
  user?: string;
  /** Nothing of it has been typed: what stands there already can be sent as well. */
  isOffer?: true;
}

const maxCompletions = 20;

/** What the app understands. */
interface Understood {
  commands: SlashCommand[];
  /** After a mention of it. */
  words: CommandWord[];
}

/** What could be meant at the caret; empty where nothing is being completed. */
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

/** The words that may come first after the command or the mention that a line begins with, and what is typed of one. */
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

/** A usage hint as one reads it: `NAME | SYMBOL` is one or the other. */
export function readableHint(hint: string): string {
  return hint.replaceAll(" | ", " or ");
}

/** The command that the text begins with, once its name is complete. */
export function commandOf(text: string, commands: SlashCommand[]): SlashCommand | undefined {
  const name = /^(\/\S+)(?:\s|$)/.exec(text)?.[1];
  return commands.find(({ command }) => command === name);
}

/** The typed text as it goes to the workspace, which escapes it: every `@Name` and `#channel` that exists as its ID. */
export function encode(text: string, lookup: PageLookup): string {
  const people = lookup.users.map(({ id }) => [`@${nameOf(lookup, id)}`, `<@${id}>`] as const);
  const channels = lookup.conversations
    .filter(isChannel)
    .map(({ id, name }) => [`#${name}`, `<#${id}|${name}>`] as const);
  const pairs = [...people, ...channels];
  if (pairs.length === 0) return text;
  const known = new Map(pairs.map(([shown, sent]) => [shown.toLowerCase(), sent]));
  // The names as they are written: lower case can change a letter into two, which the pattern would not find again.
  const names = pairs
    .map(([shown]) => shown)
    .toSorted((left, right) => right.length - left.length)
    .map((shown) => shown.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${names.join("|")})(?![\p{L}\p{M}\p{N}_-])`, "giu");
  return text.replace(pattern, (shown) => known.get(shown.toLowerCase()) ?? shown);
}
