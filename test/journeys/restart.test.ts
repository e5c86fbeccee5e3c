import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { startWorkspace } from "../../local/workspace/server.ts";
import { part, startGenerator } from "../support/generator.ts";
import { buttonOf, markdownOf, wordsOf } from "../support/journey.ts";

const channel = "C0NEWSROOM";
const long = "A paragraph.\n\n".repeat(1_200);

/** A workspace, a news service whose answers never end, and a bot in a process of its own. */
async function setUp() {
  const manifest = readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest });
  const generator = await startGenerator((response, { messages }) => {
    response.write(part(messages.at(-1)?.content.text === "long?" ? long : "Half an"));
  });
  const folder = mkdtempSync(join(tmpdir(), "bellwether-"));
  let bot: ChildProcess | undefined;

  async function start(): Promise<void> {
    bot = spawn(process.execPath, ["src/main.ts"], {
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
    await workspace.until(() => workspace.state().app.connected);
  }

  async function kill(): Promise<void> {
    bot?.kill("SIGKILL");
    if (bot) await once(bot, "exit");
    await workspace.until(() => !workspace.state().app.connected);
  }

  async function close(): Promise<void> {
    await kill();
    await workspace.stop();
    await generator.close();
    rmSync(folder, { recursive: true });
  }

  return { workspace, generator, start, kill, close };
}

let journey: Awaited<ReturnType<typeof setUp>>;
const ofBot = () => journey.workspace.messages(channel).filter(({ user }) => user === journey.workspace.ids.botUser);
const isClosed = (message: WorkspaceMessage) => /restarted/i.test(wordsOf(message));

/** Asks, and resolves with where the thread begins once what is answered there holds so many messages with words. */
async function ask(question: string, pages = 1): Promise<string> {
  const { workspace } = journey;
  const { ts = "" } = await workspace.say({ channel, text: `<@${workspace.ids.botUser}> ${question}` });
  await workspace.until(() => inThread(ts).filter((message) => markdownOf([message]) !== "").length === pages);
  return ts;
}

const outsideThreads = () => ofBot().filter(({ thread_ts: thread }) => !thread);
const inThread = (root: string) => ofBot().filter(({ thread_ts: thread }) => thread === root);

// One kill cuts four answers, each of its own kind.
const threads = { mention: "", long: "" };
beforeAll(async () => {
  journey = await setUp();
  const { workspace, start, kill } = journey;
  await start();
  threads.mention = await ask("why?");
  threads.long = await ask("long?", 2);
  await workspace.say({ channel, text: "/ask why?" });
  await workspace.until(() => outsideThreads().find((message) => markdownOf([message]) === "Half an"));
  workspace.fail({ method: "chat.postMessage", outcome: "timeout" });
  await workspace.say({ channel, text: "/ask and so?" });
  await workspace.until(() => outsideThreads().filter((message) => markdownOf([message]) === "Half an").length === 2);
  await kill();
  await start();
  await workspace.until(() => ofBot().filter(isClosed).length === 4);
});
afterAll(() => journey.close());

it("a bot that was killed in the middle of an answer says so below its words, and offers to try again", () => {
  const [answer, ...others] = inThread(threads.mention);
  expect(others).toEqual([]);
  expect(answer && markdownOf([answer])).toMatch(/^Half an\n\n:warning:/);
  expect(answer && buttonOf(answer, "Try again").action.value).toContain("why?");
});

it("a bot that was killed in the middle of a long answer says so in its last message alone", () => {
  expect(inThread(threads.long).map(isClosed)).toEqual([false, true]);
});

it("a bot that was killed in the middle of public answers to commands says so there, also where Slack had not yet said that one stands", () => {
  expect(outsideThreads().map(isClosed)).toEqual([true, true]);
  expect(ofBot().filter(({ onlyFor }) => onlyFor)).toEqual([]);
});

it("no answer that was cut can be stopped any more", () => {
  expect(JSON.stringify(ofBot())).not.toContain('"action_id":"stop"');
});

it("a thread whose answer was cut goes on without a mention", async () => {
  const { workspace, generator } = journey;
  await workspace.say({ channel, text: "please finish that", thread_ts: threads.mention });
  await workspace.until(() => inThread(threads.mention).length === 2);
  const asked = generator.asked.at(-1)?.messages.map(({ content }) => content.text);
  expect(asked).toEqual(["why?", "please finish that"]);
});
