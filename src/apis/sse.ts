import { createParser } from "eventsource-parser";

import { UnreadableAnswer } from "./fields.ts";

export interface ServerEvent {
  /** "message" if the stream names none, as the standard says. */
  event: string;
  data: string;
}

const MAX_EVENT_CHARACTERS = 2_000_000;
const MAX_ERROR_CHARACTERS = 20_000;

/**
 * Reads server-sent events from a response body, whatever way the bytes are cut into chunks. The documents allow a JSON
 * object in place of events when an error occurs: it is yielded as an event named "error". Ends when the body ends;
 * throws what the body throws (a cut is not a clean end).
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  maxBufferSize: number = MAX_EVENT_CHARACTERS,
): AsyncIterable<ServerEvent> {
  const ready: ServerEvent[] = [];
  // The parser drops a line that is no field: what comes after the last blank line is kept for when the body ends.
  let tail = "";
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ event, data }) => ready.push({ event: event ?? "message", data }),
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") throw new UnreadableAnswer("an answer that is too large");
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    parser.feed(text);
    if (tail.length < MAX_ERROR_CHARACTERS || text.includes("\n")) tail = afterBlankLine(tail + text);
    if (ready.length > 0) yield* ready.splice(0);
  }
  // A server that leaves out the last blank line still meant its last event.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
  if (tail.trimStart().startsWith("{")) yield { event: "error", data: tail };
}

function afterBlankLine(text: string): string {
  return text.includes("\n") ? (text.split(/\r?\n\r?\n/).at(-1) ?? "") : text;
}
