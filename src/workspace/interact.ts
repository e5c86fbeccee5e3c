import type { Outcome } from "./delivery.ts";
import type { Desk } from "./desk.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { shownActor, shownMessage, shownView } from "./identity.ts";
import { needGoodView } from "./methods/views.ts";
import { needMember, notice, type Speaking } from "./people.ts";
import type { Act, Block, Open, Shortcut, Submit, WorkspaceMessage } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { APP, TEAM } from "./seed.ts";
import type { Values, View } from "./views.ts";

/** What every interaction carries. */
function shared(to: Speaking, user: string): Fields {
  return {
    user: shownActor(to.desk.world, user),
    api_app_id: APP.id,
    token: to.token,
    trigger_id: to.desk.triggers.issue(user),
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** The interactive elements of a block, wherever it keeps them. */
function elementsOf(block: Block): Fields[] {
  const inside = [...listOf(block["elements"]), block["accessory"], block["element"]].filter(isFields);
  const nested = [...listOf(block["child_blocks"]), ...listOf(block["actions"])].filter(isFields);
  return [...inside, ...nested.flatMap((one) => [one, ...elementsOf({ ...one, type: textOf(one["type"]) })])];
}

function needElement(blocks: Block[] | undefined, act: Act): Fields {
  const inside = (blocks ?? []).filter((block) => block["block_id"] === act.block_id || "child_blocks" in block);
  const found = inside.flatMap(elementsOf).find((one) => one["action_id"] === act.action_id);
  if (!found) throw new Refusal("element_not_found");
  if (found["type"] !== act.action.type) throw new Refusal("element_type_mismatch");
  return found;
}

/** A button's value is its own, not the page's; what a person chose or typed is theirs. */
function actionOf(desk: Desk, act: Act, element: Fields): Fields {
  const { block_id, action_id } = act;
  const own = element["type"] === "button" ? { text: element["text"], value: element["value"] } : {};
  return { ...act.action, ...own, action_id, block_id, action_ts: desk.ids.ts() };
}

const STATELESS = new Set(["button", "overflow", "icon_button", "feedback_buttons", "workflow_button"]);

function withValue(values: Values, act: Act): Values {
  if (STATELESS.has(act.action.type)) return values;
  return { ...values, [act.block_id]: { ...values[act.block_id], [act.action_id]: { ...act.action } } };
}

/** Sends an interaction and says so where the app did not take it in time. */
async function send(to: Speaking, payload: Fields, place: { channel: string; user: string }): Promise<Outcome> {
  const { desk } = to;
  if (!desk.manifest.interactivity) throw new Refusal("interactivity_disabled");
  const outcome = await to.delivery.request("interactive", payload);
  if (!outcome.acked) {
    notice(desk, place.channel, `${desk.manifest.name} did not respond: ${outcome.reason}`, place.user);
  }
  return outcome;
}

/** Builds what people do with blocks, modals and shortcuts. */
export function createInteractions(to: Speaking) {
  const { desk } = to;
  /** What was chosen in messages since they were posted or changed. */
  const chosen = new Map<string, Values>();
  desk.world.onChange((change) => {
    if (change.kind === "edited" || change.kind === "deleted") {
      chosen.delete(`${change.previous.channel} ${change.previous.ts}`);
    }
  });

  function remember(message: WorkspaceMessage, act: Act): Values {
    const key = `${message.channel} ${message.ts}`;
    const values = withValue(chosen.get(key) ?? {}, act);
    if (Object.keys(values).length > 0) chosen.set(key, values);
    return values;
  }

  async function actOnMessage(act: Act, at: { channel: string; ts: string }, user: string): Promise<void> {
    const place = needMember(desk, at.channel, user);
    const message = desk.world.find(at.channel, at.ts);
    if (!message || (message.onlyFor ?? user) !== user) throw new Refusal("message_not_found");
    const element = needElement(message.blocks, act);
    const is_ephemeral = message.onlyFor !== undefined;
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const container = { type: "message", message_ts: at.ts, channel_id: at.channel, is_ephemeral, ...thread };
    const payload = {
      type: "block_actions",
      ...shared(to, user),
      container,
      channel: { id: place.id, name: place.kind === "im" ? "directmessage" : place.name },
      // Slack leaves the message itself out where it was ephemeral.
      ...(!is_ephemeral && { message: shownMessage(message, desk.manifest) }),
      state: { values: remember(message, act) },
      response_url: to.responses.issue({ channel: at.channel, user, message: at.ts }),
      actions: [actionOf(desk, act, element)],
    };
    await send(to, payload, { channel: at.channel, user });
  }

  function needView(id: string, user: string): View {
    const view = desk.views.find({ id });
    if (!view || view.user !== user) throw new Refusal("view_not_found");
    return view;
  }

  const directOf = (user: string) => desk.world.direct(user).id;

  async function actOnView(act: Act, id: string, user: string): Promise<void> {
    const known = needView(id, user);
    const element = needElement(known.blocks, act);
    const view = desk.views.setValues(known, withValue(known.values, act));
    const container = { type: "view", view_id: view.id };
    const actions = [actionOf(desk, act, element)];
    const body = { type: "block_actions", ...shared(to, user), container, view: shownView(view), actions };
    await send(to, body, { channel: directOf(user), user });
  }

  return {
    act(act: Act, user: string): Promise<void> {
      return "view" in act.container ? actOnView(act, act.container.view, user) : actOnMessage(act, act.container, user);
    },

    async submit({ view: id, values }: Submit, user: string): Promise<void> {
      const known = needView(id, user);
      const errors = missingFields(known.blocks, values);
      if (Object.keys(errors).length > 0) return desk.views.setErrors(known, errors);
      const view = desk.views.setValues(known, { ...known.values, ...values });
      const body = { type: "view_submission", ...shared(to, user), view: shownView(view), response_urls: [] };
      const outcome = await send(to, body, { channel: directOf(user), user });
      if (outcome.acked) followAck(desk, view, outcome.payload);
    },

    async close(id: string, user: string): Promise<void> {
      const view = needView(id, user);
      if (view.given["clear_on_close"] === true) desk.views.clear(user);
      else desk.views.close(view);
      if (view.given["notify_on_close"] !== true) return;
      const body = { type: "view_closed", ...shared(to, user), view: shownView(view), is_cleared: false };
      await send(to, body, { channel: directOf(user), user });
    },

    async shortcut({ callback_id, channel, ts }: Shortcut, user: string): Promise<void> {
      const type = channel === undefined ? "global" : "message";
      const isKnown = desk.manifest.shortcuts.some((one) => one.callback_id === callback_id && one.type === type);
      if (!isKnown) throw new Refusal("shortcut_not_found");
      const base = { ...shared(to, user), callback_id, action_ts: desk.ids.ts() };
      if (channel === undefined) {
        await send(to, { type: "shortcut", ...base }, { channel: directOf(user), user });
        return;
      }
      const place = needMember(desk, channel, user);
      const message = desk.world.find(channel, ts ?? "");
      if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
      const about = { message_ts: message.ts, message: shownMessage(message, desk.manifest) };
      const response_url = to.responses.issue({ channel, user });
      const where = { channel: { id: channel, name: place.name }, response_url };
      await send(to, { type: "message_action", ...base, ...about, ...where }, { channel, user });
    },
  };
}

function isEmpty(value: Fields | undefined): boolean {
  if (!value) return true;
  const { type: _, ...rest } = value;
  const given = Object.values(rest);
  return given.every((one) => one === null || one === undefined || one === "" || (Array.isArray(one) && one.length === 0));
}

/** Slack's clients hold back a form whose required fields are empty. */
function missingFields(blocks: Block[], values: Values): Record<string, string> {
  const inputs = blocks.filter((block) => block.type === "input" && block["optional"] !== true);
  const missing = inputs.filter((block) => {
    const id = textOf(fieldsOf(block["element"])["action_id"]);
    return isEmpty(values[textOf(block["block_id"])]?.[id]);
  });
  return Object.fromEntries(missing.map((block) => [textOf(block["block_id"]), "Please complete this required field."]));
}

/** Does what the ack of a submission asks for; without a word the view closes. */
function followAck(desk: Desk, view: View, payload: Fields): void {
  const { response_action: action } = payload;
  if (action === "errors") {
    const inputs = new Set(view.blocks.filter((one) => one.type === "input").map((one) => textOf(one["block_id"])));
    const errors = Object.entries(fieldsOf(payload["errors"])).filter(([id]) => inputs.has(id));
    if (errors.length > 0) return desk.views.setErrors(view, Object.fromEntries(errors.map(([id, one]) => [id, textOf(one)])));
    return trouble(desk, view, "errors name no input block");
  }
  if (action === "clear") return desk.views.clear(view.user);
  if (action === undefined) return desk.views.close(view);
  try {
    const given = needGoodView(payload["view"]);
    if (action === "push") desk.views.push(view.user, given);
    else desk.views.update(view, given);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    trouble(desk, view, error.code);
  }
}

function trouble(desk: Desk, view: View, why: string): void {
  const channel = desk.world.direct(view.user).id;
  notice(desk, channel, `${desk.manifest.name} answered the form in a way Slack refuses: ${why}`, view.user);
}

/** A person opens a conversation or the app's Home; the app hears of its own two tabs. */
export async function open(
  to: { desk: Desk; tell: (event: Fields) => Promise<void> },
  { channel, tab }: Open,
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
