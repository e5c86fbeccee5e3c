import { createRequire } from "node:module";
import type { Log } from "./log.ts";

createRequire(import.meta.url)("./node.cjs");

// Where its words reach nobody any more, answers go on: a line about a line that failed would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void (process.exitCode = 1));

const { ConfigError, parseConfig, withoutSlack } = await import("./config.ts").catch(notWhole);
const { createLog, describe, redact } = await import("./log.ts");

/** Longest time that answers get to show their last line. */
const graceMs = 10_000;

const [asked, ...files] = process.argv.slice(2);
try {
  await runCommand(asked, files);
} catch (error) {
  console.error(explainFailure(error));
  if (process.env["LOG_LEVEL"] === "debug" && error instanceof Error) console.error(redact(error.stack ?? ""));
  process.exit(1);
}

function explainFailure(error: unknown): string {
  // Its examples look like secrets, and it holds no value that was given.
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && "syscall" in error && error.syscall === "listen") return portReason(error);
  const isPlain = error instanceof Error && ["SlackUnreachable", "StoreError", "TransferError"].includes(error.name);
  return redact(isPlain ? error.message : `Bellwether cannot ${asked ?? "start"}: ${describe(error)}`);
}

function portReason(error: Error & { code?: string; port?: number }): string {
  const port = error.port ?? "";
  if (error.code === "EADDRINUSE") {
    return `Bellwether cannot start: port ${port} is taken. Set PORT to another one, or stop what listens there.`;
  }
  return `Bellwether cannot start: it may not listen on port ${port} (${error.code}). Set PORT to another one, from 1024 on.`;
}

/** A part is missing, or what it needs: which one is for whoever has to look closer. */
function notWhole(error: unknown): never {
  console.error(
    `Bellwether is not installed whole: run npm install, then start it again. (${error instanceof Error ? error.message : ""})`,
  );
  process.exit(1);
}

function notLocal(error: unknown): never {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
  console.error(
    "The local workspace is not part of this installation. In a clone, npm install without --omit=dev brings it; for Slack, set SLACK_BOT_TOKEN and SLACK_APP_TOKEN. See README.md.",
  );
  process.exit(1);
}

async function runCommand(command: string | undefined, [file, extra]: string[]): Promise<void> {
  if (command !== undefined && !["demo", "manifest", "export", "import"].includes(command)) {
    console.error(
      `There is no command “${command}”. There are demo, manifest, export and import; without one, Bellwether starts.`,
    );
    process.exit(1);
  }
  if (command === "manifest") {
    const { renderManifest } = await import("./manifest.ts");
    const { features } = await import("./features.ts");
    process.stdout.write(renderManifest(features));
    return;
  }
  if (extra !== undefined) {
    console.error(`${command} takes one file at most; ${extra} is one too many. Nothing was done.`);
    process.exit(1);
  }
  // Neither the demo nor a move touches Slack, so they need nothing of it.
  const config = parseConfig(command === undefined ? process.env : withoutSlack(process.env));
  if (command === "export" || command === "import") return transfer(command, file, config.storeUrl);
  const { slack } = config;
  const isDemo = command === "demo";
  if (!slack && !isDemo && process.env["NODE_ENV"] === "production") {
    throw new ConfigError([
      "No Slack settings: SLACK_BOT_TOKEN and SLACK_APP_TOKEN are the quickest way. See README.md.",
    ]);
  }
  const log = createLog({
    level: slack || process.env["LOG_LEVEL"] ? config.logLevel : "warn",
    secrets: config.secrets,
  });
  guard(log);
  if (isDemo) {
    const { demo } = await import("../local/start.ts").catch(notLocal);
    process.exit((await demo(config, log)) ? 0 : 1);
  }
  const stopping = stopOnSignal(log);
  if (slack) {
    const { startApp } = await import("./app.ts");
    const app = await startApp({ config: { ...config, slack }, log });
    stopping.by(() => app.stop());
    log.info("connected", { team: app.identity.team, as: app.identity.user });
    return;
  }
  const { startLocal } = await import("../local/start.ts").catch(notLocal);
  const local = await startLocal(config, log);
  stopping.by(() => local.stop());
}

/** What subscriptions rest on, out of the store or into it; what was done is said beside the output. */
async function transfer(command: "export" | "import", file: string | undefined, storeUrl: string): Promise<void> {
  const { exportFile, importFile } = await import("./transfer.ts");
  const lines = command === "export" ? await exportFile(storeUrl, file) : await importFile(storeUrl, file);
  for (const line of lines) console.error(line);
}

/** Nothing that escapes a library may end the process: it is logged, and everybody else's answers go on. */
function guard(log: Log): void {
  process.on("unhandledRejection", (error) => log.error("unhandled", { error: describe(error) }));
  process.on("uncaughtException", (error) => log.error("uncaught", { error: describe(error) }));
}

/** Heeds signals from now on: a process that is alone in its container ignores those that it does not heed. */
function stopOnSignal(log: Log): { by(stop: () => Promise<void>): void } {
  let isStopping = false;
  let stop: (() => Promise<void>) | undefined;

  async function end(): Promise<number> {
    try {
      await stop?.();
      log.info("stopped");
      return 0;
    } catch (error) {
      log.error("stop", { error: describe(error) });
      return 1;
    }
  }

  const onSignal = (signal: string) => {
    if (isStopping) exit(1);
    isStopping = true;
    log.info("stopping", { signal });
    setTimeout(() => exit(1), graceMs).unref();
    void end().then(exit);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return { by: (way) => void (stop = way) };
}

/**
 * Ends the process now. Node waits at its end for every look-up of a name, which nobody can call off: ten seconds and more
 * where no name server answers. A process that becomes another program waits for none.
 */
function exit(code: number): never {
  const isLookingUp = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isLookingUp && process.platform !== "win32") {
    process.execve?.(process.execPath, [process.execPath, "--eval", `process.exit(${code})`], {});
  }
  process.exit(code);
}
