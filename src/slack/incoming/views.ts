import { z } from "zod";

import { refusalOf } from "../delivery/refusal.ts";
import { type Chart, withoutEmptyRows, plainText, section } from "../text/blocks.ts";
import { limits } from "../text/limits.ts";
import type { Block, Message } from "../text/message.ts";
import { splitMarkdown } from "../text/pages.ts";
import { plainTextOfMarkdown } from "../text/mrkdwn.ts";
import type { Call } from "../delivery/web-api.ts";
import { type FormState, foldFields } from "./form-state.ts";

/** The place where a window was opened, and so where the answer to its form goes. */
export interface Origin {
  channel: string;
  thread?: string | undefined;
  /** Nobody has answered in the thread yet: Slack shows nothing private in such a one. */
  isThreadNew?: boolean | undefined;
}

/**
 * A message as Slack's modal view; its origin, and the state of its form, travel in its private metadata. A message that
 * names no title for it goes by its own heading, or else by `usualTitle`.
 */
export function renderModal(message: Message, origin: Origin & FormState, usualTitle = "Bellwether") {
  const { title, form } = message.window ?? {};
  const heading = title === undefined ? headingOf(message) : undefined;
  const { blocks, metadata: kept } = form
    ? formOfModal(message, origin)
    : { blocks: blocksOfModal(message), metadata: metadataOf(origin, "") };
  return {
    type: "modal" as const,
    title: plainText(title ?? heading ?? usualTitle, limits.viewTitle),
    close: plainText(form ? "Cancel" : "Close", limits.viewTitle),
    callback_id: form?.name ?? "window",
    private_metadata: kept,
    // It need not be said twice.
    blocks: heading !== undefined && blocks.length > 1 ? blocks.slice(1) : blocks,
    ...(form && { submit: plainText(form.submit, limits.viewTitle) }),
  };
}

/** The blocks and the metadata of a form; one that can't keep what its further fields hold shows them all. */
function formOfModal(message: Message, origin: Origin & FormState): { blocks: Block[]; metadata: string } {
  const { more = [], state = "" } = message.window?.form ?? {};
  const { blocks, values } = foldFields(blocksOfModal(message), more, origin);
  const hidden = Object.keys(values).length > 0 ? { values } : {};
  const kept = metadataOf(origin, state, { ...hidden, ...(origin.isOpen && { isOpen: true }) });
  if (kept.length <= limits.viewMetadata) return { blocks, metadata: kept };
  if (more.length > 0 && !origin.isOpen) return formOfModal(message, { ...origin, isOpen: true });
  return { blocks, metadata: metadataOf(origin, state, { isOpen: true }) };
}

function metadataOf({ channel, thread, isThreadNew }: Origin, state: string, form?: FormState): string {
  return JSON.stringify({ channel, thread, isThreadNew, state, ...form });
}

/** The heading that a message begins with, if it has one that fits into a title. */
function headingOf({ blocks: [first] = [] }: Message): string | undefined {
  if (first?.type !== "header" || first.text.text.length > limits.viewTitle) return undefined;
  return first.text.text;
}

/** The bot's own page for one person. */
export function renderHomeTab(blocks: Block[]) {
  return { type: "home" as const, blocks: withoutEmptyRows(blocks).flatMap(viewBlocks).slice(0, limits.viewBlocks) };
}

function blocksOfModal({ text, blocks }: Message): Block[] {
  return (blocks ? withoutEmptyRows(blocks).flatMap(viewBlocks) : sections(text)).slice(0, limits.viewBlocks);
}

/** A view takes no Markdown, which becomes words, and no charts: whoever draws one says the numbers beside it, too. */
function viewBlocks(block: Block | Chart): Block[] {
  if (block.type === "data_visualization") return [];
  return block.type === "markdown" ? sections(plainTextOfMarkdown(block.text)) : [block];
}

function sections(mrkdwn: string): Block[] {
  return splitMarkdown(mrkdwn, limits.section).map(section);
}

const metadata = z.object({
  channel: z.string(),
  thread: z.string().optional(),
  isThreadNew: z.boolean().optional(),
  state: z.string(),
  values: z.record(z.string(), z.string()).optional(),
  isOpen: z.boolean().optional(),
});

/** The place where a window was opened, and the state of its form; nothing if the window is none of ours. */
export function parseOrigin(privateMetadata: string): (Origin & FormState & { state: string }) | undefined {
  try {
    return metadata.parse(JSON.parse(privateMetadata));
  } catch {
    return undefined;
  }
}

/** A window before one person. */
export interface Window {
  /** Shows a message in it, in place of the one before; false if Slack does not, and the content goes another way. */
  show(message: Message): Promise<boolean>;
}

interface WindowOptions {
  call: Call;
  origin: Origin & FormState;
  /** Good for one new window, for three seconds. */
  trigger: string;
  /** The asker is in a window: a new one is put upon it. */
  isInside?: boolean;
  /** The window that is open already. */
  id?: string;
  /** Its name when a message in it has no title of its own. */
  title?: string;
}

/** A window that is open already, or is opened by its first message. */
export function createWindow({ call, origin, trigger, isInside, id, title }: WindowOptions): Window {
  let openId = id;

  async function send(view: ReturnType<typeof renderModal>): Promise<void> {
    if (openId) await call("views.update", { view_id: openId, view });
    else {
      const answer = await call(isInside ? "views.push" : "views.open", { trigger_id: trigger, view });
      openId = openedView.safeParse(answer).data?.view.id;
    }
  }

  /** Shows a message as plain text if Slack finds it malformed, except a form, which needs its blocks. */
  async function show(message: Message): Promise<boolean> {
    const { blocks, fallbackBlocks: _, ...words } = message;
    try {
      await send(renderModal(message, origin, title));
      return true;
    } catch (error) {
      const { reaction, code } = refusalOf("views", error);
      if (reaction === "plainer" && blocks && !message.window?.form) return show(words);
      if (reaction === "wait" || reaction === "lookUp" || unshownCodes.includes(code)) return false;
      throw error;
    }
  }
  return { show };
}

const openedView = z.object({ view: z.object({ id: z.string() }) });

/** A window that was closed or comes too late is no error; neither is one that is the fourth upon another. */
const unshownCodes = [
  "expired_trigger_id",
  "exchanged_trigger_id",
  "invalid_trigger_id",
  "not_found",
  "view_not_found",
  "push_limit_reached",
];
