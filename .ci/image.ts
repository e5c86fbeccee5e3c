/**
 * Does the steps of the Dockerfile where no container engine is needed: installs what the image holds, measures it, and
 * starts the bot from it as a user who may write to the data folder alone. `node .ci/image.ts` in the repository's folder.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startWorkspace } from "../local/workspace/server.ts";

const maxMB = 60;
/** The user and group `node` of the base image. */
const uid = 1000;
const isRoot = process.getuid?.() === 0;

interface Image {
  /** Node, copied to where another user may run it. */
  node: string;
  /** Its working folder, `/app`. */
  app: string;
  /** Its volume, `/data`. */
  data: string;
}

const dockerfile = await readFile("Dockerfile", "utf8");

function lineOf(pattern: RegExp): string {
  const [, line] = pattern.exec(dockerfile) ?? [];
  if (line === undefined) throw new Error(`The Dockerfile has no line like ${pattern}`);
  return line;
}

async function build(folder: string): Promise<Image> {
  const image = { node: join(folder, "node"), app: join(folder, "app"), data: join(folder, "data") };
  await cp(process.execPath, image.node);
  await mkdir(image.app);
  await mkdir(image.data, { mode: 0o700 });
  for (const name of ["package.json", "package-lock.json"]) await cp(name, join(image.app, name));
  execFileSync("sh", ["-c", lineOf(/^RUN (npm ci (?:.*\\\n)*.*)$/m)], {
    cwd: image.app,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await rm(join(image.app, "package-lock.json"));
  await cp("LICENSE", join(image.app, "LICENSE"));
  await cp("src", join(image.app, "src"), { recursive: true });
  return image;
}

/** What the files in a folder take on a disk, in MB. */
function measure(folder: string): number {
  const [kilobytes = ""] = execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t");
  return (Number(kilobytes) * 1_024) / 1e6;
}

/**
 * Takes away the right to write to anything but the data folder. Root would write all the same, so where this is root, the
 * bot runs as another user.
 */
async function protect({ app, data }: Image): Promise<void> {
  execFileSync("chmod", ["-R", "a-w", app]);
  if (!isRoot) return;
  await chmod(join(app, ".."), 0o755);
  await chown(data, uid, uid);
}

function start({ node, app, data }: Image, settings: Record<string, string>): ChildProcess {
  const [, ...args] = JSON.parse(lineOf(/^CMD (\[.*\])$/m)) as string[];
  return spawn(node, args, {
    cwd: app,
    ...(isRoot && { uid, gid: uid }),
    env: {
      NODE_ENV: "production",
      HOME: "/nonexistent",
      TMPDIR: "/nonexistent",
      STORE_URL: `sqlite:${join(data, "bellwether.sqlite")}`,
      ...settings,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === "object" ? address?.port : "");
}

/** Starts the bot, waits until it is ready, and stops it; throws where it does not do either as it should. */
async function tryOut(image: Image, settings: Record<string, string>): Promise<void> {
  const port = await freePort();
  const bot = start(image, { ...settings, PORT: port });
  const ended = once(bot, "exit");
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const deadline = Date.now() + 30_000;
    while (!(await isReady())) {
      if (bot.exitCode !== null || Date.now() > deadline) throw new Error("The bot is not ready.");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    bot.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`The bot ended with ${code}.`);
  } finally {
    bot.kill("SIGKILL");
  }
}

const folder = await mkdtemp(join(tmpdir(), "bellwether-image-"));
const workspace = await startWorkspace({
  manifest: await readFile("manifest.yml", "utf8"),
  port: 0,
  now: Date.now,
  triggerNow: Date.now,
});
try {
  const image = await build(folder);
  const size = measure(image.app);
  if (size >= maxMB)
    throw new Error(`The image adds ${size.toFixed(1)} MB to its base; less than ${maxMB} MB are allowed.`);
  await protect(image);
  const slack = { SLACK_API_URL: workspace.apiUrl, SLACK_BOT_TOKEN: workspace.botToken };
  await tryOut(image, { ...slack, SLACK_APP_TOKEN: workspace.appToken });
  await tryOut(image, { ...slack, SLACK_SIGNING_SECRET: "a-signing-secret" });
  console.log(`The image adds ${size.toFixed(1)} MB to its base, and the bot in it writes to its data folder alone.`);
} finally {
  await workspace.stop();
  execFileSync("chmod", ["-R", "u+w", folder]);
  await rm(folder, { recursive: true });
}
