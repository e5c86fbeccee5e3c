import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { call, connect, manualTime, notices, open, plain, section } from "./bench.ts";

const input = (optional: boolean) => ({
  type: "input",
  block_id: "name",
  optional,
  label: { type: "plain_text" as const, text: "Name" },
  element: { type: "plain_text_input" as const, action_id: "text" },
});

function modal(extra: Record<string, unknown> = {}) {
  const title = { type: "plain_text" as const, text: "New alert" };
  const submit = { type: "plain_text" as const, text: "Save" };
  return { type: "modal" as const, callback_id: "alert", title, submit, blocks: [input(false)], ...extra };
}

const typed = (value: string) => ({ name: { text: { type: "plain_text_input", value } } });

/** A workspace whose global shortcut opens the modal. */
async function withModal(
  listen: (app: App) => void,
  extra: Record<string, unknown> = {},
): Promise<[Workspace, string]> {
  const workspace = await open();
  await connect(workspace, (app) => {
    app.shortcut("new_alert", async ({ ack, shortcut, client }) => {
      await ack();
      await client.views.open({ trigger_id: shortcut.trigger_id, view: modal(extra) });
    });
    listen(app);
  });
  await workspace.shortcut({ callback_id: "new_alert" });
  const view = await workspace.until(() => workspace.state().modals[0]);
  return [workspace, view.id];
}

test("a refused form stays open with its errors, a good one closes", async () => {
  const seenValues: unknown[] = [];
  const [workspace, view] = await withModal((app) => {
    app.view("alert", async ({ ack, view: submitted }) => {
      const value = submitted.state.values["name"]?.["text"]?.value;
      seenValues.push(value);
      await (value === "taken" ? ack({ response_action: "errors", errors: { name: "Taken" } }) : ack());
    });
  });
  await workspace.submit({ view, values: typed("taken") });
  expect(workspace.state().modals).toEqual([expect.objectContaining({ id: view, errors: { name: "Taken" } })]);
  await workspace.submit({ view, values: typed("oil") });
  expect(workspace.state().modals).toEqual([]);
  expect(seenValues).toEqual(["taken", "oil"]);
});

test("a form whose required field is empty never reaches the app", async () => {
  let submissions = 0;
  const [workspace, view] = await withModal((app) => {
    app.view("alert", async ({ ack }) => {
      submissions += 1;
      await ack();
    });
  });
  await workspace.submit({ view, values: {} });
  expect(workspace.state().modals[0]?.errors).toEqual({ name: "Please complete this required field." });
  expect(submissions).toBe(0);
});

test("fields nobody touched come with their first choice, or null", async () => {
  const elements = [
    { type: "plain_text_input", action_id: "a", initial_value: "oil" },
    { type: "plain_text_input", action_id: "b" },
    { type: "checkboxes", action_id: "c", options: [{ text: plain("Loud"), value: "loud" }] },
  ];
  const blocks = elements.map((element) => {
    return {
      type: "input",
      block_id: element.action_id,
      optional: element.action_id !== "a",
      label: plain("x"),
      element,
    };
  });
  const values: unknown[] = [];
  const [workspace, view] = await withModal(
    (app) => {
      app.view("alert", async ({ ack, view: submitted }) => {
        values.push(submitted.state.values);
        await ack();
      });
    },
    { blocks },
  );
  await workspace.submit({ view, values: {} });
  expect(values).toEqual([
    {
      a: { a: { type: "plain_text_input", value: "oil" } },
      b: { b: { type: "plain_text_input", value: null } },
      c: { c: { type: "checkboxes", selected_options: [] } },
    },
  ]);
});

test("an ack pushes, updates and clears", async () => {
  const acks = ["push", "update", "clear"] as const;
  let turn = 0;
  const [workspace, first] = await withModal(
    (app) => {
      app.view("alert", async ({ ack }) => {
        const action = acks[turn];
        turn += 1;
        if (action === "clear") return ack({ response_action: "clear" });
        if (action === undefined) return ack();
        return ack({ response_action: action, view: modal({ blocks: [input(true)], private_metadata: action }) });
      });
    },
    { blocks: [input(true)] },
  );
  await workspace.submit({ view: first, values: {} });
  const second = workspace.state().modals.at(-1)?.id ?? "";
  expect(workspace.state().modals.map((one) => one.private_metadata)).toEqual(["", "push"]);
  await workspace.submit({ view: second, values: {} });
  expect(workspace.state().modals.map((one) => one.private_metadata)).toEqual(["", "update"]);
  await workspace.submit({ view: second, values: {} });
  expect(workspace.state().modals).toEqual([]);
});

