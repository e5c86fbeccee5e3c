import type { ServerResponse } from "node:http";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Struck } from "./faults.ts";

/** Sends Server-Sent Events one by one. After the reader has left, everything resolves at once and `gone` is aborted. */
export interface EventStream {
  gone: AbortSignal;
  /** One event; text of several lines becomes several data lines, as the format asks. */
  send(event: string, data: string): Promise<void>;
  pause(ms: number): Promise<void>;
}

/** The bytes of one event. */
function frame(event: string, data: string): string {
  const lines = data.split("\n").map((line) => `data: ${line}`);
  return `event: ${event}\n${lines.join("\n")}\n\n`;
}

/** Waits, or returns at once when the reader leaves. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await wait(ms, undefined, { signal: gone });
    else await turn(undefined, { signal: gone });
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}

/** Writes and waits until the bytes are handed to the socket, or the reader has left. */
export function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.writableEnded) {
      resolve();
      return;
    }
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

/** Writes one to three bytes at a time, so that events and characters of several bytes are torn apart. */
export async function writeSplit(response: ServerResponse, text: string, gone: AbortSignal): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0, size = 1; at < bytes.length && !gone.aborted; at += size, size = (size % 3) + 1) {
    await write(response, bytes.subarray(at, at + size));
    await turn();
  }
}

/** An answer without end: one field that goes on for ever. Stops when the reader leaves. */
export async function writeHuge(response: ServerResponse, start: string, gone: AbortSignal): Promise<void> {
  await write(response, start);
  const filler = "and so on, ".repeat(6000);
  while (!gone.aborted) {
    await write(response, filler);
    await turn();
  }
}

/** Resolves when the reader leaves. */
export function left(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
}

interface Opened {
  response: ServerResponse;
  gone: AbortSignal;
  fault: Struck | undefined;
  /** The bytes that report an error in the middle of this stream. */
  errorFrame: string;
}

/** An event stream over a response whose headers are sent; a fault takes effect after the number of events in its argument. */
export function openEvents(opened: Opened, spoil: (data: string, at: number) => string): EventStream {
  const { response, gone, fault, errorFrame } = opened;
  let sent = 0;
  const failsNow = (name: string, standard: number) => fault?.name === name && sent === (Number(fault.arg) || standard);
  const send = async (event: string, data: string) => {
    if (gone.aborted) return;
    if (failsNow("stall", 1)) return left(gone);
    const text = frame(event, fault?.name === "bad_types" ? spoil(data, sent) : data);
    if (failsNow("cut", 6)) {
      await write(response, text.slice(0, text.length / 2));
      response.destroy();
      return;
    }
    if (failsNow("error_event", 6)) {
      await write(response, errorFrame);
      response.end();
      return;
    }
    sent += 1;
    await (fault?.name === "split_bytes" ? writeSplit(response, text, gone) : write(response, text));
  };
  return { gone, send, pause: (ms) => pause(ms, gone) };
}
