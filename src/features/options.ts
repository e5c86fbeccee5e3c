import { isDeepStrictEqual } from "node:util";

import { distance } from "fastest-levenshtein";
import { z } from "zod";

import { UsageError } from "../apis/errors.ts";
import { pickAction } from "../slack/incoming/request.ts";
import { chipsField, choiceField, pickerField, textField } from "../slack/text/blocks.ts";
import { limits } from "../slack/text/limits.ts";
import { endsIn } from "../slack/text/enclosed.ts";
import type { Block } from "../slack/text/message.ts";
import { inCode, shorten, accessibleText } from "../slack/text/mrkdwn.ts";

/**
 * The options of commands. A command declares each of its options once, in a table; how it is typed, its field in a form,
 * the schema of what is stored, its words on a card and its line of help all follow from that entry.
 *
 *     const options = { limit: numberOption({ name: "max", least: 1, most: 20, … }), … };
 *     parseOptions('oil --max 5', options)  →  { rest: "oil", values: { limit: 5 } }
 */

/** One option of a command. The key in its table is the name of the field in which its value is stored. */
export interface Option<T> {
  /** Typed as `--name`. */
  name: string;
  /** Other names for it, also typed with `--`. */
  aliases?: string[];
  /** An example of its value, for help: `7d`. A switch has none. */
  value?: string;
  /** Flags that set a value of this option: `{ full: "off" }` reads `--full` as `--compact off`. */
  flags?: Record<string, string>;
  /**
   * Words that are understood without dashes if the command allows it, with the value that they set; an empty value
   * means that the value follows: `{ eager: "eager", "quiet hours": "" }`.
   */
  bare?: Record<string, string>;
  /** The number of tokens after the name that are its value; one if this is missing. */
  takes?(following: Token[]): number;
  /** One line of help, without a full stop. */
  help: string;
  /** The option as somebody would type it. */
  example: string;
  /** Bounds of a stored value. */
  schema: z.ZodType<T>;
  /** The value of what was typed; throws a UsageError with an example if it is none. */
  read(typed: string): T;
  /** The value as it is typed behind the name; the inverse of `read`. */
  write(value: T): string;
  /** Its words on a card; undefined if the value goes without saying. */
  words?(value: T): string | undefined;
  /** Its field in a form; options without one can only be typed. */
  field?: OptionField;
}

interface OptionField {
  label: string;
  hint?: string;
  placeholder?: string;
  /** A list to choose from, as values that `read` understands; without it, a text is typed. */
  choices?: { label: string; value: string }[];
  /** The list that is filled as somebody types; of names, as many as `most` can be chosen. */
  picker?: { name: string; most?: number };
  /** The error for what can't be read, in words for somebody who looks at the field. */
  problem?: string;
  /** The choice if nothing is set. */
  initial?: string;
  /** The value that an edit reads from an emptied field; without it, that changes nothing. */
  emptied?: string;
}

export type OptionTable = Record<string, Option<unknown>>;

/** Values by the keys of the table; an option that was not set is missing. */
export type OptionValues<Table> = {
  [Key in keyof Table]?: Table[Key] extends Option<infer Value> ? Value : never;
};

/** A word, or several in quotation marks. */
export interface Token {
  /** Without its quotation marks. */
  text: string;
  isQuoted: boolean;
  /** Its position in the line; `end` is exclusive. */
  start: number;
  end: number;
}

interface ParsedOptions<Table> {
  values: OptionValues<Table>;
  /** The line without its options, otherwise as it was typed. */
  rest: string;
  /** The words of the rest. */
  tokens: Token[];
}

interface ParseSettings {
  /** The words in `bare` count. If the line may hold free text, they could be part of it. */
  allowsBare?: boolean;
  /** The usage of the command, shown for an unknown option. */
  usage?: string | undefined;
}

