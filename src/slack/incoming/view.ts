import { z } from "zod";

import { type Chart, withoutEmptyRows, plainText, section } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import { type Block, type Message } from "../text/message.ts";
import { splitMarkdown } from "../text/pages.ts";
import { bold, escape, spokenMarkdown } from "../text/mrkdwn.ts";

/** Where the answer to a form goes that a window holds. */
export interface Origin {
  channel: string;
  thread?: string | undefined;
  /** Nobody has answered in the thread yet: Slack shows nothing private in such a one. */
  isThreadNew?: boolean | undefined;
}

/** A message as Slack's modal view; what it is a form of travels in its private metadata. */
export function modalView(message: Message, { channel, thread, isThreadNew }: Origin) {
  const { title = "Bellwether", form } = message.window ?? {};
  return {
    type: "modal" as const,
    title: plainText(title, limits.viewTitle),
    close: plainText(form ? "Cancel" : "Close", limits.viewTitle),
    callback_id: form?.name ?? "window",
    private_metadata: JSON.stringify({ channel, thread, isThreadNew, state: form?.state ?? "" }),
    blocks: shownIn(message),
    ...(form && { submit: plainText(form.submit, limits.viewTitle) }),
  };
}

/** The bot's own page for one person. */
export function homeView(blocks: Block[]) {
  return { type: "home" as const, blocks: withoutEmptyRows(blocks).flatMap(inView).slice(0, limits.viewBlocks) };
}

function shownIn({ text, blocks, instead }: Message): Block[] {
  // A message that can do without its picture says the same in the blocks beside it.
  const meant = instead ? blocks?.filter(({ type }) => type !== picture) : blocks;
  return (meant ? withoutEmptyRows(meant).flatMap(inView) : sections(text)).slice(0, limits.viewBlocks);
}

const picture: string = "data_visualization" satisfies Chart["type"];

/**
 * What Slack takes in messages only, as words. Its list of blocks has tables on the bot's own page too; whoever tried
 * says that they are not shown there.
 */
function inView(block: Block | Chart): Block[] {
  if (block.type === "markdown") return sections(spokenMarkdown(block.text));
  if (block.type === "table") return sections(rowsOf(block).join("\n"));
  if (block.type === "data_visualization") return sections(pointsOf(block).join("\n"));
  return [block];
}

function sections(mrkdwn: string): Block[] {
  return splitMarkdown(mrkdwn, limits.section).map(section);
}

function rowsOf({ rows }: Extract<Block, { type: "table" }>): string[] {
  const lines = rows.map((cells) => cells.map((cell) => ("text" in cell ? cell.text : "")).join(" · "));
  return lines.map((line, index) => (index === 0 ? bold(line) : escape(line)));
}

function pointsOf({ title, chart: { series, axis_config: axis } }: Chart): string[] {
  const lines = axis.categories.map((label, index) => {
    const values = series.map(({ name, data }) => {
      const value = (data[index]?.value ?? 0).toLocaleString("en");
      return series.length > 1 ? `${name} ${value}` : value;
    });
    return escape(`${label}: ${values.join(", ")}`);
  });
  return [bold(title), ...lines];
}

const metadata = z.object({
  channel: z.string(),
  thread: z.string().optional(),
  isThreadNew: z.boolean().optional(),
  state: z.string(),
});

/** Where a window was opened, and what its form needs to know; nothing where the window is none of ours. */
export function originOf(privateMetadata: string): (Origin & { state: string }) | undefined {
  try {
    return metadata.parse(JSON.parse(privateMetadata));
  } catch {
    return undefined;
  }
}
