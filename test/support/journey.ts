import { expect } from "vitest";

import { parseConfig } from "../../src/config.ts";
import { historyMs, usualCalendar } from "../../local/sandbox/news.ts";
import { type Local, startAll } from "../../local/start.ts";
import { createLog } from "../../src/log.ts";
import { elementsIn } from "../../local/workspace/page/form.ts";
import type { WorkspaceBlock, WorkspaceMessage, WorkspaceUser } from "../../local/workspace/protocol.ts";
import { type AnswerScript, part, startGenerator } from "./generator.ts";

/** The real bot with workspace and sandbox over real sockets, and short ways to use them. */
export async function startJourney(environment: Record<string, string> = {}, about: { locale?: string } = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (line) => lines.push(line) });
  const local = await startAll({
    config: parseConfig({ QUESTIONS_PER_MINUTE: "1000", ...environment }),
    log,
    port: 0,
    wordDelayMs: 0,
    // The sample news goes round in ten days: whatever day it is, the same stories are in full swing.
    calendar: { ...usualCalendar, start: (Date.now() - Date.UTC(2026, 10, 22, 12)) % historyMs },
    ...about,
  });
  return { ...local, lines, ...shortcuts(local) };
}

type Workspace = Local["workspace"];

function shortcuts({ workspace }: Local) {
  const bot = workspace.ids.botUser;
  const channelNamed = (name: string) => {
    const found = workspace.state().conversations.find((conversation) => conversation.name === name);
    if (!found) throw new Error(`no channel ${name}`);
    return found.id;
  };
  /** What the bot has said, without signs of work. */
  const ofBot = (channel: string) =>
    workspace.messages(channel).filter((message) => message.user === bot && !isSign(message));

  /** Says a line; resolves to the bot's first message that comes after it and is `ready`. */
  function ask(channel: string, line: string, ready: (message: WorkspaceMessage) => boolean, thread?: string) {
    return askAs(workspace.me, { channel, line, ...(thread && { thread }) }, ready);
  }

  /** The same by somebody else. */
  async function askAs(
    user: string,
    { channel, line, thread }: { channel: string; line: string; thread?: string },
    ready: (message: WorkspaceMessage) => boolean,
  ) {
    const before = new Set(workspace.messages(channel).map(({ ts }) => ts));
    const { ts } = await workspace.say({ user, channel, text: line, ...(thread && { thread_ts: thread }) });
    const answer = await workspace.until(() =>
      ofBot(channel).find((message) => !before.has(message.ts) && ready(message)),
    );
    return { ts: ts ?? "", answer };
  }

  return {
    bot,
    mention: `<@${bot}>`,
    newsroom: channelNamed("newsroom"),
    direct: workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "",
    channelNamed,
    /** The first person with this role. */
    personWith: (role: WorkspaceUser["role"]) => workspace.state().users.find((user) => user.role === role)?.id ?? "",
    ofBot,
    ask,
    askAs,
    /** Types a line in #newsroom; resolves with the first answer that shows the words. */
    said: async (line: string, words: RegExp) => (await ask(channelNamed("newsroom"), line, says(words))).answer,
  };
}

/** The sign of work that a look-up begins with if it takes more than a moment, as on a busy machine. */
export const isSign = ({ text }: Pick<WorkspaceMessage, "text">) =>
  text.trimEnd().endsWith("The result follows below.");

/** Every string that a reader sees in blocks, in order; a space that doesn't break is one as any other. */
export function shownText({ text, blocks = [] }: { text: string; blocks?: WorkspaceBlock[] }): string {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if ((key === "text" || key === "title") && typeof value === "string") words.push(value);
    return value;
  });
  return (words.length > 0 ? words.join("\n") : text).replaceAll("\u00a0", " ");
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

