import type { Whisper } from "./deliver.ts";
import type { Poster } from "./delivery/post.ts";
import type { Origin, Window } from "./incoming/views.ts";
import { section } from "./text/blocks.ts";
import type { Message } from "./text/message.ts";

interface Asker {
  user: string;
  poster: Poster;
}

/** Writes to somebody in their direct message with the bot. */
function createNote({ user, poster }: Asker): Whisper {
  return async (message) => {
    // A sign of work would stay there for good.
    if (message.progress) return;
    await poster.post({ channel: user }, () => message);
  };
}

/** Shows messages to somebody alone where they are; in their direct message where Slack does not show them there. */
export function createAside({ channel, thread, isThreadNew }: Origin, asker: Asker): Whisper {
  const { user, poster } = asker;
  const note = createNote(asker);
  return async (message) => {
    if (message.progress) return;
    if (channel === user) return note(message);
    if (channel.startsWith("D")) return void (await poster.post({ channel, thread }, () => message));
    const place = { channel, user, thread: isThreadNew ? undefined : thread };
    // Better seen twice than never, where Slack does not say what became of it.
    await poster.whisper(place, message).catch(() => note(message));
  };
}

interface Windows {
  /** Opened by the first message. */
  window: Window;
  /** The one that they were in. */
  standing?: Window | undefined;
}

/** Shows messages to somebody who is in a window or on the bot's own page. */
export function createInside({ window, standing }: Windows, asker: Asker): Whisper {
  const note = createNote(asker);
  return async (message) => {
    if (await window.show(message)) return;
    // Three windows lie upon one another at most: what is asked in the last of them is answered in it.
    const mayReplace = !message.failed && !message.progress;
    if (mayReplace && (await standing?.show(message))) return;
    await note(message);
  };
}

const words =
  "I am writing the answer in our direct message: you find it under *Messages*, or in the list of your chats.";

/** Shown there where an answer grows in the direct message. */
export const elsewhere: Message = { text: words, blocks: [section(words)] };
