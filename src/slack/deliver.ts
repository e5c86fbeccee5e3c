import type { Block, Message, Posted } from "./message.ts";
import { bodyOf } from "./poster.ts";

/** A `response_url` of Slack: five uses within thirty minutes, and it works where the bot is no member. */
export type Respond = (body: {
  response_type: "ephemeral" | "in_channel";
  text: string;
  blocks?: Block[];
  replace_original?: boolean;
  delete_original?: boolean;
}) => Promise<unknown>;

/** Shows messages to one person, the newest in place of the one before. */
export interface Whisper {
  show(message: Message): Promise<void>;
  /** Takes away what is shown. */
  clear(): Promise<void>;
}

/** Whispers through a `response_url`. */
export function createWhisper(respond: Respond): Whisper {
  let isShown = false;
  return {
    async show(message) {
      await respond({ response_type: "ephemeral", replace_original: isShown, ...bodyOf(message) });
      isShown = true;
    },
    async clear() {
      if (isShown) await respond({ response_type: "ephemeral", text: "", delete_original: true });
      isShown = false;
    },
  };
}

/** Whispers beside the message whose button was pressed: nothing there may be replaced, so only the result is shown. */
export function whisperBeside(respond: Respond): Whisper {
  return {
    async show(message) {
      if (message.progress) return;
      await respond({ response_type: "ephemeral", replace_original: false, ...bodyOf(message) });
    },
    clear: async () => {},
  };
}

/**
 * Brings states to where they belong: private ones to the person who asked, as long as that is possible, and the
 * first public one with all that follow to the channel.
 */
export async function deliver(
  states: AsyncGenerator<Message>,
  whisper: Whisper | undefined,
  publish: (states: AsyncIterable<Message>) => Promise<Posted | undefined>,
): Promise<Posted | undefined> {
  if (!whisper) return publish(states);
  for await (const state of { [Symbol.asyncIterator]: () => ({ next: () => states.next() }) }) {
    if (state.private) {
      await whisper.show(state);
      continue;
    }
    const posted = await publish(prepend(state, states));
    await whisper.clear();
    return posted;
  }
  return undefined;
}

async function* prepend(first: Message, rest: AsyncGenerator<Message>): AsyncGenerator<Message> {
  yield first;
  yield* rest;
}
