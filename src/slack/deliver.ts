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

/** Whispers through a `response_url`; what Slack refuses goes out once more, as plain text. */
export function createWhisper(respond: Respond): Whisper {
  let isShown = false;
  return {
    async show(message) {
      await showOnce(respond, message, isShown);
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
      await showOnce(respond, message, false);
    },
    clear: async () => {},
  };
}

async function showOnce(respond: Respond, message: Message, replaces: boolean): Promise<void> {
  const { text, blocks } = bodyOf(message);
  const body = { response_type: "ephemeral" as const, replace_original: replaces, text };
  try {
    await respond({ ...body, ...(blocks && { blocks }) });
  } catch (error) {
    if (message.progress) throw error;
    await respond(body);
  }
}

/**
 * Brings states to where they belong: private ones to the person who asked, as long as that is possible, and the
 * first public one with all that follow to the channel. Of private ones, the first sign of work and the last are shown:
 * a `response_url` takes five messages.
 */
export async function deliver(
  states: AsyncGenerator<Message>,
  whisper: Whisper | undefined,
  publish: (states: AsyncIterable<Message>) => Promise<Posted | undefined>,
): Promise<Posted | undefined> {
  if (!whisper) return publish(states);
  let last: Message | undefined;
  for (let step = await states.next(); !step.done; step = await states.next()) {
    const state = step.value;
    if (!state.private) {
      const cleared = whisper.clear().catch(() => undefined);
      const posted = await publish(prepend(state, states));
      await cleared;
      return posted;
    }
    // A sign of work that does not arrive is no reason to give up the work.
    if (state.progress && !last) await whisper.show(state).catch(() => undefined);
    last = state;
  }
  if (last && !last.progress) await whisper.show(last);
  return undefined;
}

async function* prepend(first: Message, rest: AsyncGenerator<Message>): AsyncGenerator<Message> {
  try {
    yield first;
    yield* rest;
  } finally {
    void rest.return(undefined).catch(() => undefined);
  }
}
