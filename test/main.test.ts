import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the program to its end in an empty folder, with no settings but these. */
async function run(args: string[], environment: Record<string, string> = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "bellwether-main-"));
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 80_000,
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const left = await readdir(cwd);
  await rm(cwd, { recursive: true });
  return { out, errors, code, left };
}

describe.concurrent("npm start", () => {
  it("says what is missing, with an example, where half of Slack's settings are given", async () => {
    const { out, errors, code, left } = await run([], { SLACK_BOT_TOKEN: "xoxb-1-2-abc" });
    expect(errors).toBe(
      "Bellwether cannot start with these settings:\n" +
        "  - SLACK_APP_TOKEN is missing. For example: SLACK_APP_TOKEN=xapp-1-A0123-456-abcd (or SLACK_SIGNING_SECRET for HTTP mode)\n",
    );
    expect({ out, code, left }).toEqual({ out: "", code: 1, left: [] });
  });

  it("does not fall back to sample data in production", async () => {
    const { out, errors, code } = await run([], { NODE_ENV: "production" });
    expect(errors).toMatch(/No Slack settings: SLACK_BOT_TOKEN and SLACK_APP_TOKEN/);
    expect({ out, code }).toEqual({ out: "", code: 1 });
  });

  it("says in one line why the store cannot be opened, before it talks to Slack", async () => {
    const environment = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1", SLACK_API_URL: "http://127.0.0.1:9/" };
    const { errors, code } = await run([], { ...environment, STORE_URL: "sqlite:/dev/null/store.sqlite" });
    expect(errors).toMatch(/^Cannot open the store \/dev\/null\/store\.sqlite: .*STORE_URL.*\n$/);
    expect(code).toBe(1);
  });

  it("refuses a command that it does not know", async () => {
    const { out, errors, code } = await run(["manifst"]);
    expect(errors).toMatch(/manifst.*demo.*manifest/s);
    expect({ out, code }).toEqual({ out: "", code: 1 });
  });
});

describe.concurrent("npm run manifest", () => {
  it("prints the manifest whatever the settings are", async () => {
    const { out, errors, code } = await run(["manifest"], { SLACK_BOT_TOKEN: "half" });
    expect(out).toBe(await readFile(new URL("../manifest.yml", import.meta.url), "utf8"));
    expect({ errors, code }).toEqual({ errors: "", code: 0 });
  });
});

describe.concurrent("npm start -- export and import", () => {
  it("move what is kept, with the document alone on standard output", async () => {
    const environment = { STORE_URL: "sqlite::memory:" };
    const { out, errors, code } = await run(["export"], environment);
    expect(JSON.parse(out)).toMatchObject({ bellwether: 2, digests: {}, alerts: {} });
    expect(errors).toMatch(/^Exported 0 digest-numbers, .*0 alerts\.\n$/);
    expect(code).toBe(0);
  });

  it("say in one line what cannot be taken in", async () => {
    const { out, errors, code } = await run(["import", "none.json"], { STORE_URL: "sqlite::memory:" });
    expect(errors).toMatch(/^Cannot read the file: ENOENT.*\n$/);
    expect({ out, code }).toEqual({ out: "", code: 1 });
  });
});