/** Quotation marks of all languages: phones curl them. */
const quotes = '"“”„«»';
const tokenPattern = new RegExp(`[${quotes}]|\`[^\`\\n]*\`|,|[^\\s,${quotes}]+`, "gu");

/** The words of a line; what is quoted is one of them, a comma is one, and so is `code`. Reads the line once. */
export function tokenize(line: string): Token[] {
  const { plain: ends } = endsIn(line, quotes);
  const pattern = new RegExp(tokenPattern);
  const tokens: Token[] = [];
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    const [text] = match;
    const start = match.index;
    const end = quotes.includes(text) ? ends[start + 1] : undefined;
    if (end === undefined) tokens.push({ text, isQuoted: text.startsWith("`"), start, end: pattern.lastIndex });
    else if (end >= 0) {
      pattern.lastIndex = end + 1;
      const quoted = line.slice(start + 1, end).replace(/\\(.)/gu, "$1");
      tokens.push({ text: quoted, isQuoted: true, start, end: end + 1 });
    }
  }
  return tokens;
}

/** A text in quotation marks, as `tokenize` reads it. */
export function quote(text: string): string {
  return `"${text.replace(/[“”„«»]/g, "'").replace(/[\\"]/g, "\\$&")}"`;
}

/**
 * Takes the options of a table out of a line. Throws a UsageError for an option that the table does not have, naming the
 * nearest that it has, for a value that is none, and for two different values of one option. A switch has its last value.
 */
export function parseOptions<Table extends OptionTable>(
  line: string,
  table: Table,
  { allowsBare = false, usage }: ParseSettings = {},
): ParsedOptions<Table> {
  const all = tokenize(line);
  const values: Record<string, unknown> = {};
  const tokens: Token[] = [];
  let rest = "";
  let copied = 0;
  let lineEnd = -1;
  let isQuote = false;
  for (let at = 0; at < all.length;) {
    const token = all[at];
    if (token && token.start > lineEnd) {
      // Nothing is an option in a line that quotes another message: "> run --since 7d".
      isQuote = line[line.lastIndexOf("\n", token.start - 1) + 1] === ">";
      const next = line.indexOf("\n", token.start);
      lineEnd = next < 0 ? line.length : next;
    }
    const found = isQuote ? undefined : optionAt(all, at, { line, table, allowsBare, usage });
    if (!found || !token) {
      if (token) tokens.push(token);
      at++;
      continue;
    }
    const value = found.option.read(found.value);
    if (found.option.value !== undefined && !isDeepStrictEqual(values[found.key] ?? value, value)) {
      throw new UsageError(`\`--${found.option.name}\` is here twice, with different values. Keep one of them.`);
    }
    values[found.key] = value;
    rest += line.slice(copied, token.start);
    at += found.length;
    // The space behind an option goes with it.
    copied = endOfSpace(line, all[at - 1]?.end ?? line.length);
  }
  rest = (rest + line.slice(copied)).replace(/(?<![^\S\n])[^\S\n]+$/gm, "").trim();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was read by the option under its key
  return { values: values as OptionValues<Table>, rest, tokens };
}

function endOfSpace(line: string, from: number): number {
  let end = from;
  while (/[^\S\n]/.test(line[end] ?? "")) end++;
  return end;
}

interface FoundOption {
  key: string;
  option: Option<unknown>;
  value: string;
  /** Tokens, with the name. */
  length: number;
}

interface Searched extends ParseSettings {
  line: string;
  table: OptionTable;
}

function optionAt(tokens: Token[], at: number, searched: Searched): FoundOption | undefined {
  const token = tokens[at];
  if (!token || token.isQuoted) return undefined;
  return dashedAt(tokens, at, searched) ?? (searched.allowsBare ? bareAt(tokens, at, searched) : undefined);
}

