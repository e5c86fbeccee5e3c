import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import type { Block } from "../../src/slack/text/message.ts";
import type { Call } from "../../src/slack/delivery/web-api.ts";
import type { FakeClock } from "./clock.ts";

/** A message that stands in a channel. */
interface Standing {
  channel: string;
  ts: string;
  thread: string | undefined;
  text: string;
  blocks: Block[];
  metadata: unknown;
  /** Since when it grows as a native stream. */
  streamingSince?: number | undefined;
}

interface Called {
  method: string;
  options: Record<string, unknown>;
  /** The time of its arrival. */
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
  /** Calls that were refused because of a limit. */
  refusals: number;
  /** Lets the next calls of a method fail, one fault a call. */
  fail(method: string, ...codes: (string | SlackRefused)[]): void;
  /** Lets the next call of a method take effect and then fail. */
  loseAnswer(method: string, code: string): void;
  /** While it is set, all calls fail with it, or those of the methods that it names. */
  outage: { code: string; methods?: string[] } | undefined;
  count(method: string): number;
  /** Called for each edit, and each addition to a stream, that took effect. */
  onEdit: (message: Standing) => void;
  /** Called for each post that took effect. */
  onPost: () => void;
}

interface SlackOptions {
  /** Half of it on the way there, half on the way back. */
  latencyMs?: number;
  limit?: Limit;
}

/** A Slack in which everything is allowed, until a test says otherwise. */
export function createSlack(clock: FakeClock, { latencyMs = 80, limit = "none" }: SlackOptions = {}): FakeSlack {
  const faults = new Map<string, Fault[]>();
  const limiters = new Map(Object.entries(perMinute).map(([method, most]) => [method, limiter(limit, most, clock)]));
  let sequence = 0;

  function post(options: Record<string, unknown>, more: Partial<Standing>): Standing {
    const ts = `${Math.floor(clock.now() / 1000)}.${String(++sequence).padStart(6, "0")}`;
    const channel = String(options["channel"]);
    const thread = typeof options["thread_ts"] === "string" ? options["thread_ts"] : undefined;
    const message = { channel, ts, thread, metadata: options["metadata"], ...contentOf(options), ...more };
    slack.messages.push(message);
    return message;
  }

  function streaming(method: string, { ts }: Record<string, unknown>): Standing {
    const message = slack.messages.find((each) => each.ts === ts);
    if (!message) throw new SlackRefused(method, "message_not_found");
    const age = clock.now() - (message.streamingSince ?? Number.NEGATIVE_INFINITY);
    if (age > streamLifeMs) message.streamingSince = undefined;
    if (!message.streamingSince) throw new SlackRefused(method, "message_not_in_streaming_state");
    return message;
  }

  const methods: Record<string, (options: Record<string, unknown>) => Record<string, unknown>> = {
    "chat.postMessage": (options) => {
      const { channel, ts } = post(options, {});
      slack.onPost();
      return { channel, ts };
    },
    "chat.startStream": (options) => {
      if (!options["thread_ts"]) throw new SlackRefused("chat.startStream", "invalid_arguments");
      if (!options["recipient_user_id"]) throw new SlackRefused("chat.startStream", "missing_recipient_user_id");
      const message = post(options, { text: "", blocks: [], streamingSince: clock.now() });
      grow(message, options);
      slack.onEdit(message);
      return { channel: message.channel, ts: message.ts };
    },
    "chat.appendStream": (options) => {
      const message = streaming("chat.appendStream", options);
      grow(message, options);
      slack.onEdit(message);
      return { ts: message.ts };
    },
    "chat.stopStream": (options) => {
      const message = streaming("chat.stopStream", options);
      grow(message, options);
      message.blocks = [...message.blocks, ...contentOf(options).blocks];
      message.streamingSince = undefined;
      slack.onEdit(message);
      return { ts: message.ts };
    },
    "chat.update": (options) => {
      const message = slack.messages.find(({ ts }) => ts === options["ts"]);
      if (!message) throw new SlackRefused("chat.update", "message_not_found");
      if (message.streamingSince) throw new SlackRefused("chat.update", "streaming_state_conflict");
      Object.assign(message, contentOf(options));
      slack.onEdit(message);
      return { ts: message.ts };
    },
    "chat.delete": ({ ts }) => {
      slack.messages.splice(0, slack.messages.length, ...slack.messages.filter((message) => message.ts !== ts));
      return {};
    },
    "chat.postEphemeral": () => ({ message_ts: "1.0" }),
    "conversations.open": ({ users }) => ({ channel: { id: users } }),
    "conversations.history": ({ channel, oldest }) => ({
      messages: slack.messages.filter((message) => message.channel === channel && message.ts >= String(oldest)),
    }),
    "conversations.replies": ({ channel, ts }) => ({
      messages: slack.messages
        .filter((message) => message.channel === channel && message.thread === ts)
        .map((message) => ({ ...message, ...(message.streamingSince && { streaming_state: "in_progress" }) })),
    }),
  };

  async function call(method: string, options: Record<string, unknown>): Promise<Record<string, unknown>> {
    await clock.sleep(latencyMs / 2);
    slack.calls.push({ method, options, at: clock.now() });
    const fault = faults.get(method)?.shift() ?? outageOf(method);
    const retryAfterMs = fault ? undefined : limiters.get(method)?.();
    if (retryAfterMs !== undefined) slack.refusals++;
    let answer: Record<string, unknown> = {};
    if ((!fault || fault.isDone) && retryAfterMs === undefined) answer = methods[method]?.(options) ?? {};
    await clock.sleep(latencyMs / 2);
    if (retryAfterMs !== undefined) throw new SlackRefused(method, "ratelimited", { retryAfterMs });
    if (fault) throw fault.refused;
    return answer;
  }

  function outageOf(method: string): Fault | undefined {
    const { code, methods: hit = [method] } = slack.outage ?? {};
    return code !== undefined && hit.includes(method) ? { refused: asRefused(method, code), isDone: false } : undefined;
  }

  function queue(method: string, fault: Fault): void {
    faults.set(method, [...(faults.get(method) ?? []), fault]);
  }

  const slack: FakeSlack = {
    call,
    calls: [],
    messages: [],
    refusals: 0,
    outage: undefined,
    fail(method, ...codes) {
      for (const code of codes) queue(method, { refused: asRefused(method, code), isDone: false });
    },
    loseAnswer: (method, code) => queue(method, { refused: asRefused(method, code), isDone: true }),
    count: (method) => slack.calls.filter((called) => called.method === method).length,
    onEdit: () => undefined,
    onPost: () => undefined,
  };
  return slack;
}

