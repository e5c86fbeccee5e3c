import type { Ids } from "./clock.ts";
import type { AckResult, AppDelivery } from "./delivery.ts";
import { checkOptions } from "./blocks.ts";
import type { EventSender } from "./events.ts";
import type { EventFeed } from "./feed.ts";
import type { AppManifest } from "./manifest.ts";
import { needGoodView } from "./methods/views.ts";
import { type Fields, fieldsOf, objectsIn, stringOf } from "./page/fields.ts";
import { elementsIn, type FormValues, isEmpty, mergeValues, stateOf, valueAt, valuesFor } from "./page/form.ts";
import type {
  ElementUse,
  WorkspaceBlock,
  WorkspaceConversation,
  Open,
  React,
  ShortcutUse,
  StopSession,
  Submit,
  Suggest,
  Suggested,
} from "./protocol.ts";
import type { ResponseUrls } from "./respond.ts";
import { APP, TEAM, homeOf } from "./seed.ts";
import { shownChannel, shownMessage, shownView } from "./shown.ts";
import { SlackError } from "./slack-error.ts";
import type { Statuses } from "./statuses.ts";
import type { Triggers } from "./triggers.ts";
import type { OpenView, Views } from "./views.ts";
import { type WorkspaceWorld, canSee } from "./world.ts";

/** Parts of the workspace that elements, forms and shortcuts work on. */
export interface InteractionContext {
  ids: Ids;
  manifest: AppManifest;
  world: WorkspaceWorld;
  feed: EventFeed;
  views: Views;
  triggers: Triggers;
  delivery: AppDelivery;
  responses: ResponseUrls;
  /** The verification token that old payloads still carry. */
  token: string;
}

/** Parts of the workspace for actions that the app learns of by an event. */
export interface AppEventContext {
  ids: Ids;
  world: WorkspaceWorld;
  views: Views;
  statuses: Statuses;
  sendEvent: EventSender["sendEvent"];
}

/** Shows a line to one person only, in a conversation or view; without a name, wherever the person is. */
export function showNotice(feed: EventFeed, at: string, text: string, user: string): void {
  feed.publish({ type: "notice", channel: at, text }, user);
}

/** The conversation in which a person acts; throws if they are not in it. */
export function needMember(world: WorkspaceWorld, channel: string, user: string): WorkspaceConversation {
  const conversation = world.conversation(channel);
  if (!conversation || !canSee(conversation, user)) throw new SlackError("channel_not_found");
  if (!conversation.members.includes(user)) throw new SlackError("not_in_channel");
  return conversation;
}

