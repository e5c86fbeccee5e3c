import { listArg, needText, textArg } from "../args.ts";
import type { Desk, Method } from "../desk.ts";
import { type Fields, isFields } from "../fields.ts";
import type { WorkspaceMessage } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { APP } from "../seed.ts";
import { findPlace } from "./place.ts";

const SESSION_STATUSES = new Set(["processing", "active", "suspended", "closed"]);
const MOST_PROMPTS = 4;
const MOST_LOADING_MESSAGES = 10;
const LONGEST_TITLE = 200;

/** The conversation and thread a status or title is for. */
function threadOf(desk: Desk, args: Fields): { channel: string; thread: string } {
  const { id } = findPlace(desk, { channel: args["channel_id"] });
  const thread = needText(args, "thread_ts");
  if (!desk.world.find(id, thread)) throw new Refusal("thread_not_found");
  return { channel: id, thread };
}

const setStatus: Method = (desk, args) => {
  const place = threadOf(desk, args);
  const loading = listArg(args, "loading_messages", "invalid_arguments") ?? [];
  if (loading.length > MOST_LOADING_MESSAGES) throw new Refusal("invalid_arguments");
  desk.statuses.set(place, textArg(args, "status") ?? "");
  return {};
};

const setTitle: Method = (desk, args) => {
  threadOf(desk, args);
  if (needText(args, "title").length > LONGEST_TITLE) throw new Refusal("invalid_arguments");
  return {};
};

const setSuggestedPrompts: Method = (desk, args) => {
  if (textArg(args, "thread_ts") === undefined) findPlace(desk, { channel: args["channel_id"] });
  else threadOf(desk, args);
  const prompts = listArg(args, "prompts", "invalid_arguments") ?? [];
  const isGood = prompts.every((one) => isFields(one) && one["title"] !== undefined && one["message"] !== undefined);
  if (prompts.length === 0 || prompts.length > MOST_PROMPTS || !isGood) throw new Refusal("invalid_arguments");
  return {};
};

/** A session that is processing shows as a status, as in Slack; without the event, nobody can stop it. */
const setSession: Method = (desk, args) => {
  const place = threadOf(desk, args);
  const status = needText(args, "status");
  if (!SESSION_STATUSES.has(status)) throw new Refusal("invalid_arguments");
  const canStop = desk.manifest.events.has("agent_session_stopped");
  desk.statuses.set({ ...place, isSession: true, canStop }, status === "processing" ? "is thinking…" : "");
  return { agent_status: status, ...(!canStop && { warning: "missing_agent_session_stopped_event_subscription" }) };
};

function reacted(message: WorkspaceMessage, name: string, isAdded: boolean): WorkspaceMessage {
  const known = message.reactions ?? [];
  const users = known.find((one) => one.name === name)?.users ?? [];
  if (isAdded === users.includes(APP.botUser)) throw new Refusal(isAdded ? "already_reacted" : "no_reaction");
  const others = known.filter((one) => one.name !== name);
  const now = isAdded ? [...users, APP.botUser] : users.filter((one) => one !== APP.botUser);
  return { ...message, reactions: now.length > 0 ? [...others, { name, users: now }] : others };
}

function reaction(isAdded: boolean): Method {
  return (desk, args) => {
    const place = findPlace(desk, args);
    if (!place.members.includes(APP.botUser)) throw new Refusal("not_in_channel");
    if (place.isArchived) throw new Refusal("is_archived");
    const message = desk.world.find(place.id, needText(args, "timestamp", "no_item_specified"));
    if (!message || message.onlyFor) throw new Refusal("message_not_found");
    const name = needText(args, "name", "invalid_name");
    if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new Refusal("invalid_name");
    desk.world.touch(reacted(message, name, isAdded));
    return {};
  };
}

/** Statuses, titles, prompts and reactions: what goes on around a message. */
export const assistantMethods: Record<string, Method> = {
  "assistant.threads.setStatus": setStatus,
  "assistant.threads.setTitle": setTitle,
  "assistant.threads.setSuggestedPrompts": setSuggestedPrompts,
  "agents.sessions.setStatus": setSession,
  "reactions.add": reaction(true),
  "reactions.remove": reaction(false),
};
