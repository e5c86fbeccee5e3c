import { replaceAction } from "../slack/incoming/request.ts";
import { button, context, header, messageOf, row, section } from "../slack/text/blocks.ts";
import type { Message } from "../slack/text/message.ts";
import { escape, inCode, shorten } from "../slack/text/mrkdwn.ts";
import { plural } from "./text.ts";
import { fitting, foldName } from "./names.ts";
import { limits } from "../slack/text/limits.ts";

/** Lists that a reader turns over, or looks a name up in, and buttons below a reply. */

/** One screen of a list. */
interface ListPage<T> {
  shown: T[];
  /** The number of the first item that is shown, from one on. */
  first: number;
  /** Its number, from one on. */
  at: number;
  last: number;
}

/** One screen of a list: the nearest to a number that there is. */
export function pageOf<T>(items: readonly T[], page: number, size: number): ListPage<T> {
  const last = Math.max(1, Math.ceil(items.length / size));
  const at = Math.min(Math.max(1, Math.trunc(page)), last);
  const before = (at - 1) * size;
  return { shown: items.slice(before, before + size), first: before + 1, at, last };
}

interface PageButtons {
  at: number;
  last: number;
  /** The line that shows another page. */
  line: (page: number) => string;
  labels?: [previous: string, next: string];
}

/** Buttons to the screens beside the one that is shown, as far as there are any. */
export function pageButtons({ at, last, line, labels: [previous, next] = ["Previous", "Next"] }: PageButtons) {
  const to = (label: string, page: number) =>
    button({
      action: `${replaceAction}:${label.toLowerCase()}`,
      label,
      value: line(page),
      accessibleText: `${label}, page ${page} of ${last}`,
    });
  return [...(at > 1 ? [to(previous, at - 1)] : []), ...(at < last ? [to(next, at + 1)] : [])];
}

/** The part of a list that somebody wants to see. */
export interface ListQuery<T> {
  /** The words to be found in names; empty for all. */
  words: string;
  found: T[];
  /** From 1. */
  page: number;
  /** The length of the whole list. */
  total: number;
}

/**
 * Reads what was typed after a list's verb: `PAGE`, `NAME`, or `"NAME" PAGE` if there are more than one screen takes.
 * Found is what fits the words.
 */
export function searchList<T>(text: string, all: readonly T[], nameOf: (one: T) => string): ListQuery<T> {
  const { words, page } = parseSought(text);
  const found = fitting(words, all, nameOf);
  return { words: foldName(words) === "" ? "" : words, found, page, total: all.length };
}

function parseSought(text: string): { words: string; page: number } {
  const [, quoted, page] = /^(?:["“]([^"“”]*)["”])?\s*(-?\d+(?:\.\d+)?)?$/.exec(text.trim()) ?? [];
  if (quoted === undefined && page === undefined) return { words: text.trim(), page: 1 };
  return { words: quoted?.trim() ?? "", page: Number(page ?? 1) };
}

interface ListScreen<T> {
  title: string;
  sought: ListQuery<T>;
  /** The name of one item, as in `12 collections`. */
  noun: string;
  /** The verb of the command that lists them. */
  verb: string;
  size: number;
  /** Said if there are none at all. */
  none: string;
  /** The lines of one item, as mrkdwn. */
  line: (one: T) => string;
  /** The buttons of one item; those of the whole screen are in `row`. */
  steps?: (one: T) => Parameters<typeof row>;
  row?: (shown: T[]) => Parameters<typeof row>;
  hint?: string;
  /** A search of the news is offered for words that none of them has in its name. */
  isTopic?: boolean;
}

/** One screen of a list in which somebody may have looked a name up. */
export function listScreen<T>(list: ListScreen<T>): Message {
  const { title, sought, noun, verb, size, line, steps, row: rowFor, hint } = list;
  if (sought.found.length === 0) {
    const nothing = sought.total === 0 ? list.none : missedWords(list);
    return messageOf(section(nothing));
  }
  const { shown, at, last } = pageOf(sought.found, sought.page, size);
  const small = [soughtCount(sought, noun), last > 1 && `page ${at} of ${last}`, hint].filter(Boolean).join(" · ");
  return {
    ...messageOf(
      header(title),
      ...(steps
        ? shown.flatMap((one) => [section(line(one)), row(...steps(one))])
        : [section(shown.map(line).join("\n"))]),
      context(small),
      row(...(rowFor?.(shown) ?? [])),
      row(...pageButtons({ at, last, line: (page) => `${verb} ${pageOfSought(sought, page)}` })),
    ),
    shareable: true,
  };
}

/** `12 channels`; if some were sought, how many these are of them. */
function soughtCount({ words, found, total }: ListQuery<unknown>, noun: string): string {
  return words === "" ? plural(total, noun) : `${found.length.toLocaleString("en")} of ${plural(total, noun)}`;
}

function missedWords({
  sought,
  noun,
  verb,
  isTopic,
}: Pick<ListScreen<unknown>, "noun" | "verb" | "isTopic"> & { sought: ListQuery<unknown> }): string {
  const words = shorten(sought.words, 60);
  const article = /^[aeiou]/.test(noun) ? "an" : "a";
  const all = `\`/bellwether ${verb}\` shows all ${sought.total.toLocaleString("en")}.`;
  const search = isTopic ? ` \`/news ${inCode(words)}\` searches the news.` : "";
  return `I couldn’t find ${article} ${noun} called “${escape(words)}”. ${all}${search}`;
}

/** A page of the found items, as it is typed after the list's verb. */
function pageOfSought({ words }: Pick<ListQuery<unknown>, "words">, page: number): string {
  return words === "" ? String(page) : `"${foldName(words).slice(0, 60)}" ${page}`;
}

/** A button that takes back what has just been done by running a line; none if the line is too long for it. */
export function undoStep(line: string | undefined) {
  if (line === undefined || line.length > limits.buttonValue) return [];
  return [button({ action: `${replaceAction}:undo`, label: "Undo", value: line })];
}