/** `--name value`, `--name=value` or `--flag`; phones turn the two dashes into a long one. */
function dashedAt(tokens: Token[], at: number, { line, table, usage }: Searched): FoundOption | undefined {
  const { text = "", end = 0 } = tokens[at] ?? {};
  const [, dash, typed = "", given] = /^(--|[—–])([a-z][a-z-]*)(?:=(.*))?$/isu.exec(text) ?? [];
  if (!dash) return undefined;
  const name = typed.toLowerCase();
  for (const [key, option] of Object.entries(table)) {
    const set = option.flags?.[name];
    if (set !== undefined && given === undefined) return { key, option, value: set, length: 1 };
    if (option.name !== name && !option.aliases?.includes(name)) continue;
    if (given) return { key, option, value: given, length: 1 };
    return valueAfter({ key, option }, tokens, at + 1, 1, { line, isOpen: given === "", end });
  }
  // A long dash before a word is a dash.
  if (dash !== "--") return undefined;
  throw unknownOption(name, table, usage);
}

function bareAt(tokens: Token[], at: number, { line, table }: Searched): FoundOption | undefined {
  const words = tokens
    .slice(at, at + 2)
    .map(({ text, isQuoted }) => (isQuoted ? "" : text.toLowerCase().replace(/:$/, "")));
  const [first = ""] = words;
  const both = words.join(" ");
  const [, name = "", given] = /^([a-z]+)=(.*)$/isu.exec(tokens[at]?.text ?? "") ?? [];
  for (const [key, option] of Object.entries(table)) {
    for (const [phrase, set] of Object.entries(option.bare ?? {})) {
      const isPair = phrase.includes(" ");
      const length = isPair ? 2 : 1;
      if (given !== undefined && name.toLowerCase() === phrase && set === "")
        return { key, option, value: given, length: 1 };
      if (phrase !== (isPair ? both : first)) continue;
      if (set !== "") return { key, option, value: set, length };
      return valueAfter({ key, option }, tokens, at + length, length, { line, isOpen: false, end: 0 });
    }
  }
  return undefined;
}

interface ValuePlace {
  line: string;
  /** The name ends with `=`, and a quoted value follows at once: `--in="a b"`. */
  isOpen: boolean;
  end: number;
}

function valueAfter(
  found: Pick<FoundOption, "key" | "option">,
  tokens: Token[],
  from: number,
  named: number,
  { line, isOpen, end }: ValuePlace,
): FoundOption {
  const following = tokens.slice(from);
  const isSwitch = found.option.value === undefined;
  if (isSwitch) return { ...found, value: "on", length: named };
  if (isOpen && following[0]?.start !== end) return { ...found, value: "", length: named };
  const isNext = following[0] !== undefined && (following[0].isQuoted || !/^--[a-z]/i.test(following[0].text));
  const taken = isNext ? (found.option.takes?.(following) ?? 1) : 0;
  const parts = following.slice(0, taken);
  const [first] = parts;
  // A list or a phrase is read as it was typed: its quotation marks say what belongs together.
  const value = found.option.takes ? line.slice(first?.start ?? 0, parts.at(-1)?.end ?? 0) : (first?.text ?? "");
  return { ...found, value, length: named + taken };
}

function unknownOption(name: string, table: OptionTable, usage: string | undefined): UsageError {
  const known = Object.values(table).flatMap((option) => [option.name, ...Object.keys(option.flags ?? {})]);
  const [near] = known.toSorted((one, other) => distance(one, name) - distance(other, name));
  const isNear = near !== undefined && distance(near, name) <= Math.max(Math.min(2, name.length / 2), name.length / 3);
  const typed = `\`--${inCode(shorten(name, 40))}\``;
  if (isNear) return new UsageError(`${typed} isn’t an option here. Did you mean \`--${near}\`?`);
  const list = known.length > 0 ? ` There’s ${known.map((each) => `\`--${each}\``).join(", ")}.` : "";
  const typing = usage ? ` Type ${usage}.` : "";
  return new UsageError(
    `${typed} isn’t an option here.${list}${typing} If it’s part of the text, put it in quotation marks.`,
  );
}

/** The longest query that is still one; what is longer was pasted by mistake, and would cost credits. */
const longestQuery = 500;

interface TypingHint {
  usage: string;
  example: string;
}

/** The query in what was typed behind a command without options; throws a UsageError if it is empty or too long. */
export function queryOf(text: string, hint: TypingHint): string {
  const query = queryWords(text, hint);
  if (!query) {
    throw new UsageError(`What are you looking for? Type \`${hint.usage}\`, for example \`${hint.example}\`.`);
  }
  if (query.length > longestQuery) {
    throw new UsageError(
      `That’s ${query.length.toLocaleString("en")} characters long, and ${longestQuery} fit. Name the company, person or topic in a few words: \`${hint.example}\`.`,
    );
  }
  return query;
}

