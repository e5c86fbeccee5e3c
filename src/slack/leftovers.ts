import { z } from "zod";

import { type Log, describe } from "../log.ts";
import { type ClosingMeans, createClosing } from "./closing.ts";
import { type Forwarding, createForwarding } from "./forwarding.ts";
import type { Posted } from "./text/message.ts";

/** Where whoever asked looks, when nobody else sees what they asked. */
export interface Aside {
  channel: string;
  thread?: string | undefined;
  /** Nobody has answered in the thread yet: Slack shows nothing private in such a one. */
  isThreadNew?: boolean | undefined;
  /** A `response_url`, which is a secret. */
  respondTo?: string | undefined;
  /** What they did; a command as it was typed. */
  did: { typed: string } | "pressed" | "filled in";
}

/** An answer that is about to be given; it may stand in Slack or not. */
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
  /** What the question counts as seen under. */
  event?: string | undefined;
  /** Set where they alone are told what became of it. */
  aside?: Aside | undefined;
  /** From just before something is shown: where that may stand. */
  shown?: "aside" | "place" | undefined;
  /** The mark of its last message, from just before that is shown. */
  end?: string | undefined;
  /** Since when a message below the question may stand that says what became of the answer. */
  toldSince?: number | undefined;
}

/** An answer that stands in Slack and is not finished. */
export interface Leftover extends Intent, Posted {}

/** An answer that was left longer ago is nobody's concern any more. */
export const leftoverLifeMs = 24 * 60 * 60_000;

/** What is written down of an answer. */
export type Noted = Intent & { ts?: string | undefined };

const asideSchema = z.object({
  channel: z.string(),
  thread: z.string().optional(),
  isThreadNew: z.boolean().optional(),
  respondTo: z.string().optional(),
  did: z.union([z.object({ typed: z.string() }), z.enum(["pressed", "filled in"])]),
});

export const leftoverSchema: z.ZodType<Noted> = z.object({
  team: z.string(),
  channel: z.string(),
  ts: z.string().optional(),
  thread: z.string().optional(),
  user: z.string().optional(),
  line: z.string().optional(),
  key: z.string().optional(),
  since: z.number().optional(),
  event: z.string().optional(),
  aside: asideSchema.optional(),
  shown: z.enum(["aside", "place"]).optional(),
  end: z.string().optional(),
  toldSince: z.number().optional(),
});

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
  /** A channel goes by another ID from now on; never rejects. */
  renamed(place: Pick<Intent, "team" | "channel">, to: string): Promise<void>;
}

interface OpenLedger extends Ledger {
  /** Says of every answer that an earlier process left what became of it; what Slack refuses is left and logged. */
  closeLeft(means: ClosingMeans): Promise<void>;
}

interface LedgerOptions {
  /** Events that came already, as the store keeps them. */
  events: { set(key: string, at: number): Promise<void> };
  log: Pick<Log, "warn">;
}

/**
 * The ledger in the store. One process writes to a store at a time, so what it finds there at its start was left; when
 * this resolves, the questions among that count as seen: each of them is told that it has to be asked again.
 */
export async function openLedger(records: Records, { events, log }: LedgerOptions): Promise<OpenLedger> {
  const left: Noted[] = [];
  for await (const [, noted] of records.entries()) left.push(noted);
  const noted = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => log.warn("answer.unnoted", { error: describe(error) }));
  };
  for (const { event, since } of left)
    if (event !== undefined && since !== undefined) await noted(events.set(event, since));
  const forwarding = createForwarding();
  const open = new Map<string, Noted>();
  const write = (key: string, answer: Noted) => {
    const today = placedToday(answer, forwarding);
    open.set(key, today);
    return noted(records.set(key, today));
  };
  return {
    intend: (answer) => write(keyOf(answer), answer),
    begin: (answer) => write(keyOf(answer), answer),
    end(answer) {
      open.delete(keyOf(answer));
      return noted(records.delete(keyOf(answer)));
    },
    async renamed({ team, channel }, to) {
      forwarding.add({ team, channel }, to);
      const moved = [...open].filter(([, answer]) => answer.team === team && isShownIn(answer, channel));
      await Promise.all(moved.map(([key, answer]) => write(key, answer)));
    },
    async closeLeft(means) {
      const close = createClosing(means);
      // The oldest first: a read of its place holds the younger ones, too.
      for (const leftover of left.splice(0).toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0))) {
        const { team, channel, ts } = leftover;
        const key = keyOf(leftover);
        try {
          await close({ ...leftover, key }, (toldSince) => records.set(key, { ...leftover, key, toldSince }));
          await records.delete(key);
        } catch (error) {
          log.warn("answer.left", { team, channel, ts, error: describe(error) });
        }
      }
    },
  };
}

function isShownIn({ channel, aside }: Noted, place: string): boolean {
  return channel === place || aside?.channel === place;
}

/** An answer that began before its channel went by another ID names the old one. */
function placedToday(answer: Noted, forwarding: Forwarding): Noted {
  const { team, channel, aside } = answer;
  return {
    ...answer,
    channel: forwarding.now({ team, channel }),
    ...(aside && { aside: { ...aside, channel: forwarding.now({ team, channel: aside.channel }) } }),
  };
}

/** The same before and after it is posted. */
function keyOf({ team, channel, ts, key }: Noted): string {
  return key ?? `${team} ${channel} ${ts}`;
}
