import { randomUUID } from "node:crypto";

import type { Heard } from "./incoming/entrance.ts";
import type { Aside, Ledger } from "./leftovers.ts";
import type { Timer } from "./pacer.ts";
import { type Routes, goingOn } from "./incoming/request.ts";
import type { Seen } from "./incoming/deduplicate.ts";

interface NotingOptions {
  ledger: Pick<Ledger, "intend">;
  timer: Timer;
}

interface HearingOptions extends NotingOptions {
  seen: Seen;
  begin: (heard: Heard) => Promise<void>;
  routes: Pick<Routes, "find">;
}

/** What somebody said in a message of theirs. */
export interface Said extends Heard {
  asked: string;
}

/**
 * Begins the answer to a message unless it came already; resolves when that is certain, and never rejects. Noted as a
 * question before it counts as seen: after a crash in between, or at any time until the answer stands, the next process
 * says that it has to be asked again. So it may be told that, but never be answered twice or passed over.
 */
export function createHearing({ seen, begin, ledger, routes, timer }: HearingOptions): (said: Said) => Promise<void> {
  return async (said) => {
    const { team, channel, thread, user, asked } = said;
    const event = `${team} ${channel} ${asked}`;
    const noted = { key: randomUUID(), since: timer.now(), event };
    const intend = () => ledger.intend({ team, channel, thread, user, line: againLine(said, routes), ...noted });
    if (await seen(event, intend)) return;
    void begin({ ...said, noted });
  };
}

/**
 * Writes down what Slack sends once, and forgets with our word for it: what somebody typed as a command, pressed or sent
 * off; `event` is what it counts as seen under. Until its answer stands, the next process tells them that there is none.
 * Never rejects.
 */
export function createNoting({
  ledger,
  timer,
}: NotingOptions): (heard: Heard, aside: Aside, event?: string) => Promise<Heard> {
  return async (heard, aside, event) => {
    const { team, channel, thread, user, line } = heard;
    const noted = { key: randomUUID(), since: timer.now(), event, aside };
    await ledger.intend({ team, channel, thread, user, line, ...noted });
    return { ...heard, noted };
  };
}

/** The line with which a button asks the same again; what names no command in the right way says so when it is run. */
function againLine(heard: Heard, routes: Pick<Routes, "find">): string {
  const { line, surface } = heard;
  try {
    return routes.find(line, surface, goingOn(heard)).line;
  } catch {
    return line;
  }
}
