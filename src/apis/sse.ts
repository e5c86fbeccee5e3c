import { createParser } from "eventsource-parser";

export interface ServerEvent {
  /** "message" where the stream names none, as the standard says; "json" for bare JSON in place of events. */
  event: string;
  data: string;
}

const MAX_EVENT_CHARACTERS = 2_000_000;
const MAX_BARE_JSON = 20_000;

/** The stream holds one event, or one endless line, that is longer than any honest event. */
export class OversizedEvent extends Error {
  override readonly name = "OversizedEvent";
}

/**
 * Reads server-sent events from a response body, whatever way the bytes are cut into chunks.
 * Ends where the body ends; throws what the body throws (a cut is not a clean end).
 */
export async function* events(
  body: AsyncIterable<Uint8Array>,
  maxBufferSize: number = MAX_EVENT_CHARACTERS,
): AsyncIterable<ServerEvent> {
  const ready: ServerEvent[] = [];
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ event, data }) => ready.push({ event: event ?? "message", data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new OversizedEvent("an event is too long");
    },
  });
  const decoder = new TextDecoder();
  const unfinished = createTail();
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    unfinished.add(text);
    parser.feed(text);
    if (ready.length > 0) yield* ready.splice(0);
  }
  // A server that leaves out the last blank line still meant its last event.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
  const bare = unfinished.bareJson();
  if (bare !== undefined) yield { event: "json", data: bare };
}

// The documents allow a JSON object in place of events when an error occurs; the parser drops such lines.
function createTail() {
  let tail = "";
  return {
    add(text: string): void {
      // In the middle of a line that is no object nothing changes but the last character.
      if (tail.startsWith("-") && !/[\r\n]/.test(text)) {
        if (text !== "") tail = "-.";
        return;
      }
      const joined = tail + text.replaceAll("\r", "");
      const rest = joined.slice(joined.lastIndexOf("\n\n") + 1);
      // Of anything but a beginning object, only its last character matters: it may be half of a blank line.
      const mayBeJson = rest.length <= MAX_BARE_JSON && /^\s*(\{|$)/.test(rest);
      tail = mayBeJson ? rest : `-${rest.slice(-1)}`;
    },
    bareJson(): string | undefined {
      const text = tail.trim();
      return text.startsWith("{") ? text : undefined;
    },
  };
}
