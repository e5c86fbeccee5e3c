import { listArg, metadataArg, textArg } from "../args.ts";
import type { Desk, Method } from "../desk.ts";
import { type Fields, isFields, listOf, textOf } from "../fields.ts";
import { readTs } from "../ids.ts";
import { shownMessage } from "../identity.ts";
import { MESSAGE } from "../limits.ts";
import type { Block, WorkspaceMessage } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { identified } from "../identified.ts";
import { needGoodBlocks } from "./content.ts";
import { postAsApp } from "./chat.ts";
import { findOwn, findWritable, threadFields } from "./place.ts";

/** A stream dies this long after its start; measured by others, not documented. */
const LIFE_MS = 300_000;

type Said = Pick<WorkspaceMessage, "text" | "blocks">;

function richText(text: string): Block {
  const section = { type: "rich_text_section", elements: [{ type: "text", text }] };
  return { type: "rich_text", elements: [section] };
}

/** Appends to the Markdown that stands last, or begins a new block after something else. */
function withMarkdown(said: Said, more: string): Said {
  const blocks = said.blocks ?? [];
  const last = blocks.at(-1);
  const text = said.text + more;
  if (last?.type !== "markdown") return { text, blocks: [...blocks, { type: "markdown", text: more }] };
  return { text, blocks: [...blocks.slice(0, -1), { ...last, text: textOf(last["text"]) + more }] };
}

const TASK_STATUSES = new Set(["pending", "in_progress", "complete", "error"]);

function withTask(said: Said, chunk: Fields): Said {
  const { id, title, status, details, output, sources } = chunk;
  const isGood = typeof id === "string" && typeof title === "string" && TASK_STATUSES.has(textOf(status));
  if (!isGood) throw new Refusal("invalid_chunks");
  const card: Block = {
    type: "task_card",
    task_id: id,
    title,
    status,
    ...(typeof details === "string" && { details: richText(details) }),
    ...(typeof output === "string" && { output: richText(output) }),
    ...(Array.isArray(sources) && { sources }),
  };
  const blocks = said.blocks ?? [];
  const at = blocks.findIndex((one) => one.type === "task_card" && one["task_id"] === id);
  return { ...said, blocks: at < 0 ? [...blocks, card] : blocks.with(at, { ...blocks[at], ...card }) };
}

function withPlan(said: Said, title: string): Said {
  const others = (said.blocks ?? []).filter((one) => one.type !== "plan");
  return { ...said, blocks: [{ type: "plan", title, tasks: [] }, ...others] };
}

function withChunk(said: Said, chunk: unknown): Said {
  if (!isFields(chunk)) throw new Refusal("invalid_chunks");
  const { type, text, title, blocks } = chunk;
  if (type === "markdown_text" && typeof text === "string") return withMarkdown(said, text);
  if (type === "task_update") return withTask(said, chunk);
  if (type === "plan_update" && typeof title === "string") return withPlan(said, title);
  if (type !== "blocks" || !Array.isArray(blocks)) throw new Refusal("invalid_chunks");
  return { ...said, blocks: [...(said.blocks ?? []), ...goodBlocks(blocks)] };
}

function goodBlocks(blocks: unknown[]): Block[] {
  needGoodBlocks(blocks, "message");
  return blocks.filter(isFields).map((block) => ({ ...block, type: textOf(block["type"]) }));
}

/** Adds what a call brings to what the stream has said so far. */
function grown(desk: Desk, said: Said, args: Fields): Said {
  const markdown = textArg(args, "markdown_text");
  const chunks = listArg(args, "chunks", "invalid_chunks") ?? [];
  if (markdown !== undefined && markdown.length > MESSAGE.markdown) throw new Refusal("msg_too_long");
  const start = markdown === undefined ? said : withMarkdown(said, markdown);
  const next = chunks.reduce<Said>(withChunk, start);
  const markdowns = listOf(next.blocks).map((one) =>
    isFields(one) && one["type"] === "markdown" ? textOf(one["text"]) : "",
  );
  if (markdowns.join("").length > MESSAGE.markdown) throw new Refusal("msg_too_long");
  return next.blocks ? { text: next.text, blocks: identified(next.blocks, desk.ids) } : next;
}

const start: Method = (desk, args) => {
  const place = findWritable(desk, args);
  if (textArg(args, "thread_ts") === undefined) throw new Refusal("invalid_arguments");
  if (place.kind !== "im") {
    if (textArg(args, "recipient_team_id") === undefined) throw new Refusal("missing_recipient_team_id");
    if (textArg(args, "recipient_user_id") === undefined) throw new Refusal("missing_recipient_user_id");
  }
  const said = grown(desk, { text: "" }, args);
  const message = postAsApp(desk, {
    channel: place.id,
    ...said,
    ...threadFields(desk, place.id, args),
    streaming: true,
  });
  return { channel: place.id, ts: message.ts };
};

/** Finds a stream that is still open. */
function needStream(desk: Desk, args: Fields): WorkspaceMessage {
  const message = findOwn(desk, args, "message_not_owned_by_app");
  const age = desk.clock.now() - (readTs(message.ts) ?? 0) / 1000;
  if (message.streaming && age > LIFE_MS) desk.world.touch({ ...message, streaming: false });
  if (!message.streaming || age > LIFE_MS) throw new Refusal("message_not_in_streaming_state");
  return message;
}

const append: Method = (desk, args) => {
  const message = needStream(desk, args);
  const isEmpty = textArg(args, "markdown_text") === undefined && listOf(args["chunks"]).length === 0;
  if (isEmpty) throw new Refusal("no_text");
  desk.world.edit({ ...message, ...grown(desk, message, args) });
  return { channel: message.channel, ts: message.ts };
};

const stop: Method = (desk, args) => {
  const { streaming: _, ...message } = needStream(desk, args);
  const said = grown(desk, message, args);
  const closing = goodBlocks(listArg(args, "blocks", "invalid_blocks_format") ?? []);
  const metadata = metadataArg(args);
  const blocks = identified([...(said.blocks ?? []), ...closing], desk.ids);
  const final = { ...message, ...said, ...(blocks.length > 0 && { blocks }), ...(metadata && { metadata }) };
  desk.world.edit(final);
  return { channel: final.channel, ts: final.ts, message: shownMessage(final, desk.manifest) };
};

/** Native streams: one message that grows until it is stopped. */
export const streamMethods: Record<string, Method> = {
  "chat.startStream": start,
  "chat.appendStream": append,
  "chat.stopStream": stop,
};
