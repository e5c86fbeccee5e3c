/** The cost of one long answer: processor time by its length, and memory while it grows. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { newAnswer } from "../src/features/ask/conversation.ts";
import { answerView, growingAnswerView } from "../src/features/ask/view.ts";
import { writtenSoFar } from "../src/features/text.ts";
import { settledMarkdown } from "../src/slack/text/close-markdown.ts";
import { type Message, later } from "../src/slack/text/message.ts";
import { safeMarkdown } from "../src/slack/text/mrkdwn.ts";
import { showGrowingMessage } from "../src/slack/answer/growing-message.ts";
import { createWorkspaces } from "../src/slack/workspaces/workspaces.ts";
import { createClock } from "../test/support/clock.ts";
import { type FakeSlack, createSlack } from "../test/support/slack.ts";

const perSecond = 100;
const sentence = "Oil **rose** by five per cent, says [the report](https://wire.example/oil); `WTI` fell. ";
const paragraph = `${sentence.repeat(4).trim()}\n\n`;

/** The approximate number of characters in one message. */
const pageLength = 9_000;

export interface Cost {
  /** The processor time for a thousand characters, in milliseconds. */
  perThousand: number;
  isExact: boolean;
  messages: number;
  /** The longest processor time of a single state of the answer, in milliseconds. */
  longestMs: number;
}

/** Texts that take Markdown parsers long, each a piece that a model may repeat. */
export const hostile = [
  "*\\",
  "_*\\",
  "\\```",
  "[[",
  "\n",
  "> > > ",
  "- a\n  - b\n    - c\n",
  "[a](",
  "**a ",
  "\\[www.",
  "\\[http://a",
  "[*\\",
];

/** Writes an answer of `length` characters at 100 tokens a second, with each state built at once or only if it is shown. */
export async function costOf(length: number, isLazy: boolean, piece = paragraph): Promise<Cost> {
  const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  let longestMs = 0;
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  const { poster, editBudget } = createWorkspaces(clock)("T1", forgetful(slack));
  async function* states(): AsyncGenerator<Message> {
    const make = createView();
    const view = (written: string) => {
      const since = process.cpuUsage();
      const message = make(written);
      // The same page for a native stream of Slack.
      settledMarkdown(written.slice(-pageLength));
      const { user, system } = process.cpuUsage(since);
      longestMs = Math.max(longestMs, (user + system) / 1_000);
      return message;
    };
    for (let at = 4; at < text.length; at += 4) {
      yield isLazy ? later(() => view(text.slice(0, at))) : view(text.slice(0, at));
      await clock.sleep(1_000 / perSecond);
    }
    yield answerView({ answer: saying(text) }, { key: "a", user: "U1", followUps: [] });
  }
  const before = process.cpuUsage();
  await clock.until(showGrowingMessage(states(), { channel: "C1" }, { poster, editBudget, timer: clock }));
  const { user, system } = process.cpuUsage(before);
  const shown = slack.messages.flatMap(({ blocks }) =>
    blocks.map((block) => (block.type === "markdown" ? block.text : "")),
  );
  return {
    perThousand: (user + system) / length,
    isExact: shown.join("") === safeMarkdown(text),
    messages: slack.messages.length,
    longestMs,
  };
}

/** Calls Slack, and deletes its record of the calls: that memory is not the bot's. */
function forgetful(slack: FakeSlack): FakeSlack["call"] {
  return async (method, options) => {
    const answer = await slack.call(method, options);
    slack.calls.length = 0;
    return answer;
  };
}

/** The view of a growing answer. */
function createView(): (text: string) => Message {
  return (text) =>
    growingAnswerView({ answer: saying(text) }, { words: writtenSoFar(text), stopKey: "a", isStalled: false });
}

function saying(text: string) {
  return { ...newAnswer({ text: "?" }), text, hasWords: true };
}

/** The memory that each of `answers` answers of 20,000 characters holds at its end, in MB. */
export async function memoryOf(answers: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const heap = () => {
    if (typeof collect === "function") collect();
    return process.memoryUsage().heapUsed;
  };
  const clock = createClock();
  const slack = createSlack(clock, { limit: "window" });
  slack.onEdit = slack.onPost = () => {
    for (const message of slack.messages) message.blocks = [];
  };
  const { poster, editBudget } = createWorkspaces(clock)("T1", forgetful(slack));
  const before = heap();
  const ends = Array.from({ length: answers }, () => Promise.withResolvers<void>());
  const shown = ends.map(async ({ promise }, index) => {
    async function* states(): AsyncGenerator<Message> {
      const view = createView();
      let text = "";
      while (text.length < 20_000) {
        text += index + sentence;
        const now = text;
        yield later(() => view(now));
        await clock.sleep(200);
      }
      await promise;
    }
    await showGrowingMessage(states(), { channel: `C${index}` }, { poster, editBudget, timer: clock });
  });
  await clock.advance(60_000);
  const megabytes = (heap() - before) / answers / 1_048_576;
  for (const { resolve } of ends) resolve();
  await clock.until(Promise.all(shown));
  return megabytes;
}
