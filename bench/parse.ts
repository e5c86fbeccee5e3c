import { createParser } from "eventsource-parser";

import { readEvents } from "../src/apis/sse.ts";
import { percentile } from "./contenders.ts";

const runs = 5;

interface Parsed {
  size: string;
  form: string;
  /** The time per byte, in nanoseconds. */
  ours: number;
  bare: number;
}

const sizes: [string, number][] = [
  ["10 KB", 10_000],
  ["100 KB", 100_000],
  ["1 MB", 1_000_000],
];

/** The cost of reading a stream whose bytes arrive one by one, compared with the parser alone on the same bytes. */
export async function parseStreams(): Promise<Parsed[]> {
  const parsed: Parsed[] = [];
  for (const [form, streamOf] of [
    ["words, an event each", wordsOf],
    ["one event", oneEventOf],
  ] as const) {
    for (const [size, bytes] of sizes) {
      const stream = Buffer.from(streamOf(bytes));
      parsed.push({ size, form, ...(await costs(stream)) });
    }
  }
  return parsed;
}

function wordsOf(bytes: number): string {
  const one = 'event: message\ndata: {"type":"ai_part","message":{"content":{"type":"text","text":"tide "}}}\n\n';
  return one.repeat(Math.ceil(bytes / one.length));
}

function oneEventOf(bytes: number): string {
  return `data: ${"tide ".repeat(Math.ceil(bytes / 5))}\n\n`;
}

async function costs(stream: Uint8Array): Promise<{ ours: number; bare: number }> {
  const ours: number[] = [];
  const bare: number[] = [];
  const expected = await readBare(stream);
  for (let run = 0; run < runs; run += 1) {
    let since = performance.now();
    const seen = await readOurs(stream);
    ours.push(performance.now() - since);
    since = performance.now();
    await readBare(stream);
    bare.push(performance.now() - since);
    if (seen !== expected) throw new Error(`${seen} characters were read of ${expected}`);
  }
  const perByte = (times: number[]) => (percentile(times, 0.5) * 1e6) / stream.length;
  return { ours: perByte(ours), bare: perByte(bare) };
}

async function* byteByByte(stream: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < stream.length; at += 1) yield stream.subarray(at, at + 1);
}

async function readOurs(stream: Uint8Array): Promise<number> {
  let characters = 0;
  for await (const { data } of readEvents(byteByByte(stream))) characters += data.length;
  return characters;
}

async function readBare(stream: Uint8Array): Promise<number> {
  let characters = 0;
  const parser = createParser({ maxBufferSize: 2_000_000, onEvent: ({ data }) => (characters += data.length) });
  const decoder = new TextDecoder();
  for await (const chunk of byteByByte(stream)) parser.feed(decoder.decode(chunk, { stream: true }));
  return characters;
}

/** The rows of the table; the last column compares the time per byte with the smallest stream of the same form. */
export function parseRows(parsed: Parsed[]): string[][] {
  const smallest = ({ form }: Parsed) => parsed.find((other) => other.form === form)?.ours ?? Number.NaN;
  return [
    ["stream", "size", "Bellwether", "eventsource-parser alone", "ratio", "beside 10 KB"],
    ...parsed.map((row) => [
      row.form,
      row.size,
      row.ours.toFixed(0),
      row.bare.toFixed(0),
      (row.ours / row.bare).toFixed(2),
      (row.ours / smallest(row)).toFixed(2),
    ]),
  ];
}
