import { needView } from "./act.ts";
import type { Desk } from "./desk.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { shownView } from "./identity.ts";
import { isEmpty, stateOf } from "./initial.ts";
import { needGoodView } from "./methods/views.ts";
import { type Acting, interact, notice, sharedPayload } from "./payload.ts";
import type { Block, Submit } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { Values, View } from "./views.ts";

/** The input blocks, those inside containers too. */
function inputsIn(blocks: Fields[]): Fields[] {
  return blocks.flatMap((block) =>
    block["type"] === "input" ? [block] : inputsIn(listOf(block["child_blocks"]).filter(isFields)),
  );
}

/** Slack's clients hold back a form whose required fields are empty. */
function missingFields(blocks: Block[], values: Values): Record<string, string> {
  const required = inputsIn(blocks).filter((block) => block["optional"] !== true);
  const missing = required.filter((block) => {
    const id = textOf(fieldsOf(block["element"])["action_id"]);
    return isEmpty(values[textOf(block["block_id"])]?.[id]);
  });
  return Object.fromEntries(
    missing.map((block) => [textOf(block["block_id"]), "Please complete this required field."]),
  );
}

/** An address to answer at for every select that asks for one and holds a conversation. */
function responseUrls({ desk, responses }: Acting, view: View, state: Values): Fields[] {
  return inputsIn(view.blocks).flatMap((block) => {
    const element = fieldsOf(block["element"]);
    const [block_id, action_id] = [textOf(block["block_id"]), textOf(element["action_id"])];
    const { selected_conversation, selected_channel } = state[block_id]?.[action_id] ?? {};
    const channel = textOf(selected_conversation ?? selected_channel);
    if (element["response_url_enabled"] !== true || !desk.world.conversation(channel)) return [];
    const response_url = responses.issue({ channel, user: view.user });
    return [{ block_id, action_id, channel_id: channel, response_url }];
  });
}

function trouble(desk: Desk, view: View, why: string): void {
  notice(desk, view.id, `${desk.manifest.name} answered the form in a way Slack refuses: ${why}`, view.user);
}

function showErrors(desk: Desk, view: View, errors: Fields): void {
  const inputs = new Set(inputsIn(view.blocks).map((one) => textOf(one["block_id"])));
  const known = Object.entries(errors).filter(([id]) => inputs.has(id));
  if (known.length === 0) return trouble(desk, view, "its errors name no input");
  desk.views.setErrors(view, Object.fromEntries(known.map(([id, text]) => [id, textOf(text)])));
}

/** Does what the ack of a submission asks for; without a word the view closes. */
function followAck(desk: Desk, view: View, payload: Fields): void {
  const { response_action: action } = payload;
  if (action === undefined) return desk.views.close(view);
  if (action === "clear") return desk.views.clear(view.user);
  if (action === "errors") return showErrors(desk, view, fieldsOf(payload["errors"]));
  if (action !== "push" && action !== "update") return trouble(desk, view, `response_action ${textOf(action)}`);
  try {
    const given = needGoodView(payload["view"]);
    if (action === "push") desk.views.push(view.user, given);
    else desk.views.update(view, given);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    trouble(desk, view, error.code);
  }
}

/** A person submits a form; it closes, changes or shows errors as the app's ack says. */
export async function submitView(to: Acting, { view: id, values }: Submit, user: string): Promise<void> {
  const { desk } = to;
  const known = needView(desk, id, user);
  const view = desk.views.fill(known, values);
  if (Object.keys(view.errors).length > 0) desk.views.setErrors(view, {});
  const state = stateOf(view.blocks, view.values);
  const errors = missingFields(view.blocks, state);
  if (Object.keys(errors).length > 0) return desk.views.setErrors(view, errors);
  const response_urls = responseUrls(to, view, state);
  const body = { type: "view_submission", ...sharedPayload(to, user), view: shownView(view), response_urls };
  const outcome = await interact(to, body, { at: view.id, user });
  const still = desk.views.find({ id });
  if (outcome.acked && still) followAck(desk, still, outcome.payload);
}

/** A person closes a form; the app hears of it where it asked to. */
export async function closeView(to: Acting, { view: id }: { view: string }, user: string): Promise<void> {
  const { desk } = to;
  const view = needView(desk, id, user);
  const is_cleared = view.given["clear_on_close"] === true;
  if (is_cleared) desk.views.clear(user);
  else desk.views.close(view);
  if (view.given["notify_on_close"] !== true) return;
  const body = { type: "view_closed", ...sharedPayload(to, user), view: shownView(view), is_cleared };
  // Nobody waits for this answer, so nobody is told where none comes.
  await to.delivery.request("interactive", body);
}