/** A journey with a news service that answers every question as the test says. */
export async function startConversations(environment: Record<string, string> = {}) {
  let answer: AnswerScript = (response) => void response.end();
  const generator = await startGenerator((response, body) => answer(response, body));
  const journey = await startJourney({
    INTELLIGENCE_URL: generator.url,
    INTELLIGENCE_CREDENTIALS: '{"username":"desk"}',
    ...environment,
  });
  const { workspace, newsroom, mention, ask } = journey;
  return {
    ...journey,
    /** Sets what the news service answers from now on, and forgets what it was asked. */
    answers(script: AnswerScript | string): void {
      answer = typeof script === "string" ? (response) => void response.end(part(script)) : script;
      generator.asked.length = 0;
    },
    /** The texts of each conversation that the news service was asked to go on with. */
    asked: () => generator.asked.map(({ messages }) => messages.map(({ content }) => content.text ?? "")),
    /** Mentions the bot with a question; resolves with its first message that shows the words. */
    askFor: (question: string, words: RegExp, thread?: string) =>
      ask(newsroom, `${mention} ${question}`, says(words), thread),
    /** The bot’s messages in a thread of #newsroom. */
    inThread: (root: string) => journey.ofBot(newsroom).filter(({ thread_ts: thread }) => thread === root),
    press: (message: WorkspaceMessage, label: string) => workspace.act(buttonOf(message, label)),
    latest: ({ channel, ts }: WorkspaceMessage) =>
      workspace.messages(channel).find((message) => message.ts === ts) ?? expect.fail("the message is gone"),
    async stop() {
      await journey.stop();
      await generator.close();
    },
  };
}

/** Tests that a message shows the words. */
export const says =
  (words: RegExp) =>
  (message: { text: string; blocks?: WorkspaceBlock[] }): boolean =>
    words.test(shownText(message));

type Element = WorkspaceBlock & { action_id: string; value?: string; options?: { value: string }[] };

/** The action that Slack sends when a person uses the first button or menu of this type with a matching value or option. */
export function elementOf(
  message: WorkspaceMessage,
  type: "button" | "static_select" | "overflow" | "any",
  line: RegExp,
) {
  for (const block of message.blocks ?? []) {
    for (const element of [block["accessory"] ?? [], block["elements"] ?? []].flat() as Element[]) {
      const option = element.options?.find(({ value }) => line.test(value));
      const isMatch = option !== undefined || line.test(element.value ?? "");
      if (!isMatch || (type !== "any" && element.type !== type)) continue;
      const chosen = option ? { selected_option: option } : { value: element.value };
      return {
        container: { channel: message.channel, ts: message.ts },
        block_id: String(block["block_id"]),
        action_id: element.action_id,
        action: { type: element.type, ...chosen },
      };
    }
  }
  throw new Error(`no ${type} with ${line}`);
}

/** Chooses from a menu of the topmost window that other fields depend on; resolves once this field is there. */
export async function chooseIn(workspace: Workspace, name: string, value: string, field: string): Promise<void> {
  const view = await workspace.until(() => workspace.state().modals.at(-1));
  const action = { type: "static_select", selected_option: { value } };
  await workspace.act({ container: { view: view.id }, block_id: name, action_id: "form", action, values: {} });
  await hasField(workspace, field);
}

/** Shows the further fields of the topmost window. */
export async function showMore(workspace: Workspace, field: string): Promise<void> {
  const view = await workspace.until(() => workspace.state().modals.at(-1));
  const found = elementsIn(view.blocks).find(({ action_id: id }) => id === "more");
  if (!found) throw new Error("no More options");
  const { block_id, action_id } = found;
  await workspace.act({ container: { view: view.id }, block_id, action_id, action: { type: "button" }, values: {} });
  await hasField(workspace, field);
}

async function hasField(workspace: Workspace, field: string): Promise<void> {
  await workspace.until(() =>
    workspace
      .state()
      .modals.at(-1)
      ?.blocks.some(({ block_id: id }) => id === field),
  );
}
