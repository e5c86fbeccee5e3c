import { openLedger } from "../../src/slack/leftovers.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { createWorkspaces } from "../../src/slack/workspaces.ts";
import { memory } from "../support/builders.ts";
import { createClock } from "../support/clock.ts";
import { setUp } from "./receiver.ts";

type Noted = Parameters<Parameters<typeof openLedger>[0]["set"]>[1];

const logged: string[] = [];
const log = { warn: (event: string, fields: unknown) => void logged.push(`${event} ${JSON.stringify(fields)}`) };

interface Next {
  /** How long the bot was away. */
  awayMs?: number;
  /** Whether the `response_url` takes nothing. */
  isOver?: boolean;
  /** What stands in Slack. */
  standing?: Record<string, unknown>[];
  /** Methods that Slack refuses. */
  refuses?: string[];
}

/** A process that is killed at some point, with the store that outlives it. */
export async function mortal(setting: Parameters<typeof setUp>[0] = {}) {
  const answers = memory<Noted>();
  const events = new Map<string, number>();
  const order: string[] = [];
  /** How many times Slack had our word when something was noted. */
  const acked: number[] = [];
  const records = {
    ...answers,
    async set(key: string, noted: Noted) {
      order.push("intent");
      acked.push(first.acks.length);
      await answers.set(key, noted);
    },
  };
  const noting = {
    get: (key: string) => events.get(key),
    async set(key: string, at: number) {
      order.push("seen");
      events.set(key, at);
    },
  };
  const first = setUp({ ...setting, events: noting, ledger: await openLedger(records, { events: noting, log }) });
  /** What the next process says in Slack when it starts: in the open, to somebody alone, and at which addresses. */
  async function restart({ awayMs = 0, isOver = false, standing = [], refuses = [] }: Next = {}) {
    const said: Record<string, unknown>[] = [];
    const calls: string[] = [];
    const responded: { address: string; text: string; blocks: Message["blocks"] }[] = [];
    const clock = createClock(first.clock.now() + awayMs);
    const ledger = await openLedger(answers, { events: noting, log });
    const closing = ledger.closeLeft({
      callOf: async () => async (method, options) => {
        calls.push(method);
        if (refuses.includes(method)) throw new Error("refused");
        if (/^chat\.(post|update)/.test(method)) said.push({ method, ...options });
        return { messages: standing, channel: options["channel"], ts: "90.1" };
      },
      workspaceOf: createWorkspaces(clock),
      timer: clock,
      respond:
        (address) =>
        async ({ text, blocks }) => {
          if (isOver) throw new Error("expired");
          responded.push({ address, text, blocks });
        },
    });
    await clock.until(closing);
    return { said, calls, responded, logged, next: setUp({ events: noting, ledger }) };
  }
  async function kept(): Promise<Noted[]> {
    const all: Noted[] = [];
    for await (const [, noted] of answers.entries()) all.push(noted);
    return all;
  }
  return { first, order, acked, events, restart, kept };
}

export const never = () => new Promise<never>(() => undefined);
