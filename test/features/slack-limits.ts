import type { types } from "@slack/bolt";

import { type Block, type Message } from "../../src/slack/text/message.ts";
import { pages } from "../../src/slack/text/pages.ts";

// Written from Slack's reference, not from the bot's own table of limits, so that a wrong number there is found.

/** What Slack would refuse of a message, or show otherwise than it is meant; one line each. */
export function problemsOf(message: Message): string[] {
  const shown = pages(message);
  return shown.flatMap((page) => [
    ...textProblems("text", page.text, 4_000),
    ...(shown.length === 1 ? mrkdwnProblems("text", page.text) : pings(page.text)),
    ...(page.blocks ?? []).flatMap(blockProblems),
    ...wholeProblems(page.blocks ?? []),
  ]);
}

/** The same, of a message of a subscription: the channel that it goes to is linked on purpose. */
export function slackRefuses(message: Message): string[] {
  return problemsOf(message).filter((problem) => !problem.endsWith(" with <#C1>"));
}

function wholeProblems(blocks: Block[]): string[] {
  const markdown = blocks.map((block) => (block.type === "markdown" ? block.text.length : 0));
  const all = JSON.stringify(blocks).length;
  return [
    ...(blocks.length > 50 ? [`${blocks.length} blocks`] : []),
    ...(markdown.reduce((sum, length) => sum + length, 0) > 12_000 ? ["too much Markdown"] : []),
    ...(all > 13_000 ? [`blocks of ${all} characters`] : []),
  ];
}

function blockProblems(block: Block): string[] {
  const figure = figureProblems(block);
  if (figure) return figure;
  switch (block.type) {
    case "header":
      return [...textProblems("header", block.text.text, 150), ...unruly("header", block.text.text)];
    case "section": {
      const text = block.text?.text ?? "";
      const { accessory } = block;
      return [
        ...textProblems("section", text, 3_000),
        ...mrkdwnProblems("section", text),
        ...(accessory?.type === "overflow" ? overflowProblems(accessory) : []),
      ];
    }
    case "context":
      return [
        ...(block.elements.length === 0 || block.elements.length > 10 ? ["context without or with many elements"] : []),
        ...block.elements.flatMap((element) => {
          const text = "text" in element ? element.text : "";
          return [...textProblems("context", text, 3_000), ...mrkdwnProblems("context", text)];
        }),
      ];
    case "markdown":
      return [...textProblems("markdown", block.text, 12_000), ...unruly("markdown", block.text), ...pings(block.text)];
    case "actions":
      return actionsProblems(block);
    case "context_actions":
      return judgementProblems(block);
    default:
      return [`a block of the type ${block.type}, which nobody expects`];
  }
}

/** Of charts and tables; nothing where a block is neither. Slack's types do not know charts yet. */
function figureProblems(block: Block): string[] | undefined {
  const { type, title = "", chart } = block as unknown as Figure;
  if (type === "data_visualization") {
    const { series = [], axis_config: { categories = [] } = {} } = chart ?? {};
    const labels = [...categories, ...series.flatMap(({ name, data }) => [name, ...data.map(({ label }) => label)])];
    const isWhole = series.every(({ data }) => data.length === categories.length);
    return [
      ...textProblems("chart title", title, 50),
      ...(categories.length === 0 || categories.length > 20 ? [`chart of ${categories.length} categories`] : []),
      ...(new Set(categories).size < categories.length ? ["two categories with the same label"] : []),
      ...(series.length === 0 || series.length > 6 || !isWhole ? ["chart with strange series"] : []),
      ...unruly("chart title", title),
      ...labels.flatMap((label) => [...textProblems("chart label", label, 20), ...unruly("chart label", label)]),
    ];
  }
  if (block.type !== "table") return undefined;
  const rows = block.rows.map((row) => row.map((cell) => ("text" in cell ? cell.text : "")));
  return [
    ...(rows.length === 0 || rows.length > 100 ? [`table of ${rows.length} rows`] : []),
    ...(rows.flat().join("").length > 10_000 ? ["a table of many characters"] : []),
    ...rows.flat().flatMap((cell) => [...textProblems("cell", cell, 10_000), ...unruly("cell", cell)]),
  ];
}

interface Figure {
  type: string;
  title?: string;
  chart?: {
    series?: { name: string; data: { label: string }[] }[];
    axis_config?: { categories?: string[] };
  };
}

