/** What one long answer costs: processor time by its length, and memory while it grows. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { markdown } from "../src/slack/blocks.ts";
import { closeMarkdown } from "../src/slack/closer.ts";
import { type Message, later } from "../src/slack/message.ts";
import { legible, safeMarkdown, spokenMarkdown } from "../src/slack/mrkdwn.ts";
import { showStates } from "../src/slack/stream.ts";
import { createWorkspaces } from "../src/slack/workspaces.ts";
import { createClock } from "../test/support/clock.ts";
import { createSlack } from "../test/support/slack.ts";

const perSecond = 100;
const sentence = "Oil **rose** by five per cent, says [the report](https://wire.example/oil); `WTI` fell. ";
const paragraph = `${sentence.repeat(4).trim()}\n\n`;

export interface Cost {
  /** Milliseconds of processor time for each thousand characters. */
  perThousand: number;
  isExact: boolean;
  messages: number;
}

/** Writes an answer of so many characters at 100 tokens a second; every state is made in full, or when it is shown. */
export async function costOf(length: number, isLazy: boolean): Promise<Cost> {
  const text = paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length);
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  const { poster, pacer } = createWorkspaces(clock)("T1", slack.call);
  async function* states(): AsyncGenerator<Message> {
    for (let at = 4; at < text.length; at += 4) {
      yield isLazy ? later(() => view(text.slice(0, at), false)) : view(text.slice(0, at), false);
      await clock.sleep(1_000 / perSecond);
    }
    yield view(text, true);
  }
  const before = process.cpuUsage();
  await clock.until(showStates(states(), { channel: "C1" }, { poster, pacer, timer: clock }));
  const { user, system } = process.cpuUsage(before);
  const shown = slack.messages.flatMap(({ blocks }) =>
    blocks.map((block) => (block.type === "markdown" ? block.text : "")),
  );
  return {
    perThousand: (user + system) / length,
    isExact: shown.join("") === safeMarkdown(text),
    messages: slack.messages.length,
  };
}

/** As an answer of a model is shown. */
function view(text: string, isWhole: boolean): Message {
  const body = safeMarkdown(legible(isWhole ? text : closeMarkdown(text)));
  return { text: spokenMarkdown(text), blocks: [markdown(body)] };
}

/** Megabytes that each of so many answers of 20,000 characters holds at its end. */
export async function memoryOf(answers: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const heap = () => {
    if (typeof collect === "function") collect();
    return process.memoryUsage().heapUsed;
  };
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  const call: typeof slack.call = async (method, options) => {
    const answer = await slack.call(method, options);
    // Slack's own memory is not ours.
    slack.calls.length = 0;
    for (const message of slack.messages) message.blocks = [];
    return answer;
  };
  const { poster, pacer } = createWorkspaces(clock)("T1", call);
  const before = heap();
  const ends = Array.from({ length: answers }, () => Promise.withResolvers<void>());
  const shown = ends.map(async ({ promise }, index) => {
    async function* states(): AsyncGenerator<Message> {
      let text = "";
      while (text.length < 20_000) {
        text += index + sentence;
        const now = text;
        yield later(() => view(now, false));
        await clock.sleep(200);
      }
      await promise;
    }
    await showStates(states(), { channel: `C${index}` }, { poster, pacer, timer: clock });
  });
  await clock.advance(60_000);
  const megabytes = (heap() - before) / answers / 1_048_576;
  for (const { resolve } of ends) resolve();
  await clock.until(Promise.all(shown));
  return megabytes;
}