/** The words behind a command without options, which may be none, without their quotation marks; refuses options. */
export function queryWords(text: string, { usage, example }: TypingHint): string {
  const { rest } = parseOptions(text, {}, { usage: `\`${usage}\`, for example \`${example}\`` });
  return rest.replace(quoted, "$1").replace(/\s+/g, " ").trim();
}

const quoted = new RegExp(`[${quotes}]([^${quotes}]*)[${quotes}]`, "gu");

/** Values as somebody would type them: `--max 5 --compact`. */
export function writeOptions<Table extends OptionTable>(table: Table, values: OptionValues<Table>): string {
  return entriesOf(table, values)
    .map(({ option, value }) => {
      const typed = option.write(value);
      if (option.value === undefined) {
        const flag = Object.entries(option.flags ?? {}).find(([, set]) => set === typed)?.[0];
        return `--${typed === "on" ? option.name : (flag ?? option.name)}`;
      }
      return `--${option.name} ${option.takes || /^[^\s",]+$/.test(typed) ? typed : quote(typed)}`;
    })
    .join(" ");
}

/** Values in the words of a card, in the order of the table. */
export function wordsOfOptions<Table extends OptionTable>(table: Table, values: OptionValues<Table>): string[] {
  return entriesOf(table, values).flatMap(({ option, value }) => option.words?.(value) ?? []);
}

/**
 * The stored form of the values, of which each may be missing; an option that no longer exists is left out.
 */
