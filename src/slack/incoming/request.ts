import type { Context } from "@slack/bolt";

import type { Block, Message, Posted, Reply } from "../text/message.ts";
import type { ChannelChange } from "../delivery/channels.ts";

/** Who asks, where, and where the answer goes. */
export interface Request {
  team: string;
  user: string;
  channel: string;
  /** Root of the thread that the answer goes into; absent where the answer starts one. */
  thread?: string | undefined;
  /** The question began the thread: nobody has answered in it yet, and Slack shows nothing private in such a one. */
  isThreadNew?: boolean | undefined;
  /** The message that the question is, where it is one. */
  asked?: string | undefined;
  /** Said in a thread that the bot answers in, without its name. */
  isUnasked?: boolean | undefined;
  surface: "slash" | "mention" | "direct" | "button" | "form";
  /** The result takes the place of a message that everybody in the channel sees. */
  replacesPublic?: boolean | undefined;
  /** What they asked, as it can be run again. */
  line: string;
  /** What a Stop button of the answer holds. */
  stopKey: string;
  /** The answer's own message once it stands; nothing where it never did. */
  posted: Promise<Posted | undefined>;
  /** Aborts when nobody will see the answer any more. */
  signal: AbortSignal;
}

/** Whether a window can be opened before the asker, and whether the question does not stand above the answer. */
export function isAside({ surface }: Pick<Request, "surface">): boolean {
  return surface !== "mention" && surface !== "direct";
}

/** Whether everybody in the channel sees the result, whoever asked for it. */
export function isPublic({ surface, replacesPublic }: Pick<Request, "surface" | "replacesPublic">): boolean {
  return surface === "mention" || replacesPublic === true;
}

/** What goes on in a thread: said to the bot there, or said there without its name. */
export type GoingOn = "mentioned" | "reply";

/** How a line goes on in a thread; nothing where it begins one, or was not said in words. */
export function goingOn({
  surface,
  thread,
  isThreadNew,
  isUnasked,
}: Pick<Request, "surface" | "thread" | "isThreadNew" | "isUnasked">): GoingOn | undefined {
  if (isAside({ surface }) || thread === undefined || isThreadNew) return undefined;
  return isUnasked ? "reply" : "mentioned";
}

/** What answers a line that somebody typed. */
export interface Route {
  /** The verb, for the log. */
  name: string;
  /** Asks the same again from a button, which holds commands, however it was said. */
  line: string;
  /** Shown while the answer takes more than a moment. */
  working: string;
  run(request: Request): Reply | Promise<Reply>;
}

/** What a person filled into a form, by the name of the field; what was left empty is missing. */
export interface Filled {
  fields: Record<string, string>;
  /** What the window that held the form said of it. */
  state: string;
}

/** A filled form as a line to run, there where it was opened or elsewhere; or what is wrong, by the name of the field. */
export type FilledIn = { line: string; channel?: string; thread?: string } | { errors: Record<string, string> };

/** A message that somebody points at. */
export interface Quoted {
  channel: string;
  ts: string;
  thread?: string | undefined;
  text: string;
}

/** What the router needs of the product. */
export interface Routes {
  /** Slash commands, with their slash. */
  slashes: string[];
  /**
   * What answers a line: the text after the bot's name, after `/bellwether`, or `/news` and what follows it. What goes on
   * in a thread is a command only where it cannot be meant for those who talk there.
   */
  find(line: string, surface: Request["surface"], goesOn?: GoingOn): Route;
  /** What a reader sees of an error: the last state with a line below it, or a message of its own. */
  explain(error: unknown, last?: Message, asked?: Pick<Request, "line" | "user">): Message;
  /** Reads a form of ours that was sent off; pure, because Slack waits for the answer. */
  read(form: string, filled: Filled): FilledIn;
  /** The window that a shortcut beside a message opens, by the shortcut's `callback_id`; pure for the same reason. */
  shortcuts: Record<string, (quoted: Quoted) => Message>;
  /** What a person sees on the bot's own page. */
  home(person: { team: string; user: string }): Promise<Block[]>;
  /** Something happened to a channel. */
  channelChanged(place: { team: string; channel: string }, change: ChannelChange): Promise<void>;
}

/** The asker wants no more of an answer: it ends with what is written. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Action of a button that stops the answer whose `stopKey` it holds, for its asker alone. */
export const stopAction = "stop";

/** The action as one that only this person may use; others are told so. */
export function onlyFor(user: string, action: string): string {
  return `${action}@${user}`;
}

/** Action of buttons whose value is a line to run, as if whoever pressed them had typed it; `run:NAME` where there are several. */
export const runAction = "run";

/** Action of buttons and menus whose value is a line to run, and whose result takes the place of what holds them. */
export const turnAction = "turn";

/** Action of what goes on in the thread of the message that holds it, which it may start. */
export const belowAction = `${runAction}:below`;

interface EventOrigin {
  team_id?: string;
  team?: { id: string } | null;
  enterprise?: { id: string };
}

/** The workspace that something happens in; installed on a whole organisation, Slack may name that alone. */
export function teamOf(context: Context, body: EventOrigin): string {
  return context.teamId ?? body.team_id ?? body.team?.id ?? body.enterprise?.id ?? "";
}
