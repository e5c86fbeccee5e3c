import { readFile } from "node:fs/promises";
import { createServer } from "node:net";

import { type BellwetherApp, type Config, type Log, type SlackConfig, offeredWords, startApp } from "../src/app.ts";
import { type DemoClock, createDemoClock } from "./demo/clock.ts";
import { type Sandbox, startSandbox } from "./sandbox/server.ts";
import { playTour } from "./tour.ts";
import { type Workspace, startWorkspace } from "./workspace/server.ts";

export interface Local {
  clock: DemoClock;
  workspace: Workspace;
  sandbox: Sandbox;
  app: BellwetherApp;
  stop: () => Promise<void>;
}

interface LocalOptions {
  config: Config;
  log: Log;
  /** Of the page; 0 is any that is free. */
  port: number;
  /** Pause between the words of a generated answer. */
  wordDelayMs?: number;
}

const usualPort = 3000;

/** Starts the bot with a workspace of its own, prints where it is and what to try, and plays the tour there. */
export async function startLocal(config: Config, log: Log): Promise<Local> {
  const local = await startAll({ config, log, port: await freePort(config.port ?? usualPort) });
  const { url } = local.workspace;
  console.log(`
  Bellwether runs in a local workspace with sample data: no Slack account, no API keys.

    ${url}

  Open it and try, in #newsroom or in the direct message with Bellwether:
    /news chip export
    /trending
    /summary data breach
    /alerts add company every 1 minute eager
    @Bellwether why are chip makers in the news?

  Ctrl+C stops it. For a real Slack workspace, see "Install in Slack" in README.md.
`);
  playTour(local.workspace, () => {}).catch((error: unknown) => log.warn("tour", { error: String(error) }));
  return local;
}

/** Plays the tour, prints what a reader sees, and tells whether every step was answered as it should be. */
export async function demo(config: Config, log: Log): Promise<boolean> {
  const local = await startAll({ config, log, port: 0 });
  try {
    return await playTour(local.workspace, console.log);
  } finally {
    await local.stop();
  }
}

/** Starts sandbox, workspace and bot in one process; services with settings of their own are used instead of the sandbox. */
export async function startAll({ config, log, port, wordDelayMs }: LocalOptions): Promise<Local> {
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const clock = createDemoClock();
  const now = () => clock.now();
  const sandbox = await startSandbox({ now, ...(wordDelayMs !== undefined && { wordDelayMs }) });
  const workspace = await startWorkspace({ manifest, port, now, words: offeredWords, article: sandbox.article });
  const slack = { apiUrl: workspace.apiUrl, botToken: workspace.botToken, appToken: workspace.appToken };
  const app = await startApp({ config: withSandbox(config, sandbox, slack), log, clock });
  return {
    clock,
    workspace,
    sandbox,
    app,
    async stop() {
      await app.stop();
      await workspace.stop();
      await sandbox.close();
    },
  };
}

function withSandbox(config: Config, sandbox: Sandbox, slack: SlackConfig): Config & { slack: SlackConfig } {
  const { intelligenceUrl, credentials, gatewayUrl, gatewayKey, jurisdictionsUrl, jurisdictionsKey } = sandbox;
  return {
    ...config,
    slack,
    port: undefined,
    // The local workspace forgets everything when it stops, so what the bot remembers of it would be about nothing.
    storeUrl: "sqlite::memory:",
    intelligence: config.intelligence ?? { url: intelligenceUrl, credentials, model: "sandbox" },
    gateway: config.gateway ?? { url: gatewayUrl, key: gatewayKey },
    jurisdictions: config.jurisdictions ?? { url: jurisdictionsUrl, key: jurisdictionsKey },
  };
}

/** The wanted port where nothing listens on it, else any. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(wanted, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return 0;
  await new Promise((resolve) => probe.close(resolve));
  return wanted;
}
