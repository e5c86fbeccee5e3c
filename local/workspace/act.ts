import type { Desk } from "./desk.ts";
import { type Fields, isFields, listOf, textOf } from "./fields.ts";
import { shownMessage, shownPlace, shownView } from "./identity.ts";
import { fitting, stateOf, surviving } from "./initial.ts";
import { type Acting, interact, needMember, sharedPayload } from "./payload.ts";
import type { Act, Block, WorkspaceMessage } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { TEAM, homeOf } from "./seed.ts";
import { type Values, type View, withValues } from "./views.ts";

/** The interactive elements of a block, wherever it keeps them. */
function elementsOf(block: Fields): Fields[] {
  const direct = [...listOf(block["elements"]), ...listOf(block["actions"]), block["accessory"], block["element"]];
  const elements = direct.filter(isFields);
  return [...elements, ...[...elements, ...listOf(block["child_blocks"]).filter(isFields)].flatMap(elementsOf)];
}

/** A block by its id, looked for inside containers too. */
function blocksNamed(blocks: Fields[], id: string): Fields[] {
  return blocks.flatMap((block) =>
    block["block_id"] === id ? [block] : blocksNamed(listOf(block["child_blocks"]).filter(isFields), id),
  );
}

function needElement(blocks: Block[] | undefined, act: Act): Fields {
  const elements = blocksNamed(blocks ?? [], act.block_id).flatMap(elementsOf);
  const found = elements.find((one) => one["action_id"] === act.action_id);
  if (!found) throw new Refusal("element_not_found");
  if (found["type"] !== act.action.type) throw new Refusal("element_type_mismatch");
  return found;
}

/** A button's value is its own, not the page's; what a person chose or typed is theirs. */
function actionOf(desk: Desk, act: Act, element: Fields): Fields {
  const { text, value } = element;
  const own = element["type"] === "button" ? { text, ...(value !== undefined && { value }) } : {};
  return { ...act.action, ...own, action_id: act.action_id, block_id: act.block_id, action_ts: desk.ids.ts() };
}

const STATELESS = new Set(["button", "overflow", "icon_button", "feedback_buttons", "workflow_button"]);

/** What a person has filled in by an act: in the fields around the element, and in the element itself. */
function filledIn({ values = {}, action, block_id, action_id }: Act): Values {
  return STATELESS.has(action.type) ? values : withValues(values, { [block_id]: { [action_id]: { ...action } } });
}

function key(message: WorkspaceMessage): string {
  return `${message.channel} ${message.ts}`;
}

const CHOICES_KEPT = 500;

/** Remembers what was chosen in messages. */
function createChoices(desk: Desk) {
  const chosen = new Map<string, Values>();
  desk.world.onChange((change) => {
    if (change.kind === "deleted") chosen.delete(key(change.previous));
    if (change.kind !== "edited") return;
    const { blocks: from = [] } = change.previous;
    const values = surviving(chosen.get(key(change.message)) ?? {}, { from, to: change.message.blocks ?? [] });
    if (Object.keys(values).length > 0) chosen.set(key(change.message), values);
    else chosen.delete(key(change.message));
  });
  return (message: WorkspaceMessage, act: Act): Values => {
    const values = fitting(message.blocks ?? [], withValues(chosen.get(key(message)) ?? {}, filledIn(act)));
    if (Object.keys(values).length > 0) chosen.set(key(message), values);
    const [oldest] = chosen.size <= CHOICES_KEPT ? [] : chosen.keys();
    if (oldest !== undefined) chosen.delete(oldest);
    return stateOf(message.blocks ?? [], values);
  };
}

/** Finds a person's own open view. */
export function needView(desk: Desk, id: string, user: string): View {
  const view = desk.views.find({ id });
  if (!view || view.user !== user) throw new Refusal("view_not_found");
  return view;
}

async function actOnView(to: Acting, act: Act, at: { id: string; user: string }): Promise<void> {
  const { desk } = to;
  const known = needView(desk, at.id, at.user);
  const element = needElement(known.blocks, act);
  const view = desk.views.fill(known, filledIn(act));
  const container = { type: "view", view_id: view.id };
  const actions = [actionOf(desk, act, element)];
  const body = { type: "block_actions", ...sharedPayload(to, at.user), container, view: shownView(view), actions };
  await interact(to, body, { at: view.id, user: at.user });
}

