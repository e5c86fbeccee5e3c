import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { createClock } from "../../support/clock.ts";
import { call, connect, NEWSROOM, notices, open, type OpenOptions } from "./support.ts";

interface Heard {
  id: string;
  retry: number | undefined;
  by: string;
}

/** A workspace with apps that note what they hear, in order. */
async function listening(apps: string[], options: OpenOptions = {}) {
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

/** A bare connection to the workspace, and what has come over it. */
async function dial(workspace: Workspace) {
  const { url } = await call(workspace, "apps.connections.open", { token: workspace.appToken });
  const socket = new WebSocket(String(url));
  const frames: Record<string, unknown>[] = [];
  socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data))));
  return { socket, frames };
}

test("on a bad day every event arrives twice under one ID", async () => {
  const { workspace, heard, mention } = await listening(["one"]);
  workspace.redeliver.twice(true);
  await mention();
  await expect.poll(() => heard.length).toBe(2);
  expect(heard.map((one) => one.retry)).toEqual([0, 1]);
  expect(new Set(heard.map((one) => one.id)).size).toBe(1);
});

test("an event whose ack was lost is sent again after three seconds, on another connection", async () => {
  const time = createClock();
  const { workspace, heard, mention } = await listening(["one", "two"], { clock: time });
  // The mention and its message event both lose their ack.
  workspace.redeliver.dropAcks(2);
  const said = mention();
  await expect.poll(() => heard.length).toBe(1);
  await time.advance(3000);
  await said;
  await time.advance(0);
  await expect.poll(() => heard.length).toBe(2);
  expect(heard[1]).toMatchObject({ id: heard[0]?.id, retry: 1 });
  expect(heard[1]?.by).not.toBe(heard[0]?.by);
});

test("an event whose connection dies before the ack is sent again at once on another", async () => {
  const time = createClock();
  const workspace = await open({ clock: time });
  const [first, second] = [await dial(workspace), await dial(workspace)];
  await expect.poll(() => [first.frames.length, second.frames.length]).toEqual([1, 1]);
  void workspace.say({ channel: NEWSROOM, text: `<@${workspace.ids.botUser}> hello` });
  await expect.poll(() => [first.frames.length, second.frames.length]).toEqual([2, 2]);
  first.socket.close();
  await expect.poll(() => second.frames.length).toBe(3);
  const { event_id } = Object(first.frames[1]?.["payload"]);
  expect(second.frames[2]).toMatchObject({ retry_attempt: 1, retry_reason: "timeout", payload: { event_id } });
});

test("a command that is not acked in three seconds fails with operation_timeout", async () => {
  const time = createClock();
  const workspace = await open({ clock: time });
  const texts = notices(workspace);
  let isHeard = false;
  await connect(workspace, (app) => {
    app.command("/news", async () => void (isHeard = true));
  });
  const said = workspace.say({ channel: NEWSROOM, text: "/news" });
  await expect.poll(() => isHeard).toBe(true);
  await time.advance(3000);
  await said;
  expect(texts).toEqual(["/news failed with the error operation_timeout"]);
});
