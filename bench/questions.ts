/** Questions whose answers stream while replicas start and stop, and the outcome of each. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import type { WorkspaceMessage } from "../local/workspace/protocol.ts";
import { part, startGenerator } from "../test/support/generator.ts";
import type { Fleet } from "./fleet.ts";
import { type Team, askedIn, inTurn, mention, repliesTo, sendEvent } from "./teams.ts";

/** The outcomes of a question; the first three are correct. “with its line” says that the bot was restarted. */
export const outcomes = ["whole", "with its line", "not accepted", "unfinished", "silent", "doubled", "wrong"] as const;
export type Outcome = (typeof outcomes)[number];

interface Question {
  number: number;
  team: Team;
  user: string;
  /** The `ts` of the message that asks it. */
  ts: string;
  /** The number of attempts until a replica accepted it; 0 if none did, undefined while Slack still tries. */
  tries: number | undefined;
}

const partMs = 250;
const parts = 80;
/** One in this many answers is longer than a message may be. */
const longEach = 10;
/** The time after which a question is left until all are judged, in milliseconds. */
const patienceMs = 90_000;
const lookMs = 1_000;

/** The parts of the answer to a question: different for each, in words that cannot be taken for Markdown. */
function answerTo(number: number): string[] {
  const more = number % longEach === 0 ? " and the permit is what matters to everybody who lives near the plant" : "";
  return Array.from({ length: parts }, (_, at) => `${at === 0 ? `Answer ${number}: ` : " "}sentence ${at + 1}${more}.`);
}

/** A news service that takes twenty seconds for an answer, but none for a digest's, which names the digest's story. */
export function startAnswering() {
  return startGenerator((response, { messages }) => {
    const asked = messages.findLast(({ content }) => /question \d+/.test(content.text ?? ""));
    if (asked) return write(response, answerTo(Number(/question (\d+)/.exec(asked.content.text ?? "")?.[1])));
    const [story = "nobody"] = /story-\d+/.exec(JSON.stringify(messages)) ?? [];
    response.end(part(`The permit is what matters, says ${story}.`));
  });
}

function write(response: ServerResponse, words: string[]): void {
  let at = 0;
  const writing = setInterval(() => {
    const next = words[at++];
    if (next === undefined) response.end();
    else response.write(part(next));
  }, partMs);
  response.on("close", () => clearInterval(writing));
}

interface AskingOptions {
  teams: Team[];
  fleet: Fleet;
  /** The number of answers that stream at any time. */
  atOnce: number;
}

/** Asks a new question whenever an answer has ended, so that the number of streaming answers stays the same. */
export function startAsking({ teams, fleet, atOnce }: AskingOptions) {
  const questions: Question[] = [];
  const stopping = new AbortController();

  async function ask(team: Team): Promise<void> {
    const number = questions.length + 1;
    const people = team.workspace.state().users.filter(({ role, isBot }) => role === "member" && !isBot);
    const user = people[number % people.length]?.id ?? "";
    const question: Question = { number, team, user, ts: "", tries: undefined };
    questions.push(question);
    const { ts, event } = await mention(team, user, `question ${number}`);
    question.ts = ts;
    void sendEvent(fleet, event).then((tries) => (question.tries = tries));
    const until = performance.now() + patienceMs;
    while (!stopping.signal.aborted && performance.now() < until && !hasEnded(question)) await sleep(lookMs);
  }

  const lanes = Array.from({ length: atOnce }, async (_, lane) => {
    await sleep((lane / atOnce) * partMs * parts);
    while (!stopping.signal.aborted) await ask(inTurn(teams, lane));
  });

  return {
    questions,
    /** Asks no more questions, and waits for the last ones. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(lanes);
    },
    /** The number of questions that may still be answered. */
    open: (): number => questions.filter((question) => !hasEnded(question)).length,
    judge: () => Map.groupBy(questions, judge),
  };
}

const hasEnded = (question: Question) => !["unfinished", "silent", undefined].includes(statusOf(question));

function statusOf(question: Question): Outcome | undefined {
  return question.ts === "" || question.tries === undefined ? undefined : judge(question);
}

/** The outcome of a question. */
function judge({ number, team, user, ts, tries }: Question): Outcome {
  const replies = repliesTo(team, ts);
  if (replies.length === 0) return isTold(team, user, ts) ? "with its line" : tries ? "silent" : "not accepted";
  const whole = answerTo(number).join("");
  const begun = replies.filter((message) => markdownOf([message]).startsWith(`Answer ${number}:`));
  if (begun.length > 1) return "doubled";
  const hasLine = replies.some(({ text, blocks }) => /restarted/.test(text + JSON.stringify(blocks)));
  // A native stream of Slack ends with the line in its Markdown.
  const words = markdownOf(replies)
    .replace(/\n:warning: I was restarted[^]*/, "")
    .trim();
  if (!whole.startsWith(words)) return "wrong";
  // A native stream that a crash cut off keeps its stop button, which Slack does not let the bot remove.
  if (hasLine) return "with its line";
  return words === whole && !replies.some(isUnfinished) ? "whole" : "unfinished";
}

/** The replies to a question, for the investigation of a fault. */
export function describeAnswer({ number, team, ts, tries }: Question): string {
  const said = repliesTo(team, ts).map(({ ts: at, text, onlyFor, streaming }) => {
    const how = [onlyFor && "for one person", streaming && "streaming"].filter(Boolean).join(", ");
    return `\n      ${at} ${how}: ${text.slice(0, 60)} … ${text.slice(-120)}`.replaceAll(/\n(?!      )/g, " / ");
  });
  return `question ${number} in ${team.id} at ${ts}, tries ${tries}:${said.join("")}`;
}

/** The Markdown of messages, joined. */
function markdownOf(messages: WorkspaceMessage[]): string {
  const all = messages.flatMap(({ blocks = [] }) => blocks.filter(({ type }) => type === "markdown"));
  return all.map(({ text }) => String(text)).join("");
}

/** Whether the person was told in a private message: that happens if a replica stops before the answer begins. */
function isTold({ workspace }: Team, user: string, ts: string): boolean {
  return workspace
    .messages(askedIn)
    .some((message) => message.onlyFor === user && message.ts > ts && /restarted/.test(message.text));
}

/** Whether a message still has the button that stops it, or is still streaming. */
function isUnfinished(message: WorkspaceMessage): boolean {
  return message.streaming === true || JSON.stringify(message.blocks ?? []).includes('"action_id":"stop"');
}