function actionsProblems({ elements }: Extract<Block, { type: "actions" }>): string[] {
  const ids = elements.map(({ action_id: id }) => id);
  return [
    ...(elements.length === 0 || elements.length > 25 ? ["actions without or with many elements"] : []),
    ...(new Set(ids).size < ids.length ? ["two buttons with the same action"] : []),
    ...elements.flatMap((element) => {
      if (element.type === "static_select") return menuProblems(element);
      if (element.type === "overflow") return overflowProblems(element);
      if (element.type !== "button") return [`an element of the type ${element.type}, which nobody expects`];
      const { text, value = "", action_id: id = "" } = element;
      return [
        ...textProblems("label", text.text, 75),
        ...unruly("label", text.text),
        ...textProblems("value", value, 2_000),
        ...textProblems("action", id, 255),
      ];
    }),
  ];
}

function judgementProblems({ elements }: Extract<Block, { type: "context_actions" }>): string[] {
  return [
    ...(elements.length === 0 || elements.length > 5 ? ["context actions without or with many elements"] : []),
    ...elements.flatMap((element) => {
      if (element.type !== "feedback_buttons") return [`an element of the type ${element.type}, which nobody expects`];
      return [element.positive_button, element.negative_button].flatMap(({ text, value }) => [
        ...textProblems("label", text.text, 75),
        ...textProblems("value", value, 2_000),
      ]);
    }),
  ];
}

function menuProblems({ options = [], placeholder, action_id: id = "" }: types.StaticSelect): string[] {
  return [
    ...textProblems("action", id, 255),
    ...textProblems("placeholder", placeholder?.text ?? "", 150),
    ...(options.length === 0 || options.length > 100 ? [`a menu of ${options.length} entries`] : []),
    ...entryProblems(options),
  ];
}

function overflowProblems({ options, action_id: id = "" }: types.Overflow): string[] {
  return [
    ...textProblems("action", id, 255),
    ...(options.length === 0 || options.length > 5 ? [`a ⋯ menu of ${options.length} entries`] : []),
    ...entryProblems(options),
  ];
}

function entryProblems(options: { text: { text: string }; value?: string }[]): string[] {
  return options.flatMap(({ text, value = "" }) => [
    ...textProblems("entry", text.text, 75),
    ...unruly("entry", text.text),
    ...textProblems("value", value, 75),
  ]);
}

function textProblems(what: string, text: string, most: number): string[] {
  if (text.trim() === "") return [`${what} is empty`];
  return text.length > most ? [`${what} of ${text.length} characters`] : [];
}

/** Control characters, and marks that turn the writing direction of what follows. */
function unruly(what: string, text: string): string[] {
  const found = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.exec(text)?.[0];
  return found ? [`${what} with U+${found.charCodeAt(0).toString(16)}`] : [];
}

function pings(text: string): string[] {
  const outsideCode = text.replace(/```[^`]*```|`[^`\n]*`/g, "");
  return /<[!@#]/.test(outsideCode) ? ["a ping in Markdown"] : [];
}

const controls = [/^<https?:\/\/[^\s<>|]+\|[^<>|\n]+>$/, /^<!date\^\d+\^[{}a-z_ ]+\|[^<>|]+>$/, /^<@U\d+>$/];

function mrkdwnProblems(what: string, text: string): string[] {
  const marks = text.match(/<[^>]*>?|[^<]*>/g) ?? [];
  const strange = marks.filter((mark) => !controls.some((control) => control.test(mark)));
  const rest = text.replace(/<[^<>]*>/g, "");
  return [
    ...strange.map((mark) => `${what} with ${mark.slice(0, 60)}`),
    ...(/[<>]/.test(rest) ? [`${what} with a lone bracket`] : []),
    ...(/&(?!amp;|lt;|gt;)/.test(text) ? [`${what} with a bare ampersand`] : []),
    ...unruly(what, text),
  ];
}

const chartLines = 12;

/** Lines that a message takes on a phone, about. */
export function heightOf({ text, blocks = [] }: Message): number {
  if (blocks.length === 0) return linesOf(text);
  return blocks.reduce((sum, block) => {
    if (block.type === "section") return sum + linesOf(block.text?.text ?? "");
    if (block.type === "context") {
      return sum + linesOf(block.elements.map((element) => ("text" in element ? element.text : "")).join(" "));
    }
    if (block.type === "header") return sum + linesOf(block.text.text);
    if (block.type === "table") return sum + 2 * block.rows.length;
    return sum + (figureProblems(block) ? chartLines : 2);
  }, 0);
}

function linesOf(words: string): number {
  const read = words.replace(/<[^|>]*\|([^>]*)>/g, "$1").replace(/&(amp|lt|gt);/g, "·");
  const shown = read.split("\n");
  return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 44)), 0);
}
