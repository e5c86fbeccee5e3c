import type { Message } from "../../../src/slack/text/message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { createClock } from "../../support/clock.ts";
import { type Limit, createSlack } from "../../support/slack.ts";

export const tokenMs = 100;
export const tokens = 240;
const sampleMs = 250;

interface Simulation {
  answers: number;
  limit: Limit;
  /** Answers show a working line until their first token, after so long. */
  thinkingMs?: number;
}

/**
 * Answers of 24 seconds that start within one second, each in a channel of its own, under a Slack that counts edits as
 * they arrive. A state's text is the number of its tokens.
 */
export function simulate({ answers, limit, thinkingMs = 0 }: Simulation) {
  const clock = createClock();
  const slack = createSlack(clock, { limit });
  const workspace = createWorkspaces(clock)("T1", slack.call);

  async function run(index: number, among = answers) {
    const channel = `C${index}`;
    await clock.sleep(((index % among) * 1_000) / among);
    const start = clock.now() + thinkingMs;
    const staleness: number[] = [];
    const visible = () => Number(slack.messages.find((message) => message.channel === channel)?.text ?? 0);
    const produced = () => Math.min(tokens, Math.max(0, Math.floor((clock.now() - start) / tokenMs) + 1));
    let cancelSample: (() => void) | undefined;
    const sample = () => {
      if (produced() > 0) staleness.push(visible() < produced() ? clock.now() - (start + visible() * tokenMs) : 0);
      cancelSample = clock.after(sampleMs, sample);
    };
    sample();
    let firstAt = 0;
    let doneAt = 0;
    async function* states(): AsyncGenerator<Message> {
      if (thinkingMs > 0) {
        yield { text: "0", progress: true };
        await clock.sleep(thinkingMs);
      }
      for (let token = 1; token <= tokens; token++) {
        yield { text: String(token) };
        if (firstAt === 0 && visible() > 0) firstAt = clock.now();
        if (token < tokens) await clock.sleep(tokenMs);
      }
      doneAt = clock.now();
    }
    await showGrowingMessage(states(), { channel, thread: "1.0" }, workspace);
    cancelSample?.();
    return {
      mean: mean(staleness),
      worst: Math.max(...staleness),
      tail: clock.now() - doneAt,
      first: firstAt - start,
      last: visible(),
    };
  }

  const all = Promise.all(Array.from({ length: answers }, (_, index) => run(index)));
  return { clock, slack, workspace, all, run };
}

/** The mean; NaN of nothing. */
export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
