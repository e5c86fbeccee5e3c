import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { sendJson } from "../http.ts";
import { type ActiveFault, withWrongTypes } from "./faults.ts";
import type { EventWriter, Service, ServiceReply } from "./service.ts";

interface Sending {
  response: ServerResponse;
  service: Service;
  /** The fault of this answer, if any. */
  fault: ActiveFault | undefined;
  /** Aborted when the reader leaves or the answer is complete. */
  gone: AbortSignal;
  /** Whether generated text is sent without pauses between its words. */
  isHurried: boolean;
}

/** The error page of a broken proxy in front of an API. */
const htmlPage =
  "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad gateway</h1></body></html>";

/** Sends the answer of a service, changed by the request's fault if it has one. */
export async function sendReply(sending: Sending, reply: ServiceReply): Promise<void> {
  const { response, fault, service, gone } = sending;
  if (fault?.name === "html") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(htmlPage);
    return;
  }
  if (fault?.name === "json_instead_of_stream") {
    sendJson(response, { body: service.errorBody("generation_failed", "The model could not answer this request.") });
    return;
  }
  if ("json" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json; charset=utf-8", ...reply.headers });
    const json = fault?.name === "bad_types" ? withWrongTypes(reply.json) : reply.json;
    return sendText(sending, JSON.stringify(json));
  }
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
  response.writeHead(reply.status, { ...type, ...reply.headers });
  response.flushHeaders();
  if (fault?.name === "huge") return writeForever(sending, 'event: message\ndata: {"type":"ai_part","text":"');
  await reply.stream(createEventWriter(sending));
  if (fault?.name === "cut") response.destroy();
  else if (fault?.name === "stall") await aborted(gone);
  else response.end();
}

async function sendText(sending: Sending, text: string): Promise<void> {
  const { response, fault, gone } = sending;
  if (fault?.name === "huge") return writeForever(sending, text.replace(/[\]}]+$/, ',"padding":"'));
  if (fault?.name === "cut" || fault?.name === "stall") {
    await write(response, text.slice(0, Math.ceil(text.length / 2)));
    if (fault.name === "cut") response.destroy();
    return aborted(gone);
  }
  await (fault?.name === "split_bytes" ? writeSplit(sending, text) : write(response, text));
  response.end();
}

/** Writes events; the argument of a fault is the number of events before it. */
function createEventWriter(sending: Sending): EventWriter {
  const { response, service, fault, gone, isHurried } = sending;
  let sent = 0;
  const failsNow = (name: string, usual: number) => fault?.name === name && sent === (Number(fault.argument) || usual);

  async function send(event: string, data: string): Promise<void> {
    if (gone.aborted) return;
    if (failsNow("stall", 1)) return aborted(gone);
    const frame = frameOf(event, fault?.name === "bad_types" && sent % 2 === 1 ? withWrongEvent(data) : data);
    if (failsNow("cut", 6)) {
      await write(response, frame.slice(0, frame.length / 2));
      response.destroy();
    } else if (failsNow("error_event", 6)) {
      const error = service.errorBody("generation_failed", "The model stopped unexpectedly.");
      await write(response, frameOf("error", JSON.stringify(error)));
      response.end();
    } else {
      sent += 1;
      await (fault?.name === "split_bytes" ? writeSplit(sending, frame) : write(response, frame));
    }
  }

  return { gone, send, pause: (ms) => pause(isHurried ? 0 : ms, gone) };
}

/** The bytes of one event; text of several lines becomes several data lines, as the format asks. */
function frameOf(event: string, data: string): string {
  const lines = data.split("\n").map((line) => `data: ${line}`);
  return `event: ${event}\n${lines.join("\n")}\n\n`;
}

function withWrongEvent(data: string): string {
  return data.startsWith("{") ? JSON.stringify(withWrongTypes(JSON.parse(data))) : data;
}

/** Waits, or returns at once when the reader leaves. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await wait(ms, undefined, { signal: gone });
    else await nextTurn(undefined, { signal: gone });
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Writes and waits until the bytes are handed to the socket, or the reader has left. */
function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.writableEnded) return resolve();
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

/** Writes one to three bytes at a time, so that events and multi-byte characters are torn apart. */
async function writeSplit({ response, gone }: Sending, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0, size = 1; at < bytes.length && !gone.aborted; at += size, size = (size % 3) + 1) {
    await write(response, bytes.subarray(at, at + size));
    await nextTurn();
  }
}

/** An answer without end: one field that goes on until the reader leaves. */
async function writeForever({ response, gone }: Sending, start: string): Promise<void> {
  await write(response, start);
  const filler = "and so on, ".repeat(6000);
  while (!gone.aborted) {
    await write(response, filler);
    await nextTurn();
  }
}