export function storedOptions<Table extends OptionTable>(table: Table): z.ZodType<OptionValues<Table>> {
  const shape = Object.fromEntries(Object.entries(table).map(([key, { schema }]) => [key, schema.optional()]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape has the table's keys and the schemas of its values
  return z.object(shape) as unknown as z.ZodType<OptionValues<Table>>;
}

/** The fields of a form for the options that have one, filled in with values. */
export function optionFields<Table extends OptionTable>(table: Table, values: OptionValues<Table>): Block[] {
  const set = new Map(entriesOf(table, values).map(({ key, option, value }) => [key, option.write(value)]));
  const given: Record<string, unknown> = values;
  return Object.entries(table).flatMap(([name, { field, value }]) => {
    if (!field) return [];
    const { label, hint, placeholder, choices, initial, picker } = field;
    const chosen = set.get(name) ?? initial;
    const shared = { name, label, ...(hint && { hint }) };
    if (choices) {
      const isListed = chosen === undefined || choices.some((choice) => choice.value === chosen);
      const offered = isListed ? choices : [...choices, { label: chosen, value: chosen }];
      return [choiceField({ ...shared, choices: offered, chosen })];
    }
    const shown = placeholder ?? value;
    const list = picker && { action: `${pickAction}:${picker.name}`, placeholder: shown ?? "Type to search" };
    if (list && picker.most === undefined) {
      const initialChoice = chosen === undefined ? undefined : { label: chosen, value: chosen };
      return [pickerField({ ...shared, ...list, isOptional: true, chosen: initialChoice })];
    }
    const names = z.array(z.string()).safeParse(given[name] ?? []).data ?? [];
    // A longer name fits into no list, and must not be lost.
    if (list && names.every((each) => quote(each).length <= limits.option)) {
      const chips = names.map((each) => ({ label: each, value: quote(each) }));
      return [chipsField({ ...shared, ...list, isOptional: true, most: picker.most ?? 1, chosen: chips })];
    }
    return [
      textField({
        ...shared,
        isOptional: true,
        ...(shown && { placeholder: shown }),
        ...(chosen && { value: chosen }),
      }),
    ];
  });
}

/**
 * The values of a form; with `errors`, by the name of the field, if some can't be read.
 * A choice that is the initial one is left out, unless `keepsInitial`: an edit has to take back what was set before.
 */
export function readFields<Table extends OptionTable>(
  table: Table,
  fields: Record<string, string>,
  { keepsInitial = false } = {},
): { values: OptionValues<Table>; errors?: Record<string, string> } {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const [key, option] of Object.entries(table)) {
    const typed = fields[key]?.trim() || (keepsInitial ? option.field?.emptied : undefined);
    if (!option.field || !typed || (typed === option.field.initial && !keepsInitial)) continue;
    try {
      values[key] = option.read(typed);
    } catch (error) {
      errors[key] = option.field.problem ?? fieldError(error);
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was read by the option under its key
  const read = values as OptionValues<Table>;
  return { values: read, ...(Object.keys(errors).length > 0 && { errors }) };
}

/** A sentence that says what to type: of no use to whoever looks at a window. */
const saysCommand = /`(?:[^`]*--|\/(?!invite)|(?:alerts|digests|watchlists) )/;

/** An error at a field of a form: as plain text, which cannot link to a channel, and without commands. */
export function fieldError(error: unknown): string {
  if (!(error instanceof UsageError)) throw error;
  const sentences = error.message.split(/(?<=[.?!])\s/);
  const said = sentences.filter((each) => !saysCommand.test(each));
  const message = (said.length > 0 ? said : sentences).join(" ");
  return shorten(accessibleText(message.replace(/<#[^>]*>/g, "that channel").replaceAll("`", "")), 500);
}

/** Every option of a table for help, in its order. */
export function helpOfOptions(table: OptionTable) {
  return Object.values(table).map(({ name, value, flags, help, example }) => {
    const others = Object.keys(flags ?? {}).map((flag) => ` | --${flag}`);
    return { name, typed: `--${name}${value ? ` ${value}` : ""}${others.join("")}`, help, example };
  });
}

function entriesOf<Table extends OptionTable>(table: Table, values: OptionValues<Table>) {
  const set: Record<string, unknown> = values;
  return Object.entries(table).flatMap(([key, option]) => {
    const value = set[key];
    return value === undefined ? [] : [{ key, option, value }];
  });
}

type Described<T> = Pick<Option<T>, "name" | "aliases" | "help" | "example" | "words" | "field" | "bare" | "takes">;

/** On or off: `--thread`, and `--no-thread` or another flag that takes it back. */
export function switchOption({ off, ...option }: Described<boolean> & { off?: string }): Option<boolean> {
  const words: Record<string, boolean> = { on: true, yes: true, off: false, no: false };
  return {
    ...option,
    flags: { [off ?? `no-${option.name}`]: "off" },
    schema: z.boolean(),
    read(typed) {
      const value = words[typed.toLowerCase()];
      if (value === undefined) throw new UsageError(`\`--${option.name}\` is on or off. Type \`${option.example}\`.`);
      return value;
    },
    write: (value) => (value ? "on" : "off"),
  };
}

/** A number within bounds. */
export function numberOption({
  least,
  most,
  isWhole = false,
  ...option
}: Described<number> & { least: number; most: number; isWhole?: boolean; value?: string }): Option<number> {
  const kindOfNumber = isWhole ? "a whole number" : "a number";
  const problem = `Type ${kindOfNumber} from ${least} to ${most.toLocaleString("en")}, or leave it empty.`;
  return {
    value: isWhole ? "N" : "NUMBER",
    ...option,
    ...(option.field && { field: { problem, ...option.field } }),
    schema: (isWhole ? z.int() : z.number()).min(least).max(most),
    read(typed) {
      const number = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
      if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return number;
      const given = typed ? `, not “${inCode(shorten(typed, 40))}”` : "";
      throw new UsageError(
        `\`--${option.name}\` takes ${kindOfNumber} from ${least} to ${most.toLocaleString("en")}${given}. For example \`${option.example}\`.`,
      );
    },
    write: String,
  };
}

/** One of some words. */
export function choiceOption<const Word extends string>({
  choices,
  ...option
}: Described<Word> & { choices: readonly Word[]; value?: string }): Option<Word> {
  return {
    value: choices.join("|"),
    ...option,
    schema: z.enum(choices),
    read(typed) {
      const choice = choices.find((each) => each === typed.toLowerCase());
      if (choice !== undefined) return choice;
      const list = choices.map((each) => `\`${each}\``).join(", ");
      throw new UsageError(`“${inCode(shorten(typed, 40))}” isn’t one of ${list}. For example \`${option.example}\`.`);
    },
    write: String,
  };
}

/** Names with commas between them; `none` takes back those that were set before. */
export function namesOption({
  most,
  longest,
  ...option
}: Described<string[]> & { most: number; longest: number; value?: string }): Option<string[]> {
  const wrong = (problem: string) =>
    new UsageError(`${problem} For example \`${option.example}\`, or \`--${option.name} none\`.`);
  return {
    value: '"NAME","NAME"',
    ...option,
    takes: namesTaken,
    schema: z.array(z.string().trim().min(1).max(longest)).max(most),
    read(typed) {
      if (/^(none|nobody|nothing)$/i.test(typed.trim())) return [];
      const names = [...new Set(parseNames(typed))];
      if (names.length === 0) throw wrong("Which names?");
      if (names.length > most) throw wrong(`At most ${most} names fit here.`);
      const long = names.find((name) => name.length > longest);
      if (long) throw wrong(`“${inCode(shorten(long, 40))}” is too long for a name; put commas between names.`);
      return names;
    },
    write: (names) => (names.length === 0 ? "none" : names.map(quote).join(",")),
  };
}

/** The tokens of a list: names and the commas between them. Names of several words need quotation marks. */
export function namesTaken(following: Token[]): number {
  let taken = following[0]?.text === "," ? 0 : 1;
  while (taken > 0 && following[taken]?.text === "," && following[taken + 1] && !following[taken]?.isQuoted) taken += 2;
  return taken;
}

function parseNames(typed: string): string[] {
  if (!/["“”„«»]/.test(typed))
    return typed
      .split(/[,;\n]/)
      .map((name) => name.trim())
      .filter(Boolean);
  return tokenize(typed)
    .filter(({ text, isQuoted }) => isQuoted || text !== ",")
    .map(({ text }) => text.trim())
    .filter(Boolean);
}

/** The error for an unknown subcommand, with the nearest one. */
export function unknownSubcommand(
  act: string,
  { noun, verbs, usage }: { noun: string; verbs: string[]; usage: string },
) {
  const [near = ""] = verbs.toSorted((one, other) => distance(one, act) - distance(other, act));
  const all = `\`/${noun}s\` takes ${verbs.map((verb) => `\`${verb}\``).join(", ")}.`;
  if (distance(near, act) <= 2) return new UsageError(`Did you mean \`/${noun}s ${near}\`? ${all}`);
  return new UsageError(`${all} To add one, type ${usage}.`);
}

/** Splits off the first word, the subcommand. */
export function readSubcommand(text: string): { act: string; rest: string } {
  const [, act = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  return { act: act.toLowerCase(), rest };
}
