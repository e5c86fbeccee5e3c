import type { MenuChoice } from "../text/blocks.ts";
import type { Block, Message, Posted, Reply } from "../text/message.ts";
import type { ChannelChange } from "../workspaces/channels.ts";

/** The line that somebody asks, where, and where the answer goes. */
export interface Request {
  team: string;
  user: string;
  channel: string;
  /** Root of the thread that the answer goes into; absent if the answer starts one. */
  thread?: string | undefined;
  /** The question began the thread, which has no replies yet: Slack shows no private message in such a thread. */
  isThreadNew?: boolean | undefined;
  /** The `ts` of the message that asks, if the request is a message. */
  asked?: string | undefined;
  /** Said without a mention, in a thread that the bot answers in. */
  isUnasked?: boolean | undefined;
  surface: "slash" | "mention" | "direct" | "button" | "form";
  /** The result replaces a message that everybody in the channel sees. */
  replacesPublic?: boolean | undefined;
  /** The command or question as text, which can be run again. */
  line: string;
  /** The value of the answer's Stop button. */
  stopKey: string;
  /** The answer's first message once it is posted; undefined if it never was. */
  posted: Promise<Posted | undefined>;
  /** Aborts when the answer is stopped or can no longer be shown. */
  signal: AbortSignal;
}

/** The request is no message: a window can be opened for it, and no question is visible above its answer. */
export function isNotMessage({ surface }: Pick<Request, "surface">): boolean {
  return surface !== "mention" && surface !== "direct";
}

/** Everybody in the channel sees the result, whoever asked for it. */
export function isPublic({ surface, replacesPublic }: Pick<Request, "surface" | "replacesPublic">): boolean {
  return surface === "mention" || replacesPublic === true;
}

/** The request stands in a direct message itself, in no thread of it, as all but questions do. */
export function isInLine({ channel, thread }: Pick<Request, "channel" | "thread">): boolean {
  return channel.startsWith("D") && thread === undefined;
}

/**
 * The way in which a message continues a conversation: it mentions the bot in a thread, is a reply there without a
 * mention, or is written in a direct message outside its threads, where the conversation before it may be over.
 */
export type Continuation = "mentioned" | "reply" | "inLine";

/** The way in which a request continues a conversation; nothing if it begins one, or is no message. */
export function goingOn({
  surface,
  channel,
  thread,
  isThreadNew,
  isUnasked,
}: Pick<Request, "surface" | "channel" | "thread" | "isThreadNew" | "isUnasked">): Continuation | undefined {
  if (isNotMessage({ surface })) return undefined;
  if (channel.startsWith("D") && (thread === undefined || isThreadNew)) return "inLine";
  if (thread === undefined || isThreadNew) return undefined;
  return isUnasked ? "reply" : "mentioned";
}

/** The route that answers a line that somebody typed. */
export interface Route {
  /** The verb, for the log. */
  name: string;
  /** The line with which a button asks the same again: always a command, however it was said. */
  line: string;
  /** Its answer begins a conversation, which has a thread of its own in a direct message. */
  isQuestion: boolean;
  /** Shown while the answer takes more than a moment. */
  working: string;
  /** The reply may be for its asker alone, so that is for them alone as well. */
  isPrivate?: true | undefined;
  run(request: Request): Reply | Promise<Reply>;
}

/** A form as it was submitted: its fields by name; empty ones are missing. */
export interface Filled {
  fields: Record<string, string>;
  /** The state that the form was opened with. */
  state: string;
}

/**
 * A submitted form as a line to run, where it was opened or elsewhere; or the names to be searched for before its values
 * are saved; or what is wrong, by the name of the field.
 */
export type FilledIn =
  | { line: string; channel?: string; thread?: string }
  | { unmet: string[] }
  | { errors: Record<string, string> };

/** A message whose shortcut somebody uses. */
export interface Quoted {
  channel: string;
  ts: string;
  thread?: string | undefined;
  text: string;
}

