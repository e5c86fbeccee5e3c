import type { Message, Posted, Reply } from "./message.ts";

/** Who asks, where, and where the answer goes. */
export interface Request {
  team: string;
  user: string;
  channel: string;
  /** Root of the thread that the answer goes into; absent where the answer starts one. */
  thread?: string | undefined;
  surface: "slash" | "mention" | "direct" | "button";
  /** The answer's own message once it stands; nothing where it never did. */
  posted: Promise<Posted | undefined>;
  /** Aborts when nobody will see the answer any more. */
  signal: AbortSignal;
}

/** What answers a line that somebody typed. */
export interface Route {
  /** The verb, for the log. */
  name: string;
  /** Shown while the answer takes more than a moment. */
  working: string;
  run(request: Request): Reply | Promise<Reply>;
}

/** What the router needs of the product. */
export interface Routes {
  /** Slash commands, with their slash. */
  slashes: string[];
  /** What answers a line: the text after the bot's name, after `/bellwether`, or `/news` and what follows it. */
  find(line: string, surface: Request["surface"]): Route;
  /** What a reader sees of an error: the last state with a line below it, or a message of its own. */
  explain(error: unknown, last?: Message): Message;
}

/** Action of buttons whose value is a line to run, as if whoever pressed them had typed it; `run:NAME` where there are several. */
export const runAction = "run";
