import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { createClock } from "../../support/clock.ts";
import { button, call, connect, NEWSROOM, open, plain, section } from "./support.ts";

const row = { type: "actions", block_id: "row", elements: [button("lookUp", { value: "alert" })] };
const press = { block_id: "row", action_id: "lookUp", action: { type: "button" } };
const typed = (value: string | null) => ({ type: "plain_text_input", value });

/** An input block that is named like its one field. */
function field(block_id: string, element: object = {}, optional = true) {
  const input = { type: "plain_text_input", action_id: "in", ...element };
  return { type: "input", block_id, optional, label: plain(block_id), element: input };
}

const required = field("name", {}, false);
const name = field("name", { initial_value: "oil" });
const daily = { text: plain("Daily"), value: "daily" };
const pace = (initial: object = {}) => field("pace", { type: "static_select", options: [daily], ...initial });

const words = (text: string) => ({ type: "plain_text" as const, text });

function form(blocks: unknown[], extra: object = {}) {
  const view = { type: "modal" as const, callback_id: "form", title: words("Form"), submit: words("Save") };
  return { ...view, blocks, ...extra };
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
    app.action("lookUp", async ({ ack, body }) => {
      states.push("view" in body ? body.view?.state.values : undefined);
      await ack();
    });
  };
}

const errorsOf = (workspace: Workspace) => workspace.state().modals.map(({ errors }) => errors);

test("a form whose required field is empty never reaches the app", async () => {
  let submissions = 0;
  const [workspace, view] = await opened(form([required]), (app) => {
    app.view("form", async ({ ack }) => {
      submissions += 1;
      await ack();
    });
  });
  await workspace.submit({ view, values: {} });
  expect(errorsOf(workspace)).toEqual([{ name: "Please complete this required field." }]);
  expect(submissions).toBe(0);
});

test("an ack pushes, updates and closes views", async () => {
  const acks = ["push", "update", "clear"] as const;
  let turn = 0;
  const [workspace, first] = await opened(form([name]), (app) => {
    app.view("form", async ({ ack }) => {
      const action = acks[turn];
      turn += 1;
      if (action === "clear") return ack({ response_action: "clear" });
      if (action === undefined) return ack();
      const blocks = [{ type: "divider" as const }];
      return ack({ response_action: action, view: { ...form([]), blocks, private_metadata: action } });
    });
  });
  const metadata = () => workspace.state().modals.map((one) => one.private_metadata);
  await workspace.submit({ view: first, values: {} });
  expect(metadata()).toEqual(["", "push"]);
  const second = workspace.state().modals.at(-1)?.id ?? "";
  await workspace.submit({ view: second, values: {} });
  expect(metadata()).toEqual(["", "update"]);
  await workspace.submit({ view: second, values: {} });
  expect(metadata()).toEqual([]);
});

test("an update keeps what was filled in if block_id, action_id and kind stay the same", async () => {
  const states: unknown[] = [];
  const [workspace, view] = await opened(form([name, pace(), row]), statesOf(states));
  const chosen = { type: "static_select", selected_option: daily };
  const values = { name: { in: typed("gas") }, pace: { in: chosen } };
  const update = async (...blocks: unknown[]) => {
    await call(workspace, "views.update", { view_id: view, view: form([...blocks, row]) });
    await workspace.act({ container: { view }, ...press });
  };
  await workspace.act({ container: { view }, ...press, values });
  await update(name, pace({ action_id: "later" }));
  await update(pace());
  await update(name, pace({ initial_option: daily }));
  const none = { type: "static_select", selected_option: null };
  expect(states).toEqual([
    values,
    { name: { in: typed("gas") }, pace: { later: none } },
    // A field that was away begins anew.
    { pace: { in: none } },
    // A field that is empty takes up the first choice that an update brings.
    { name: { in: typed("oil") }, pace: { in: chosen } },
  ]);
});

test("a list that the app fills is asked for what was typed, without a trigger, and held to Slack's limits", async () => {
  const asked: unknown[] = [];
  const topic = field("topic", { type: "external_select", min_query_length: 0 });
  const [workspace, view] = await opened(form([topic]), (app) => {
    app.options<"block_suggestion">({ type: "block_suggestion", action_id: "in" }, async ({ ack, body }) => {
      asked.push([body.value, body.view?.id, "trigger_id" in body]);
      const label = body.value === "long" ? "x".repeat(76) : "Gold wire";
      await ack({ options: [{ text: words(label), value: "501" }] });
    });
  });
  const suggest = (value: string) => workspace.suggest({ view, block_id: "topic", action_id: "in", value });
  expect(await suggest("go")).toEqual({ options: [{ text: words("Gold wire"), value: "501" }] });
  expect(asked).toEqual([["go", view, false]]);
  await expect(suggest("long")).rejects.toThrow("too_long");
});

test("a list with several choices fills as somebody types, and is empty if nothing is chosen", async () => {
  const topics = { ...field("topics", { type: "multi_external_select", max_selected_items: 5 }), optional: false };
  const [workspace, view_id] = await opened(form([topics]), (app) => {
    app.options<"block_suggestion">({ type: "block_suggestion", action_id: "in" }, async ({ ack }) => {
      await ack({ options: [{ text: words("Gold wire"), value: "501" }] });
    });
  });
  const { options } = await workspace.suggest({ view: view_id, block_id: "topics", action_id: "in", value: "g" });
  expect(options).toEqual([{ text: words("Gold wire"), value: "501" }]);
  await workspace.submit({ view: view_id, values: {} });
  const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
  expect(refused.errors).toEqual({ topics: expect.stringContaining("required") });
});

test("an update with an outdated hash is refused", async () => {
  const [workspace, view_id] = await opened(form([name]));
  expect(await call(workspace, "views.update", { view_id, view: form([name]) })).toMatchObject({ ok: true });
  const stale = await call(workspace, "views.update", { view_id, view: form([name]), hash: "1.old" });
  expect(stale["error"]).toBe("hash_conflict");
});

test("a trigger opens one view within three seconds", async () => {
  const time = createClock();
  const workspace = await open({ clock: time });
  const triggers: string[] = [];
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      triggers.push(command.trigger_id);
      await ack();
    });
  });
  await workspace.say({ channel: NEWSROOM, text: "/news" });
  await workspace.say({ channel: NEWSROOM, text: "/news" });
  const [first, second] = triggers;
  const outcome = async (trigger_id: unknown) => {
    return (await call(workspace, "views.open", { trigger_id, view: form([name]) }))["error"];
  };
  const early = [await outcome(first), await outcome(first)];
  await time.advance(3001);
  const late = [await outcome(second), await outcome("1.2")];
  expect([...early, ...late]).toEqual([undefined, "exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"]);
});

const many = Array.from({ length: 101 }, () => section("x"));

test.each([
  ["a long title", form([name], { title: plain("t".repeat(25)) }), "/view/title/text"],
  ["an input without submit", form([name], { submit: undefined }), "/view"],
  ["a markdown block", form([{ type: "markdown", text: "# no" }]), "/view/blocks/0"],
  ["101 blocks", form(many), "/view/blocks"],
  ["long private_metadata", form([name], { private_metadata: "m".repeat(3001) }), "/view/private_metadata"],
])("a form with %s is refused where it is wrong", async (_name, view, pointer) => {
  const workspace = await open();
  const answer = await call(workspace, "views.open", { trigger_id: "1.2", view });
  expect(answer["error"]).toBe("invalid_arguments");
  expect(JSON.stringify(answer["response_metadata"])).toContain(`[json-pointer:${pointer}]`);
});