/** The fields that every interaction has. */
function sharedPayload({ world, token, triggers }: InteractionContext, user: string): Fields {
  const name = world.user(user)?.name ?? user;
  return {
    user: { id: user, username: name, name, team_id: homeOf(user) },
    api_app_id: APP.id,
    token,
    trigger_id: triggers.issue(user),
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

const unanswered = {
  operation_timeout: "did not answer in time. Please try again.",
  dispatch_failed: "is not connected, so nothing happened. Please try again when it is online.",
};

/** Sends an interaction; shows a notice in its conversation or view if the app did not acknowledge it in time. */
async function interact(context: InteractionContext, payload: Fields, at: string, user: string): Promise<AckResult> {
  const { manifest, delivery, feed } = context;
  if (!manifest.hasInteractivity) throw new SlackError("interactivity_disabled");
  const result = await delivery.request("interactive", { ...sharedPayload(context, user), ...payload });
  if (!result.isAcked) showNotice(feed, at, `${manifest.name} ${unanswered[result.reason]}`, user);
  return result;
}

/** A person uses an element of a message or view. */
export async function act(context: InteractionContext, input: ElementUse, user: string): Promise<void> {
  const { container } = input;
  if ("view" in container) return actOnView(context, input, needView(context.views, container.view, user));
  const channel = needMember(context.world, container.channel, user);
  const message = context.world.find(channel.id, container.ts);
  if (!message || (message.onlyFor ?? user) !== user) throw new SlackError("message_not_found");
  const { ts, thread_ts, blocks = [] } = message;
  const element = needElement(blocks, input);
  const is_ephemeral = message.onlyFor !== undefined;
  const thread = thread_ts === undefined ? {} : { thread_ts };
  const payload = {
    type: "block_actions",
    container: { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral, ...thread },
    channel: shownChannel(channel),
    // Slack leaves out an ephemeral message.
    ...(!is_ephemeral && { message: shownMessage(message, context) }),
    state: { values: stateOf(blocks, valuesFor(blocks, filledIn(input))) },
    response_url: context.responses.issue({ channel: channel.id, user, message: ts }),
    actions: [actionOf(context.ids, input, element)],
  };
  await interact(context, payload, channel.id, user);
}

async function actOnView(context: InteractionContext, input: ElementUse, known: OpenView): Promise<void> {
  const element = needElement([...known.blocks, ...(known.blocksBefore ?? [])], input);
  const view = context.views.fill(known, filledIn(input));
  const container = { type: "view", view_id: view.id };
  const actions = [actionOf(context.ids, input, element)];
  await interact(context, { type: "block_actions", container, view: shownView(view), actions }, view.id, view.user);
}

function needElement(blocks: WorkspaceBlock[], { block_id, action_id, action }: ElementUse): Fields {
  const found = elementsIn(blocks).find((one) => one.block_id === block_id && one.action_id === action_id);
  if (!found) throw new SlackError("element_not_found");
  if (found.element["type"] !== action.type) throw new SlackError("element_type_mismatch");
  return found.element;
}

/** An action as the app receives it: the text and value of a button are its own, other values are the person's. */
function actionOf(ids: Ids, { action, action_id, block_id }: ElementUse, element: Fields): Fields {
  const { text, value } = element;
  const own = element["type"] === "button" ? { text, ...(value !== undefined && { value }) } : {};
  return { ...action, ...own, action_id, block_id, action_ts: ids.ts() };
}

/** The values of the fields around an element, and of the element itself if it is a field. */
function filledIn({ values = {}, action, block_id, action_id }: ElementUse): FormValues {
  return mergeValues(values, { [block_id]: { [action_id]: action } });
}

/** A person types into a list that the app fills. Slack's request has no trigger; a missing answer is an error. */
export async function suggest(context: InteractionContext, input: Suggest, user: string): Promise<Suggested> {
  const { view: id, block_id, action_id, value } = input;
  const view = needView(context.views, id, user);
  const found = elementsIn(view.blocks).find((one) => one.block_id === block_id && one.action_id === action_id);
  if (!/^(multi_)?external_select$/.test(stringOf(found?.element["type"]))) throw new SlackError("element_not_found");
  const { trigger_id: _, ...shared } = sharedPayload(context, user);
  const container = { type: "view", view_id: id };
  const payload = { type: "block_suggestion", ...shared, container, view: shownView(view), action_id, block_id, value };
  const result = await context.delivery.request("interactive", payload);
  if (!result.isAcked) throw new SlackError(result.reason);
  const [problem] = checkOptions(result.payload["options"]);
  if (problem) throw new SlackError(`${problem.code} ${problem.pointer}`);
  return { options: objectsIn(result.payload["options"]) };
}

/** Finds a person's own open view. */
function needView(views: Views, id: string, user: string): OpenView {
  const view = views.find(id);
  if (!view || view.user !== user) throw new SlackError("view_not_found");
  return view;
}

/** A person submits a form; it closes, changes or shows errors as the app's ack says. */
export async function submitForm(context: InteractionContext, input: Submit, user: string): Promise<void> {
  const view = context.views.fill(needView(context.views, input.view, user), input.values);
  if (Object.keys(view.errors).length > 0) context.views.setErrors(view, {});
  const errors = missingFields(view);
  if (Object.keys(errors).length > 0) return context.views.setErrors(view, errors);
  const body = { type: "view_submission", view: shownView(view), response_urls: [] };
  const result = await interact(context, body, view.id, user);
  const still = context.views.find(view.id);
  if (result.isAcked && still) followAck(context, still, result.payload);
}

/** The errors of required fields that are empty; Slack's clients do not submit such a form. */
function missingFields({ blocks, values }: OpenView): Record<string, string> {
  const state = stateOf(blocks, values);
  const missing = elementsIn(blocks).filter(({ block, block_id, action_id }) => {
    const isRequired = block["type"] === "input" && block["optional"] !== true;
    return isRequired && isEmpty(valueAt(state, block_id, action_id));
  });
  return Object.fromEntries(missing.map(({ block_id }) => [block_id, "Please complete this required field."]));
}

/** Does what the ack of a submission asks for; closes the view if it asks for nothing. */
function followAck(context: InteractionContext, view: OpenView, payload: Fields): void {
  const { views, manifest, feed } = context;
  const { response_action: action } = payload;
  const refuse = (why: string) => {
    showNotice(feed, view.id, `${manifest.name} answered the form in a way Slack refuses: ${why}`, view.user);
  };
  if (action === undefined) return views.close(view);
  if (action === "clear") return views.clear(view.user);
  if (action === "errors") {
    const inputs = new Set(view.blocks.map((block) => (block.type === "input" ? block["block_id"] : undefined)));
    const known = Object.entries(fieldsOf(payload["errors"])).filter(([id]) => inputs.has(id));
    if (known.length === 0) return refuse("its errors name no input");
    return views.setErrors(view, Object.fromEntries(known.map(([id, text]) => [id, stringOf(text)])));
  }
  if (action !== "push" && action !== "update") return refuse(`response_action ${stringOf(action)}`);
  try {
    const given = needGoodView(payload["view"]);
    if (action === "push") views.push(view.user, given);
    else views.update(view, given);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    refuse(error.code);
  }
}

/** A person closes a form. */
export function closeForm(context: InteractionContext, { view }: { view: string }, user: string): void {
  context.views.close(needView(context.views, view, user));
}

/** A person uses a shortcut: a message shortcut if a message is given, else a global one. */
export async function useShortcut(context: InteractionContext, input: ShortcutUse, user: string): Promise<void> {
  const { manifest, ids, world } = context;
  const { callback_id, channel } = input;
  const type = channel === undefined ? "global" : "message";
  const isKnown = manifest.shortcuts.some((one) => one.callback_id === callback_id && one.type === type);
  if (!isKnown || homeOf(user) !== TEAM.id) throw new SlackError("shortcut_not_found");
  const base = { callback_id, action_ts: ids.ts() };
  if (channel === undefined) {
    await interact(context, { type: "shortcut", ...base }, "", user);
    return;
  }
  const conversation = needMember(world, channel, user);
  const message = world.find(channel, input.ts ?? "");
  if (!message || message.onlyFor !== undefined) throw new SlackError("message_not_found");
  const payload = {
    type: "message_action",
    ...base,
    message_ts: message.ts,
    message: shownMessage(message, context),
    channel: shownChannel(conversation),
    response_url: context.responses.issue({ channel, user }),
  };
  await interact(context, payload, channel, user);
}

/** A person puts an emoji on a message, or takes theirs away: the app gets an event if it is in the conversation. */
export async function react(context: AppEventContext, { channel, ts, name }: React, user: string): Promise<void> {
  const { world, ids } = context;
  const { members } = needMember(world, channel, user);
  const message = world.find(channel, ts);
  if (!message || message.onlyFor !== undefined) throw new SlackError("message_not_found");
  const { reactions = [], ...rest } = message;
  const before = reactions.find((each) => each.name === name)?.users ?? [];
  const isRemoved = before.includes(user);
  const users = isRemoved ? before.filter((each) => each !== user) : [...before, user];
  const others = reactions.filter((each) => each.name !== name);
  const after = users.length > 0 ? [...others, { name, users, count: users.length }] : others;
  world.touch({ ...rest, ...(after.length > 0 && { reactions: after }) });
  if (!members.includes(APP.botUser)) return;
  await context.sendEvent({
    type: isRemoved ? "reaction_removed" : "reaction_added",
    user,
    reaction: name,
    item: { type: "message", channel, ts },
    item_user: message.user,
    event_ts: ids.ts(),
  });
}

/** A person opens a conversation or the app's Home; for its own two tabs, the app gets an event. */
export async function openTab(context: AppEventContext, { channel, tab }: Open, user: string): Promise<void> {
  const { world, views, ids } = context;
  const direct = world.direct(user);
  if (channel !== direct.id && tab === undefined) return;
  const home = tab === "home" ? views.home(user) : undefined;
  await context.sendEvent({
    type: "app_home_opened",
    user,
    channel: direct.id,
    tab: tab ?? "messages",
    event_ts: ids.ts(),
    ...(home && { view: shownView(home) }),
  });
}

/** A person stops the app's work in a thread: the app gets an event, and must end the session itself. */
export async function stopSession(context: AppEventContext, input: StopSession, user: string): Promise<void> {
  const { channel, thread_ts } = input;
  const { world, statuses, ids } = context;
  needMember(world, channel, user);
  if (!statuses.canStop(channel, thread_ts)) throw new SlackError("session_not_found");
  const streams = world.messages(channel).filter((one) => one.streaming && one.thread_ts === thread_ts);
  for (const { streaming: _streaming, ...message } of streams) world.touch(message);
  const streaming_message_ts = streams.map(({ ts }) => ts);
  const event_ts = ids.ts();
  await context.sendEvent({ type: "agent_session_stopped", channel, user, thread_ts, streaming_message_ts, event_ts });
}
