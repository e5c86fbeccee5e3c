import type { Readable } from "node:stream";
import type { z } from "zod";
import {
  answeredError,
  errorBody,
  header,
  rateLimit,
  requestId,
  servedAt,
  tellsError,
  tolerantJson,
} from "./answer.ts";
import type { AnswerFacts } from "./answer.ts";
import { capped, errorText, TooLarge, wholeText } from "./body.ts";
import type { Answer, Call, JsonCall, Sizes, StreamAnswer, Terms, Timeouts } from "./call.ts";
import { ApiError, Unavailable, UnexpectedAnswer } from "./errors.ts";
import type { Api } from "./errors.ts";
import { parseJson, UnreadableJson } from "./json.ts";
import { isRecord, readQuantity } from "./values.ts";
import { codeOf, redacted, safeCause } from "./secrets.ts";
import { events, OversizedEvent } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";
import { createWatchdog } from "./watchdog.ts";
import type { Watchdog } from "./watchdog.ts";

interface Opened {
  facts: AnswerFacts;
  body: Readable;
}

/** The line to one service: what an exchange needs beside its call. */
export interface Line {
  api: Api;
  timeouts: Timeouts;
  sizes: Sizes;
  /** The head of an answer, and its body as it comes. */
  open(call: Call, watchdog: Watchdog): Promise<Opened>;
  /** The whole answer, in less time. */
  whole(call: Call, watchdog: Watchdog): Promise<{ facts: AnswerFacts; text: string }>;
}

/** Sends one call and reads its whole answer as JSON of the given schema. */
export async function exchange<T>(line: Line, call: JsonCall<T>): Promise<Answer<T>> {
  const watchdog = createWatchdog(call.signal, call.within ?? line.timeouts.answer);
  try {
    call.signal?.throwIfAborted();
    watchdog.allow(call.within ?? line.timeouts.headers);
    const { facts, text } = await line.whole(call, watchdog);
    if (facts.status >= 300) throw answeredError(facts, errorBody(text));
    refuseCoded(facts);
    // Without content there is nothing in a list, and everything else is missing.
    const json = facts.status === 204 ? null : parseJson(text);
    const terms = termsOf(facts, json);
    call.pace?.learn(terms.rate);
    if (tellsError(json)) throw answeredError(facts, json);
    return { value: checked(call.schema, json, facts), ...terms };
  } catch (error) {
    throw told(error, { line, call, watchdog, broken: "connection" });
  } finally {
    watchdog.end();
  }
}

/** Sends one call and hands over its events once the answer has turned out to be a stream. */
export async function openStream(line: Line, call: Call): Promise<StreamAnswer> {
  const watchdog = createWatchdog(call.signal);
  try {
    call.signal?.throwIfAborted();
    watchdog.allow(line.timeouts.firstByte);
    const { facts, body } = await line.open(call, watchdog);
    if (facts.status >= 300) throw answeredError(facts, errorBody(await errorText(body)));
    refuseCoded(facts);
    const kind = header(facts.headers, "content-type") ?? "";
    if (/\bhtml\b/i.test(kind)) throw new UnreadableJson("a web page instead of a stream");
    const received = /\bjson\b/i.test(kind)
      ? [wholeAnswer(await wholeText(body, line.sizes.answer))]
      : events(paced(body, line, watchdog), line.sizes.event);
    // An error in place of the stream is told here, before the caller takes the stream for begun.
    if (Array.isArray(received)) received.forEach((event) => refuseError(event, facts));
    return { events: guarded(received, facts, { line, call, watchdog, broken: "cut" }), ...termsOf(facts, undefined) };
  } catch (error) {
    watchdog.end();
    throw told(error, { line, call, watchdog, broken: "connection" });
  }
}

// Every request asks for no coding: an answer that is unpacked may be a thousand times as large as what came.
function refuseCoded({ headers }: AnswerFacts): void {
  const coding = header(headers, "content-encoding")?.trim().toLowerCase() || "identity";
  if (coding !== "identity") throw new UnreadableJson("a compressed answer, although none was asked for");
}

