export interface Watchdog {
  /** Says what to do when the caller gives up or the time is over. */
  whenOver(stop: () => void): void;
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
  let isExpired = false;
  let stop: () => void = () => undefined;
  let step: NodeJS.Timeout | undefined;
  const giveUp = () => stop();
  const expire = () => {
    isExpired = true;
    stop();
  };
  const whole = total === undefined ? undefined : setTimeout(expire, total);
  // Joining the caller's signal with one of our own would cost more than all the rest of an exchange's care.
  caller?.addEventListener("abort", giveUp, { once: true });
  return {
    whenOver: (next) => (stop = next),
    allow(ms) {
      clearTimeout(step);
      step = setTimeout(expire, ms);
    },
    rest: () => clearTimeout(step),
    expired: () => isExpired,
    end() {
      clearTimeout(step);
      clearTimeout(whole);
      caller?.removeEventListener("abort", giveUp);
    },
  };
}
