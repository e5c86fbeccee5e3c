import { context } from "./blocks.ts";
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

/** Shows a message to one person, below those before it. */
export type Whisper = (message: Message) => Promise<void>;

/**
 * Whispers through a `response_url`; what Slack refuses goes out once more, as plain text. Nothing is ever replaced:
 * for a slash command Slack ignores that, and beside a button it would hit the message that holds it.
 */
export function createWhisper(respond: Respond): Whisper {
  return async (message) => {
    const { text, blocks } = bodyOf(message);
    const body = { response_type: "ephemeral" as const, replace_original: false, text };
    try {
      await respond({ ...body, ...(blocks && { blocks }) });
    } catch (error) {
      if (message.progress) throw error;
      await respond(body);
    }
  };
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
    if (!state.private) return publish(prepend(state, states));
    // A sign of work that does not arrive is no reason to give up the work.
    if (state.progress && !last) await whisper(lasting(state)).catch(() => undefined);
    last = state;
  }
  if (last && !last.progress) await whisper(last);
  return undefined;
}

/** A sign of work that is still true when the work is done: it cannot be taken away. */
function lasting({ text }: Message): Message {
  const words = `${text} The result follows below.`;
  return { text: words, blocks: [context(words)], progress: true };
}

async function* prepend(first: Message, rest: AsyncGenerator<Message>): AsyncGenerator<Message> {
  try {
    yield first;
    yield* rest;
  } finally {
    void rest.return(undefined).catch(() => undefined);
  }
}
