import { SlackRefused } from "../../src/slack/refusal.ts";
import type { Block } from "../../src/slack/message.ts";
import type { Call } from "../../src/slack/web.ts";
import type { FakeClock } from "./clock.ts";

/** A message that stands in a channel. */
interface Standing {
  channel: string;
  ts: string;
  thread: string | undefined;
  text: string;
  blocks: Block[];
  metadata: unknown;
}

interface Called {
  method: string;
  options: Record<string, unknown>;
  /** When it arrived. */
  at: number;
}

interface Fault {
  refused: SlackRefused;
  /** The call took effect before the answer was lost. */
  isDone: boolean;
}

export type Limit = "none" | "window" | "bucket";

/** Slack as far as messages go, in memory and on a fake clock. */
export interface FakeSlack {
  call: Call;
  calls: Called[];
  messages: Standing[];
  /** Calls that were refused because of the limit on edits. */
  refusals: number;
  /** Lets the next calls of a method fail, one fault a call. */
  fail(method: string, ...codes: (string | SlackRefused)[]): void;
  /** Lets the next call of a method take effect and then fail. */
  loseAnswer(method: string, code: string): void;
  count(method: string): number;
  /** Told of each edit that took effect. */
  onEdit: (message: Standing) => void;
}

interface SlackOptions {
  /** Half of it on the way there, half on the way back. */
  latencyMs?: number;
  limit?: Limit;
}

/** A Slack in which everything is allowed, until a test says otherwise. */
export function createSlack(clock: FakeClock, { latencyMs = 80, limit = "none" }: SlackOptions = {}): FakeSlack {
  const faults = new Map<string, Fault[]>();
  const takesEdit = limiter(limit, clock);
  let sequence = 0;

  const methods: Record<string, (options: Record<string, unknown>) => Record<string, unknown>> = {
    "chat.postMessage": (options) => {
      const ts = `${Math.floor(clock.now() / 1000)}.${String(++sequence).padStart(6, "0")}`;
      const channel = String(options["channel"]);
      const thread = typeof options["thread_ts"] === "string" ? options["thread_ts"] : undefined;
      slack.messages.push({ channel, ts, thread, metadata: options["metadata"], ...contentOf(options) });
      return { channel, ts };
    },
    "chat.update": (options) => {
      const message = slack.messages.find(({ ts }) => ts === options["ts"]);
      if (!message) throw new SlackRefused("chat.update", "message_not_found");
      Object.assign(message, contentOf(options));
      slack.onEdit(message);
      return { ts: message.ts };
    },
    "chat.postEphemeral": () => ({ message_ts: "1.0" }),
    "conversations.history": ({ channel, oldest }) => ({
      messages: slack.messages.filter((message) => message.channel === channel && message.ts >= String(oldest)),
    }),
    "conversations.replies": ({ channel, ts }) => ({
      messages: slack.messages.filter((message) => message.channel === channel && message.thread === ts),
    }),
  };

  async function call(method: string, options: Record<string, unknown>): Promise<Record<string, unknown>> {
    await clock.sleep(latencyMs / 2);
    slack.calls.push({ method, options, at: clock.now() });
    const fault = faults.get(method)?.shift();
    const retryAfterMs = method === "chat.update" && !fault ? takesEdit() : undefined;
    if (retryAfterMs !== undefined) slack.refusals++;
    let answer: Record<string, unknown> = {};
    if ((!fault || fault.isDone) && retryAfterMs === undefined) answer = methods[method]?.(options) ?? {};
    await clock.sleep(latencyMs / 2);
    if (retryAfterMs !== undefined) throw new SlackRefused(method, "ratelimited", { retryAfterMs });
    if (fault) throw fault.refused;
    return answer;
  }

  function queue(method: string, fault: Fault): void {
    faults.set(method, [...(faults.get(method) ?? []), fault]);
  }

  const slack: FakeSlack = {
    call,
    calls: [],
    messages: [],
    refusals: 0,
    fail(method, ...codes) {
      for (const code of codes) queue(method, { refused: asRefused(method, code), isDone: false });
    },
    loseAnswer: (method, code) => queue(method, { refused: asRefused(method, code), isDone: true }),
    count: (method) => slack.calls.filter((called) => called.method === method).length,
    onEdit: () => undefined,
  };
  return slack;
}

/** As Slack's client reports it. */
function asRefused(method: string, code: string | SlackRefused): SlackRefused {
  if (typeof code !== "string") return code;
  const isAmbiguous = code === "network" || code.startsWith("http_");
  return new SlackRefused(method, code, isAmbiguous ? { reaction: "look" } : {});
}

function contentOf({ text, blocks }: Record<string, unknown>): { text: string; blocks: Block[] } {
  return { text: String(text), blocks: Array.isArray(blocks) ? blocks : [] };
}

/** Slack's 50 edits a minute in the two readings that its documents allow; gives the time to wait where one is refused. */
function limiter(limit: Limit, clock: FakeClock): () => number | undefined {
  const perMinute = 50;
  let tokens = perMinute;
  let countedAt = clock.now();
  const taken: number[] = [];
  return () => {
    const now = clock.now();
    if (limit === "none") return undefined;
    if (limit === "bucket") {
      tokens = Math.min(perMinute, tokens + ((now - countedAt) * perMinute) / 60_000);
      countedAt = now;
      if (tokens < 1) return Math.ceil(((1 - tokens) * 60_000) / perMinute);
      tokens--;
      return undefined;
    }
    while (taken[0] !== undefined && taken[0] <= now - 60_000) taken.shift();
    if (taken.length >= perMinute) return Math.max(1_000, (taken[0] ?? now) + 60_000 - now);
    taken.push(now);
    return undefined;
  };
}
