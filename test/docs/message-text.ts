import { section, withoutEmptyRows } from "../../src/slack/text/blocks.ts";
import type { Block, Message } from "../../src/slack/text/message.ts";

/** A message as plain lines, close to what a reader sees: what can be pressed is in [brackets], small print after ·. */
export function messageText({ text, blocks, window, private: isPrivate }: Message): string {
  const lines = withoutEmptyRows(blocks ?? [section(text)]).flatMap(blockLines);
  return [
    ...(isPrivate ? ["(only you see this)"] : []),
    ...(window ? [`┌ ${window.title}`] : []),
    ...lines,
    ...(window?.form ? [`└ [Cancel] [${window.form.submit}]`] : []),
  ].join("\n");
}

/** Blocks as Slack's documentation draws them; its types do not know them all. */
interface AnyPart {
  type?: string;
  text?: AnyPart | string;
  title?: string;
  label?: AnyPart;
  hint?: AnyPart;
  placeholder?: AnyPart;
  element?: AnyPart;
  accessory?: AnyPart;
  elements?: AnyPart[];
  options?: AnyPart[];
  rows?: AnyPart[][];
  initial_value?: string;
  initial_option?: AnyPart;
  initial_options?: AnyPart[];
  optional?: boolean;
  positive_button?: AnyPart;
  negative_button?: AnyPart;
  chart?: { series?: { name: string; data: { label: string; value: number }[] }[] };
}

function blockLines(block: Block): string[] {
  const part = block as unknown as AnyPart;
  switch (part.type) {
    case "header":
      return [`# ${words(part.text)}`];
    case "section":
      return [[...linesOf(part.text), ...(part.accessory ? [elementText(part.accessory)] : [])].join("\n")];
    case "context":
      return (part.elements ?? []).map((element) => `· ${words(element)}`);
    case "actions":
    case "context_actions":
      return [(part.elements ?? []).map(elementText).join(" ")];
    case "input":
      return [fieldText(part)];
    case "table":
      return (part.rows ?? []).map((row) => row.map(words).join(" | "));
    case "data_visualization":
      return chartLines(part);
    case "divider":
      return ["---"];
    default:
      return linesOf(part.text);
  }
}

function elementText(element: AnyPart): string {
  if (element.type === "overflow") return `[⋯ ${choices(element)}]`;
  if (element.type === "feedback_buttons")
    return [element.positive_button, element.negative_button].map(button).join(" ");
  if (element.options) return `[${words(element.placeholder)} ▾ ${choices(element)}]`;
  return button(element);
}

const button = (element: AnyPart | undefined) => `[${words(element?.text)}]`;
const choices = ({ options = [] }: AnyPart) => options.map(({ text }) => words(text)).join(" · ");

function fieldText({ label, hint, element = {}, optional }: AnyPart): string {
  const { options, initial_option: chosen, initial_options: chips, placeholder } = element;
  const value = chips ? choices({ options: chips }) : element.initial_value;
  const filled = value ?? (chosen ? words(chosen.text) : placeholder ? `e.g. ${words(placeholder)}` : "");
  const offered = options ? ` ▾ ${choices({ options })}` : "";
  const about = [...(optional ? ["optional"] : []), ...(hint ? [words(hint)] : [])].join("; ");
  return `${words(label)}: [${filled}${offered}]${about && ` (${about})`}`;
}

function chartLines({ title, chart }: AnyPart): string[] {
  const series = (chart?.series ?? []).map(
    ({ name, data }) => `  ${name}: ${data.map(({ label, value }) => `${label} ${value}`).join(", ")}`,
  );
  return [`(chart) ${title}`, ...series];
}

const linesOf = (text: AnyPart["text"]) => words(text).split("\n");

/** What is shown of mrkdwn or plain text: of links their labels, of times what stands for them. */
function words(text: AnyPart | string | undefined): string {
  if (typeof text === "object") return words(text.text);
  return (text ?? "")
    .replace(/<!date\^[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/<(?:https?|mailto):[^|<>]*\|([^<>]*)>/g, "$1")
    .replace(/\]\(https?:[^)]*\)/g, "]")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
