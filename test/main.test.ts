import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { openStore } from "../src/store/store.ts";
import { compiled } from "./support/compiled.ts";
import { startUpstream } from "./support/upstream.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the program to its end in an empty folder, with no settings but these. */
async function run(args: string[], environment: Record<string, string> = {}, program = main, file?: string) {
  const cwd = await mkdtemp(join(tmpdir(), "bellwether-main-"));
  if (file !== undefined) await writeFile(join(cwd, ".env"), file);
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...compiled, ...environment },
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
  it("says what is missing, with an example, if half of Slack's settings are given", async () => {
    const { out, errors, code, left } = await run([], { SLACK_BOT_TOKEN: "xoxb-1-2-abc" });
    expect(errors).toBe(
      "Bellwether cannot start with these settings:\n" +
        "  - SLACK_APP_TOKEN is missing. For example: SLACK_APP_TOKEN=xapp-1-A0123-456-abcd (or SLACK_SIGNING_SECRET for HTTP mode)\n",
    );
    expect({ out, code, left }).toEqual({ out: "", code: 1, left: [] });
  });

  it("reads .env, of which the environment counts more, and credentials there need no quotation marks", async () => {
    const file =
      'SLACK_BOT_TOKEN=xoxb-1\nTIMEZONE=Nowhere\nINTELLIGENCE_CREDENTIALS={"username":"desk","password":"a b"}\n';
    const { errors, code } = await run([], { TIMEZONE: "UTC" }, main, file);
    expect(errors).toMatch(/SLACK_APP_TOKEN is missing/);
    expect(errors).toMatch(/INTELLIGENCE_URL is missing/);
    expect(errors).not.toMatch(/TIMEZONE|JSON/);
    expect(code).toBe(1);
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

  it.each(["about", "forget"])("makes no store if there is none: %s", async (command) => {
    const { out, errors, code, left } = await run([command, "U0123456789"], {
      STORE_URL: "sqlite:data/mistyped.sqlite",
    });
    expect(errors).toMatch(/^There is no store at data\/mistyped\.sqlite\. Check STORE_URL.*\n$/);
    expect({ out, code, left }).toEqual({ out: "", code: 1, left: [] });
  });

  it("names the port that is taken", async () => {
    const taken = createServer().listen(0);
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    const slack = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "abc", STORE_URL: "sqlite::memory:" };
    const upstream = await startUpstream(({ response }) => void response.end('{"ok":true}'));
    const { errors, code } = await run([], { ...slack, SLACK_API_URL: `${upstream.url}/`, PORT: port });
    await upstream.close();
    taken.close();
    expect(errors).toBe(
      `Bellwether cannot start: listen EADDRINUSE: address already in use :::${port}. Set PORT to another port, 1024 or higher, or stop what listens there.\n`,
    );
    expect(code).toBe(1);
  });

  it("stops also while it waits for Slack", async () => {
    const env = {
      ...compiled,
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_SIGNING_SECRET: "abc",
      SLACK_API_URL: "http://127.0.0.1:9/",
      STORE_URL: "sqlite::memory:",
    };
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    let out = "";
    for await (const some of child.stdout.setEncoding("utf8")) {
      out += String(some);
      if (/trying again/.test(String(some))) child.kill("SIGTERM");
    }
    expect([out.split("\n").slice(-3).join("\n"), await ended]).toEqual([
      expect.stringMatching(/ stopping signal=SIGTERM\n.* stopped\n$/),
      0,
    ]);
  });

  it("does not complain if nobody reads its output", async () => {
    const child = spawn(process.execPath, [main, "manifest"], { stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdout.destroy();
    expect(await Promise.all([text(child.stderr), ended])).toEqual(["", 1]);
  });

  it("says what to do if it was not installed whole", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bellwether-bare-"));
    await cp(fileURLToPath(new URL("../src", import.meta.url)), join(folder, "src"), { recursive: true });
    const bare = await run([], {}, join(folder, "src", "main.ts"));
    await symlink(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
    const image = await run(["demo"], { NODE_ENV: "production" }, join(folder, "src", "main.ts"));
    await rm(folder, { recursive: true });
    expect(bare.errors).toMatch(/^Bellwether is not installed whole: run npm install, then start it again\..*zod.*\n$/);
    expect(image.errors).toMatch(
      /^The local workspace is not part of this installation\..*npm install.*SLACK_BOT_TOKEN.*\n$/,
    );
    expect([bare.out, bare.code, image.out, image.code]).toEqual(["", 1, "", 1]);
  });

  it("says on an older Node which one it needs", () => {
    const { stderr, status } = spawnSync(process.execPath, [
      "--eval",
      'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } }); require(process.argv[1])',
      fileURLToPath(new URL("../src/node.cjs", import.meta.url)),
    ]);
    expect(stderr.toString()).toMatch(
      /^Bellwether needs Node 22\.20 or newer, and this is 20\.1\.0: .*npm install.*\n$/,
    );
    expect(status).toBe(1);
  });

  it("refuses a command that it does not know", async () => {
    const { out, errors, code } = await run(["manifst"]);
    expect(errors).toMatch(/manifst.*demo.*manifest/s);
    expect({ out, code }).toEqual({ out: "", code: 1 });
  });
});

describe.concurrent("npm run demo", () => {
  it("plays whatever the settings for Slack are", async () => {
    const env = { ...compiled, SLACK_BOT_TOKEN: "half", OPERATOR_CHANNEL: "none", NODE_ENV: "production" };
    const child = spawn(process.execPath, [main, "demo"], { env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "close");
    const errors = text(child.stderr);
    let out = "";
    // The whole tour is played elsewhere: here its first answer says enough.
    for await (const some of child.stdout.setEncoding("utf8")) {
      out += String(some);
      if (/News: chip export/.test(out)) break;
    }
    child.kill();
    await ended;
    expect(await errors).toBe("");
    expect(out).toMatch(/News: chip export/);
  });
});

describe.concurrent("npm run manifest", () => {
  it("prints the manifest whatever the settings are", async () => {
    const { out, errors, code } = await run(["manifest"], { SLACK_BOT_TOKEN: "half" });
    expect(out).toBe(await readFile(new URL("../manifest.yml", import.meta.url), "utf8"));
    expect({ errors, code }).toEqual({ errors: "", code: 0 });
  });

  it("prints the one for a public address", async () => {
    const { out, errors, code } = await run(["manifest", "--public-url", "https://bellwether.example.com/"]);
    expect(out).toContain(" request_url: https://bellwether.example.com/slack/events\n");
    expect({ errors, code }).toEqual({ errors: "", code: 0 });
  });

  it("refuses a public address that is not encrypted", async () => {
    const { out, errors, code } = await run(["manifest", "--public-url", "http://bellwether.example.com"]);
    expect(errors).toMatch(/^manifest takes --public-url and an https address.*\n$/);
    expect({ out, code }).toEqual({ out: "", code: 1 });
  });
});

describe.concurrent("npm start -- copy and backup", () => {
  it("move a whole store and say what was copied, and never overwrite one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bellwether-moved-"));
    const [here, there, file] = ["here", "there", "copy"].map((name) => join(folder, `${name}.sqlite`));
    const store = await openStore(`sqlite:${here}`);
    await store.collection("digest-numbers", z.number()).set("T1", 7);
    await store.close();
    const copied = await run(["copy", `sqlite:${here}`, `sqlite:${there}`]);
    const backedUp = await run(["backup", file ?? ""], { STORE_URL: `sqlite:${there}` });
    const again = await run(["copy", `sqlite:${here}`, `sqlite:${file}`]);
    await rm(folder, { recursive: true });
    expect(copied).toMatchObject({ out: "", code: 0, left: [] });
    expect(copied.errors).toBe("Copied 1 digest-numbers. Set STORE_URL to the new store, then start Bellwether.\n");
    expect(backedUp).toMatchObject({ out: "", code: 0, left: [] });
    expect(backedUp.errors).toMatch(/^Wrote .*copy\.sqlite \(\d+ kB\)\..*STORE_URL=sqlite:.*\n$/);
    expect(again).toMatchObject({ out: "", code: 1 });
    expect(again.errors).toMatch(/^The store .*copy\.sqlite isn’t empty\. .*Nothing was copied\.\n$/);
  });

  it("say how they are used if something is missing", async () => {
    expect((await run(["copy", "sqlite:a"])).errors).toMatch(/^copy takes two stores, .*npm start -- copy /);
    expect((await run(["backup"])).errors).toMatch(/^backup takes the file .*npm start -- backup /);
  });
});