/** Somebody in a workspace. */
export interface Person {
  team: string;
  user: string;
}

/** An emoji, by its name, that somebody put on the message at `ts`. */
export interface EmojiReaction extends Person {
  channel: string;
  ts: string;
  emoji: string;
}

/** Somebody who sends a form off, and where they opened it. */
export interface FormAsker extends Person {
  channel: string;
  surface: "form";
}

/** The routes that the features offer to Slack: commands, forms, shortcuts and the home page. */
export interface Routes {
  /** Slash commands, with their slash. */
  slashes: string[];
  /**
   * Finds the route that answers a line: the text after the bot's name, after `/bellwether`, or `/news` and what
   * follows it. A line that continues a thread is a command only if it cannot be meant for the people who talk there.
   */
  find(line: string, surface: Request["surface"], continuation?: Continuation): Route;
  /**
   * The message that a reader sees of an error: the last state of the answer with a line below it, or a message of its
   * own.
   */
  explain(error: unknown, last?: Message, asked?: Pick<Request, "line" | "user">): Message;
  /** Reads a submitted form; pure, because Slack waits for the answer. */
  read(form: string, filled: Filled): Exclude<FilledIn, { unmet: string[] }>;
  /** The other faults of a submitted form, by the name of the field. */
  check(form: string, filled: Filled, asker: FormAsker): Promise<Record<string, string>>;
  /** The window of a form after a choice on which its other fields depend. */
  rebuild(form: string, filled: Filled, asker: Person): Promise<Message>;
  /** The choices that a list offers to somebody for what they have typed so far. */
  offer(picker: string, typed: string, person: Person): Promise<MenuChoice[]>;
  /** The window that a shortcut beside a message opens, by the shortcut's `callback_id`; pure for the same reason. */
  shortcuts: Record<string, (quoted: Quoted) => Message>;
  /** The blocks that a person sees on the bot's own page. */
  home(person: Person): Promise<Block[]>;
  /** Somebody put an emoji on a message of the bot's own. */
  reacted(reaction: EmojiReaction): Promise<void>;
  /** Something happened to a channel. */
  channelChanged(place: { team: string; channel: string }, change: ChannelChange): Promise<void>;
}

/** The asker stopped an answer: it ends with what is written. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Action of a button that stops the answer whose `stopKey` is its value; only the asker may use it. */
export const stopAction = "stop";

/** The action restricted to one person; others are told so. */
export function onlyFor(user: string, action: string): string {
  return `${action}@${user}`;
}

/** Action of buttons whose value is a line to run, as if it had been typed; `run:NAME` if there are several. */
export const postAction = "run";

/** Action of buttons and menus whose value is a line to run, and whose result replaces the message that holds them. */
export const replaceAction = "turn";

/** Action of buttons whose answer goes into the thread of their message, and starts one if there is none. */
export const threadAction = `${postAction}:below`;

/**
 * The action of a ⋯ menu whose entries all act on one thing, which is named once: the line is the value of the entry and
 * then the thing. A message with many such menus has no room to name it in each entry.
 */
export function actionOn(action: string, thing: string): string {
  return `${action}:on:${thing}`;
}

/** The line that a value stands for in an element with this action. */
export function lineFor(action: string, value: string): string {
  const [, thing] = /:on:(\S+)$/.exec(action) ?? [];
  return value && thing ? `${value} ${thing}` : value;
}

/** The value of an entry in a ⋯ menu with `replaceAction` whose result is a message of its own, or a window. */
export function onItsOwn(line: string): string {
  return `${postAction}:${line}`;
}

/** Action of a field on whose choice the other fields of its form depend. */
export const formAction = "form";

/** Action of the button that shows the further fields of a form, or hides them. */
export const moreAction = "more";

/** Action of lists that are filled as somebody types: `pick:NAME`. */
export const pickAction = "pick";
