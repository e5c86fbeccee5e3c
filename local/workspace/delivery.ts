import type { Ids, WorkspaceClock } from "./clock.ts";
import type { Inspector } from "./inspector.ts";
import { type Fields, fieldsOf, stringOf } from "./page/fields.ts";
import type { SocketMode } from "./socket-mode.ts";

/** The end of a request to the app: its ack, or the error that Slack shows instead. */
export type AckResult =
  | { isAcked: true; payload: Fields }
  | { isAcked: false; reason: "operation_timeout" | "dispatch_failed" };

/** Sends payloads to the app over its connections and waits for the acks. */
export interface AppDelivery {
  /** Delivers an event and repeats it as Slack does; resolves once the first attempt ended. */
  event: (payload: Fields) => Promise<void>;
  /** Delivers a command or an interaction once, as a person waits for it. */
  request: (type: "slash_commands" | "interactive", payload: Fields) => Promise<AckResult>;
  acked: (envelope: string, payload: Fields) => void;
  gone: (connection: string) => void;
  /** Test switches: events are delivered twice; the next acks are lost. */
  twice: (on: boolean) => void;
  dropAcks: (count: number) => void;
}

interface Attempt {
  type: "events_api" | "slash_commands" | "interactive";
  payload: Fields;
  retry: number;
  /** The connection of the attempt before, so that another one is tried. */
  except?: string;
}

interface Ending {
  result: AckResult;
  why: "ack" | "timeout" | "gone" | "unreachable";
  connection?: string;
}

/** The time that Slack waits for an acknowledgement, in milliseconds. */
const ackMs = 3000;
const failed: AckResult = { isAcked: false, reason: "dispatch_failed" };
/** Slack's pauses before the first, second and third repetition of an event, in milliseconds. */
const pausesMs = [0, 60_000, 300_000];

interface DeliveryOptions {
  clock: WorkspaceClock;
  ids: Ids;
  socket: () => SocketMode;
  inspector: Inspector;
}

/** Builds the delivery over the app's Socket Mode connections. */
export function createDelivery(options: DeliveryOptions): AppDelivery {
  const { clock, ids, socket, inspector } = options;
  const waiting = new Map<string, { connection: string; end: (result: AckResult, why: Ending["why"]) => void }>();
  let isTwice = false;
  let acksToDrop = 0;

  function attempt({ type, payload, retry, except }: Attempt): Promise<Ending> {
    const connection = socket().choose(except);
    if (!connection) return Promise.resolve({ result: failed, why: "unreachable" });
    const { id } = connection;
    const since = performance.now();
    const envelope_id = ids.secret();
    const { promise, resolve } = Promise.withResolvers<Ending>();
    const cancel = clock.after(ackMs, () => end({ isAcked: false, reason: "operation_timeout" }, "timeout"));
    const end = (result: AckResult, why: Ending["why"]) => {
      cancel();
      waiting.delete(envelope_id);
      resolve({ result, why, connection: id });
      const outcome = result.isAcked ? "ok" : result.reason;
      const answered = result.isAcked ? result.payload : {};
      const ms = performance.now() - since;
      inspector.note({ ...namesOf(payload), kind: "envelope", at: clock.now(), ms, outcome, sent: payload, answered });
    };
    waiting.set(envelope_id, { connection: id, end });
    const repeated = type === "events_api" ? { retry_attempt: retry, retry_reason: retry === 0 ? "" : "timeout" } : {};
    connection.send({ envelope_id, type, accepts_response_payload: type !== "events_api", payload, ...repeated });
    return promise;
  }

  /** Repeats an event after each failure, at once if its connection was closed. */
  async function repeat(payload: Fields, first: Ending): Promise<void> {
    let last = first;
    for (const [index, pause] of pausesMs.entries()) {
      if (last.result.isAcked) return;
      const wait = last.why === "unreachable" ? Math.max(pause, ackMs) : pause;
      if (last.why !== "gone") await new Promise<void>((resolve) => clock.after(wait, resolve));
      const except = last.connection === undefined ? {} : { except: last.connection };
      last = await attempt({ type: "events_api", payload, retry: index + 1, ...except });
    }
  }

  return {
    async event(payload) {
      const first = await attempt({ type: "events_api", payload, retry: 0 });
      void repeat(payload, first);
      if (isTwice) await attempt({ type: "events_api", payload, retry: 1 });
    },
    async request(type, payload) {
      const { result } = await attempt({ type, payload, retry: 0 });
      return result;
    },
    acked(envelope, payload) {
      if (acksToDrop > 0) acksToDrop -= 1;
      else waiting.get(envelope)?.end({ isAcked: true, payload }, "ack");
    },
    gone(connection) {
      const lost = [...waiting.values()].filter((one) => one.connection === connection);
      for (const one of lost) one.end(failed, "gone");
    },
    twice: (on) => void (isTwice = on),
    dropAcks: (count) => void (acksToDrop = count),
  };
}

/** The name of a payload, and the channel that it is about. */
function namesOf(payload: Fields): { name: string; channel?: string } {
  const event = fieldsOf(payload["event"]);
  const name = stringOf(event["type"]) || stringOf(payload["command"]) || stringOf(payload["type"]);
  const places = [event["channel"], payload["channel_id"], fieldsOf(payload["channel"])["id"]];
  const channel = places.map(stringOf).find(Boolean);
  return channel === undefined ? { name } : { name, channel };
}
