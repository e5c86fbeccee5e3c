import { z } from "zod";

import { createAside } from "./aside.ts";
import { buttons, section } from "./text/blocks.ts";
import { type Respond, createWhisper, inThread } from "./deliver.ts";
import { editInTurn } from "./edit.ts";
import type { Aside, Noted } from "./leftovers.ts";
import { limits } from "./text/limits.ts";
import { createLookup } from "./lookup.ts";
import { markOf } from "./mark.ts";
import type { Block, Message, Posted } from "./text/message.ts";
import { inCode } from "./text/mrkdwn.ts";
import type { Timer } from "./pacer.ts";
import { SlackRefused } from "./refusal.ts";
import { onlyFor, runAction } from "./incoming/request.ts";
import { respondLifeMs } from "./respond.ts";
import { isOf } from "./sheets.ts";
import type { Call } from "./web.ts";
import type { Workspaces } from "./workspaces.ts";

export interface ClosingMeans {
  callOf: (team: string) => Promise<Call>;
  workspaceOf: Workspaces;
  timer: Timer;
  /** Answers at a `response_url`. */
  respond: (address: string) => Respond;
}

/** What an earlier process left, and the key that it goes by. */
type Left = Noted & { key: string };

interface Tools extends ReturnType<Workspaces> {
  call: Call;
  find: (left: Left) => Promise<string | undefined>;
  timer: Timer;
  respond: ClosingMeans["respond"];
}

/**
 * Says of an answer that its process left what became of it, there where it is missed; rejects where Slack refuses.
 * `onTell` is awaited before that is posted as a message of its own.
 */
export function createClosing({ callOf, workspaceOf, timer, respond }: ClosingMeans) {
  const startedAt = timer.now();
  const lookups = new Map<Call, ReturnType<typeof createLookup>>();
  return async (left: Left, onTell: (since: number) => Promise<void>): Promise<void> => {
    const call = await callOf(left.team);
    const lookup = lookups.get(call) ?? createLookup(call, timer);
    lookups.set(call, lookup);
    const find = async ({ channel, thread, key, since = 0 }: Left) =>
      (await lookup.find({ channel, thread, key, since, sentAt: startedAt, looks: 6 }))?.ts;
    const tools = { ...workspaceOf(left.team, call), call, find, timer, respond };
    if (left.aside) await closeAside(tools, left, left.aside, onTell);
    else await closeInPlace(tools, left, onTell);
    if (left.thread && left.channel.startsWith("D")) await settleSession(call, left);
  };
}

type OnTell = (since: number) => Promise<void>;

async function closeInPlace(tools: Tools, left: Left, onTell: OnTell): Promise<void> {
  // What was noted without a key was noted when it stood.
  const ts = left.ts ?? (await tools.find(left));
  if (ts !== undefined) return close(tools, { ...left, ts }, onTell);
  // What was never posted is missed by those who can see the question.
  if (left.thread !== undefined) await tellBelow(tools, { ...left, thread: left.thread }, onTell);
}

/** In the answer where that stands; else whoever asked is told alone. */
async function closeAside(tools: Tools, left: Left, aside: Aside, onTell: OnTell): Promise<void> {
  let isSure = left.shown !== "aside";
  let { ts } = left;
  if (ts === undefined && left.shown === "place") {
    ts = await tools.find(left).catch(() => {
      isSure = false;
      return undefined;
    });
  }
  if (ts !== undefined) return close(tools, { ...left, ts }, onTell);
  await tellAside(tools, left, aside, isSure);
}

const words = ":warning: I was restarted in the middle of this answer. Ask me again for the rest.";

function againRow({ user, line }: Noted): Block[] {
  if (!user || !line || line.length > limits.buttonValue) return [];
  return [buttons({ action: onlyFor(user, `${runAction}:again`), label: "Try again", value: line })];
}

async function tellAside({ poster, timer, respond }: Tools, left: Left, aside: Aside, isSure: boolean): Promise<void> {
  const { user, channel, since = 0 } = left;
  if (user === undefined) return;
  const text = missed(aside, isSure);
  // A button asks again where it is pressed.
  const message: Message = { text, blocks: [section(text), ...(aside.channel === channel ? againRow(left) : [])] };
  if (aside.respondTo !== undefined && since + respondLifeMs > timer.now()) {
    const whisper = createWhisper(inThread(respond(aside.respondTo), aside.thread));
    const isTold = await whisper(message).then(
      () => true,
      () => false,
    );
    if (isTold) return;
  }
  await createAside(aside, { user, poster })(message);
}

function missed({ did }: Aside, isSure: boolean): string {
  const what = typeof did === "object" ? `\`${inCode(did.typed)}\`` : `what you ${did}`;
  if (isSure) return `I was restarted before I could answer ${what}.`;
  return `I was restarted while I answered ${what}. If you see no answer, try again.`;
}

/** An agent's sign of work outlives the process that set it. */
async function settleSession(call: Call, { channel, thread }: Noted): Promise<void> {
  const session = { channel_id: channel, thread_ts: thread, status: "active" };
  await call("agents.sessions.setStatus", session).catch(() => undefined);
}

async function tellBelow({ poster, timer }: Tools, left: Left & { thread: string }, onTell: OnTell): Promise<void> {
  const { channel, thread, toldSince } = left;
  const message: Message = { text: words, blocks: [section(words), ...againRow(left)] };
  const onSend = () => onTell(toldSince ?? timer.now());
  await poster.post({ channel, thread, key: `${left.key} left`, sentSince: toldSince, onSend }, () => message);
}

/** Adds to the last message of an answer that was left what became of it; where it cannot be read, in one below it. */
async function close(tools: Tools, left: Left & Posted, onTell: OnTell): Promise<void> {
  const { call } = tools;
  const { channel, ts, thread = ts } = left;
  const message = await lastOf(call, { channel, ts, thread, key: left.key }).catch(() => undefined);
  if (!message) return tellBelow(tools, { ...left, thread }, onTell);
  const at = { channel, ts: message.ts };
  // An earlier process may have come as far as that, or had shown all of the answer.
  if (`${message.text}${JSON.stringify(message.blocks)}`.includes(words) || left.end === markOf(message)) return;
  // Buttons of an answer that is over, such as Stop, would do nothing any more.
  const standing = (message.blocks ?? []).filter(({ type }) => type !== "actions");
  const blocks = [...standing, section(words), ...againRow(left)];
  const update = () => editInTurn(tools, at, { text: `${message.text}\n${words}`, blocks });
  await update().catch(async (error: unknown) => {
    if (!(error instanceof SlackRefused)) throw error;
    if (error.reaction === "repost") return tellBelow(tools, { ...left, thread }, onTell);
    // One of Slack's own streams has to be ended before it can be edited.
    if (error.code !== "streaming_state_conflict") throw error;
    await call("chat.stopStream", at);
    await update();
  });
}

const replies = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      text: z.string().catch(""),
      blocks: z.array(z.custom<Block>()).optional(),
      metadata: z
        .object({ event_payload: z.object({ key: z.string() }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/** Messages in which an answer goes on stand soon below it. */
const nearby = 100;

/** The message that holds the last words of an answer. */
async function lastOf(call: Call, { channel, ts, thread, key }: Posted & { thread: string; key: string }) {
  const range = { oldest: ts, inclusive: true, include_all_metadata: true, limit: nearby };
  const answer = await call("conversations.replies", { channel, ts: thread, ...range });
  return replies
    .parse(answer)
    .messages.findLast((message) => message.ts === ts || isOf(key, message.metadata?.event_payload.key));
}
