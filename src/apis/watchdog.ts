export interface Watchdog {
  /** Fires when the caller gives up or the time is over. */
  signal: AbortSignal;
  /** Starts the time for the next step anew, in milliseconds. */
  allow(ms: number): void;
  /** Stops counting the step: what is waited for now is not upstream. */
  rest(): void;
  /** True when the time was over, as opposed to a caller who gave up. */
  expired(): boolean;
  end(): void;
}

/** Watches over one exchange and its steps; own timers, because undici's are coarse and know no total. */
export function createWatchdog(caller: AbortSignal | undefined, total?: number): Watchdog {
  const overdue = new AbortController();
  const expire = () => overdue.abort();
  const whole = total === undefined ? undefined : setTimeout(expire, total);
  let step: NodeJS.Timeout | undefined;
  return {
    signal: caller === undefined ? overdue.signal : AbortSignal.any([caller, overdue.signal]),
    allow(ms) {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    rest: () => clearTimeout(step),
    expired: () => overdue.signal.aborted,
    end() {
      clearTimeout(step);
      clearTimeout(whole);
    },
  };
}
