import { flagArg, metadataArg, needText, textArg } from "../args.ts";
import type { Desk, Method } from "../desk.ts";
import { type Fields, listOf } from "../fields.ts";
import { shownMessage } from "../identity.ts";
import { MESSAGE } from "../limits.ts";
import type { Block, WorkspaceMessage } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { APP } from "../seed.ts";
import type { Draft } from "../messages.ts";
import { readContent } from "./content.ts";
import { findOwn, findPlace, findWritable, threadFields } from "./place.ts";

/** Metadata as a message keeps it: none where none was given or the app emptied it. */
function metadataFields(args: Fields): Pick<WorkspaceMessage, "metadata"> {
  const metadata = metadataArg(args);
  return metadata ? { metadata } : {};
}

/** Posts as the app and notes what would have pinged. */
export function postAsApp(desk: Desk, draft: Omit<Draft, "user" | "bot_id">): WorkspaceMessage {
  return desk.world.post({ ...draft, user: APP.botUser, bot_id: APP.bot });
}

const postMessage: Method = (desk, args) => {
  const place = findWritable(desk, args);
  // Slack cuts what is longer than its limit here and refuses it in chat.update.
  const content = readContent(desk, args, Number.POSITIVE_INFINITY);
  const broadcast = flagArg(args, "reply_broadcast") ? { reply_broadcast: true } : {};
  const thread = threadFields(desk, place.id, args);
  const message = postAsApp(desk, { channel: place.id, ...content, ...thread, ...broadcast, ...metadataFields(args) });
  return { channel: place.id, ts: message.ts, message: shownMessage(message, desk.manifest) };
};

const postEphemeral: Method = (desk, args) => {
  const place = findWritable(desk, args);
  if (!place.members.includes(APP.botUser)) throw new Refusal("not_in_channel");
  const user = needText(args, "user");
  if (!desk.world.user(user)) throw new Refusal("user_not_found");
  if (!place.members.includes(user)) throw new Refusal("user_not_in_channel");
  const content = readContent(desk, args, Number.POSITIVE_INFINITY);
  const thread = threadFields(desk, place.id, args);
  const message = postAsApp(desk, { channel: place.id, ...content, ...thread, onlyFor: user });
  return { message_ts: message.ts };
};

function isRich(blocks: Block[] | undefined): boolean {
  return listOf(blocks).length > 0 && (blocks ?? []).every((block) => block.type === "rich_text");
}

/** What an edit leaves of a message: text alone takes the blocks away, metadata stays unless it is named. */
function edited(desk: Desk, before: WorkspaceMessage, args: Fields): WorkspaceMessage {
  const content = readContent(desk, args, MESSAGE.updateText);
  if (isRich(before.blocks) && content.blocks && !isRich(content.blocks)) throw new Refusal("block_mismatch");
  const { blocks: _blocks, metadata, mrkdwn: _mrkdwn, edited: _edited, ...kept } = before;
  const isNamed = metadataArg(args) !== undefined;
  const meta = isNamed ? metadataFields(args) : metadata && { metadata };
  const mark = content.blocks ? {} : { edited: { ts: desk.ids.ts() } };
  return { ...kept, ...content, ...meta, ...mark };
}

const update: Method = (desk, args) => {
  const before = findOwn(desk, args, "cant_update_message");
  if (before.streaming) throw new Refusal("streaming_state_conflict");
  const message = edited(desk, before, args);
  desk.world.edit(message);
  return {
    channel: message.channel,
    ts: message.ts,
    text: message.text,
    message: shownMessage(message, desk.manifest),
  };
};

const remove: Method = (desk, args) => {
  const message = findOwn(desk, args, "cant_delete_message");
  desk.world.remove(message.channel, message.ts);
  return { channel: message.channel, ts: message.ts };
};

const getPermalink: Method = (desk, args) => {
  const place = findPlace(desk, args);
  const ts = textArg(args, "message_ts") ?? "";
  const message = desk.world.find(place.id, ts);
  if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
  return { channel: place.id, permalink: `${desk.url()}/#${place.id}/${message.thread_ts ?? ts}` };
};

/** The chat methods but for native streams. */
export const chatMethods: Record<string, Method> = {
  "chat.postMessage": postMessage,
  "chat.postEphemeral": postEphemeral,
  "chat.update": update,
  "chat.delete": remove,
  "chat.getPermalink": getPermalink,
};
