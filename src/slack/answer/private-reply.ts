import { type Poster, sendPlainerEachTime } from "../delivery/post.ts";
import type { Origin, Window } from "../incoming/views.ts";
import { context, section } from "../text/blocks.ts";
import { link } from "../text/mrkdwn.ts";
import type { Block, Message } from "../text/message.ts";

/** A `response_url` of Slack: five uses within thirty minutes, and it works even if the bot is no member of the channel. */
export type Respond = (body: {
  response_type: "ephemeral" | "in_channel";
  text: string;
  blocks?: Block[];
  /** Stays in the thread of the message whose button was pressed; else Slack puts it below the channel's last one. */
  thread_ts?: string;
  replace_original?: boolean;
  delete_original?: boolean;
  /** Without these two, Slack shows a preview of every link, as it does not for what the bot posts by itself. */
  unfurl_links?: false;
  unfurl_media?: false;
}) => Promise<unknown>;

/** The same way into a thread, if there is one. */
export function respondInThread(respond: Respond, thread: string | undefined): Respond {
  return (body) => respond(thread && !body.delete_original ? { ...body, thread_ts: thread } : body);
}

/** Shows a message to one person, below those before it. */
export type PrivateReply = (message: Message) => Promise<void>;

/**
 * Replies privately through a `response_url`; a message that Slack refuses goes out once more, plainer. Nothing is ever replaced: for a
 * slash command Slack ignores that, and beside a button it would hit the message that holds it.
 */
export function createPrivateReply(respond: Respond): PrivateReply {
  return (message) =>
    sendPlainerEachTime(
      message.progress ? lasting(message) : message,
      (body) => respond({ response_type: "ephemeral", replace_original: false, ...body }),
      () => !message.progress,
    );
}

/** Puts a message in the place of the one whose button was pressed; Slack wants to hear who sees that one. */
export function createReplacement(respond: Respond, seenBy: "ephemeral" | "in_channel"): PrivateReply {
  return (message) =>
    sendPlainerEachTime(
      message,
      (body) => respond({ response_type: seenBy, replace_original: true, ...body }),
      () => !message.progress,
    );
}

/** A person to whom something is shown alone, if there is no `response_url`. */
interface PrivateAsker {
  user: string;
  poster: Poster;
}

/** Writes to somebody in their direct message with the bot. */
function createDirectNote({ user, poster }: PrivateAsker): PrivateReply {
  return async (message) => {
    // A sign of work would stay there for good.
    if (message.progress) return;
    await poster.post({ channel: user }, () => message);
  };
}

/** Shows messages to somebody alone where they are; in their direct message if Slack does not show them there. */
export function createEphemeralReply({ channel, thread, isThreadNew }: Origin, asker: PrivateAsker): PrivateReply {
  const { user, poster } = asker;
  const note = createDirectNote(asker);
  return async (message) => {
    if (message.progress) return;
    if (channel === user) return note(message);
    const within = isThreadNew ? undefined : thread;
    if (channel.startsWith("D")) return void (await poster.post({ channel, thread: within }, () => message));
    const place = { channel, user, thread: within };
    // Better seen twice than never, if Slack does not say what became of it.
    await poster.postEphemeral(place, message).catch(() => note(message));
  };
}

interface ReplyWindows {
  /** Opened by the first message. */
  window: Window;
  /** The one that they were in. */
  standing?: Window | undefined;
}

/** Shows messages to somebody who is in a window or on the bot's own page. */
export function createWindowReply({ window, standing }: ReplyWindows, asker: PrivateAsker): PrivateReply {
  const note = createDirectNote(asker);
  return async (message) => {
    if (await window.show(message)) return;
    // Three windows lie upon one another at most: what is asked in the last of them is answered in it.
    const mayReplace = !message.failed && !message.progress;
    if (mayReplace && (await standing?.show(message))) return;
    await note(message);
  };
}