test("errors that name no input are told to the person instead of being lost", async () => {
  const [workspace, view] = await withModal((app) => {
    app.view("alert", ({ ack }) => ack({ response_action: "errors", errors: { nowhere: "Taken" } }));
  });
  const texts = notices(workspace);
  await workspace.submit({ view, values: typed("oil") });
  expect(texts).toEqual([expect.stringContaining("errors name no input")]);
  expect(workspace.state().modals).toHaveLength(1);
});

test("the app hears that a form was closed where it asked to", async () => {
  const closed: string[] = [];
  const [workspace, view] = await withModal(
    (app) => {
      app.view({ callback_id: "alert", type: "view_closed" }, async ({ ack, view: gone }) => {
        closed.push(gone.id);
        await ack();
      });
    },
    { notify_on_close: true },
  );
  await workspace.close({ view });
  expect(closed).toEqual([view]);
  expect(workspace.state().modals).toEqual([]);
});

test("a trigger opens one view within three seconds", async () => {
  const time = manualTime();
  const workspace = await open({ now: time.now });
  const triggers: string[] = [];
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      triggers.push(command.trigger_id);
      await ack();
    });
  });
  await workspace.say({ channel: "C0NEWSROOM", text: "/news" });
  await workspace.say({ channel: "C0NEWSROOM", text: "/news" });
  const [first, second] = triggers;
  const view = modal();
  const good = await call(workspace, "views.open", { trigger_id: first, view });
  const again = await call(workspace, "views.open", { trigger_id: first, view });
  time.pass(3001);
  const late = await call(workspace, "views.open", { trigger_id: second, view });
  const none = await call(workspace, "views.open", { trigger_id: "1.2", view });
  expect([good.ok, again["error"], late["error"], none["error"]]).toEqual([
    true,
    "exchanged_trigger_id",
    "expired_trigger_id",
    "invalid_trigger_id",
  ]);
});

test("an update over an older hash is refused, and what was typed survives one that keeps the field", async () => {
  const [workspace, id] = await withModal((app) => {
    app.view("alert", ({ ack }) => ack({ response_action: "errors", errors: { name: "No" } }));
  });
  await workspace.submit({ view: id, values: typed("oil") });
  const first = await call(workspace, "views.update", { view_id: id, view: modal() });
  const shown = JSON.stringify(first["view"]);
  expect(shown).toContain('"value":"oil"');
  const stale = await call(workspace, "views.update", { view_id: id, view: modal(), hash: "1.old" });
  expect(stale["error"]).toBe("hash_conflict");
});

test.each([
  ["a long title", { title: plain("t".repeat(25)) }, "/view/title/text"],
  ["an input without submit", { submit: undefined }, "/view"],
  ["a markdown block", { blocks: [{ type: "markdown", text: "# no" }] }, "/view/blocks/0"],
  ["101 blocks", { blocks: Array.from({ length: 101 }, () => section("x")) }, "/view/blocks"],
  ["long private_metadata", { private_metadata: "m".repeat(3001) }, "/view/private_metadata"],
])("a view with %s is refused where it is wrong", async (_name, extra, pointer) => {
  const workspace = await open();
  const answer = await call(workspace, "views.open", { trigger_id: "1.2", view: modal(extra) });
  expect(answer["error"]).toBe("invalid_arguments");
  expect(JSON.stringify(answer["response_metadata"])).toContain(`[json-pointer:${pointer}]`);
});

test("a view of more than 250 KB is too large", async () => {
  const workspace = await open();
  const blocks = Array.from({ length: 99 }, () => section("x".repeat(2990)));
  const answer = await call(workspace, "views.open", { trigger_id: "1.2", view: modal({ blocks }) });
  expect(answer["error"]).toBe("view_too_large");
});
