import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { startWorkspace } from "../../local/workspace/server.ts";
import { compiled } from "../support/compiled.ts";
import { part, startGenerator } from "../support/generator.ts";
import { buttonOf, markdownOf, says, shownText } from "../support/journey.ts";

const channel = "C0NEWSROOM";
const long = "A paragraph.\n\n".repeat(1_200);

/** A workspace, a news service whose answers never end, and a bot in a process of its own. */
async function setUp(streaming: string) {
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
        ...compiled,
        SLACK_API_URL: workspace.apiUrl,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        INTELLIGENCE_URL: generator.url,
        INTELLIGENCE_CREDENTIALS: "{}",
        STORE_URL: `sqlite:${folder}/store.sqlite`,
        STREAMING: streaming,
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

describe.each(["auto", "edits"])("a bot with STREAMING=%s", (streaming) => {
  let journey: Awaited<ReturnType<typeof setUp>>;
  const ofBot = () => journey.workspace.messages(channel).filter(({ user }) => user === journey.workspace.ids.botUser);
  const isClosed = (message: WorkspaceMessage) => /restarted/i.test(shownText(message));

  /** Asks, and resolves with where the thread begins once what is answered there holds so many messages with words. */
  async function ask(question: string, pages = 1): Promise<string> {
    const { workspace } = journey;
    const { ts = "" } = await workspace.say({ channel, text: `<@${workspace.ids.botUser}> ${question}` });
    await workspace.until(() => inThread(ts).filter((message) => markdownOf([message]) !== "").length === pages);
    return ts;
  }

  const inThread = (root: string) => ofBot().filter(({ thread_ts: thread }) => thread === root);

  // One kill cuts four answers, each of its own kind.
  const threads = { mention: "", long: "", unacknowledged: "" };
  beforeAll(async () => {
    journey = await setUp(streaming);
    const { workspace, start, kill } = journey;
    await start();
    threads.mention = await ask("why?");
    threads.long = await ask("long?", 2);
    await workspace.say({ channel, text: "/ask why?" });
    await workspace.until(() => ofBot().find((message) => !message.thread_ts && markdownOf([message]) === "Half an"));
    workspace.fail({ method: streaming === "edits" ? "chat.postMessage" : "chat.startStream", outcome: "timeout" });
    threads.unacknowledged = await ask("and so?");
    await kill();
    await start();
    await workspace.until(() => ofBot().filter(isClosed).length === 4);
  });
  afterAll(() => journey.close());

  it("that was killed during an answer says so below its words, and offers to try again", () => {
    const [answer, line, ...others] = inThread(threads.mention);
    expect(others).toEqual([]);
    expect(answer && shownText(answer)).toContain("Half an");
    expect(line && buttonOf(line, "Try again").action.value).toContain("why?");
  });

  it("that was killed during a long answer says so once, below its last message", () => {
    expect(inThread(threads.long).map(isClosed)).toEqual([false, false, true]);
  });

  it("that was killed during a public answer to a command says so in the thread of that", () => {
    const [answer, ...replies] = ofBot().filter(({ thread_ts: root }) => ofBot().some(({ ts }) => ts === root));
    expect(answer?.ts).toBe(answer?.thread_ts);
    expect(replies.map(isClosed)).toEqual([true]);
    expect(ofBot().filter(({ onlyFor }) => onlyFor)).toEqual([]);
  });

  it("that was killed before Slack confirmed a post finds it, and doesn’t post it again", () => {
    expect(inThread(threads.unacknowledged).filter(says(/Half an/))).toHaveLength(1);
    expect(inThread(threads.unacknowledged).map(isClosed).at(-1)).toBe(true);
  });

  it("a thread whose answer was cut off goes on without a mention", async () => {
    const { workspace, generator } = journey;
    await workspace.say({ channel, text: "please finish that", thread_ts: threads.mention });
    await workspace.until(() => inThread(threads.mention).length === 3);
    const asked = generator.asked.at(-1)?.messages.map(({ content }) => content.text);
    expect(asked).toEqual(["why?", "please finish that"]);
  });
});
