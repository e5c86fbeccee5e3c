/** Questions whose answers stream while replicas come and go, and what has become of each of them. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import type { WorkspaceMessage } from "../local/workspace/protocol.ts";
import { part, startGenerator } from "../test/support/generator.ts";
import type { Fleet } from "./fleet.ts";
import { type Team, askedIn, inTurn, mention, repliesTo, sendEvent } from "./teams.ts";

/** How an answer stands; the first three are as they should be. */
export const outcomes = ["whole", "with its line", "not accepted", "unfinished", "silent", "doubled", "wrong"] as const;
export type Outcome = (typeof outcomes)[number];

interface Question {
  number: number;
  team: Team;
  user: string;
  /** The message that asks it. */
  ts: string;
  /** How many tries it took until a replica accepted it; 0 where none did, nothing where Slack still tries. */
  tries: number | undefined;
}

const partMs = 250;
const parts = 80;
/** Each of so many answers is longer than a message may be. */
const longEach = 10;
/** An answer that has not ended after this is waited for no more, until all are judged. */
const patienceMs = 90_000;
const lookMs = 1_000;

/** The answer to each question: different for each, in words that nothing can mistake for marks of Markdown. */
function answerTo(number: number): string[] {
  const more = number % longEach === 0 ? " and the permit is what matters to everybody who lives near the plant" : "";
  return Array.from({ length: parts }, (_, at) => `${at === 0 ? `Answer ${number}: ` : " "}sentence ${at + 1}${more}.`);
}

/** A news service that takes twenty seconds for each answer, and none for that of a digest: which story it was given. */
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
  /** Answers that are to stream at any time. */
  atOnce: number;
}

/** Asks a new question whenever an answer has ended, so that as many stream at any time. */
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
    /** Asks no more. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(lanes);
    },
    /** Questions that may still be answered. */
    open: (): number => questions.filter((question) => !hasEnded(question)).length,
    judge: () => Map.groupBy(questions, judge),
  };
}

const hasEnded = (question: Question) => !["unfinished", "silent", undefined].includes(statusOf(question));

function statusOf(question: Question): Outcome | undefined {
  return question.ts === "" || question.tries === undefined ? undefined : judge(question);
}

/** How the answer to a question stands. */
function judge({ number, team, user, ts, tries }: Question): Outcome {
  const replies = repliesTo(team, ts);
  if (replies.length === 0) return isTold(team, user, ts) ? "with its line" : tries ? "silent" : "not accepted";
  const whole = answerTo(number).join("");
  const begun = replies.filter((message) => markdownOf([message]).startsWith(`Answer ${number}:`));
  if (begun.length > 1) return "doubled";
  const hasLine = replies.some(({ text, blocks }) => /restarted/.test(text + JSON.stringify(blocks)));
  // Slack's own streams end with the line in their Markdown.
  const words = markdownOf(replies)
    .replace(/\n:warning: I was restarted[^]*/, "")
    .trim();
  if (!whole.startsWith(words)) return "wrong";
  // Slack lets nobody take the button that stops an answer out of a native stream that a crash cut off.
  if (hasLine) return "with its line";
  return words === whole && !replies.some(isUnfinished) ? "whole" : "unfinished";
}

/** What is said below a question, for whoever looks into a fault. */
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

/** Where a replica stops before anything of an answer stands, whoever asked is told alone, in the channel. */
function isTold({ workspace }: Team, user: string, ts: string): boolean {
  return workspace
    .messages(askedIn)
    .some((message) => message.onlyFor === user && message.ts > ts && /restarted/.test(message.text));
}

/** It still has the button that stops it, or takes more words. */
function isUnfinished(message: WorkspaceMessage): boolean {
  return message.streaming === true || JSON.stringify(message.blocks ?? []).includes('"action_id":"stop"');
}
