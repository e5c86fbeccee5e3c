import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

import type { Log } from "./log.ts";

// Ends the process with an explanation if Node is too old.
createRequire(import.meta.url)("./node.cjs");

// If the output goes nowhere any more, answers go on: logging the failure would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void (process.exitCode = 1));

const { ConfigError, parseConfig, publicUrlSchema, withoutSlack } = await import("./config.ts").catch(exitIncomplete);
const { createLog, describe, redact } = await import("./log.ts");

/** Their messages are for the operator as they stand. */
const plainErrors = ["SlackUnreachable", "StoreError", "UnreadableInstallations"];
/** Longest time that a stop may take. */
const stopMs = 10_000;

// Variables that are set already count more.
if (existsSync(".env")) process.loadEnvFile(".env");

const [commandName, ...files] = process.argv.slice(2);
try {
  await runCommand(commandName, files);
} catch (error) {
  console.error(explainFailure(error));
  if (process.env["LOG_LEVEL"] === "debug" && error instanceof Error) console.error(redact(error.stack ?? ""));
  process.exit(1);
}

async function runCommand(command: string | undefined, options: string[]): Promise<void> {
  const [first, second] = options;
  if (command !== undefined && !["demo", "manifest", "copy", "backup", "about", "forget"].includes(command)) {
    console.error(
      `There is no command “${command}”. There are demo, manifest, copy, backup, about and forget; without one, Bellwether starts.`,
    );
    process.exit(1);
  }
  if (command === "manifest") return giveManifest(options);
  if (command === "about" || command === "forget") return handleData(command, { id: first ?? "", team: second });
  if (command === "copy") return copyStores(options);
  if (command === "backup") return backUpStore(options);
  // The demo does not touch Slack, so it needs no setting of it.
  const config = parseConfig(command === undefined ? process.env : withoutSlack(process.env));
  const { slack } = config;
  if (command === undefined && !slack && process.env["NODE_ENV"] === "production") {
    throw new ConfigError([
      "No Slack settings: SLACK_BOT_TOKEN and SLACK_APP_TOKEN are the quickest way. See README.md.",
    ]);
  }
  const log = createLog({
    level: slack || process.env["LOG_LEVEL"] ? config.logLevel : "warn",
    secrets: config.secrets,
  });
  // Nothing that escapes a library may end the process: it is logged, and everybody else's answers go on.
  process.on("unhandledRejection", (error) => log.error("unhandled", { error: describe(error) }));
  process.on("uncaughtException", (error) => log.error("uncaught", { error: describe(error) }));
  if (command === "demo") {
    const { demo } = await import("../local/start.ts").catch(exitWithoutLocal);
    process.exit((await demo(config, log)) ? 0 : 1);
  }
  const stopOnSignal = listenForSignals(log);
  if (slack) {
    const { startApp } = await import("./app.ts");
    const app = await startApp({ config: { ...config, slack }, log });
    stopOnSignal(() => app.stop());
    log.info("connected", { team: app.identity.team, as: app.identity.user });
  } else {
    const { startLocal } = await import("../local/start.ts").catch(exitWithoutLocal);
    const local = await startLocal(config, log);
    stopOnSignal(() => local.stop());
  }
}

/** Prints the app's manifest, or with `--write` writes it to a file; with `--public-url`, that for many workspaces. */
async function giveManifest(options: string[]): Promise<void> {
  const given = readManifestOptions(options);
  if (!given) {
    console.error(
      "manifest takes --public-url and an https address, with nothing after its path: npm run manifest -- --public-url https://bellwether.example.com",
    );
    process.exit(1);
  }
  const { renderManifest } = await import("./manifest.ts");
  const { features } = await import("./features.ts");
  const manifest = renderManifest(features, given.publicUrl);
  if (!given.isWritten) return void process.stdout.write(manifest);
  const file = given.publicUrl === undefined ? "manifest.yml" : "manifest.public.yml";
  await writeFile(file, manifest);
  console.error(`Wrote ${file}.`);
}

