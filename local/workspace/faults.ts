/** What calls of a method meet: a refusal by HTTP, by Slack's error code, or a broken connection. */
export interface SlackFault {
  /** A method, or the beginning of several: `chat.*`. */
  method: string;
  /**
   * `ratelimited` 429; `http_500`; `accept_then_cut` carries the call out and cuts the connection; `timeout` carries it
   * out and never answers; any other word is the Slack error code of an answer whose call is not carried out.
   */
  outcome: string;
  /** How many calls meet it; 1 where missing. */
  times?: number;
  /** Instead: the share of the calls that meet it, drawn by lot, for good. */
  share?: number;
  /** The call is carried out all the same, though its answer says that it was not. */
  isDone?: true;
  /** Seconds to wait, for `ratelimited`. */
  retryAfter?: number;
}

/** The faults that wait for calls. */
export interface SlackFaults {
  add: (fault: SlackFault) => void;
  /** Takes all of them away. */
  clear: () => void;
  /** The fault that this call meets, used up by one. */
  take: (method: string) => SlackFault | undefined;
}

function fits(fault: SlackFault, method: string): boolean {
  return fault.method.endsWith("*") ? method.startsWith(fault.method.slice(0, -1)) : fault.method === method;
}

/** Builds the faults of one workspace: none to begin with; `draw` gives numbers from 0 to 1. */
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
