import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { startWorkspace } from "../../local/workspace/server.ts";
import { part, startGenerator } from "../support/generator.ts";
import { markdownOf, wordsOf } from "../support/journey.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A bot in a process of its own, whose answers begin with "Half"; what it writes further waits until that stands. */
async function setUp(further = " an") {
  const channel = "C0NEWSROOM";
  const workspace = await startWorkspace({
    manifest: readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8"),
  });
  const answers = () =>
    workspace.messages(channel).filter(({ user, text }) => user !== workspace.me && text.startsWith("Half"));
  const shown = (pattern: RegExp) => workspace.until(() => answers().find((answer) => pattern.test(wordsOf(answer))));
  const generator = await startGenerator(async (response) => {
    response.write(part("Half"));
    await workspace.until(() => answers()[0]);
    response.write(part(further));
  });
  const folder = mkdtempSync(join(tmpdir(), "bellwether-"));
  const bots: ChildProcess[] = [];
  const isRunning = (bot: ChildProcess) => bot.exitCode === null && bot.signalCode === null;
  const kill = async (bot: ChildProcess) => {
    bot.kill("SIGKILL");
    await once(bot, "exit");
    await workspace.until(() => !workspace.state().app.connected);
  };
  closers.push(
    () => workspace.stop(),
    generator.close,
    () => rmSync(folder, { recursive: true }),
    // What still runs would write into the folder while it is removed.
    () => Promise.all(bots.filter(isRunning).map(kill)),
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
    await workspace.until(() => workspace.state().app.connected);
    return bot;
  };
  const ask = () => workspace.say({ channel, text: `<@${workspace.ids.botUser}> why?` });
  const command = () => workspace.say({ channel, text: "/ask why?" });
  /** What whoever asked reads alone. */
  const asides = () => workspace.messages(channel).filter(({ onlyFor }) => onlyFor === workspace.me);
  const asked = () => generator.asked.at(-1)?.messages.map(({ content }) => content.text);
  return { workspace, answers, asked, shown, start, kill, ask, command, asides };
}

it("killed in the middle of an answer, the bot says so in it when it is back", async () => {
  const { shown, start, kill, ask } = await setUp();
  const first = await start();
  await ask();
  await shown(/^Half an\nStop$/);
  await kill(first);
  await start();
  const closed = await shown(/I was restarted in the middle of this answer/);
  expect(markdownOf([closed])).toBe("Half an");
});

it("killed in the middle of an answer, the bot goes on with its thread where it is asked to, without a mention", async () => {
  const { workspace, answers, asked, shown, start, kill, ask } = await setUp();
  const first = await start();
  const { ts = "" } = await ask();
  await shown(/^Half an\nStop$/);
  await kill(first);
  await start();
  await shown(/Ask me again for the rest/);
  await workspace.say({ channel: "C0NEWSROOM", text: "please finish that", thread_ts: ts });
  await workspace.until(() => answers().length === 2);
  expect(asked()).toEqual(["why?", "please finish that"]);
});

it("killed in the middle of an answer that goes on in another message, the bot says so below its last words", async () => {
  const { workspace, answers, start, kill, ask } = await setUp(" and half.\n\n".repeat(1_000));
  const first = await start();
  const { ts } = await ask();
  const below = () =>
    workspace.messages("C0NEWSROOM").filter(({ thread_ts: root, user }) => root === ts && user !== workspace.me);
  await workspace.until(() => below().length === 2 && wordsOf(below()[1] ?? { text: "" }).endsWith("Stop"));
  await kill(first);
  await start();
  await workspace.until(() => /I was restarted in the middle/.test(wordsOf(below()[1] ?? { text: "" })));
  expect(answers().map(wordsOf).join()).not.toContain("I was restarted");
  expect(JSON.stringify(below())).not.toContain('"action_id":"stop"');
});

it("killed before Slack has said that an answer stands, the bot finds it when it is back", async () => {
  const { workspace, answers, shown, start, kill, ask } = await setUp();
  const first = await start();
  workspace.fail({ method: "chat.postMessage", outcome: "timeout" });
  await ask();
  await shown(/^Half/);
  await kill(first);
  await start();
  await shown(/I was restarted in the middle of this answer/);
  expect(answers().length).toBe(1);
});

it("killed in the middle of the public answer to a command, the bot says so there and nowhere else", async () => {
  const { shown, start, kill, command, answers, asides } = await setUp();
  const first = await start();
  await command();
  await shown(/Half an\nStop$/);
  await kill(first);
  await start();
  await shown(/I was restarted in the middle of this answer/);
  expect(answers().length).toBe(1);
  expect(asides().map(wordsOf).join()).not.toContain("I was restarted");
});
