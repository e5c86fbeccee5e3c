import type { Log } from "./log.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  console.error(
    `Bellwether needs Node 22.20 or newer and this is ${process.version}: start it with npm start, which brings its own.`,
  );
  process.exit(1);
}

const { ConfigError, parseConfig } = await import("./config.ts");
const { createLog, describe, redact } = await import("./log.ts");

try {
  await run(process.argv[2], process.argv[3]);
} catch (error) {
  console.error(reasonOf(error));
  if (process.env["LOG_LEVEL"] === "debug" && error instanceof Error) console.error(redact(error.stack ?? ""));
  process.exit(1);
}

function reasonOf(error: unknown): string {
  // Its examples look like secrets, and it holds no value that was given.
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return "Bellwether cannot start: the port is taken. Set PORT to another one, or stop what listens there.";
  }
  const isPlain = error instanceof Error && ["SlackUnreachable", "StoreError", "TransferError"].includes(error.name);
  return redact(isPlain ? error.message : `Bellwether cannot start: ${describe(error)}`);
}

async function run(command: string | undefined, file: string | undefined): Promise<void> {
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
  const config = parseConfig(process.env);
  if (command === "export" || command === "import") return transfer(command, file, config.storeUrl);
  const { slack } = config;
  const isDemo = command === "demo";
  if (!slack && process.env["NODE_ENV"] === "production") {
    throw new ConfigError([
      "No Slack settings: SLACK_BOT_TOKEN and SLACK_APP_TOKEN are the quickest way. See README.md.",
    ]);
  }
  const log = createLog({
    level: slack || process.env["LOG_LEVEL"] ? config.logLevel : "warn",
    secrets: config.secrets,
  });
  guard(log);
  if (slack && !isDemo) {
    const { startApp } = await import("./app.ts");
    const app = await startApp({ config: { ...config, slack }, log });
    log.info("connected", { team: app.identity.team, as: app.identity.user });
    stopOnSignal(() => app.stop(), log);
    return;
  }
  const { demo, startLocal } = await import("./local.ts");
  if (isDemo) process.exit((await demo(config, log)) ? 0 : 1);
  const local = await startLocal(config, log);
  stopOnSignal(() => local.stop(), log);
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

/** Longest time that answers get to show their last line. */
const graceMs = 10_000;

function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => process.exit(1), graceMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error("stop", { error: describe(error) });
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}
