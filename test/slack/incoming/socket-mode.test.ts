import { readFileSync } from "node:fs";

import { App, type Receiver } from "@slack/bolt";
import { afterEach, describe, expect, it } from "vitest";

import { createSocketMode } from "../../../src/slack/incoming/socket-mode.ts";
import { type Workspace, startWorkspace } from "../../../local/workspace/server.ts";
import { settled } from "../../support/clock.ts";
import { createHastyTimer } from "../hasty.ts";
import { silent } from "./receiver.ts";

const manifest = readFileSync(new URL("../../local/workspace/manifest.yml", import.meta.url), "utf8");
const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Sockets to a workspace, heard by an app that acks everything and remembers it; pauses pass at once. */
async function open(known?: Workspace) {
  const workspace = known ?? (await startWorkspace({ manifest }));
  const timer = createHastyTimer();
  const logged: string[] = [];
  const heard: string[] = [];
  const sockets = createSocketMode({
    appToken: workspace.appToken,
    apiUrl: workspace.apiUrl,
    logger: {
      ...silent,
      info: (text) => void logged.push(`info ${text}`),
      warn: (text) => void logged.push(`warn ${text}`),
    },
    timer,
    async processEvent(_app, { body, ack }) {
      heard.push(String(body["text"]));
      await ack();
    },
  });
  appOn(sockets);
  if (!known) closers.push(() => workspace.stop());
  closers.push(() => sockets.stop());
  return { workspace, sockets, timer, pauses: timer.pauses, logged, heard };
}

const appOn = (receiver: Receiver) => new App({ receiver, authorize: async () => ({}) });

const openings = ({ calls }: Workspace) => calls.filter(({ method }) => method === "apps.connections.open");
const say = (workspace: Workspace, text: string) => workspace.say({ channel: "C0NEWSROOM", text });

describe("Socket Mode connections", () => {
  it("are two, so that one hears while the other is refreshed", async () => {
    const { workspace, sockets, heard } = await open();
    expect(sockets.isConnected()).toBe(false);
    await sockets.start();
    expect(sockets.isConnected()).toBe(true);
    expect(openings(workspace)).toHaveLength(2);
    workspace.redeliver.disconnect("refresh_requested", 1);
    await say(workspace, "/news one");
    await workspace.until(() => openings(workspace).length === 3);
    await say(workspace, "/news two");
    expect(heard).toEqual(["one", "two"]);
    expect(workspace.state().app.connected).toBe(true);
  });

  it("are tried again, with longer and longer pauses, while Slack gives none", async () => {
    const { workspace, sockets, pauses } = await open();
    await sockets.start();
    workspace.fail({ method: "apps.connections.open", outcome: "http_500", times: 6 });
    workspace.redeliver.disconnect("refresh_requested");
    await workspace.until(() => openings(workspace).length === 2 + 6 + 2);
    await expect.poll(() => sockets.isConnected()).toBe(true);
    expect(Math.min(...pauses)).toBe(1_000);
    expect(Math.max(...pauses)).toBeGreaterThan(2_000);
  });

  it("are replaced at once if they lived for a while", async () => {
    const { workspace, sockets, timer, logged } = await open();
    await sockets.start();
    timer.skip(10_000);
    workspace.redeliver.disconnect("refresh_requested");
    await workspace.until(() => openings(workspace).length === 4);
    await expect.poll(() => sockets.isConnected()).toBe(true);
    expect(timer.pauses).toEqual([]);
    expect(logged).toEqual(Array(2).fill("info a Socket Mode connection ends: refresh_requested"));
  });

  it("are replaced after longer and longer pauses if Slack ends each as soon as it greeted it", async () => {
    const { workspace, sockets, pauses, logged } = await open();
    await sockets.start();
    const end = () => (workspace.redeliver.disconnect("warning"), Math.max(0, ...pauses));
    await expect.poll(end, { interval: 5, timeout: 5_000 }).toBe(30_000);
    expect([...new Set(pauses)]).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(openings(workspace).length).toBeLessThanOrEqual(2 + pauses.length);
    expect(logged).toContain("warn a Socket Mode connection ends: warning");
  });

  it("wait and say what to do if Socket Mode is turned off, however long they lived", async () => {
    const { workspace, sockets, timer, logged } = await open();
    await sockets.start();
    timer.skip(3_600_000);
    workspace.redeliver.disconnect("link_disabled", 1);
    await workspace.until(() => openings(workspace).length === 3);
    expect(timer.pauses).toEqual([1_000]);
    expect(logged.join("\n")).toContain("warn Slack has Socket Mode turned off for this app: turn it on");
  });

  it("say why there is none if Slack closes it before it greets", async () => {
    const { workspace, sockets } = await open();
    await sockets.start();
    for (let more = 0; more < 4; more++) await (await open(workspace)).sockets.start();
    const late = await open(workspace);
    const reason: unknown = await late.sockets.start().catch((error: unknown) => error);
    expect(String(reason)).toContain("too_many_websockets before hello");
    expect(late.sockets.isConnected()).toBe(false);
  });

  it("start with one if Slack gives only one, and go on asking for the other", async () => {
    const { workspace, sockets, timer, logged } = await open();
    workspace.fail({ method: "apps.connections.open", outcome: "ratelimited", times: 1, retryAfter: 7 });
    await sockets.start();
    expect(sockets.isConnected()).toBe(true);
    await workspace.until(() => openings(workspace).length === 3);
    expect(timer.pauses).toEqual([7_000]);
    expect(logged).toContain("warn no Socket Mode connection: ratelimited");
  });

  it("stay closed if they are stopped while they are being opened, at whatever moment", async () => {
    const { workspace, sockets } = await open();
    for (let turns = 0; turns < 60; turns++) {
      const started = sockets.start().catch(() => undefined);
      for (let turn = 0; turn < turns; turn++) await settled();
      await sockets.stop();
      await started;
      await expect.poll(() => [sockets.isConnected(), workspace.state().app.connected]).toEqual([false, false]);
    }
  });

  it("stay closed once they are stopped", async () => {
    const { workspace, sockets } = await open();
    await sockets.start();
    await sockets.stop();
    await workspace.until(() => !workspace.state().app.connected);
    expect(openings(workspace)).toHaveLength(2);
    expect(sockets.isConnected()).toBe(false);
  });
});
