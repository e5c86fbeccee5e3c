import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Workspace, WorkspaceOptions } from "../../../local/workspace/server.ts";
import { call, connect, manualTime, NEWSROOM, notices, open } from "./bench.ts";

interface Heard {
  id: string;
  retry: number | undefined;
  by: string;
}

/** A workspace with apps that note what they hear, in order. */
async function listening(apps: string[], options: Partial<WorkspaceOptions> = {}) {
  const workspace = await open(options);
  const heard: Heard[] = [];
  for (const by of apps) {
    await connect(workspace, (app: App) => {
      app.event("app_mention", async ({ body, context }) => {
        heard.push({ id: body.event_id, retry: context.retryNum, by });
      });
    });
  }
  const mention = () => workspace.say({ channel: NEWSROOM, text: `<@${workspace.ids.botUser}> hello` });
  return { workspace, heard, mention };
}

/** A bare connection to the workspace, on its way to being open. */
async function dial(workspace: Workspace): Promise<WebSocket> {
  const { url } = await call(workspace, "apps.connections.open", { token: workspace.appToken });
  return new WebSocket(String(url));
}

test("on a bad day every event comes twice under one id", async () => {
  const { workspace, heard, mention } = await listening(["one"]);
  workspace.redeliver.twice(true);
  await mention();
  await expect.poll(() => heard.length).toBe(2);
  expect(heard.map((one) => one.retry)).toEqual([0, 1]);
  expect(new Set(heard.map((one) => one.id)).size).toBe(1);
});

test("connections take turns, and each event goes to one of them", async () => {
  const { heard, mention } = await listening(["one", "two"]);
  for (let at = 0; at < 4; at += 1) await mention();
  expect(heard).toHaveLength(4);
  expect(new Set(heard.map((one) => one.id)).size).toBe(4);
});

test("an event whose ack was lost comes again after three seconds, on another connection", async () => {
  const time = manualTime();
  const { workspace, heard, mention } = await listening(["one", "two"], { now: time.now, after: time.after });
  // The mention and its message event both lose their ack.
  workspace.redeliver.dropAcks(2);
  const said = mention();
  await expect.poll(() => heard.length).toBe(1);
  time.pass(3000);
  await said;
  time.pass(0);
  await expect.poll(() => heard.length).toBe(2);
  expect(heard[1]).toMatchObject({ id: heard[0]?.id, retry: 1 });
  expect(heard[1]?.by).not.toBe(heard[0]?.by);
});

test("an event whose connection dies unacked comes again at once on another", async () => {
  const time = manualTime();
  const workspace = await open({ now: time.now, after: time.after });
  const frames: Record<string, { retry_attempt: number; payload: { event_id: string } }[]> = { a: [], b: [] };
  const sockets = await Promise.all(
    ["a", "b"].map(async (name) => {
      const socket = await dial(workspace);
      socket.addEventListener("message", ({ data }) => {
        const frame = JSON.parse(String(data));
        if (frame.type === "events_api") frames[name]?.push(frame);
      });
      await new Promise((resolve) => socket.addEventListener("open", resolve));
      return socket;
    }),
  );
  void workspace.say({ channel: NEWSROOM, text: `<@${workspace.ids.botUser}> hello` });
  await expect.poll(() => [frames["a"]?.length, frames["b"]?.length]).toEqual([1, 1]);
  sockets[0]?.close();
  await expect.poll(() => frames["b"]?.length).toBe(2);
  expect(frames["b"]?.[1]).toMatchObject({
    retry_attempt: 1,
    retry_reason: "timeout",
    payload: { event_id: frames["a"]?.[0]?.payload.event_id },
  });
});

test("a connection that was asked to go hears nothing more", async () => {
  const { workspace, heard, mention } = await listening(["old"]);
  workspace.redeliver.disconnect("refresh_requested");
  await connect(workspace, (app) => {
    app.event("app_mention", async ({ body, context }) => {
      heard.push({ id: body.event_id, retry: context.retryNum, by: "new" });
    });
  });
  await mention();
  expect(heard.map((one) => one.by)).toEqual(["new"]);
});

test("the page is told when the app comes and goes", async () => {
  const workspace = await open();
  const seen: boolean[] = [];
  workspace.watch((event) => {
    if (event.type === "connected") seen.push(event.connected);
  });
  await connect(workspace, () => {});
  expect(workspace.state().app.connected).toBe(true);
  workspace.redeliver.disconnect();
  await workspace.until(() => seen.length === 2);
  expect(seen).toEqual([true, false]);
});

test("a command that is not acked in three seconds fails with operation_timeout", async () => {
  const time = manualTime();
  const workspace = await open({ now: time.now, after: time.after });
  const texts = notices(workspace);
  let isHeard = false;
  await connect(workspace, (app) => {
    app.command("/news", async () => void (isHeard = true));
  });
  const said = workspace.say({ channel: NEWSROOM, text: "/news" });
  await expect.poll(() => isHeard).toBe(true);
  time.pass(3000);
  await said;
  expect(texts).toEqual(["/news failed with the error operation_timeout"]);
});

test("at most ten connections are kept", async () => {
  const workspace = await open();
  const sockets: WebSocket[] = [];
  const frames: unknown[] = [];
  for (let at = 0; at < 11; at += 1) {
    const socket = await dial(workspace);
    sockets.push(socket);
    await new Promise<void>((resolve) => {
      socket.addEventListener("message", (event) => {
        frames.push(JSON.parse(String(event.data)));
        resolve();
      });
    });
  }
  for (const socket of sockets) socket.close();
  expect(frames[9]).toMatchObject({
    type: "hello",
    num_connections: 10,
    connection_info: { app_id: workspace.ids.app },
  });
  expect(frames[10]).toMatchObject({ type: "disconnect", reason: "too_many_websockets" });
});

test("a ticket opens one connection", async () => {
  const workspace = await open();
  const first = await dial(workspace);
  await new Promise((resolve) => first.addEventListener("open", resolve));
  const second = new WebSocket(first.url);
  const outcome = await new Promise((resolve) => {
    second.addEventListener("open", () => resolve("open"));
    second.addEventListener("error", () => resolve("refused"));
  });
  first.close();
  expect(outcome).toBe("refused");
});
