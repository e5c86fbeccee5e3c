import { listArg, metadataArg, needText, textArg } from "../args.ts";
import { messageLimits } from "../block-rules.ts";
import { withIds } from "../blocks.ts";
import { type Ids, type WorkspaceClock, readTs } from "../clock.ts";
import { type Fields, isFields, listOf, stringOf } from "../page/fields.ts";
import type { WorkspaceBlock, WorkspaceMessage } from "../protocol.ts";
import { shownMessage } from "../shown.ts";
import { SlackError } from "../slack-error.ts";
import type { Statuses } from "../statuses.ts";
import type { WorkspaceWorld } from "../world.ts";
import { findChannel, findOwn, findWritable, threadFields } from "./channels.ts";
import { type ChatContext, needGoodBlocks, postAsApp } from "./chat.ts";
import type { SlackMethod } from "./method.ts";

/** Parts of the workspace that streams and statuses work on. */
export interface StreamContext extends ChatContext {
  clock: WorkspaceClock;
  statuses: Statuses;
}

/** The time from a stream's start to its end, in milliseconds; others measured it, Slack does not document it. */
const streamLifeMs = 300_000;

/** The content of a stream so far. */
type Streamed = Pick<WorkspaceMessage, "text" | "blocks">;

/** Appends to the last block if it is Markdown, else begins a new one. */
function withMarkdown({ text, blocks = [] }: Streamed, more: string): Streamed {
  const last = blocks.at(-1);
  if (last?.type !== "markdown") return { text: text + more, blocks: [...blocks, { type: "markdown", text: more }] };
  const grown = { ...last, text: stringOf(last["text"]) + more };
  return { text: text + more, blocks: [...blocks.slice(0, -1), grown] };
}

const taskStatuses = new Set(["pending", "in_progress", "complete", "error"]);

/** Changes a task that is already there in its place, else adds it. */
function withTask({ text, blocks = [] }: Streamed, chunk: Fields): Streamed {
  const { id, title, status } = chunk;
  if (typeof id !== "string" || typeof title !== "string" || !taskStatuses.has(stringOf(status))) {
    throw new SlackError("invalid_chunks");
  }
  const card: WorkspaceBlock = { type: "task_card", task_id: id, title, status };
  const at = blocks.findIndex((one) => one.type === "task_card" && one["task_id"] === id);
  return { text, blocks: at < 0 ? [...blocks, card] : blocks.with(at, { ...blocks[at], ...card }) };
}

function withChunk(streamed: Streamed, chunk: unknown): Streamed {
  if (!isFields(chunk)) throw new SlackError("invalid_chunks");
  const { type, text, blocks } = chunk;
  if (type === "markdown_text" && typeof text === "string") return withMarkdown(streamed, text);
  if (type === "task_update") return withTask(streamed, chunk);
  if (type !== "blocks" || !Array.isArray(blocks)) throw new SlackError("invalid_chunks");
  return { ...streamed, blocks: [...(streamed.blocks ?? []), ...goodBlocks(blocks)] };
}

function goodBlocks(blocks: unknown[]): WorkspaceBlock[] {
  needGoodBlocks(blocks);
  return blocks.filter(isFields).map((block) => ({ ...block, type: stringOf(block["type"]) }));
}

/** Adds the content of a call to that of the stream. */
function grow(ids: Ids, streamed: Streamed, args: Fields): Streamed {
  const markdown = textArg(args, "markdown_text");
  const start = markdown === undefined ? streamed : withMarkdown(streamed, markdown);
  const { text, blocks } = listArg(args, "chunks", "invalid_chunks").reduce<Streamed>(withChunk, start);
  if (!blocks) return { text };
  const written = blocks.reduce((sum, one) => sum + (one.type === "markdown" ? stringOf(one["text"]).length : 0), 0);
  if (written > messageLimits.markdown) throw new SlackError("msg_too_long");
  return { text, blocks: withIds(blocks, ids) };
}

const start: SlackMethod<StreamContext> = (context, args) => {
  const { id: channel, kind } = findWritable(context, args);
  needText(args, "thread_ts");
  if (kind !== "im") {
    if (textArg(args, "recipient_team_id") === undefined) throw new SlackError("missing_recipient_team_id");
    if (textArg(args, "recipient_user_id") === undefined) throw new SlackError("missing_recipient_user_id");
  }
  const streamed = grow(context.ids, { text: "" }, args);
  const thread = threadFields(context.world, channel, args);
  return { channel, ts: postAsApp(context, { channel, ...streamed, ...thread, streaming: true }).ts };
};

/** Finds a stream that is still open. */
function needStream({ world, clock }: StreamContext, args: Fields): WorkspaceMessage {
  const message = findOwn(world, args, "message_not_owned_by_app");
  const age = clock.now() - (readTs(message.ts) ?? 0) / 1000;
  if (message.streaming && age > streamLifeMs) world.touch({ ...message, streaming: false });
  if (!message.streaming || age > streamLifeMs) throw new SlackError("message_not_in_streaming_state");
  return message;
}

const append: SlackMethod<StreamContext> = (context, args) => {
  const message = needStream(context, args);
  const isNothing = textArg(args, "markdown_text") === undefined && listOf(args["chunks"]).length === 0;
  if (isNothing) throw new SlackError("no_text");
  context.world.edit({ ...message, ...grow(context.ids, message, args) });
  return { channel: message.channel, ts: message.ts };
};

const stop: SlackMethod<StreamContext> = (context, args) => {
  const { streaming: _streaming, ...message } = needStream(context, args);
  const streamed = grow(context.ids, message, args);
  const closing = goodBlocks(listArg(args, "blocks", "invalid_blocks_format"));
  const metadata = metadataArg(args);
  const blocks = withIds([...(streamed.blocks ?? []), ...closing], context.ids);
  const final = { ...message, ...streamed, ...(blocks.length > 0 && { blocks }), ...(metadata && { metadata }) };
  context.world.edit(final);
  return { channel: final.channel, ts: final.ts, message: shownMessage(final, context) };
};

/** The conversation and thread that a status is for. */
function statusThread(world: WorkspaceWorld, args: Fields): { channel: string; thread: string } {
  const { id: channel } = findChannel(world, args, "channel_id");
  const thread = needText(args, "thread_ts");
  if (!world.find(channel, thread)) throw new SlackError("thread_not_found");
  return { channel, thread };
}

const setStatus: SlackMethod<StreamContext> = ({ world, statuses }, args) => {
  const at = statusThread(world, args);
  statuses.set(at, textArg(args, "status") ?? "");
  return {};
};

const sessionStatuses = new Set(["processing", "active", "suspended", "closed"]);

/** A session that is processing shows as a status; people can stop it if the app subscribes to the event. */
const setSession: SlackMethod<StreamContext> = ({ world, statuses, manifest }, args) => {
  const at = statusThread(world, args);
  const status = needText(args, "status");
  if (!sessionStatuses.has(status)) throw new SlackError("invalid_arguments");
  const canStop = manifest.events.has("agent_session_stopped");
  statuses.set({ ...at, isSession: true, canStop }, status === "processing" ? "is thinking…" : "");
  return { agent_status: status, ...(!canStop && { warning: "missing_agent_session_stopped_event_subscription" }) };
};

/** The methods of native streams (one message that grows until it is stopped) and of the app's statuses. */
export const streamMethods: Record<string, SlackMethod<StreamContext>> = {
  "chat.startStream": start,
  "chat.appendStream": append,
  "chat.stopStream": stop,
  "assistant.threads.setStatus": setStatus,
  "agents.sessions.setStatus": setSession,
};
