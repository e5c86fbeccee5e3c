/** A fault of the calls of a method: an HTTP error, a Slack error, or a broken connection. */
export interface SlackFault {
  /** A method, or the beginning of several with a star: `chat.*`. */
  method: string;
  /**
   * The fault itself. `ratelimited` answers 429, `http_500` 500. `accept_then_cut` carries the call out and cuts the
   * connection, `timeout` carries it out and never answers. Any other word is the Slack error code of the answer, and
   * the call is not carried out.
   */
  outcome: string;
  /** The number of calls that get the fault; 1 if missing. */
  times?: number;
  /** Instead of `times`: the share of calls, from 0 to 1, that get the fault at random for good. */
  share?: number;
  /** Whether the call is carried out although its answer says that it was not. */
  isDone?: true;
  /** The time to wait after `ratelimited`, in seconds. */
  retryAfter?: number;
}

/** The faults of a workspace. */
export interface SlackFaults {
  add: (fault: SlackFault) => void;
  /** Removes all faults. */
  clear: () => void;
  /** The fault of this call; counts it as used once. */
  take: (method: string) => SlackFault | undefined;
}

function fits(fault: SlackFault, method: string): boolean {
  return fault.method.endsWith("*") ? method.startsWith(fault.method.slice(0, -1)) : fault.method === method;
}

/** Builds the faults of one workspace, which has none at first; `draw` returns random numbers from 0 to 1. */
export function createFaults(draw: () => number = Math.random): SlackFaults {
  const counted: { fault: SlackFault; left: number }[] = [];
  const drawn: SlackFault[] = [];

  function takeCounted(method: string): SlackFault | undefined {
    const at = counted.findIndex(({ fault }) => fits(fault, method));
    const found = counted[at];
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) counted.splice(at, 1);
    return found.fault;
  }

  function takeDrawn(method: string): SlackFault | undefined {
    const own = drawn.filter((fault) => fits(fault, method));
    if (own.length === 0) return undefined;
    let lot = draw();
    return own.find(({ share = 0 }) => (lot -= share) < 0);
  }

  return {
    add(fault) {
      if (fault.share === undefined) counted.push({ fault, left: fault.times ?? 1 });
      else drawn.push(fault);
    },
    clear() {
      counted.length = 0;
      drawn.length = 0;
    },
    take: (method) => takeCounted(method) ?? takeDrawn(method),
  };
}
