import type { Gateway } from "../apis/gateway/client.ts";
import type { Intelligence } from "../apis/intelligence/client.ts";
import type { Jurisdictions } from "../apis/jurisdictions/client.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../slack/message.ts";
import type { Request } from "../slack/request.ts";
import type { Collection } from "../store/collection.ts";
import type { Conversation } from "./chat/conversation.ts";
import type { Directory } from "./entities/directory.ts";

export type { Message, Reply } from "../slack/message.ts";

/** What a person typed after the verb, and everything about who asked where. */
export interface Ask extends Request {
  text: string;
}

/** What the bot has to work with; handed to every command. */
export interface Services {
  intelligence: Intelligence;
  gateway: Gateway;
  jurisdictions: Jurisdictions;
  directory: Directory;
  conversations: Collection<Conversation>;
  /** Which of the APIs an operator has set up. */
  configured: { intelligence: boolean; gateway: boolean; jurisdictions: boolean };
  /** For the operator; what a reader should know goes into the reply. */
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
}

/** One verb, on every surface: a slash command of its own, after `/bellwether`, after a mention, in a direct message. */
export interface Command {
  verb: string;
  /** What follows the verb: `QUERY`, `NAME | SYMBOL | ID`; empty where nothing does. */
  usage: string;
  /** One line of help. */
  summary: string;
  examples: string[];
  /** Has a slash command of its own; the others follow `/bellwether`. */
  isSlash: boolean;
  /** Shown while the answer takes more than a moment. */
  working: string;
  /** Whether the text after the verb can be meant for it; a mention that fits no command is a question. */
  fits?(text: string): boolean;
  run(ask: Ask, services: Services): Reply | Promise<Reply>;
}

/** Work that is done by the clock. */
export interface Job {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  run: (services: Services) => Promise<void>;
}

/** Something the bot does: the folder's whole contribution. */
export interface Feature {
  name: string;
  commands: Command[];
  jobs?: Job[];
}
