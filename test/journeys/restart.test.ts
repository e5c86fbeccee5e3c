import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { startWorkspace } from "../../src/workspace/server.ts";
import { part, startGenerator } from "../support/generator.ts";
import { markdownOf, wordsOf } from "../support/journey.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

it("killed in the middle of an answer, the bot says so in it when it is back", async () => {
  const channel = "C0NEWSROOM";
  const workspace = await startWorkspace({
    manifest: readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8"),
  });
  const answer = () =>
    workspace.messages(channel).find(({ user, text }) => user !== workspace.me && text.startsWith("Half"));
  const shown = (pattern: RegExp) =>
    workspace.until(() => pattern.test(wordsOf(answer() ?? { text: "" })) && answer(), 10_000);
  const generator = await startGenerator(async (response) => {
    response.write(part("Half"));
    await workspace.until(() => answer());
    response.write(part(" an"));
  });
  const folder = mkdtempSync(join(tmpdir(), "bellwether-"));
  const bots: ChildProcess[] = [];
  closers.push(
    () => workspace.stop(),
    generator.close,
    () => rmSync(folder, { recursive: true }),
    () => bots.forEach((bot) => bot.kill("SIGKILL")),
  );
  const start = async () => {
    const bot = spawn(process.execPath, ["src/main.ts"], {
      env: {
        SLACK_API_URL: workspace.apiUrl,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        INTELLIGENCE_URL: generator.url,
        INTELLIGENCE_CREDENTIALS: "{}",
        STORE_URL: `sqlite:${folder}/store.sqlite`,
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    bots.push(bot);
    await workspace.until(() => workspace.state().app.connected, 15_000);
    return bot;
  };
  const first = await start();
  await workspace.say({ channel, text: `<@${workspace.ids.botUser}> why?` });
  await shown(/^Half an$/);
  first.kill("SIGKILL");
  await once(first, "exit");
  await workspace.until(() => !workspace.state().app.connected);

  await start();
  const closed = await shown(/I was restarted in the middle of this answer/);
  expect(markdownOf([closed])).toBe("Half an");
});
