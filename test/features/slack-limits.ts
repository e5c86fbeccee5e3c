import { checkBlocks } from "../../local/workspace/blocks.ts";
import { withoutEmptyRows } from "../../src/slack/text/blocks.ts";
import type { Block, Message } from "../../src/slack/text/message.ts";
import { pages } from "../../src/slack/text/pages.ts";

// The numbers are the workspace's, from Slack's reference: a wrong one in the bot's own table of limits is found.

/** Everything in a message that Slack would refuse, or show otherwise than it is meant; one line each. */
export function problemsOf(message: Message): string[] {
  const shown = pages(message);
  return shown.flatMap(({ text, blocks = [] }) => [
    ...(text.trim() === "" ? ["text is empty"] : []),
    ...(text.length > 4_000 ? [`text of ${text.length} characters`] : []),
    ...(shown.length === 1 ? mrkdwnProblems("text", text) : pings(text)),
    ...unruly("text", text),
    ...checkBlocks(blocks, "message").map(({ pointer, message: refusal }) => `${pointer}: ${refusal}`),
    ...(JSON.stringify(blocks).length > 13_000 ? ["blocks of more than 13,000 characters"] : []),
    ...blocks.flatMap((block) => textProblems(block.type, block)),
  ]);
}

/** The same, of a message of a subscription: the channel that it goes to is linked on purpose. */
export function slackRefuses(message: Message): string[] {
  return problemsOf(message).filter((problem) => !problem.endsWith(" with <#C1>"));
}

/** The parts of a block that people read; `value` and the like are not. */
const shownParts = ["text", "label", "name", "title"];

/** The problems of all texts in a block. */
function textProblems(name: string, value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { type } = value as { type?: unknown };
  return Object.entries(value).flatMap(([part, inside]: [string, unknown]) => {
    if (typeof inside !== "string") return textProblems(name, inside);
    if (!shownParts.includes(part)) return [];
    return inside.trim() === ""
      ? [`${name} is empty`]
      : [...formatProblems(name, type, inside), ...unruly(name, inside)];
  });
}

function formatProblems(name: string, type: unknown, text: string): string[] {
  if (type === "markdown") return pings(text);
  return type === "mrkdwn" ? mrkdwnProblems(name, text) : [];
}

/** Control characters, and marks that turn the writing direction of the text behind them. */
function unruly(name: string, text: string): string[] {
  const found = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.exec(text)?.[0];
  return found ? [`${name} with U+${found.charCodeAt(0).toString(16)}`] : [];
}

function pings(text: string): string[] {
  const outsideCode = text.replace(/```[^`]*```|`[^`\n]*`/g, "");
  return /<[!@#]/.test(outsideCode) ? ["a ping in Markdown"] : [];
}

const controls = [/^<https?:\/\/[^\s<>|]+\|[^<>|\n]+>$/, /^<!date\^\d+\^[{}a-z_, ]+\|[^<>|]+>$/, /^<@U\d+>$/];

function mrkdwnProblems(name: string, text: string): string[] {
  const marks = text.match(/<[^>]*>?|[^<]*>/g) ?? [];
  const strange = marks.filter((mark) => !controls.some((control) => control.test(mark)));
  const rest = text.replace(/<[^<>]*>/g, "");
  return [
    ...strange.map((mark) => `${name} with ${mark.slice(0, 60)}`),
    ...(/[<>]/.test(rest) ? [`${name} with a lone bracket`] : []),
    ...(/&(?!amp;|lt;|gt;)/.test(text) ? [`${name} with a bare ampersand`] : []),
  ];
}

const chartLines = 12;

/** Lines that a message takes on a phone, about. */
export function heightOf({ text, blocks = [] }: Message): number {
  if (blocks.length === 0) return linesOf(text);
  return withoutEmptyRows(blocks).reduce((sum, block) => sum + blockHeight(block), 0);
}

function blockHeight(block: Block): number {
  if (block.type === "section") return linesOf(block.text?.text ?? "");
  if (block.type === "context") {
    return linesOf(block.elements.map((element) => ("text" in element ? element.text : "")).join(" "));
  }
  if (block.type === "header") return linesOf(block.text.text);
  if (block.type === "table") return 2 * block.rows.length;
  // Slack's types do not know charts yet.
  return (block.type as string) === "data_visualization" ? chartLines : 2;
}

function linesOf(words: string): number {
  const read = words.replace(/<[^|>]*\|([^>]*)>/g, "$1").replace(/&(amp|lt|gt);/g, "·");
  const shown = read.split("\n");
  return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 44)), 0);
}
