import { flagArg, listArg, metadataArg, needText, textArg } from "../args.ts";
import { messageLimits } from "../block-rules.ts";
import { checkBlocks, withIds } from "../blocks.ts";
import type { Ids } from "../clock.ts";
import type { AppManifest } from "../manifest.ts";
import { type Fields, listOf, stringOf } from "../page/fields.ts";
import type { WorkspaceMessage } from "../protocol.ts";
import { APP } from "../seed.ts";
import { shownMessage } from "../shown.ts";
import { SlackError } from "../slack-error.ts";
import type { TypedCommands } from "../typed-commands.ts";
import type { MessageDraft, WorkspaceWorld } from "../world.ts";
import { findOwn, findWritable, threadFields } from "./channels.ts";
import type { SlackMethod } from "./method.ts";

/** Parts of the workspace that chat methods work on. */
export interface ChatContext extends PostContext {
  ids: Ids;
  manifest: AppManifest;
  /** The page's address. */
  url: () => string;
}

/** Parts of the workspace that posting changes. */
interface PostContext {
  world: WorkspaceWorld;
  typed: TypedCommands;
}

/** The content of a message. */
type MessageContent = Pick<WorkspaceMessage, "text" | "blocks" | "mrkdwn">;

/** Reads text, blocks or markdown_text of a call and checks it against Slack's limits; `longest` is for `text`. */
export function readContent(ids: Ids, args: Fields, longest = Number.POSITIVE_INFINITY): MessageContent {
  const text = stringOf(args["text"]);
  const blocks = listArg(args, "blocks", "invalid_blocks_format");
  const markdown = textArg(args, "markdown_text");
  if (markdown !== undefined) {
    if (text !== "" || blocks.length > 0) throw new SlackError("markdown_text_conflict");
    if (markdown.length > messageLimits.markdown) throw new SlackError("msg_too_long");
    return { text: markdown, blocks: withIds([{ type: "markdown", text: markdown }], ids) };
  }
  if (text.trim() === "" && blocks.length === 0 && listOf(args["attachments"]).length === 0) {
    throw new SlackError("no_text");
  }
  if (text.length > longest) throw new SlackError("msg_too_long");
  const plain = args["mrkdwn"] === false || args["mrkdwn"] === "false" ? { mrkdwn: false } : {};
  if (blocks.length === 0) return { text: text.slice(0, messageLimits.text), ...plain };
  needGoodBlocks(blocks);
  const shown = textsIn(blocks);
  const length = shown.reduce((sum, part) => sum + part.length, 0);
  if (length > messageLimits.allBlocks) throw new SlackError("msg_blocks_too_long");
  // Without a text, a notification shows the text of the blocks.
  return {
    text: (text || shown.join(" ")).slice(0, messageLimits.text),
    blocks: withIds(blocks, ids),
    ...plain,
  };
}

/** Refuses blocks that Slack would refuse in a message; the error names every problem. */
export function needGoodBlocks(blocks: unknown[]): void {
  const problems = checkBlocks(blocks, "message");
  if (problems.length === 0) return;
  const messages = problems.map((one) => `[ERROR] ${one.message} [json-pointer:${one.pointer}]`);
  throw new SlackError("invalid_blocks", { errors: messages, response_metadata: { messages } });
}

/** Every text that a reader would see in the blocks. */
function textsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return key === "text" || key === "alt_text" || key === "title" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, name));
}

/** Metadata as a message keeps it: none if none was given or the app removed it. */
function metadataFields(args: Fields): Pick<WorkspaceMessage, "metadata"> {
  const metadata = metadataArg(args);
  return metadata ? { metadata } : {};
}

/** Posts as the app; a private reply shows which command it answers. */
export function postAsApp(
  { world, typed }: PostContext,
  draft: Omit<MessageDraft, "user" | "bot_id">,
): WorkspaceMessage {
  const { channel, onlyFor: user } = draft;
  const line = user === undefined ? undefined : typed.take({ channel, user });
  return world.post({ ...draft, ...(line && { typed: line }), user: APP.botUser, bot_id: APP.bot });
}

const postMessage: SlackMethod<ChatContext> = (context, args) => {
  const { id: channel } = findWritable(context, args);
  // Slack cuts a text beyond its limit here and refuses it in chat.update.
  const content = readContent(context.ids, args);
  const broadcast = flagArg(args, "reply_broadcast") ? { reply_broadcast: true } : {};
  const thread = threadFields(context.world, channel, args);
  const message = postAsApp(context, { channel, ...content, ...thread, ...broadcast, ...metadataFields(args) });
  return { channel, ts: message.ts, message: shownMessage(message, context) };
};

const postEphemeral: SlackMethod<ChatContext> = (context, args) => {
  const { id: channel, members } = findWritable(context, args);
  if (!members.includes(APP.botUser)) throw new SlackError("not_in_channel");
  const user = needText(args, "user");
  if (!context.world.user(user)) throw new SlackError("user_not_found");
  if (!members.includes(user)) throw new SlackError("user_not_in_channel");
  const content = readContent(context.ids, args);
  const thread = threadFields(context.world, channel, args);
  const message = postAsApp(context, { channel, ...content, ...thread, onlyFor: user });
  return { message_ts: message.ts };
};

/** An edit with text alone removes the blocks; metadata stays unless the edit names it. */
const update: SlackMethod<ChatContext> = (context, args) => {
  const before = findOwn(context.world, args, "cant_update_message");
  if (before.streaming) throw new SlackError("streaming_state_conflict");
  const content = readContent(context.ids, args, messageLimits.updateText);
  const { blocks: _blocks, mrkdwn: _mrkdwn, edited: _edited, metadata, ...kept } = before;
  const isNamed = metadataArg(args) !== undefined;
  const meta = isNamed ? metadataFields(args) : metadata && { metadata };
  const mark = content.blocks ? {} : { edited: { ts: context.ids.ts() } };
  const message = { ...kept, ...content, ...meta, ...mark };
  context.world.edit(message);
  const { channel, ts, text } = message;
  return { channel, ts, text, message: shownMessage(message, context) };
};

const remove: SlackMethod<ChatContext> = ({ world }, args) => {
  const { channel, ts } = findOwn(world, args, "cant_delete_message");
  world.remove(channel, ts);
  return { channel, ts };
};

/** The address of a message: it leads to the page, and there to the channel. */
const permalink: SlackMethod<ChatContext> = ({ world, url }, args) => {
  const channel = needText(args, "channel", "channel_not_found");
  const ts = needText(args, "message_ts", "message_not_found");
  if (!world.find(channel, ts)) throw new SlackError("message_not_found");
  return { channel, permalink: `${url()}/archives/${channel}/p${ts.replace(".", "")}` };
};

/** The chat methods but for native streams. */
export const chatMethods: Record<string, SlackMethod<ChatContext>> = {
  "chat.postMessage": postMessage,
  "chat.postEphemeral": postEphemeral,
  "chat.update": update,
  "chat.delete": remove,
  "chat.getPermalink": permalink,
};
