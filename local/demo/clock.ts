import { type Clock, systemClock } from "../../src/app.ts";

/** The one clock of workspace, sample services and bot: the machine's, moved by whole minutes. */
export interface DemoClock extends Clock {
  /** Milliseconds ahead of the machine's clock; negative if it is behind. */
  offset(): number;
  /**
   * Moves the clock on. Waits of a second or less, such as those between two runs of a job, end at once. Longer ones go
   * on in real time, so an answer that is being written does not time out.
   */
  jump(ms: number): void;
}

/** A wait of at most this many milliseconds ends at a jump. */
const shortMs = 1_000;

interface WaitingCall {
  ms: number;
  at: number;
  run(): void;
}

/** Builds the clock, `offset` milliseconds ahead of the machine's. */
export function createDemoClock(offset = 0, machine: Clock = systemClock): DemoClock {
  let ahead = offset;
  const waiting = new Set<WaitingCall>();
  const now = () => machine.now() + ahead;

  return {
    now,
    offset: () => ahead,
    jump(ms) {
      ahead += ms;
      const due = [...waiting].filter((one) => one.at <= now() && one.ms <= shortMs);
      for (const one of due.toSorted((left, right) => left.at - right.at)) one.run();
    },
    after(ms, call) {
      const stop = () => {
        waiting.delete(one);
        cancel();
      };
      const one: WaitingCall = {
        ms,
        at: now() + ms,
        run() {
          if (!waiting.has(one)) return;
          stop();
          call();
        },
      };
      const cancel = machine.after(ms, () => one.run());
      waiting.add(one);
      return stop;
    },
  };
}
