import { lexer, walkTokens } from "marked";
import { type Fields, isFields, textOf } from "./fields.ts";
import type { WorkspaceMessage } from "./protocol.ts";

/** One notification that a message of the app would have caused. */
export interface Ping {
  channel: string;
  ts: string;
  what: string;
}

/** Every ping since the start, the oldest forgotten first. */
export type PingLog = Ping[];

const PING =
  /<!(?:channel|here|everyone)(?:\|[^<>]*)?>|<@[UW][A-Z0-9]+(?:\|[^<>]*)?>|<!subteam\^[A-Z0-9]+(?:\|[^<>]*)?>/g;
const KEPT = 5000;

function inMrkdwn(text: string): string[] {
  return text.match(PING) ?? [];
}

/** Standard Markdown pings outside code. What the parser takes for an HTML tag reaches Slack as it stands. */
function inMarkdown(text: string): string[] {
  const code: string[] = [];
  void walkTokens(lexer(text), (token) => {
    if (token.type === "code" || token.type === "codespan") code.push(token.raw);
  });
  let outside = text;
  for (const one of code) outside = outside.replace(one, "");
  return inMrkdwn(outside);
}

function inRichText(node: Fields): string[] {
  if (node["type"] === "broadcast") return [`<!${textOf(node["range"])}>`];
  if (node["type"] === "user" && typeof node["user_id"] === "string") return [`<@${node["user_id"]}>`];
  if (node["type"] === "usergroup") return [`<!subteam^${textOf(node["usergroup_id"])}>`];
  return [];
}

function inBlocks(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(inBlocks);
  if (!isFields(value)) return [];
  if (value["type"] === "plain_text") return [];
  if (value["type"] === "mrkdwn") return inMrkdwn(textOf(value["text"]));
  if (value["type"] === "markdown") return inMarkdown(textOf(value["text"]));
  return [...inRichText(value), ...Object.values(value).flatMap(inBlocks)];
}

/** Every ping in a message, once each: in `text` unless it is plain, in mrkdwn objects, Markdown blocks and rich text. */
export function pingsIn(message: Pick<WorkspaceMessage, "text" | "blocks" | "mrkdwn">): string[] {
  const inText = message.mrkdwn === false ? [] : inMrkdwn(message.text);
  return [...new Set([...inText, ...inBlocks(message.blocks)])];
}

/** Notes the pings of a message that `previous` did not have. */
export function notePings(log: PingLog, message: WorkspaceMessage, previous?: WorkspaceMessage): void {
  const before = new Set(previous ? pingsIn(previous) : []);
  for (const what of pingsIn(message)) {
    if (!before.has(what)) log.push({ channel: message.channel, ts: message.ts, what });
  }
  if (log.length > KEPT) log.splice(0, log.length - KEPT);
}
