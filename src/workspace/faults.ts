/** What the next calls of a method meet: a refusal by HTTP, by Slack's error code, or a broken connection. */
export interface Fault {
  method: string;
  /**
   * `ratelimited` 429; `http_500`; `accept_then_cut` carries the call out and cuts the connection; `timeout` carries it
   * out and never answers; any other word is the Slack error code of an answer whose call is not carried out.
   */
  outcome: string;
  /** How many calls meet it; 1 where missing. */
  times?: number;
  /** Seconds to wait, for `ratelimited`. */
  retryAfter?: number;
}

/** The faults that wait for calls. */
export interface Faults {
  add: (fault: Fault) => void;
  /** The fault this call meets, used up by one. */
  meet: (method: string) => Fault | undefined;
}

/** Builds the faults of one workspace: none to begin with. */
export function createFaults(): Faults {
  const waiting: { fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    meet(method) {
      const at = waiting.findIndex((one) => one.fault.method === method);
      const found = waiting[at];
      if (!found) return undefined;
      found.left -= 1;
      if (found.left <= 0) waiting.splice(at, 1);
      return found.fault;
    },
  };
}
