import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { button, call, connect, NEWSROOM, notices, open, plain, post, section } from "./bench.ts";

const option = (value: string) => ({ text: plain(value), value });
const field = (block_id: string, element: Record<string, unknown>) => ({
  type: "input",
  block_id,
  optional: true,
  label: plain(block_id),
  element: { action_id: "in", ...element },
});

const name = field("name", { type: "plain_text_input", initial_value: "oil" });
const pace = field("pace", {
  type: "radio_buttons",
  initial_option: option("daily"),
  options: [option("daily"), option("weekly")],
});
const place = field("place", { type: "channels_select", response_url_enabled: true });
const hour = field("hour", { type: "timepicker", initial_time: "08:30" });
const row = { type: "actions", block_id: "row", elements: [button("look")] };
const typed = (value: string) => ({ type: "plain_text_input", value });

function form(blocks: unknown[], extra: Record<string, unknown> = {}) {
  return { type: "modal", callback_id: "form", title: plain("Form"), submit: plain("Save"), blocks, ...extra };
}

/** A workspace in which the global shortcut has opened a form. */
async function opened(view: unknown, listen: (app: App) => void = () => {}): Promise<[Workspace, string]> {
  const workspace = await open();
  await connect(workspace, (app) => {
    app.shortcut("new_alert", async ({ ack, shortcut }) => {
      await ack();
      await call(workspace, "views.open", { trigger_id: shortcut.trigger_id, view });
    });
    listen(app);
  });
  await workspace.shortcut({ callback_id: "new_alert" });
  const modal = await workspace.until(() => workspace.state().modals[0]);
  return [workspace, modal.id];
}

/** Notes what every press of a button says about the fields around it. */
function statesOf(states: unknown[]): (app: App) => void {
  return (app) => {
    app.action("look", async ({ ack, body }) => {
      states.push("view" in body ? body.view?.state : "state" in body ? body.state : undefined);
      await ack();
    });
  };
}

const press = { block_id: "row", action_id: "look", action: { type: "button" } };

test("a button in a form tells what stands in every field, untouched ones too", async () => {
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([name, pace, place, hour, row]), statesOf(states));
  await workspace.act({ container: { view }, ...press, values: { name: { in: typed("gas") } } });
  const values = {
    name: { in: typed("gas") },
    pace: { in: { type: "radio_buttons", selected_option: option("daily") } },
    place: { in: { type: "channels_select", selected_channel: null } },
    hour: { in: { type: "timepicker", selected_time: "08:30" } },
  };
  expect(states).toEqual([{ values }]);
});

test("what the page says of fields that the form does not have is not passed on", async () => {
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([name, row]), statesOf(states));
  const values = { name: { in: { type: "number_input", value: "1" }, other: typed("x") }, more: { in: typed("x") } };
  await workspace.act({ container: { view }, ...press, values });
  expect(states).toEqual([{ values: { name: { in: typed("oil") } } }]);
});

test("fields may go by names that every object has", async () => {
  const states: unknown[] = [];
  const odd = { ...name, block_id: "constructor", element: { ...name.element, action_id: "name" } };
  const [workspace, view] = await opened(form([odd, row]), statesOf(states));
  await workspace.act({ container: { view }, ...press });
  expect(states).toEqual([{ values: { constructor: { name: typed("oil") } } }]);
});

test("an update keeps what was filled in where block_id, action_id and kind are the same", async () => {
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([name, hour, row]), statesOf(states));
  const at = { type: "timepicker", selected_time: "09:00" };
  await workspace.act({ container: { view }, ...press, values: { name: { in: typed("gas") }, hour: { in: at } } });
  const renamed = { ...hour, element: { ...hour.element, action_id: "later" } };
  await call(workspace, "views.update", { view_id: view, view: form([name, renamed, row]) });
  await workspace.act({ container: { view }, ...press });
  await call(workspace, "views.update", { view_id: view, view: form([hour, row]) });
  await workspace.act({ container: { view }, ...press });
  const first = { type: "timepicker", selected_time: "08:30" };
  expect(states.slice(1)).toEqual([
    { values: { name: { in: typed("gas") }, hour: { later: first } } },
    // A field that was away begins anew.
    { values: { hour: { in: first } } },
  ]);
});

test("fields inside a container count like any others", async () => {
  const inner = { ...name, optional: false, element: { type: "plain_text_input", action_id: "in" } };
  const box = { type: "container", title: plain("More"), child_blocks: [inner, row] };
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([box]), statesOf(states));
  await workspace.act({ container: { view }, ...press });
  expect(states).toEqual([{ values: { name: { in: { type: "plain_text_input", value: null } } } }]);
  await workspace.submit({ view, values: {} });
  expect(workspace.state().modals[0]?.errors).toEqual({ name: "Please complete this required field." });
});