/** Where the element stood, as the app is told. */
function placeFields(desk: Desk, message: WorkspaceMessage, channel: { id: string; name: string }): Fields {
  const is_ephemeral = message.onlyFor !== undefined;
  const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
  const container = { type: "message", message_ts: message.ts, channel_id: channel.id, is_ephemeral, ...thread };
  // Slack leaves the message itself out where it was ephemeral.
  return { container, channel, ...(!is_ephemeral && { message: shownMessage(message, desk.manifest) }) };
}

/** Builds what happens when a person uses an element of a message or view. */
export function createAct(to: Acting): (act: Act, user: string) => Promise<void> {
  const { desk } = to;
  const remember = createChoices(desk);

  async function actOnMessage(act: Act, at: { channel: string; ts: string }, user: string): Promise<void> {
    const place = needMember(desk, at.channel, user);
    const message = desk.world.find(at.channel, at.ts);
    if (!message || (message.onlyFor ?? user) !== user) throw new Refusal("message_not_found");
    const element = needElement(message.blocks, act);
    const payload = {
      type: "block_actions",
      ...sharedPayload(to, user),
      ...placeFields(desk, message, shownPlace(place)),
      state: { values: remember(message, act) },
      response_url: to.responses.issue({ channel: at.channel, user, message: at.ts }),
      actions: [actionOf(desk, act, element)],
    };
    await interact(to, payload, { at: at.channel, user });
  }

  return (act, user) => {
    const { container } = act;
    return "view" in container ? actOnView(to, act, { id: container.view, user }) : actOnMessage(act, container, user);
  };
}

/** A person used a shortcut: of a message where one is given, else a global one. */
export async function useShortcut(
  to: Acting,
  used: { callback_id: string; channel?: string; ts?: string },
  user: string,
): Promise<void> {
  const { desk } = to;
  const { callback_id, channel } = used;
  const type = channel === undefined ? "global" : "message";
  const isKnown =
    homeOf(user) === TEAM.id &&
    desk.manifest.shortcuts.some((one) => one.callback_id === callback_id && one.type === type);
  if (!isKnown) throw new Refusal("shortcut_not_found");
  const base = { ...sharedPayload(to, user), callback_id, action_ts: desk.ids.ts() };
  if (channel === undefined) {
    await interact(to, { type: "shortcut", ...base }, { at: "", user });
    return;
  }
  const place = needMember(desk, channel, user);
  const message = desk.world.find(channel, textOf(used.ts));
  if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
  const about = { message_ts: message.ts, message: shownMessage(message, desk.manifest) };
  const response_url = to.responses.issue({ channel, user });
  const where = { channel: shownPlace(place), response_url };
  await interact(to, { type: "message_action", ...base, ...about, ...where }, { at: channel, user });
}

/** A person opens a conversation or the app's Home; the app hears of its own two tabs. */
export async function openPlace(
  to: Acting,
  { channel, tab }: { channel: string; tab?: "home" | "messages" },
  user: string,
): Promise<void> {
  const { desk } = to;
  const direct = desk.world.direct(user);
  if (channel !== direct.id && tab === undefined) return;
  const home = desk.views.home(user);
  const shownTab = tab ?? "messages";
  const view = home && shownTab === "home" ? { view: shownView(home) } : {};
  await to.tell({ type: "app_home_opened", user, channel: direct.id, tab: shownTab, event_ts: desk.ids.ts(), ...view });
}

/** A person stops the app's work in a thread: the app hears of it, and has to end it and its status itself. */
export async function stopSession(
  to: Acting,
  { channel, thread_ts }: { channel: string; thread_ts: string },
  user: string,
): Promise<void> {
  const { desk } = to;
  needMember(desk, channel, user);
  if (!desk.statuses.canStop(channel, thread_ts)) throw new Refusal("session_not_found");
  const streams = desk.world.messages(channel).filter((one) => one.streaming && one.thread_ts === thread_ts);
  for (const { streaming: _, ...message } of streams) desk.world.touch(message);
  const streaming_message_ts = streams.map(({ ts }) => ts);
  const event_ts = desk.ids.ts();
  await to.tell({ type: "agent_session_stopped", channel, user, thread_ts, streaming_message_ts, event_ts });
}