/** A complete answer in place of a stream; throws where it is none. */
function wholeAnswer(data: string): ServerEvent {
  parseJson(data);
  return { event: "json", data };
}

// Time is counted only while upstream is waited for, not while the consumer is busy with what it got.
async function* paced(body: Readable, line: Line, watchdog: Watchdog): AsyncIterable<Uint8Array> {
  for await (const chunk of capped(body, line.sizes.stream)) {
    watchdog.rest();
    yield chunk;
    watchdog.allow(line.timeouts.idle);
  }
}

async function* guarded(
  received: AsyncIterable<ServerEvent> | Iterable<ServerEvent>,
  facts: AnswerFacts,
  circumstances: Circumstances,
): AsyncIterable<ServerEvent> {
  try {
    for await (const event of received) {
      refuseError(event, facts);
      yield event;
    }
  } catch (error) {
    throw told(error, circumstances);
  } finally {
    circumstances.watchdog.end();
  }
}

function refuseError({ event, data }: ServerEvent, facts: AnswerFacts): void {
  if (event === "error") throw answeredError(facts, tolerantJson(data) ?? data);
  if (!data.includes('"error"')) return;
  const body = tolerantJson(data);
  // Where in a stream an error stands is not shown; an event may also say of itself that it is one.
  if (tellsError(body) || (isRecord(body) && body["type"] === "error")) throw answeredError(facts, body);
}

function checked<T>(schema: z.ZodType<T>, json: unknown, facts: AnswerFacts): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const { api, operation, headers, secrets } = facts;
  const [issue] = result.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? "the answer" : issue.path.join(".");
  const detail = redacted(`${at}: ${issue?.message ?? "not as documented"}`, secrets);
  const failure = { api, operation, requestId: requestId(headers, json, secrets), detail };
  throw new UnexpectedAnswer({ ...failure, bill: billIn(json) });
}

/** The bill of an answer in its envelope; one without is no answer as documented, and so no sign of work. */
function billIn(json: unknown): UnexpectedAnswer["bill"] {
  const meta = isRecord(json) ? json["meta"] : undefined;
  return isRecord(meta) ? { used: readQuantity(meta["credits_used"]) } : undefined;
}

function termsOf({ headers, secrets, now }: AnswerFacts, json: unknown): Terms {
  return {
    rate: rateLimit(headers, json, now),
    requestId: requestId(headers, json, secrets),
    servedAt: servedAt(headers),
  };
}

interface Circumstances {
  line: Line;
  call: Call;
  watchdog: Watchdog;
  /** What a failure of the network means at this point. */
  broken: "connection" | "cut";
}

function told(error: unknown, { line, call, watchdog, broken }: Circumstances): unknown {
  if (call.signal?.aborted === true) return call.signal.reason;
  if (error instanceof ApiError) return error;
  const failure = { api: line.api, operation: call.operation };
  if (watchdog.expired()) return new Unavailable({ ...failure, reason: "timeout" });
  if (error instanceof UnreadableJson) return new UnexpectedAnswer({ ...failure, detail: error.message });
  if (error instanceof TooLarge || error instanceof OversizedEvent) {
    return new UnexpectedAnswer({ ...failure, detail: "an answer that is too large" });
  }
  const code = codeOf(error);
  // Without a code it is no failure of the network but a mistake of ours, which must stay visible.
  if (code === undefined) return error;
  const cause = safeCause(error, secretsOf(call));
  if (code === "UND_ERR_INVALID_ARG") {
    return new UnexpectedAnswer({ ...failure, detail: "a request that cannot be sent", cause });
  }
  return new Unavailable({ ...failure, reason: broken, cause });
}

/** What no error of this call may show. */
export function secretsOf(call: Call): string[] {
  return [call.token ?? "", ...(call.secrets ?? [])];
}