test("elements without an action_id get one, wherever they stand", async () => {
  const workspace = await open();
  const { action_id: _, ...nameless } = button("x");
  const card = { type: "card", title: { type: "mrkdwn", text: "Card" }, actions: [nameless] };
  const box = { type: "container", title: plain("Box"), child_blocks: [{ type: "actions", elements: [nameless] }] };
  await post(workspace, { blocks: [card, { type: "carousel", elements: [card] }, box] });
  const buttons = JSON.stringify(workspace.messages(NEWSROOM).at(-1)).match(/"type":"button"[^[\]]*?"action_id":"a/g);
  expect(buttons).toHaveLength(3);
});

test("a first choice holds through updates, until its block has a new id", async () => {
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([name, hour, row]), statesOf(states));
  const other = (block_id: string) => ({ ...name, block_id, element: { ...name.element, initial_value: "coal" } });
  const empty = { ...hour, element: { type: "timepicker", action_id: "in" } };
  await call(workspace, "views.update", { view_id: view, view: form([other("name"), empty, row]) });
  await workspace.act({ container: { view }, ...press });
  await call(workspace, "views.update", { view_id: view, view: form([other("name-2"), row]) });
  await workspace.act({ container: { view }, ...press });
  expect(states).toEqual([
    { values: { name: { in: typed("oil") }, hour: { in: { type: "timepicker", selected_time: "08:30" } } } },
    { values: { "name-2": { in: typed("coal") } } },
  ]);
});

test("an empty field takes up the first choice that an update brings", async () => {
  const states: unknown[] = [];
  const empty = { ...hour, element: { type: "timepicker", action_id: "in" } };
  const [workspace, view] = await opened(form([empty, row]), statesOf(states));
  await call(workspace, "views.update", { view_id: view, view: form([hour, row]) });
  await workspace.act({ container: { view }, ...press });
  expect(states).toEqual([{ values: { hour: { in: { type: "timepicker", selected_time: "08:30" } } } }]);
});

test("fields in a message come along with its buttons, through edits that keep their ids", async () => {
  const states: unknown[] = [];
  const workspace = await open();
  await connect(workspace, statesOf(states));
  const blocks = [name, row];
  const ts = await post(workspace, { blocks });
  const container = { channel: NEWSROOM, ts };
  await workspace.act({ container, ...press, values: { name: { in: typed("gas") } } });
  await workspace.act({ container, ...press });
  await call(workspace, "chat.update", { ...container, text: "new", blocks });
  await workspace.act({ container, ...press });
  await call(workspace, "chat.update", { ...container, text: "newer", blocks: [{ ...name, block_id: "name-2" }, row] });
  await workspace.act({ container, ...press });
  const kept = { values: { name: { in: typed("gas") } } };
  expect(states).toEqual([kept, kept, kept, { values: { "name-2": { in: typed("oil") } } }]);
});

test("a submission brings an address to answer at for a channel that was chosen", async () => {
  const urls: unknown[] = [];
  const [workspace, view] = await opened(form([place, name]), (app) => {
    app.view("form", async ({ ack, body }) => {
      if ("response_urls" in body && Array.isArray(body.response_urls)) urls.push(...body.response_urls);
      await ack();
    });
  });
  const chosen = { type: "channels_select", selected_channel: NEWSROOM };
  await workspace.submit({ view, values: { place: { in: chosen } } });
  expect(urls).toEqual([expect.objectContaining({ block_id: "place", action_id: "in", channel_id: NEWSROOM })]);
  const said = { text: "saved", response_type: "in_channel" };
  const { response_url } = { response_url: "", ...Object(urls[0]) };
  await fetch(response_url, { method: "POST", body: JSON.stringify(said) });
  expect(workspace.messages(NEWSROOM).at(-1)).toMatchObject({ text: "saved" });
});

test("errors go when the form is submitted again", async () => {
  const answers = [{ response_action: "errors" as const, errors: { name: "Taken" } }, undefined];
  const seen: unknown[] = [];
  const [workspace, view] = await opened(form([name]), (app) => {
    app.view("form", async ({ ack }) => {
      seen.push(workspace.state().modals[0]?.errors);
      const answer = answers.shift();
      await (answer ? ack(answer) : ack());
    });
  });
  await workspace.submit({ view, values: {} });
  expect(workspace.state().modals[0]?.errors).toEqual({ name: "Taken" });
  await workspace.submit({ view, values: {} });
  expect(seen).toEqual([undefined, undefined]);
  expect(workspace.state().modals).toEqual([]);
});

test("closing a form that clears its stack says that all was cleared", async () => {
  const cleared: unknown[] = [];
  const inner = form([section("inner")], { callback_id: "inner", notify_on_close: true, clear_on_close: true });
  const [workspace] = await opened(form([name, row]), (app) => {
    app.action("look", async ({ ack, body }) => {
      await ack();
      if ("trigger_id" in body) await call(workspace, "views.push", { trigger_id: body.trigger_id, view: inner });
    });
    app.view({ callback_id: "inner", type: "view_closed" }, async ({ ack, body }) => {
      cleared.push("is_cleared" in body && body.is_cleared);
      await ack();
    });
  });
  const first = workspace.state().modals[0]?.id ?? "";
  await workspace.act({ container: { view: first }, ...press });
  const top = await workspace.until(() => workspace.state().modals[1]);
  await workspace.close({ view: top.id });
  expect(cleared).toEqual([true]);
  expect(workspace.state().modals).toEqual([]);
});

test("an app that does not answer is named where the person looks", async () => {
  const [workspace, view] = await opened(form([name, row]), () => {});
  const places: string[] = [];
  workspace.watch((event) => {
    if (event.type === "notice") places.push(event.channel);
  });
  const texts = notices(workspace);
  workspace.redeliver.disconnect("link_disabled");
  await workspace.until(() => !workspace.state().app.connected);
  await workspace.submit({ view, values: {} });
  expect(places).toEqual([view]);
  expect(texts).toEqual([expect.stringContaining("is not connected")]);
  expect(workspace.state().modals).toHaveLength(1);
});
