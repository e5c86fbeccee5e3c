import { z } from "zod";
import { redact } from "../log.ts";
import { adviceOn, adviceOnTime, seconds } from "./probe/advice.ts";
import type { Call, Http, KeyHeader, Terms } from "./call.ts";
import { ApiError, NotAllowed, Unavailable, UnexpectedAnswer } from "./errors.ts";
import type { Api } from "./errors.ts";
import { limited } from "./probe/limited.ts";
import { isRecord } from "./values.ts";
import type { Pace } from "./pace.ts";
import { systemClock } from "./retry.ts";
import type { Clock } from "./retry.ts";
import type { Finding } from "./probe/shape.ts";
import { createEar } from "./probe/signs.ts";
import type { Ear, Signs } from "./probe/signs.ts";
import type { ServerEvent } from "./sse.ts";
import type { End } from "./probe/transcript.ts";

/** What one endpoint answered, told by the names and kinds of its fields and never by their values. */
export interface Probe {
  operation: string;
  /** As in the document, with its placeholders. */
  path: string;
  /** From the sending to the end of the answer, with all that was sent again in between. */
  ms: number;
  /** "failed" also where an answer came that the bot cannot read; its findings show it all the same. */
  outcome: "ok" | "failed" | "skipped";
  error?: ApiError | undefined;
  /** Why it was skipped, as a sentence. */
  reason?: string | undefined;
  findings: Finding[];
  /** What an operator should do, as sentences; several probes may give the same one. */
  advice: string[];
  /** What came beside the payload; missing where no answer came. */
  signs?: Signs | undefined;
}

/** What the probes of every API need. */
export interface ProbeOptions {
  http: Http;
  now: () => number;
  wait?: Clock["wait"] | undefined;
  /** The one that the key's other calls keep. */
  pace?: Pace | undefined;
  /** Honoured by throwing its reason. */
  signal?: AbortSignal | undefined;
}

interface Step {
  operation: string;
  method?: "GET" | "POST";
  /** As in the document, with its placeholders. */
  path: string;
  /** What fills the placeholders, and whatever else it needs; where one is missing it is skipped, for the reason given. */
  needs?: Record<string, string | number | undefined>;
  reason?: string;
  body?: unknown;
  token?: string | undefined;
  keyHeader?: KeyHeader | undefined;
  secrets?: readonly string[];
}

/** One endpoint with a JSON answer. */
export interface JsonStep extends Step {
  /** What the bot reads the answer with. */
  schema: z.ZodType;
  look(raw: unknown): Look;
}

/** One endpoint with a stream. */
interface StreamStep extends Step {
  /** Also gets what came before a stream broke off. */
  hear(events: ServerEvent[], end: End): Look | Promise<Look>;
}

/** What an answer shows. */
export interface Look {
  findings: Finding[];
  advice?: string[];
  /** Why the bot cannot use it. */
  problem?: string | undefined;
}

interface Probed {
  probe: Probe;
  /** The answer as it came; undefined where none did. */
  raw: unknown;
}

/** Asks the endpoints of one API. */
export interface Prober {
  json(step: JsonStep): Promise<Probed>;
  stream(step: StreamStep): Promise<Probed>;
  /** Skips whatever is still to come, for that reason. */
  close(reason: string): void;
}

interface Result {
  raw?: unknown;
  look?: Look;
  answer?: Terms | undefined;
  error?: unknown;
}

const patience: Clock["wait"] = (ms, during) => systemClock.wait(ms, during);
const ANSWER_TIME = 10_000;
const STREAM_TIME = 60_000;
const MOST_EVENTS = 500;

/** Builds the prober; where the key is refused or nobody listens at first, or after two timeouts, it skips the rest. */
export function createProber(api: Api, { http, now, pace, signal, wait = patience }: ProbeOptions): Prober {
  let closed: string | undefined;
  let timeouts = 0;
  let isReached = false;

  async function attempt(
    step: Step,
    ms: number,
    work: (call: Call, sentAt: () => number) => Promise<Result>,
  ): Promise<Probed> {
    signal?.throwIfAborted();
    const path = filled(step);
    if (closed !== undefined || path === undefined) return { probe: skipped(step, closed), raw: undefined };
    const ear = createEar(pace, now);
    const { operation, method = "GET", body, token, keyHeader, secrets = [] } = step;
    const overdue = new Unavailable({ api, operation, reason: "timeout" });
    const asked = now();
    const sentAt = () => ear.sentAt() ?? asked;
    // While others have their turn, the service is not late.
    const sent: Clock["wait"] = (time, during) => ear.sent.then(() => wait(time, during));
    const result = await limited({ ms, overdue, wait: sent, signal }, (inTime) => {
      const call = { operation, method, path, body, token, keyHeader, secrets, pace: ear.pace, signal: inTime };
      return work(call, sentAt);
    }).catch((error: unknown): Result => ({ error }));
    signal?.throwIfAborted();
    const probe = concluded({ api, step, result, ear, ms: now() - sentAt(), at: sentAt(), isReached });
    if (isTimeout(probe.error)) timeouts += 1;
    if (timeouts > 1) closed ??= "Two calls before got no answer in time.";
    if (!isReached) closed ??= closing(probe);
    isReached ||= result.answer !== undefined;
    return { probe, raw: result.raw };
  }

  return {
    close: (reason) => (closed ??= reason),
    json: (step) =>
      attempt(step, ANSWER_TIME, async (call, sentAt) => {
        const answer = await http.json({ ...call, schema: z.unknown(), repeatable: true });
        const look = step.look(answer.value);
        const { problem, dropped } = readWith(step.schema, answer.value);
        const findings = [...look.findings, ...dropped];
        const advice = [...(look.advice ?? []), ...adviceOnTime(step.path, now() - sentAt())];
        return { raw: answer.value, look: { findings, problem, advice }, answer };
      }),
    stream: (step) =>
      attempt(step, STREAM_TIME, async (call, sentAt) => {
        const answer = await http.stream({ ...call, accept: "text/event-stream" });
        const { events, error, first } = await heard(answer.events, now);
        if (error !== undefined && events.length === 0) return { answer, error };
        const end = error !== undefined ? "broken" : events.length < MOST_EVENTS ? "whole" : "left";
        const look = await step.hear(events, end);
        const begun = { matter: "the first event", found: `after ${seconds(first - sentAt())}` };
        const findings = [...(events.length === 0 ? [] : [begun]), ...look.findings];
        const advice = [...(look.advice ?? []), ...adviceOnTime(step.path, first - sentAt())];
        return { look: { ...look, findings, advice }, answer, error };
      }),
  };
}

