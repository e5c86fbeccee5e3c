import { settledMarkdown } from "./text/close-markdown.ts";
import type { Block, Message } from "./text/message.ts";
import { spoken } from "./text/mrkdwn.ts";
import type { Chunk } from "./native.ts";

/** What a native stream shows. */
export interface Live {
  /** The Markdown that was added to it. */
  said: string;
  /** The title of the work that it shows; empty where it shows none. */
  work: string;
  /** It holds more than a last state does, and has to be edited when it has ended. */
  isPatched: boolean;
  /** It takes no more additions, and is to be ended. */
  isSpoilt: boolean;
}

/** What a stream lacks: an addition, or its end. */
export interface StreamStep {
  by: "append" | "stop";
  chunks: Chunk[];
}

const workId = "work";

/** What a stream begins with, so that it shows a page: what stands around the words goes first, as it cannot move. */
export function beginningOf(page: Message): { chunks: Chunk[]; live: Live } {
  const said = settledMarkdown(markdownOf(page));
  const work = workOf(page) || (said ? "" : "Writing");
  const around = (page.blocks ?? []).filter(({ type }) => type !== "markdown" && type !== "context");
  const first: Chunk[] = around.length > 0 ? [{ type: "blocks", blocks: around }] : [];
  const live = { said, work, isPatched: first.length > 0 || work !== "", isSpoilt: false };
  return { chunks: [...first, ...workChunks("", work), ...wordChunks(said)], live };
}

/** What a stream lacks of a page: more words, other work, or its end. */
export function streamStep(live: Live, page: Message, isWhole: boolean): StreamStep | undefined {
  const markdown = markdownOf(page);
  const isLonger = markdown.startsWith(live.said) && !live.isSpoilt;
  if (isWhole || live.isSpoilt) {
    const words = isLonger ? wordChunks(markdown.slice(live.said.length)) : [];
    return { by: "stop", chunks: [...(live.isSpoilt ? [] : workChunks(live.work, "")), ...words] };
  }
  const settled = settledMarkdown(markdown);
  if (!settled.startsWith(live.said)) return live.said.startsWith(settled) ? undefined : { by: "stop", chunks: [] };
  const work = markdown && !settled ? live.work : workOf(page);
  const chunks = [...workChunks(live.work, work), ...wordChunks(settled.slice(live.said.length))];
  return chunks.length > 0 ? { by: "append", chunks } : undefined;
}

/** What a stream shows when it has got what it lacked of a page. */
export function liveAfter(live: Live, page: Message, chunks: Chunk[]): Live {
  const hasTask = chunks.some(({ type }) => type === "task_update");
  const said = saidAfter(live, chunks);
  return { ...live, said, isPatched: live.isPatched || hasTask, work: hasTask ? workOf(page) : live.work };
}

/** What can be put below the words at the end of a stream, so that it shows a page exactly; nothing where it cannot. */
export function endingOf(live: Live, page: Message, chunks: Chunk[]): Block[] | undefined {
  const [first, ...below] = page.blocks ?? [];
  if (live.isPatched || first?.type !== "markdown" || first.text !== saidAfter(live, chunks)) return undefined;
  return below;
}

function saidAfter({ said }: Live, chunks: Chunk[]): string {
  return said + chunks.map((chunk) => (chunk.type === "markdown_text" ? chunk.text : "")).join("");
}

function wordChunks(text: string): Chunk[] {
  return text ? [{ type: "markdown_text", text }] : [];
}

/** What changes the work that is shown; what is done stays, with a tick. */
function workChunks(before: string, after: string): Chunk[] {
  if (before === after) return [];
  if (!after) return [{ type: "task_update", id: workId, title: before, status: "complete" }];
  return [{ type: "task_update", id: workId, title: after, status: "in_progress" }];
}

/** What a page says that is being done: its small print, or its words where it has nothing else to say. */
function workOf({ text, blocks = [], progress }: Message): string {
  const last = blocks.findLast(({ type }) => type === "context" || type === "markdown");
  const [element] = last?.type === "context" ? last.elements : [];
  if (element && "text" in element) return titled(element.text);
  return progress ? titled(text) : "";
}

/** Slack shows a title in one line. */
function titled(mrkdwn: string): string {
  return spoken(mrkdwn)
    .replace(/:[a-z_]+:\s*/g, "")
    .slice(0, 150)
    .toWellFormed();
}

function markdownOf({ blocks = [] }: Message): string {
  const block = blocks.find(({ type }) => type === "markdown");
  return block?.type === "markdown" ? block.text : "";
}