/** As Slack's client reports it. */
function asRefused(method: string, code: string | SlackRefused): SlackRefused {
  if (typeof code !== "string") return code;
  const isAmbiguous = code === "network" || code.startsWith("http_");
  return new SlackRefused(method, code, isAmbiguous ? { reaction: "lookUp" } : {});
}

function contentOf({ text, blocks }: Record<string, unknown>): { text: string; blocks: Block[] } {
  return { text: String(text), blocks: Array.isArray(blocks) ? blocks : [] };
}

/** Adds the chunks of a call to a stream: words to the Markdown that stands last, a task in its place if it stands already. */
function grow(message: Standing, options: Record<string, unknown>): void {
  const chunks: unknown[] = Array.isArray(options["chunks"]) ? options["chunks"] : [];
  for (const chunk of chunks) {
    const { type, text, blocks, id, title, status } = { ...(chunk as Record<string, unknown>) };
    const last = message.blocks.at(-1);
    if (type === "markdown_text") {
      message.text += String(text);
      const more = { type: "markdown" as const, text: (last?.type === "markdown" ? last.text : "") + String(text) };
      message.blocks = [...(last?.type === "markdown" ? message.blocks.slice(0, -1) : message.blocks), more];
    } else if (type === "task_update") {
      const card = { type: "task_card", task_id: id, title, status } as unknown as Block;
      const at = message.blocks.findIndex((block) => "task_id" in block && block.task_id === id);
      message.blocks = at < 0 ? [...message.blocks, card] : message.blocks.with(at, card);
    } else message.blocks = [...message.blocks, ...contentOf({ blocks }).blocks];
  }
}

/** A stream dies so long after its start. */
const streamLifeMs = 300_000;

const perMinute = {
  "chat.update": 50,
  "chat.delete": 50,
  "chat.startStream": 20,
  "chat.appendStream": 100,
  "chat.stopStream": 20,
};

/** A limit in the two readings that Slack's documents allow; gives the time to wait if a call is refused. */
function limiter(limit: Limit, most: number, clock: FakeClock): () => number | undefined {
  let tokens = most;
  let countedAt = clock.now();
  const taken: number[] = [];
  return () => {
    const now = clock.now();
    if (limit === "none") return undefined;
    if (limit === "bucket") {
      tokens = Math.min(most, tokens + ((now - countedAt) * most) / 60_000);
      countedAt = now;
      if (tokens < 1) return Math.ceil(((1 - tokens) * 60_000) / most);
      tokens--;
      return undefined;
    }
    while (taken[0] !== undefined && taken[0] <= now - 60_000) taken.shift();
    if (taken.length >= most) return Math.max(1_000, (taken[0] ?? now) + 60_000 - now);
    taken.push(now);
    return undefined;
  };
}
