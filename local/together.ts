import { readFile } from "node:fs/promises";

import { type BellwetherApp, type Config, type Log, type SlackConfig, offeredWords, startApp } from "../src/app.ts";
import { type DemoClock, createDemoClock } from "./demo/clock.ts";
import type { NewsCalendar } from "./sandbox/news.ts";
import { type Sandbox, startSandbox } from "./sandbox/server.ts";
import { type Workspace, type WorkspaceOptions, startWorkspace } from "./workspace/server.ts";

/** Sandbox, workspace and bot in one process. */
export interface Local {
  clock: DemoClock;
  workspace: Workspace;
  sandbox: Sandbox;
  /** Stops the bot alone. */
  stopApp: () => Promise<void>;
  /** Stops the bot, and starts it anew with the same workspace and store. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

interface LocalOptions extends Pick<WorkspaceOptions, "saved" | "demo" | "timeZone" | "locale"> {
  config: Config;
  log: Log;
  /** The port of the page; 0 is any that is free. */
  port: number;
  /** The pause between the words of a generated answer, in milliseconds. */
  wordDelayMs?: number;
  clock?: DemoClock;
  calendar?: NewsCalendar;
  /** The address of the bot's store; in memory if missing. */
  storeUrl?: string;
}

/** Starts sandbox, workspace and bot; a service that has settings of its own is used instead of the sandbox's. */
export async function startAll(options: LocalOptions): Promise<Local> {
  const { config, log, port, clock = createDemoClock(), storeUrl = "sqlite::memory:" } = options;
  const { wordDelayMs, calendar, saved, demo, timeZone, locale } = options;
  const now = () => clock.now();
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const sandbox = await startSandbox({
    now,
    ...(wordDelayMs !== undefined && { wordDelayMs }),
    ...(calendar && { calendar }),
  });
  const workspace = await startWorkspace({
    manifest,
    port,
    now,
    triggerNow: Date.now,
    words: offeredWords,
    article: sandbox.article,
    ...(saved && { saved }),
    ...(demo && { demo }),
    ...(timeZone !== undefined && { timeZone }),
    ...(locale !== undefined && { locale }),
  });
  const slack = { apiUrl: workspace.apiUrl, botToken: workspace.botToken, appToken: workspace.appToken };
  const start = () => startApp({ config: { ...withSandbox(config, sandbox, slack), storeUrl }, log, clock });
  const closeServers = async () => {
    await workspace.stop();
    await sandbox.close();
  };
  let app: BellwetherApp | undefined;
  try {
    app = await start();
  } catch (error) {
    await closeServers();
    throw error;
  }
  const stopApp = async () => app?.stop();
  return {
    clock,
    workspace,
    sandbox,
    stopApp,
    async restart() {
      await stopApp();
      app = await start();
    },
    async stop() {
      await stopApp();
      await closeServers();
    },
  };
}

function withSandbox(config: Config, sandbox: Sandbox, slack: SlackConfig): Config & { slack: SlackConfig } {
  const { intelligenceUrl, credentials, gatewayUrl, gatewayKey, jurisdictionsUrl, jurisdictionsKey } = sandbox;
  return {
    ...config,
    slack,
    port: undefined,
    intelligence: config.intelligence ?? {
      url: intelligenceUrl,
      credentials,
      model: "sandbox",
      truncation: "oldest_first",
    },
    gateway: config.gateway ?? { url: gatewayUrl, key: gatewayKey, keyHeader: "authorization", model: undefined },
    jurisdictions: config.jurisdictions ?? { url: jurisdictionsUrl, key: jurisdictionsKey },
  };
}
