/** What the composer offers while someone types, and what it sends in the end; pure. */

import type { SlashCommand } from "../protocol.ts";
import { isChannel, nameOf } from "./lookup.ts";
import type { Lookup } from "./lookup.ts";

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
}

const MOST = 8;

function commandCompletions(typed: string, commands: SlashCommand[]): Completion[] {
  const query = typed.slice(1).toLowerCase();
  return commands
    .filter(({ command }) => command.slice(1).toLowerCase().startsWith(query))
    .map(({ command, usage_hint, description }) => ({
      key: command,
      label: command,
      hint: usage_hint,
      detail: description,
      insert: `${command} `,
      from: 0,
    }));
}

function fits(name: string, query: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith(query) || lower.split(" ").some((word) => word.startsWith(query));
}

function peopleCompletions(query: string, from: number, lookup: Lookup): Completion[] {
  const found = lookup.users.filter((user) => fits(user.realName || user.name, query) || fits(user.name, query));
  const appFirst = found.toSorted(
    (left, right) => Number(right.id === lookup.appUser) - Number(left.id === lookup.appUser),
  );
  return appFirst.map((user) => {
    const name = nameOf(lookup, user.id);
    const what = user.role === "member" ? "" : user.role;
    const detail = user.isBot ? "App" : user.id === lookup.me ? "you" : what;
    return { key: user.id, label: name, hint: "", detail, insert: `@${name} `, from, user: user.id };
  });
}

function channelCompletions(query: string, from: number, lookup: Lookup): Completion[] {
  return lookup.conversations
    .filter((one) => isChannel(one) && !one.isArchived && one.name.startsWith(query))
    .map(({ id, name, topic }) => ({ key: id, label: `#${name}`, hint: "", detail: topic, insert: `#${name} `, from }));
}

/** What could be meant at the caret; empty where nothing is being completed. */
export function completionsAt(before: string, lookup: Lookup, commands: SlashCommand[]): Completion[] {
  if (/^\/\S*$/.test(before)) return commandCompletions(before, commands).slice(0, MOST);
  const match = /(?:^|[\s(])([@#])([\p{L}\p{M}\p{N}._'-]*(?: [\p{L}\p{M}\p{N}._'-]*)?)$/u.exec(before);
  if (!match) return [];
  const [, sign, query = ""] = match;
  const from = before.length - query.length - 1;
  const find = sign === "@" ? peopleCompletions : channelCompletions;
  return find(query.toLowerCase(), from, lookup).slice(0, MOST);
}

/** The app's command that the text begins with, once its name is complete. */
export function commandOf(text: string, commands: SlashCommand[]): SlashCommand | undefined {
  const name = /^(\/\S+)(?:\s|$)/.exec(text)?.[1];
  return commands.find(({ command }) => command === name);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** What people type for what is sent, in pairs. */
function references(lookup: Lookup): [shown: string, sent: string][] {
  const people = lookup.users.map(({ id }): [string, string] => [`@${nameOf(lookup, id)}`, `<@${id}>`]);
  const channels = lookup.conversations
    .filter(isChannel)
    .map(({ id, name }): [string, string] => [`#${name}`, `<#${id}|${name}>`]);
  return [...people, ...channels];
}

/** The typed text as it goes to the workspace, which escapes it: every `@Name` and `#channel` that exists as its ID. */
export function encode(text: string, lookup: Lookup): string {
  const pairs = references(lookup);
  if (pairs.length === 0) return text;
  const known = new Map(pairs.map(([shown, sent]) => [shown.toLowerCase(), sent]));
  // The names as they are written: lower case can change a letter into two, which the pattern would not find again.
  const names = pairs
    .map(([shown]) => shown)
    .toSorted((left, right) => right.length - left.length)
    .map(literal);
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${names.join("|")})(?![\p{L}\p{M}\p{N}_-])`, "giu");
  return text.replace(pattern, (shown) => known.get(shown.toLowerCase()) ?? shown);
}
