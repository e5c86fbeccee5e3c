/** What calls of a method meet: a refusal by HTTP, by Slack's error code, or a broken connection. */
export interface Fault {
  /** A method, or the beginning of several: `chat.*`. */
  method: string;
  /**
   * `ratelimited` 429; `http_500`; `accept_then_cut` carries the call out and cuts the connection; `timeout` carries it
   * out and never answers; any other word is the Slack error code of an answer whose call is not carried out.
   */
  outcome: string;
  /** How many calls meet it; 1 where missing. */
  times?: number;
  /** Instead: the part of the calls that meet it, drawn by lot, for good. */
  share?: number;
  /** The call is carried out all the same, though its answer says that it was not. */
  isDone?: true;
  /** Seconds to wait, for `ratelimited`. */
  retryAfter?: number;
}

/** The faults that wait for calls. */
export interface Faults {
  add: (fault: Fault) => void;
  /** Takes all of them away. */
  clear: () => void;
  /** The fault this call meets, used up by one. */
  meet: (method: string) => Fault | undefined;
}

/** Builds the faults of one workspace: none to begin with; `draw` gives numbers from 0 to 1. */
export function createFaults(draw: () => number = Math.random): Faults {
  const waiting: { fault: Fault; left: number }[] = [];
  const lots: Fault[] = [];

  function nextFor(method: string): Fault | undefined {
    const at = waiting.findIndex((one) => fits(one.fault, method));
    const found = waiting[at];
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) waiting.splice(at, 1);
    return found.fault;
  }

  function drawnFor(method: string): Fault | undefined {
    const own = lots.filter((one) => fits(one, method));
    if (own.length === 0) return undefined;
    let lot = draw();
    return own.find(({ share = 0 }) => (lot -= share) < 0);
  }

  return {
    add(fault) {
      if (fault.share === undefined) waiting.push({ fault, left: fault.times ?? 1 });
      else lots.push(fault);
    },
    clear() {
      waiting.length = 0;
      lots.length = 0;
    },
    meet: (method) => nextFor(method) ?? drawnFor(method),
  };
}

function fits(fault: Fault, method: string): boolean {
  return fault.method.endsWith("*") ? method.startsWith(fault.method.slice(0, -1)) : fault.method === method;
}
