import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parseConfig } from "../../src/config.ts";
import { startAll } from "../../local/start.ts";
import { createLog } from "../../src/log.ts";
import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney({ QUESTIONS_PER_MINUTE: "100" });
});
afterAll(() => journey.stop());

const isFinished = (message: WorkspaceMessage) => /Sources/.test(wordsOf(message));
const isSaid = (words: RegExp) => (message: WorkspaceMessage) => words.test(wordsOf(message));

interface Thread {
  channel: string;
  ts: string;
}

/** Whether the bot answers none of these in a thread; what it answers for sure comes after them. */
async function isSilent({ channel, ts }: Thread, ...texts: string[]): Promise<boolean> {
  const { workspace, mention, ask, ofBot } = journey;
  const said = () => ofBot(channel).filter((message) => message.thread_ts === ts).length;
  const before = said();
  for (const text of texts) await workspace.say({ channel, text, thread_ts: ts });
  await ask(channel, `${mention} models`, isSaid(/Language models/), ts);
  return said() === before + 1;
}

describe("a thread that a question began", () => {
  it("goes on without a mention, once for each message", async () => {
    const { ask, newsroom, mention, ofBot } = journey;
    const { ts } = await ask(newsroom, `${mention} Why is copper in the news?`, isFinished);
    const { answer } = await ask(newsroom, "And who gains from that?", isFinished, ts);
    expect(answer.thread_ts).toBe(ts);
    await ask(newsroom, `${mention} And who loses?`, isFinished, ts);
    expect(ofBot(newsroom).filter((message) => message.thread_ts === ts && isFinished(message)).length).toBe(3);
  });

  it("goes on below the answer to a slash command as well", async () => {
    const { ask, newsroom } = journey;
    const { answer } = await ask(newsroom, "/ask Why is copper in the news?", isFinished);
    const { answer: next } = await ask(newsroom, "And who gains from that?", isFinished, answer.ts);
    expect(next.thread_ts).toBe(answer.ts);
  });

  it("is left to people who talk to each other, and to those who choose so", async () => {
    const { ask, channelNamed, mention, workspace } = journey;
    const channel = channelNamed("energy-desk");
    const { ts } = await ask(channel, `${mention} Why is copper in the news?`, isFinished);
    const colleague = workspace.state().users.find(({ id, isBot }) => id !== workspace.me && !isBot)?.id ?? "";
    expect(await isSilent({ channel, ts }, `<@${colleague}> what do you think?`, "Thanks!")).toBe(true);
    await ask(channel, `${mention} threads off`, isSaid(/only when I’m mentioned/), ts);
    expect(await isSilent({ channel, ts }, "What do we do about it?")).toBe(true);
  });
});

describe("a thread that people began", () => {
  it("is left to them after the bot was called into it, until the channel chooses otherwise", async () => {
    const { ask, channelNamed, mention, workspace } = journey;
    const channel = channelNamed("policy");
    const { ts = "" } = await workspace.say({ channel, text: "Copper rose today" });
    await workspace.say({ channel, text: "Yes, by a lot", thread_ts: ts });
    await ask(channel, `${mention} Why is that?`, isFinished, ts);
    expect(await isSilent({ channel, ts }, "I see it differently. What about demand?")).toBe(true);
    await ask(channel, `${mention} threads on`, isSaid(/every thread/), ts);
    const { answer } = await ask(channel, "And what about demand in Asia?", isFinished, ts);
    expect(answer.thread_ts).toBe(ts);
  });
});

describe("a direct message", () => {
  it("shows while an answer is under way that the bot is at work, and can be stopped there", async () => {
    const log = createLog({ level: "error", write: () => undefined });
    const { workspace, stop } = await startAll({ config: parseConfig({}), log, port: 0, wordDelayMs: 50 });
    const channel = workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const { ts = "" } = await workspace.say({ channel, text: "Why is copper in the news?" });
    const isAtWork = () => workspace.state().statuses?.some(({ thread_ts: thread }) => thread === ts) ?? false;
    await workspace.until(isAtWork);
    await workspace.stopSession({ channel, thread_ts: ts });
    await workspace.until(() => !isAtWork());
    const answers = workspace.messages(channel).filter((message) => message.thread_ts === ts && message.bot_id);
    expect(answers.map(wordsOf).join()).toMatch(/stopped/i);
    await stop();
  });
});
