import { z } from "zod";

import { type Log, describe } from "../log.ts";
import { section } from "./blocks.ts";
import type { Block, Posted } from "./message.ts";
import type { Call } from "./web.ts";

/** An answer that stands in Slack and is not finished. */
export interface Leftover extends Posted {
  team: string;
  /** Root of the thread that it stands in; absent where it is a root itself. */
  thread?: string | undefined;
}

/** An answer that was left longer ago is nobody's concern any more. */
export const leftoverLifeMs = 24 * 60 * 60_000;

export const leftoverSchema: z.ZodType<Leftover> = z.object({
  team: z.string(),
  channel: z.string(),
  ts: z.string(),
  thread: z.string().optional(),
});

interface Records {
  set(key: string, leftover: Leftover): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, Leftover]>;
}

/** Knows which answers are under way, so that none that outlives its process stands unfinished for ever. */
export interface Ledger {
  /** Neither rejects: an answer goes on where it cannot be noted down. */
  begin(answer: Leftover): Promise<void>;
  end(answer: Leftover): Promise<void>;
}

interface OpenLedger extends Ledger {
  /** Says in every answer that an earlier process left what became of it; what Slack refuses is left and logged. */
  closeLeft(callOf: (team: string) => Promise<Call>): Promise<void>;
}

/** The ledger in the store. One process writes to a store at a time, so what it finds there at its start was left. */
export async function openLedger(records: Records, log: Pick<Log, "warn">): Promise<OpenLedger> {
  const left: Leftover[] = [];
  for await (const [, leftover] of records.entries()) left.push(leftover);
  const noted = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => log.warn("answer.unnoted", { error: describe(error) }));
  };
  return {
    begin: (answer) => noted(records.set(keyOf(answer), answer)),
    end: (answer) => noted(records.delete(keyOf(answer))),
    async closeLeft(callOf) {
      for (const leftover of left.splice(0)) {
        const { team, channel, ts } = leftover;
        try {
          await close(await callOf(team), leftover);
          await records.delete(keyOf(leftover));
        } catch (error) {
          log.warn("answer.left", { team, channel, ts, error: describe(error) });
        }
      }
    },
  };
}

const words = ":warning: I was restarted in the middle of this answer. Ask me again for the rest.";

/** Adds to an answer that was left what became of it; where it cannot be read, in a message below it. */
async function close(call: Call, { channel, ts, thread = ts }: Leftover): Promise<void> {
  const message = await messageAt(call, { channel, ts, thread }).catch(() => undefined);
  if (!message) {
    await call("chat.postMessage", { channel, thread_ts: thread, text: words, blocks: [section(words)] });
    return;
  }
  const blocks = [...(message.blocks ?? []), section(words)];
  await call("chat.update", { channel, ts, text: `${message.text}\n${words}`, blocks });
}

const replies = z.object({
  messages: z.array(
    z.object({ ts: z.string(), text: z.string().catch(""), blocks: z.array(z.custom<Block>()).optional() }),
  ),
});

async function messageAt(call: Call, { channel, ts, thread }: Posted & { thread: string }) {
  const answer = await call("conversations.replies", { channel, ts: thread, oldest: ts, inclusive: true, limit: 10 });
  return replies.parse(answer).messages.find((message) => message.ts === ts);
}

function keyOf({ team, channel, ts }: Leftover): string {
  return `${team} ${channel} ${ts}`;
}
