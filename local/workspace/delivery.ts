import type { Clock } from "./clock.ts";
import type { Fields } from "./fields.ts";
import type { Ids } from "./ids.ts";
import type { Link } from "./link.ts";

/** How a request to the app ended: with an ack, or with the word Slack shows instead. */
export type Outcome =
  | { acked: true; payload: Fields }
  | { acked: false; reason: "operation_timeout" | "dispatch_failed" };

/** Brings payloads to the app and keeps track of what it acknowledged. */
export interface Delivery {
  /** Delivers an event and repeats it as Slack does; resolves once the first attempt ended. */
  event: (payload: Fields) => Promise<void>;
  /** Delivers what a person waits for, once: a command or an interaction. */
  request: (type: "slash_commands" | "interactive", payload: Fields) => Promise<Outcome>;
  acked: (envelope: string, payload: Fields) => void;
  gone: (connection: string) => void;
  /** Test switches: events come twice; the next acks get lost. */
  twice: (on: boolean) => void;
  dropAcks: (count: number) => void;
}

interface Waiting {
  connection: string;
  end: (outcome: Outcome, why: "ack" | "timeout" | "gone") => void;
}

interface Attempt {
  type: "events_api" | "slash_commands" | "interactive";
  payload: Fields;
  retry: number;
  except?: string;
}

type Ending = { outcome: Outcome; why: "ack" | "timeout" | "gone" | "unreachable"; connection?: string };

/** What the app has for an ack, in milliseconds. */
const ACK_MS = 3000;
const FAILED: Outcome = { acked: false, reason: "dispatch_failed" };
/** Slack's pauses before the first, second and third repetition of an event. */
const PAUSES_MS = [0, 60_000, 300_000];

/** Sends envelopes and waits for their acks. */
function createEnvelopes({ clock, ids, link }: { clock: Clock; ids: Ids; link: () => Link }) {
  const waiting = new Map<string, Waiting>();

  function attempt({ type, payload, retry, except }: Attempt): Promise<Ending> {
    const connection = link().choose(except);
    if (!connection) return Promise.resolve({ outcome: FAILED, why: "unreachable" });
    const envelope_id = ids.secret();
    const { promise, resolve } = Promise.withResolvers<Ending>();
    const cancel = clock.after(ACK_MS, () => end({ acked: false, reason: "operation_timeout" }, "timeout"));
    function end(outcome: Outcome, why: "ack" | "timeout" | "gone"): void {
      cancel();
      waiting.delete(envelope_id);
      resolve({ outcome, why, connection: connection?.id ?? "" });
    }
    waiting.set(envelope_id, { connection: connection.id, end });
    const repeated = type === "events_api" ? { retry_attempt: retry, retry_reason: retry === 0 ? "" : "timeout" } : {};
    connection.send({ envelope_id, type, accepts_response_payload: type !== "events_api", payload, ...repeated });
    return promise;
  }

  return {
    attempt,
    acked: (envelope: string, payload: Fields) => waiting.get(envelope)?.end({ acked: true, payload }, "ack"),
    gone: (connection: string) => {
      const lost = [...waiting.values()].filter((one) => one.connection === connection);
      for (const one of lost) one.end(FAILED, "gone");
    },
  };
}

/** Builds the delivery over the app's Socket Mode connections. */
export function createDelivery(options: { clock: Clock; ids: Ids; link: () => Link }): Delivery {
  const { clock } = options;
  const { attempt, acked, gone } = createEnvelopes(options);
  let isTwice = false;
  let acksToDrop = 0;

  /** Repeats an event after each failure; a connection that went away costs no pause. */
  async function repeat(payload: Fields, first: Ending): Promise<void> {
    let last = first;
    for (const [index, pause] of PAUSES_MS.entries()) {
      if (last.outcome.acked) return;
      const wait = last.why === "unreachable" ? Math.max(pause, ACK_MS) : pause;
      if (last.why !== "gone") await new Promise<void>((resolve) => clock.after(wait, resolve));
      const except = last.connection === undefined ? {} : { except: last.connection };
      last = await attempt({ type: "events_api", payload, retry: index + 1, ...except });
    }
  }

  return {
    gone,
    async event(payload) {
      const first = await attempt({ type: "events_api", payload, retry: 0 });
      void repeat(payload, first);
      if (isTwice) await attempt({ type: "events_api", payload, retry: 1 });
    },
    async request(type, payload) {
      const { outcome } = await attempt({ type, payload, retry: 0 });
      return outcome;
    },
    acked(envelope, payload) {
      if (acksToDrop === 0) return acked(envelope, payload);
      acksToDrop -= 1;
    },
    twice: (on) => void (isTwice = on),
    dropAcks: (count) => void (acksToDrop = count),
  };
}