/** The options of `manifest`; nothing if they cannot be read. */
function readManifestOptions(args: string[]): { publicUrl?: string; isWritten: boolean } | undefined {
  try {
    const options = { "public-url": { type: "string" }, write: { type: "boolean", default: false } } as const;
    const { "public-url": url, write: isWritten } = parseArgs({ args, options }).values;
    return { isWritten, ...(url !== undefined && { publicUrl: publicUrlSchema.parse(url) }) };
  } catch {
    return undefined;
  }
}

/** Prints or deletes what is kept about a person, a direct message or a workspace. */
async function handleData(
  command: "about" | "forget",
  subject: { id: string; team: string | undefined },
): Promise<void> {
  if (!/^[UWDTE][A-Z0-9]+$/.test(subject.id) || !/^[TE][A-Z0-9]+$/.test(subject.team ?? "T0")) {
    console.error(
      `Whose data? Type npm start -- ${command} U0123456789, the ID of a person or of a direct message with the bot (D…), with T0123456789 after it for one workspace alone; or the ID of a workspace.`,
    );
    process.exit(1);
  }
  const { storeUrl } = parseConfig(withoutSlack(process.env));
  const { handleSubject } = await import("./operate/forget.ts");
  const { text, report } = await handleSubject(command, subject, storeUrl);
  if (text !== undefined) process.stdout.write(text);
  console.error(report);
}

/** Copies one store into another, which is empty. */
async function copyStores([from, to, ...more]: string[]): Promise<void> {
  if (from === undefined || to === undefined || more.length > 0) {
    console.error(
      "copy takes two stores, as STORE_URL names them: npm start -- copy sqlite:data/bellwether.sqlite postgres://USER@HOST/DATABASE",
    );
    process.exit(1);
  }
  const { copy } = await import("./operate/transfer.ts");
  console.error(await copy(from, to));
}

/** Writes a copy of the store into a file. */
async function backUpStore([file, ...more]: string[]): Promise<void> {
  if (file === undefined || more.length > 0) {
    console.error("backup takes the file that it is to write: npm start -- backup bellwether-copy.sqlite");
    process.exit(1);
  }
  const { storeUrl } = parseConfig(withoutSlack(process.env));
  const { backUp } = await import("./operate/transfer.ts");
  console.error(await backUp(storeUrl, file));
}

/**
 * Listens for signals from now on, also while the bot starts: a process that is alone in its container ignores those that
 * it does not listen for. The result takes what a signal stops. A second signal ends the process at once.
 */
function listenForSignals(log: Log): (stop: () => Promise<void>) => void {
  let isStopping = false;
  let stop = async () => {};

  async function stopWithCode(): Promise<number> {
    try {
      await stop();
      log.info("stopped");
      return 0;
    } catch (error) {
      log.error("stop.failed", { error: describe(error) });
      return 1;
    }
  }

  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info("stopping", { signal });
    setTimeout(() => process.exit(1), stopMs).unref();
    void stopWithCode().then((code) => process.exit(code));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return (newStop) => void (stop = newStop);
}

function explainFailure(error: unknown): string {
  // Its examples look like secrets, and it holds no value that was given.
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && "syscall" in error && error.syscall === "listen") {
    return `Bellwether cannot start: ${error.message}. Set PORT to another port, 1024 or higher, or stop what listens there.`;
  }
  const isPlain = error instanceof Error && plainErrors.includes(error.name);
  return redact(isPlain ? error.message : `Bellwether cannot ${commandName ?? "start"}: ${describe(error)}`);
}

/** A file or a dependency is missing: names it in brackets. */
function exitIncomplete(error: unknown): never {
  console.error(
    `Bellwether is not installed whole: run npm install, then start it again. (${error instanceof Error ? error.message : ""})`,
  );
  process.exit(1);
}

function exitWithoutLocal(error: unknown): never {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
  console.error(
    "The local workspace is not part of this installation. In a clone, npm install without --omit=dev adds it; for Slack, set SLACK_BOT_TOKEN and SLACK_APP_TOKEN. See README.md.",
  );
  process.exit(1);
}
