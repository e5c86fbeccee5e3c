import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { type Clock, startApp, systemClock } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { digestSchema } from "../../src/features/digests/digest.ts";
import { createLog } from "../../src/log.ts";
import { startSandbox } from "../../local/sandbox/server.ts";
import { openStore } from "../../src/store/store.ts";
import { startWorkspace } from "../../local/workspace/server.ts";
import { shownText } from "../support/journey.ts";
import { temporaryFolder } from "../support/stores.ts";
import { startUpstream } from "../support/upstream.ts";

const closers: (() => unknown)[] = [];
const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;
afterEach(async () => {
  Date.now = now;
  for (const close of closers.splice(0).toReversed()) await close();
});

it("the operator’s channel hears once that the gateway refuses the key, and once that the right key works", async () => {
  const folder = await temporaryFolder();
  const manifest = await readFile(new URL("../../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest });
  const sandbox = await startSandbox({ wordDelayMs: 0 });
  const refusing = await startUpstream(({ response }) => void response.writeHead(401).end("{}"));
  closers.push(
    () => sandbox.close(),
    () => refusing.close(),
    () => workspace.stop(),
  );
  const [operators, newsroom] = ["energy-desk", "newsroom"].map((name) => {
    return workspace.state().conversations.find((each) => each.name === name)?.id ?? "";
  });
  const storeUrl = `sqlite:${join(folder, "state.sqlite")}`;
  const store = await openStore(storeUrl);
  await store.collection("digests", digestSchema).set(`${workspace.ids.team} 1`, {
    team: workspace.ids.team,
    number: 1,
    source: { kind: "search", query: "oil" },
    schedule: { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" },
    channel: newsroom ?? "",
    owner: workspace.me,
    state: "active",
    nextRun: Date.now() - 60_000,
    changed: [],
  });
  await store.close();

  const start = async (gatewayUrl: string) => {
    const config = parseConfig({
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      GATEWAY_URL: gatewayUrl,
      GATEWAY_API_KEY: sandbox.gatewayKey,
      OPERATOR_CHANNEL: operators ?? "",
      STORE_URL: storeUrl,
    });
    if (!config.slack) throw new Error("no Slack");
    const log = createLog({ level: "error", write: () => undefined });
    const app = await startApp({ config: { ...config, slack: config.slack }, log });
    closers.push(() => app.stop());
    return app;
  };
  const told = () =>
    workspace
      .messages(operators ?? "")
      .filter(({ user }) => user === workspace.ids.botUser)
      .map((message) => shownText(message));
  const telling = (count: number) => workspace.until(() => told().length === count && told(), 10_000);

  const tried = async (count: number) => workspace.until(() => refusing.requests.length > count, 10_000);
  const first = await start(refusing.url);
  await tried(0);
  await first.stop();
  expect(told()).toEqual([]);
  ahead = 40 * 60_000;
  const second = await start(refusing.url);
  expect(await telling(1)).toEqual([
    expect.stringMatching(/^:warning: \*Search service\* has refused our access since/),
  ]);
  await second.stop();
  ahead += 40 * 60_000;
  const before = refusing.requests.length;
  const third = await start(refusing.url);
  await tried(before);
  await third.stop();
  ahead += 40 * 60_000;
  await start(sandbox.gatewayUrl);
  expect((await telling(2))[1]).toMatch(/^:white_check_mark: \*Search service\* is back\./);
  await workspace.until(() => workspace.messages(newsroom ?? "").some(({ text }) => text.startsWith("Oil · ")), 10_000);
});

it.each([
  ["deleted", (path: string) => rm(path)],
  ["renamed", (path: string) => rename(path, `${path}.moved`)],
])(
  "the operator’s channel hears within a minute that the store’s file is %s, and nothing new is taken on",
  async (_, lose) => {
    const folder = await temporaryFolder();
    const manifest = await readFile(new URL("../../manifest.yml", import.meta.url), "utf8");
    const workspace = await startWorkspace({ manifest });
    const sandbox = await startSandbox({ wordDelayMs: 0 });
    closers.push(
      () => sandbox.close(),
      () => workspace.stop(),
    );
    const [operators = "", newsroom = ""] = ["energy-desk", "newsroom"].map((name) => {
      return workspace.state().conversations.find((each) => each.name === name)?.id ?? "";
    });
    const path = join(folder, "state.sqlite");
    const config = parseConfig({
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      GATEWAY_URL: sandbox.gatewayUrl,
      GATEWAY_API_KEY: sandbox.gatewayKey,
      OPERATOR_CHANNEL: operators,
      STORE_URL: `sqlite:${path}`,
    });
    if (!config.slack) throw new Error("no Slack");
    const logged: string[] = [];
    const log = createLog({ level: "warn", write: (line) => void logged.push(line) });
    let later = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + later };
    const app = await startApp({ config: { ...config, slack: config.slack }, log, clock });
    closers.push(() => app.stop());
    const told = () => workspace.messages(operators).filter(({ user }) => user === workspace.ids.botUser);

    await lose(path);
    later = 60_000;
    await workspace.until(() => told().length > 0, 10_000);
    expect(told().map(shownText)).toEqual([
      expect.stringMatching(/^:warning: \*The store’s file\* was deleted, moved/),
    ]);
    expect(logged.filter((line) => / warn operator .*The store’s file was deleted/.test(line))).toHaveLength(1);
    await workspace.say({ channel: newsroom, text: "/digests add search oil daily 9:00" });
    await workspace.until(
      () =>
        workspace
          .messages(newsroom)
          .some((message) => shownText(message).includes("My store is gone, so this wasn’t saved")),
      10_000,
    );
  },
);
