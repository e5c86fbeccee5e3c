import { expect, test } from "vitest";
import { button, call, connect, DIRECT, MANIFEST, MARA, NEWSROOM, open, plain, section } from "./bench.ts";

const home = (...blocks: unknown[]) => ({ type: "home", blocks });
const row = { type: "actions", block_id: "row", elements: [button("go", { value: "alert" })] };

test("the app is told of Home with what it has published there", async () => {
  const workspace = await open();
  const heard: unknown[] = [];
  await connect(workspace, (app) => {
    app.event("app_home_opened", async ({ event }) => {
      heard.push([event.tab, event.user, event.channel, event.view?.type]);
      await call(workspace, "views.publish", { user_id: event.user, view: home(section("Hello")) });
    });
  });
  await workspace.open({ channel: DIRECT, tab: "home" });
  await workspace.until(() => workspace.state().home);
  await workspace.open({ channel: DIRECT, tab: "home" });
  await workspace.open({ channel: NEWSROOM });
  expect(heard).toEqual([
    ["home", MARA, DIRECT, undefined],
    ["home", MARA, DIRECT, "home"],
  ]);
});

test("a button on Home brings the view, its fields and a trigger, and no address to answer at", async () => {
  const workspace = await open();
  const bodies: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.action("go", async ({ ack, body }) => {
      bodies.push({ ...body });
      await ack();
    });
  });
  const select = { type: "channels_select", action_id: "in", initial_channel: NEWSROOM };
  const where = { ...section("Where"), block_id: "where", accessory: select };
  await call(workspace, "views.publish", { user_id: MARA, view: home(where, row) });
  const view = workspace.state().home?.id ?? "";
  await workspace.act({ container: { view }, block_id: "row", action_id: "go", action: { type: "button" } });
  const state = { values: { where: { in: { type: "channels_select", selected_channel: NEWSROOM } } } };
  expect(bodies).toEqual([
    expect.objectContaining({
      type: "block_actions",
      container: { type: "view", view_id: view },
      view: expect.objectContaining({ id: view, type: "home", state }),
      actions: [expect.objectContaining({ type: "button", action_id: "go", block_id: "row", value: "alert" })],
      trigger_id: expect.any(String),
    }),
  ]);
  expect(bodies[0]).not.toHaveProperty("response_url");
  const modal = { type: "modal", title: plain("Alert"), blocks: [section("x")] };
  const answer = await call(workspace, "views.open", { trigger_id: bodies[0]?.["trigger_id"], view: modal });
  expect(answer).toMatchObject({ ok: true, view: { type: "modal" } });
});

test("Home keeps its view through every publication and refuses an older hash", async () => {
  const workspace = await open();
  const publish = (text: string, hash?: unknown) =>
    call(workspace, "views.publish", { user_id: MARA, view: home(section(text)), ...(hash !== undefined && { hash }) });
  const first = await publish("one");
  const { hash, id } = { hash: "", id: "", ...Object(first["view"]) };
  const second = await publish("two", hash);
  expect(second).toMatchObject({ ok: true, view: { id } });
  expect(await publish("three", hash)).toMatchObject({ ok: false, error: "hash_conflict" });
  expect(JSON.stringify(workspace.state().home)).toContain("two");
});

test("an app without a Home tab publishes nothing", async () => {
  const workspace = await open({ manifest: MANIFEST.replace("home_tab_enabled: true", "home_tab_enabled: false") });
  const answer = await call(workspace, "views.publish", { user_id: MARA, view: home(section("x")) });
  expect(answer).toMatchObject({ ok: false, error: "not_enabled" });
});

test.each([
  ["a modal", { type: "modal", title: plain("t"), blocks: [] }],
  ["a chart", home({ type: "data_visualization", title: "t", chart: { type: "pie", segments: [] } })],
  ["101 blocks", home(...Array.from({ length: 101 }, () => section("x")))],
])("Home does not take %s", async (_name, view) => {
  const workspace = await open();
  const answer = await call(workspace, "views.publish", { user_id: MARA, view });
  expect(answer["error"]).toBe("invalid_arguments");
});