/** Shown in a window or on the bot's own page when an answer grows in the direct message; the link opens that. */
export function answerElsewhere({ app, team }: { app: string | undefined; team: string }): Message {
  const words = "Answering in our direct message.";
  const open = app && link(`https://slack.com/app_redirect?${new URLSearchParams({ app, team }).toString()}`, "Open");
  return { text: words, blocks: [section([words, open].filter(Boolean).join(" "))], window: { title: "Your answer" } };
}

const inThreadWords = "Answering in the thread under that message.";

/** Shown if an answer grows in the thread under a message in the channel: Slack doesn’t open it. */
export const answerInThread: Message = { text: inThreadWords, blocks: [context(inThreadWords)] };

/** The ways in which a reply can reach the person who asked. */
export interface ReplyTargets {
  /** Shows a private message to them alone if `replyPrivately` is missing. */
  ephemeral?: PrivateReply | undefined;
  /** Shows something to them alone; absent if the surface cannot. */
  replyPrivately?: PrivateReply | undefined;
  /** Puts the result in the place of the button that they pressed. */
  replace?: PrivateReply | undefined;
  /** Shows what has become of the message that they pressed in it; false if that cannot be seen there. */
  showInPlace?: ((shown: NonNullable<Message["inPlace"]>) => Promise<boolean>) | undefined;
  /** Opens before them what is meant for a window. */
  window?: Window | undefined;
  /** Others see it too, or nobody can pass it on: nothing offers to share it. */
  isShared?: boolean | undefined;
  /** Shown to them alone if the answer grows in another place than the one they look at. */
  answeringElsewhere?: Message | undefined;
  /** A reply that fails at once begins no thread: its failure is told in line. */
  failsInLine?: boolean | undefined;
}

/**
 * Brings states to where they belong: private ones to the person who asked, as long as that is possible, and the
 * first public one with all that follow to the channel. Of private ones, the first sign of work and the last are shown:
 * a `response_url` takes five messages.
 */
export async function deliverStates(
  states: AsyncGenerator<Message>,
  ways: ReplyTargets,
  publish: (states: AsyncIterable<Message>) => Promise<void>,
): Promise<void> {
  const { replyPrivately, replace, answeringElsewhere, ephemeral, failsInLine } = ways;
  if (!replyPrivately) {
    let first = await states.next();
    // Before a reply that may be for its asker alone, so is the sign of work.
    if (!first.done && first.value.progress && first.value.isPrivate && ephemeral) {
      await ephemeral(first.value).catch(() => undefined);
      first = await states.next();
    }
    if (first.done) return;
    const isPrivate = first.value.isPrivate || (failsInLine && first.value.failed);
    return isPrivate && ephemeral ? ephemeral(first.value) : publish(prepend(first.value, states));
  }
  let last: Message | undefined;
  for (let step = await states.next(); !step.done; step = await states.next()) {
    const state = step.value;
    if (!state.private) {
      if (answeringElsewhere) await replyPrivately(answeringElsewhere).catch(() => undefined);
      return publish(prepend(state, states));
    }
    // A sign of work that does not arrive is no reason to give up the work; what stands already needs none.
    if (state.progress && !last && !replace) await replyPrivately(state).catch(() => undefined);
    last = state;
  }
  if (last && !last.progress) await showLast(last, replyPrivately, ways);
}

async function showLast(
  message: Message,
  replyPrivately: PrivateReply,
  { replace, showInPlace, window }: ReplyTargets,
): Promise<void> {
  const isForm = message.window?.form !== undefined;
  if (replace && !message.failed && !isForm) return replace(message);
  if (message.inPlace && (await showInPlace?.(message.inPlace))) return;
  if (message.window && window && (await window.show(message))) return;
  await replyPrivately(isForm ? lateForm : message);
}

/** A form can be sent off in a window only, which Slack opens within three seconds or not at all. */
const lateForm: Message = {
  text: "The window didn’t open in time. Try again.",
  private: true,
  failed: true,
};

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