/** All events up to a generous number, and what the stream broke off with. */
async function heard(received: AsyncIterable<ServerEvent>, now: () => number) {
  const events: ServerEvent[] = [];
  let first: number | undefined;
  try {
    for await (const event of received) {
      first ??= now();
      if (events.push(event) >= MOST_EVENTS) break;
    }
    return { events, first: first ?? now() };
  } catch (error) {
    return { events, first: first ?? now(), error };
  }
}

/** Reads an answer as the bot does: why it cannot, and what it leaves out. */
function readWith(schema: z.ZodType, raw: unknown): { problem?: string; dropped: Finding[] } {
  const { data, error } = schema.safeParse(raw);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    return {
      problem: `${issue.path.length === 0 ? "the answer" : issue.path.join(".")}: ${issue.message}`,
      dropped: [],
    };
  }
  const list = isRecord(data) && isRecord(data["data"]) ? data["data"] : data;
  const count = isRecord(list) && typeof list["dropped"] === "number" ? list["dropped"] : 0;
  return { dropped: count === 0 ? [] : [{ matter: "elements that Bellwether cannot read", found: String(count) }] };
}

interface Concluded {
  api: Api;
  step: Step;
  result: Result;
  ear: Ear;
  ms: number;
  at: number;
  isReached: boolean;
}

function concluded({ api, step, result, ear, ms, at, isReached }: Concluded): Probe {
  const { operation, path, token = "", secrets = [] } = step;
  const { look = { findings: [] }, answer } = result;
  // Names come from upstream, and an upstream can name a field after what it was sent.
  const clean = (text: string) => redact(text, [token, ...secrets]);
  const problem =
    look.problem === undefined
      ? undefined
      : new UnexpectedAnswer({ api, operation, requestId: answer?.requestId, detail: clean(look.problem) });
  const error: unknown = result.error ?? problem;
  // Without a class it is no failure of the service but a mistake of ours, or a service without settings.
  if (error !== undefined && !(error instanceof ApiError)) throw error;
  const advice = [
    ...(look.advice ?? []),
    ...(error ? [adviceOn(error, { path, isReached, hasBegun: result.look !== undefined })] : []),
  ];
  return {
    operation,
    path,
    ms,
    outcome: error ? "failed" : "ok",
    ...(error ? { error } : {}),
    findings: look.findings.map((finding) => ({ ...finding, found: clean(finding.found) })),
    advice: advice.map(clean),
    signs: ear.signs({ answer, raw: result.raw, error, at }),
  };
}

function skipped({ operation, path, reason = "It was not asked for." }: Step, closed: string | undefined): Probe {
  return { operation, path, ms: 0, outcome: "skipped", reason: closed ?? reason, findings: [], advice: [] };
}

function isTimeout(error: ApiError | undefined): boolean {
  return error instanceof Unavailable && error.reason === "timeout";
}

function closing({ error }: Probe): string | undefined {
  if (error instanceof Unavailable && error.reason === "connection") return "Nothing answers at the address.";
  // Without one right others may be left; a key that is unknown at first is unknown everywhere.
  return error instanceof NotAllowed && error.status !== 403 ? "The key was refused before." : undefined;
}

/** The path with its placeholders filled, `{name}` or `:name`; undefined where a value is missing. */
function filled({ path, needs = {} }: Step): string | undefined {
  if (Object.values(needs).includes(undefined)) return undefined;
  return path.replace(/\{(\w+)\}|:(\w+)/g, (whole, braced?: string, colon?: string) => {
    const value = needs[braced ?? colon ?? ""];
    // Commas part the IDs of a list, and nothing else.
    return value === undefined ? whole : encodeURIComponent(value).replaceAll("%2C", ",");
  });
}
