import { lexer, walkTokens } from "marked";
import { isFields, stringOf } from "./page/fields.ts";
import type { WorkspaceMessage } from "./protocol.ts";

/** One notification that a message of the app would have caused. */
export interface Ping {
  channel: string;
  ts: string;
  what: string;
}

const pingPattern =
  /<!(?:channel|here|everyone)(?:\|[^<>]*)?>|<@[UW][A-Z0-9]+(?:\|[^<>]*)?>|<!subteam\^[A-Z0-9]+(?:\|[^<>]*)?>/g;
const kept = 5000;

const inMrkdwn = (text: string): string[] => text.match(pingPattern) ?? [];

/** The pings of standard Markdown outside code, even those that the parser takes for HTML tags: Slack reads them. */
function inMarkdown(text: string): string[] {
  let outside = text;
  void walkTokens(lexer(text), ({ type, raw }) => {
    if (type === "code" || type === "codespan") outside = outside.replace(raw, "");
  });
  return inMrkdwn(outside);
}

function inBlocks(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(inBlocks);
  if (!isFields(value) || value["type"] === "plain_text") return [];
  if (value["type"] === "mrkdwn") return inMrkdwn(stringOf(value["text"]));
  if (value["type"] === "markdown") return inMarkdown(stringOf(value["text"]));
  return Object.values(value).flatMap(inBlocks);
}

/** Every ping in a message, once: in `text` unless it is plain or Markdown, in mrkdwn objects and in Markdown blocks. */
export function pingsIn({ text, blocks = [], mrkdwn }: Pick<WorkspaceMessage, "text" | "blocks" | "mrkdwn">): string[] {
  const markdown = blocks.map((block) => (block.type === "markdown" ? stringOf(block["text"]) : "")).join("");
  const inText = mrkdwn === false || text === markdown ? [] : inMrkdwn(text);
  return [...new Set([...inText, ...inBlocks(blocks)])];
}

/** Notes the pings of a message that `previous` did not have; the oldest notes are dropped. */
export function notePings(log: Ping[], message: WorkspaceMessage, previous?: WorkspaceMessage): void {
  const before = new Set(previous ? pingsIn(previous) : []);
  for (const what of pingsIn(message)) {
    if (!before.has(what)) log.push({ channel: message.channel, ts: message.ts, what });
  }
  if (log.length > kept) log.splice(0, log.length - kept);
}
