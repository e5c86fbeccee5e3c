import { needText, textArg } from "../args.ts";
import type { Desk } from "../desk.ts";
import type { Fields } from "../fields.ts";
import type { Conversation, WorkspaceMessage } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { READ_SCOPES } from "../scopes.ts";
import { APP } from "../seed.ts";

/** Finds a conversation by its id; none that the app cannot see. */
export function findPlace(desk: Desk, args: Fields): Conversation {
  return needSeen(desk.world.conversation(needText(args, "channel", "channel_not_found")));
}

function needSeen(found: Conversation | undefined): Conversation {
  const isHidden = found && found.kind !== "channel" && !found.members.includes(APP.botUser);
  if (!found || isHidden) throw new Refusal("channel_not_found");
  return found;
}

/** What is new may also go to a channel by its name, and by a person's id to their conversation with the app. */
function findAddress(desk: Desk, args: Fields): Conversation {
  const given = needText(args, "channel", "channel_not_found");
  const name = given.replace(/^#/, "");
  const person = desk.world.user(given);
  return needSeen(
    desk.world.conversation(given) ??
      desk.world.conversations().find((one) => /^(?:channel|private)$/.test(one.kind) && one.name === name) ??
      (person && !person.isBot ? desk.world.direct(given) : undefined),
  );
}

/** Finds a conversation the app may post to. */
export function findWritable(desk: Desk, args: Fields): Conversation {
  const place = findAddress(desk, args);
  if (place.isArchived) throw new Refusal("is_archived");
  if (place.kind === "im" && !desk.manifest.messagesTab) throw new Refusal("messages_tab_disabled");
  const isMember = place.members.includes(APP.botUser);
  if (!isMember && !desk.manifest.scopes.has("chat:write.public")) throw new Refusal("not_in_channel");
  return place;
}

/** Finds a conversation whose messages or facts the app may read. */
export function findReadable(desk: Desk, args: Fields, what: "history" | "read"): Conversation {
  const place = findPlace(desk, args);
  const needed = READ_SCOPES[what][place.kind];
  if (!desk.manifest.scopes.has(needed)) throw missingScope(desk, needed);
  if (what === "history" && !place.members.includes(APP.botUser)) throw new Refusal("not_in_channel");
  return place;
}

/** The refusal of a call whose scope the manifest does not ask for. */
export function missingScope(desk: Pick<Desk, "manifest">, needed: string): Refusal {
  return new Refusal("missing_scope", { needed, provided: [...desk.manifest.scopes].join(",") });
}

/** The thread a message is to go to, as message fields; refuses where there is none. */
export function threadFields(desk: Desk, channel: string, args: Fields): { thread_ts?: string } {
  const ts = textArg(args, "thread_ts");
  if (ts === undefined) return {};
  const head = desk.world.find(channel, ts);
  if (!head || head.onlyFor !== undefined) throw new Refusal("thread_not_found");
  return { thread_ts: head.thread_ts ?? ts };
}

/** Finds a message of the app itself, for a change to it. */
export function findOwn(desk: Desk, args: Fields, notOwn: string): WorkspaceMessage {
  const place = findPlace(desk, args);
  const message = desk.world.find(place.id, needText(args, "ts", "message_not_found"));
  if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
  if (message.bot_id !== APP.bot) throw new Refusal(notOwn);
  return message;
}
