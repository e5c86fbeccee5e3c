import { listArg, textArg } from "../args.ts";
import { checkBlocks, type Surface } from "../blocks.ts";
import type { Desk } from "../desk.ts";
import { type Fields, listOf, textOf } from "../fields.ts";
import { MESSAGE } from "../limits.ts";
import type { Block } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { identified } from "../identified.ts";

/** What a message says, checked against Slack's limits. */
export interface Content {
  text: string;
  blocks?: Block[];
  mrkdwn?: boolean;
}

/** Refuses blocks that Slack would refuse; says all that is wrong with them. */
export function needGoodBlocks(blocks: unknown[], surface: Surface): void {
  const problems = checkBlocks(blocks, surface);
  if (problems.length === 0) return;
  const messages = problems.map((one) => `[ERROR] ${one.message} [json-pointer:${one.pointer}]`);
  throw new Refusal("invalid_blocks", { errors: messages, response_metadata: { messages } });
}

/** Every character a reader would see in the blocks. */
function visibleLength(value: unknown, key = ""): number {
  if (typeof value === "string") return key === "text" || key === "alt_text" || key === "title" ? value.length : 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + visibleLength(one, key), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, one]) => sum + visibleLength(one, name), 0);
}

function markdownContent(markdown: string, args: Fields, desk: Desk): Content {
  if (textArg(args, "text") !== undefined || listOf(args["blocks"]).length > 0) {
    throw new Refusal("markdown_text_conflict");
  }
  if (markdown.length > MESSAGE.markdown) throw new Refusal("msg_too_long");
  return { text: markdown, blocks: identified([{ type: "markdown", text: markdown }], desk.ids) };
}

/** Words for a notification where the app gave blocks and no text. */
function fallbackText(blocks: Block[]): string {
  const texts: string[] = [];
  function collect(value: unknown): void {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        if (name === "text" && typeof one === "string") texts.push(one);
        else collect(one);
      }
    }
  }
  collect(blocks);
  return texts.join(" ").slice(0, MESSAGE.text);
}

/** Reads text, blocks or markdown_text of a call; `longest` is what the method takes in `text`. */
export function readContent(desk: Desk, args: Fields, longest: number): Content {
  const markdown = textArg(args, "markdown_text");
  if (markdown !== undefined) return markdownContent(markdown, args, desk);
  const text = textOf(args["text"]);
  const blocks = listArg(args, "blocks", "invalid_blocks_format") ?? [];
  if (text.trim() === "" && blocks.length === 0 && listOf(args["attachments"]).length === 0) {
    throw new Refusal("no_text");
  }
  if (text.length > longest) throw new Refusal("msg_too_long");
  const plain = args["mrkdwn"] === false || args["mrkdwn"] === "false" ? { mrkdwn: false } : {};
  if (blocks.length === 0) return { text: text.slice(0, MESSAGE.text), ...plain };
  needGoodBlocks(blocks, "message");
  if (visibleLength(blocks) > MESSAGE.allBlocks) throw new Refusal("msg_blocks_too_long");
  const named = identified(blocks, desk.ids);
  return { text: text === "" ? fallbackText(named) : text.slice(0, MESSAGE.text), blocks: named, ...plain };
}
