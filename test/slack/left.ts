import type { Log } from "../../src/log.ts";
import { type Leftover, type Noted, openLedger } from "../../src/slack/leftovers.ts";
import type { Call } from "../../src/slack/web.ts";
import { createWorkspaces } from "../../src/slack/workspaces.ts";
import { memory } from "../support/builders.ts";
import { createClock } from "../support/clock.ts";

export const answer: Leftover = { team: "T1", channel: "C1", ts: "2.2", thread: "1.1" };

/** The notes of an earlier process, and what the next one does with them at its start. */
export async function setUp(call: Call = async () => ({})) {
  const kept = memory<Noted>();
  let onDelete: (left: Noted) => void = () => undefined;
  const records = {
    ...kept,
    async delete(key: string) {
      const left = await kept.get(key);
      if (left) onDelete(left);
      return kept.delete(key);
    },
  };
  const lines: string[] = [];
  const log: Pick<Log, "warn"> = { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) };
  const options = { events: memory<number>(), log };
  const earlier = await openLedger(records, options);
  const calls: [string, Record<string, unknown>][] = [];
  const noting: Call = async (method, sent) => {
    calls.push([method, sent]);
    return { channel: sent["channel"], ts: "9.9", ...(await call(method, sent)) };
  };
  /** What the next process does at its start. */
  const restart = async () => {
    const clock = createClock();
    const ledger = await openLedger(records, options);
    const workspaceOf = createWorkspaces(clock);
    const respond = () => async () => undefined;
    await clock.until(ledger.closeLeft({ callOf: async () => noting, workspaceOf, timer: clock, respond }));
  };
  /** Told of what is struck off. */
  const beforeDelete = (told: typeof onDelete) => void (onDelete = told);
  return { records, lines, earlier, calls, restart, beforeDelete };
}

export async function entriesOf<T>(records: { entries(): AsyncIterable<[string, T]> }): Promise<T[]> {
  const all: T[] = [];
  for await (const [, value] of records.entries()) all.push(value);
  return all;
}

export const block = { type: "markdown", text: "Half an" };
