import { parseConfig } from "../../src/config.ts";
import { type Local, startAll } from "../../local/start.ts";
import { createLog } from "../../src/log.ts";
import type { WorkspaceBlock, WorkspaceMessage } from "../../local/workspace/protocol.ts";

/** The real bot with workspace and sandbox over real sockets, and short ways to use them. */
export async function startJourney(environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (line) => lines.push(line) });
  const local = await startAll({
    config: parseConfig({ QUESTIONS_PER_MINUTE: "1000", ...environment }),
    log,
    port: 0,
    wordDelayMs: 0,
  });
  return { ...local, lines, ...shortcuts(local) };
}

function shortcuts({ workspace }: Local) {
  const bot = workspace.ids.botUser;
  const channelNamed = (name: string) => {
    const found = workspace.state().conversations.find((conversation) => conversation.name === name);
    if (!found) throw new Error(`no channel ${name}`);
    return found.id;
  };
  const ofBot = (channel: string) => workspace.messages(channel).filter(({ user }) => user === bot);

  /** Says a line; resolves to the bot's first message that comes after it and is `ready`. */
  async function ask(channel: string, line: string, ready: (message: WorkspaceMessage) => boolean, thread?: string) {
    const before = new Set(workspace.messages(channel).map(({ ts }) => ts));
    const { ts } = await workspace.say({ channel, text: line, ...(thread && { thread_ts: thread }) });
    const answer = await workspace.until(() =>
      ofBot(channel).find((message) => !before.has(message.ts) && !isSign(message) && ready(message)),
    );
    return { ts: ts ?? "", answer };
  }

  return { bot, mention: `<@${bot}>`, newsroom: channelNamed("newsroom"), channelNamed, ofBot, ask };
}

/** Leads a look-up where it takes more than a moment, as it does on a busy machine. */
const isSign = ({ text }: WorkspaceMessage) => text.endsWith("The result follows below.");

/** Every string that a reader sees in blocks, in order. */
export function wordsOf({ text, blocks = [] }: { text: string; blocks?: WorkspaceBlock[] }): string {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return words.length > 0 ? words.join("\n") : text;
}

/** The Markdown of messages as a reader sees it, joined. */
export function markdownOf(messages: WorkspaceMessage[]): string {
  const parts = messages.flatMap(({ blocks = [] }) => blocks.filter(({ type }) => type === "markdown"));
  return parts.map(({ text }) => String(text).replaceAll("&lt;", "<")).join("");
}

/** The button with this label. */
export function buttonOf(message: WorkspaceMessage, label: string) {
  for (const block of message.blocks ?? []) {
    const elements = Array.isArray(block["elements"]) ? (block["elements"] as WorkspaceBlock[]) : [];
    const element = elements.find(({ text }) => typeof text === "object" && JSON.stringify(text).includes(label));
    if (element) {
      const { type, action_id: action, value } = element;
      return {
        container: { channel: message.channel, ts: message.ts },
        block_id: String(block["block_id"]),
        action_id: String(action),
        action: { type, value },
      };
    }
  }
  throw new Error(`no button ${label}`);
}
