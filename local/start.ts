import { createServer } from "node:net";

import type { Config, Log } from "../src/app.ts";
import { type Demo, startDemo } from "./demo/demo.ts";
import { runningAt } from "./demo/kept.ts";
import { startAll } from "./together.ts";
import { playTour } from "./tour.ts";

export { type Local, startAll } from "./together.ts";

const usualPort = 3000;
/** The folder that keeps the local workspace. */
const folder = "data/local";

/** Starts the bot in a workspace of its own, and prints its address and what to try. */
export async function startLocal(config: Config, log: Log): Promise<Demo> {
  const other = await runningAt(folder);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const started = await startDemo({
    config,
    log,
    timeZone,
    port: await freePort(config.port ?? usualPort),
    folder: other === undefined ? folder : undefined,
    tell: (line) => console.log(`\n  ${line}`),
  });
  const kept = other
    ? `Another one runs at ${other} and keeps its state in ${folder}. This one keeps nothing.`
    : `State is kept in ${folder}; Start over, in the Demo panel, clears it.`;
  console.log(`
  Bellwether is running in a local workspace with sample data. No Slack account or API keys needed.

    ${started.url}

  Three things to click:
    1. A headline in #newsroom, to read the article.
    2. The thread at the right: ask “Who loses from this?”, or a question of your own.
    3. Demo, at the bottom left: make a company spike and watch the alert.

  ${kept}
  Ctrl+C stops it. For a real Slack workspace, see "Install in Slack" in README.md.
`);
  return started;
}

/** Plays the tour, prints what a reader sees, and resolves with whether every answer was right. */
export async function demo(config: Config, log: Log): Promise<boolean> {
  const local = await startAll({ config, log, port: 0 });
  try {
    return await playTour(local.workspace, console.log);
  } finally {
    await local.stop();
  }
}

/** The wanted port if nothing listens on it, else any free one. */
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
