import { z } from "zod";

import { type Log, describe } from "../log.ts";
import { buttons, section } from "./blocks.ts";
import { limits } from "./limits.ts";
import { tsWith } from "./lookup.ts";
import type { Block, Posted } from "./message.ts";
import { SlackRefused } from "./refusal.ts";
import { onlyFor, runAction } from "./request.ts";
import type { Call } from "./web.ts";

/** An answer that is about to be posted; it may stand in Slack or not. */
export interface Intent {
  team: string;
  channel: string;
  /** Root of the thread that it stands in; absent where it is a root itself. */
  thread?: string | undefined;
  /** Who asked, and the line that asks again. */
  user?: string | undefined;
  line?: string | undefined;
  /** What its message carries. */
  key?: string | undefined;
  /** Since when it may stand, in epoch milliseconds. */
  since?: number | undefined;
}

/** An answer that stands in Slack and is not finished. */
export interface Leftover extends Intent, Posted {}

/** An answer that was left longer ago is nobody's concern any more. */
export const leftoverLifeMs = 24 * 60 * 60_000;

type Noted = Intent & { ts?: string | undefined };

export const leftoverSchema: z.ZodType<Noted> = z.object({
  team: z.string(),
  channel: z.string(),
  ts: z.string().optional(),
  thread: z.string().optional(),
  user: z.string().optional(),
  line: z.string().optional(),
  key: z.string().optional(),
  since: z.number().optional(),
});

/** Our clock and Slack's may differ. */
const skewMs = 60_000;

interface Records {
  set(key: string, noted: Noted): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, Noted]>;
}

/** Knows which answers are under way, so that none that outlives its process stands unfinished for ever. */
export interface Ledger {
  /** Before it is posted: a process may end between Slack's taking it and our knowing where. */
  intend(answer: Intent): Promise<void>;
  /** None rejects: an answer goes on where it cannot be noted down. */
  begin(answer: Leftover): Promise<void>;
  /** Ends what was begun, or only intended. */
  end(answer: Noted): Promise<void>;
}

interface OpenLedger extends Ledger {
  /** Says in every answer that an earlier process left what became of it; what Slack refuses is left and logged. */
  closeLeft(callOf: (team: string) => Promise<Call>): Promise<void>;
}

/** The ledger in the store. One process writes to a store at a time, so what it finds there at its start was left. */
export async function openLedger(records: Records, log: Pick<Log, "warn">): Promise<OpenLedger> {
  const left: Noted[] = [];
  for await (const [, noted] of records.entries()) left.push(noted);
  const noted = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => log.warn("answer.unnoted", { error: describe(error) }));
  };
  return {
    intend: (answer) => noted(records.set(keyOf(answer), answer)),
    begin: (answer) => noted(records.set(keyOf(answer), answer)),
    end: (answer) => noted(records.delete(keyOf(answer))),
    async closeLeft(callOf) {
      for (const leftover of left.splice(0)) {
        const { team, channel, ts } = leftover;
        try {
          await closeOne(await callOf(team), leftover);
          await records.delete(keyOf(leftover));
        } catch (error) {
          log.warn("answer.left", { team, channel, ts, error: describe(error) });
        }
      }
    },
  };
}

const words = ":warning: I was restarted in the middle of this answer. Ask me again for the rest.";

function tryAgain({ user, line }: Noted): Block[] {
  if (!user || !line || line.length > limits.buttonValue) return [];
  return [buttons({ action: onlyFor(user, `${runAction}:again`), label: "Try again", value: line })];
}

async function closeOne(call: Call, noted: Noted): Promise<void> {
  const ts = noted.ts ?? (await tsOf(call, noted));
  if (ts !== undefined) await close(call, { ...noted, ts });
  // What was never posted is missed by those who can see the question.
  else if (noted.thread !== undefined) await tellBelow(call, { ...noted, thread: noted.thread });
  if (noted.thread && noted.channel.startsWith("D")) await settleSession(call, noted);
}

/** Where an answer was posted after all, if it was; rejects where Slack does not say. */
async function tsOf(call: Call, { channel, thread, key, since = 0 }: Noted): Promise<string | undefined> {
  if (!key) return undefined;
  const answer = await call(thread ? "conversations.replies" : "conversations.history", {
    channel,
    ...(thread && { ts: thread }),
    oldest: (Math.max(0, since - skewMs) / 1000).toFixed(6),
    include_all_metadata: true,
    limit: 100,
  });
  return listed
    .parse(answer)
    .messages.map((message) => tsWith(key, message))
    .find(Boolean);
}

/** An agent's sign of work outlives the process that set it. */
async function settleSession(call: Call, { channel, thread }: Noted): Promise<void> {
  const session = { channel_id: channel, thread_ts: thread, status: "active" };
  await call("agents.sessions.setStatus", session).catch(() => undefined);
}

async function tellBelow(call: Call, noted: Noted & { thread: string }): Promise<void> {
  const { channel, thread } = noted;
  const blocks = [section(words), ...tryAgain(noted)];
  await call("chat.postMessage", { channel, thread_ts: thread, text: words, blocks });
}

/** Adds to an answer that was left what became of it; where it cannot be read, in a message below it. */
async function close(call: Call, leftover: Leftover): Promise<void> {
  const { channel, ts, thread = ts } = leftover;
  const message = await messageAt(call, { channel, ts, thread }).catch(() => undefined);
  if (!message) return tellBelow(call, { ...leftover, thread });
  // Buttons of an answer that is over, such as Stop, would do nothing any more.
  const standing = (message.blocks ?? []).filter(({ type }) => type !== "actions");
  const blocks = [...standing, section(words), ...tryAgain(leftover)];
  const update = () => call("chat.update", { channel, ts, text: `${message.text}\n${words}`, blocks });
  await update().catch(async (error: unknown) => {
    // One of Slack's own streams has to be ended before it can be edited.
    if (!(error instanceof SlackRefused) || error.code !== "streaming_state_conflict") throw error;
    await call("chat.stopStream", { channel, ts });
    await update();
  });
}

const listed = z.object({ messages: z.array(z.unknown()) });
const replies = z.object({
  messages: z.array(
    z.object({ ts: z.string(), text: z.string().catch(""), blocks: z.array(z.custom<Block>()).optional() }),
  ),
});

async function messageAt(call: Call, { channel, ts, thread }: Posted & { thread: string }) {
  const answer = await call("conversations.replies", { channel, ts: thread, oldest: ts, inclusive: true, limit: 10 });
  return replies.parse(answer).messages.find((message) => message.ts === ts);
}

/** The same before and after it is posted. */
function keyOf({ team, channel, ts, key }: Noted): string {
  return key ?? `${team} ${channel} ${ts}`;
}
