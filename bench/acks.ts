import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { startTokens } from "./answers.ts";
import { type Contender, startContender } from "./contenders.ts";

const commands = 300;
const everyMs = 25;
const floods = 10;
const floodMostMs = 30_000;

/** The times from a slash command to its ack, in milliseconds, one after another while `answers` answers stream. */
export async function startAcks(script: string, answers: number): Promise<number[]> {
  const tokens = await startTokens();
  const contender = await startContender(script, { INTELLIGENCE_URL: tokens.url, INTELLIGENCE_CREDENTIALS: "{}" });
  const { workspace } = contender;
  const channel = newsroomOf(contender);
  await warmUp(contender);
  for (let index = 0; index < answers; index++) {
    void workspace.say({ channel, text: `<@${workspace.ids.botUser}> question${index}?` });
  }
  await workspace.until(() => tokens.courses.size >= answers, 30_000);
  const times = await timeAcks(contender, commands);
  await contender.stop();
  await tokens.close();
  return times;
}

/** The times from a slash command to its ack, in milliseconds, beside answers that each bring 10 MB of tool results. */
export async function startAcksBesideResults(script: string): Promise<number[]> {
  const worker = new Worker(new URL("./tool-results.ts", import.meta.url));
  const [url]: unknown[] = await once(worker, "message");
  const contender = await startContender(script, { INTELLIGENCE_URL: String(url), INTELLIGENCE_CREDENTIALS: "{}" });
  const { workspace } = contender;
  const channel = newsroomOf(contender);
  await warmUp(contender);
  const times: number[] = [];
  for (let answer = 0; answer < floods; answer++) {
    const isEnded = () => workspace.messages(channel).filter(({ text }) => text.includes("oil is up")).length > answer;
    void workspace.say({ channel, text: `<@${workspace.ids.botUser}> question${answer}?` });
    const since = performance.now();
    while (!isEnded() && performance.now() - since < floodMostMs) times.push(...(await timeAcks(contender, 1)));
    if (!isEnded()) throw new Error("an answer with results of 10 MB never ended");
  }
  await contender.stop();
  await worker.terminate();
  return times;
}

/** Runs a few commands first: a service that runs for weeks is warm. */
async function warmUp(contender: Contender): Promise<void> {
  const channel = newsroomOf(contender);
  for (let warm = 0; warm < 20; warm++) await contender.workspace.say({ channel, text: "/bellwether help" });
}

async function timeAcks(contender: Contender, count: number): Promise<number[]> {
  const channel = newsroomOf(contender);
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const since = performance.now();
    await contender.workspace.say({ channel, text: "/bellwether help" });
    times.push(performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return times;
}

function newsroomOf({ workspace }: Contender): string {
  return workspace.state().conversations.find(({ name }) => name === "newsroom")?.id ?? "";
}
