import type { Api } from "../apis/errors.ts";
import type { Gateway } from "../apis/gateway/client.ts";
import type { Intelligence } from "../apis/intelligence/client.ts";
import type { Jurisdictions } from "../apis/jurisdictions/client.ts";
import type { Log } from "../log.ts";
import type { Block, Message, Posted, Reply } from "../slack/text/message.ts";
import type { People } from "../slack/incoming/people.ts";
import type { ChannelChange, ChannelDirectory } from "../slack/delivery/channels.ts";
import type { PostTarget } from "../slack/delivery/post.ts";
import type { Filled, FilledIn, Quoted, Request } from "../slack/incoming/request.ts";
import type { Threads } from "../slack/incoming/thread-history.ts";
import type { Collection } from "../store/collection.ts";
import type { Doctor } from "./account/doctor.ts";
import type { Health } from "./account/health.ts";
import type { Spending } from "./account/spending.ts";
import type { Alert } from "./alerts/alert.ts";
import type { AlertState } from "./alerts/job.ts";
import type { Samples } from "./alerts/samples.ts";
import type { Run } from "./collections/runs.ts";
import type { Conversation } from "./ask/conversation.ts";
import type { Feedback } from "./ask/feedback.ts";
import type { Memory } from "./ask/memory.ts";
import type { QuestionQueue } from "./ask/queue.ts";
import type { Following } from "./ask/threads.ts";
import type { Digest } from "./digests/digest.ts";
import type { Arrivals } from "./digests/arrivals.ts";
import type { Directory } from "./entities/directory.ts";
import type { Lists } from "./news/store.ts";
import type { AnnouncedStories } from "./subscriptions/announced.ts";
import type { JobState } from "./subscriptions/delivery.ts";
import type { Subscriptions } from "./subscriptions/store.ts";
import type { Ranking } from "./trending/ranking.ts";

import type { OptionTable } from "./options.ts";

export type { Message } from "../slack/text/message.ts";

/** What a person typed after the verb, and everything about who asked where. */
export interface Ask extends Request {
  text: string;
}

/** Which of the APIs an operator has set up. */
export type Configured = Record<Api, boolean>;

/** What the bot has to work with. Commands that still take all of it get a narrow interface of their own. */
export interface Services {
  intelligence: Intelligence;
  gateway: Gateway;
  jurisdictions: Jurisdictions;
  directory: Directory;
  conversations: Collection<Conversation>;
  /** The same, read and changed without losing a turn. */
  memory: Memory;
  /** What people say of answers. */
  feedback: Collection<Feedback>;
  /** Every question waits its turn in it; a workspace shares what the services can do. */
  queue: QuestionQueue;
  /** The language model of `chat` where none is named. */
  chatModel?: string | undefined;
  /** Lists of articles that were shown, so that they can be turned over and asked about. */
  lists: Lists;
  /** What was trending a moment ago, so that its pages can be turned. */
  rankings: Collection<Ranking>;
  /** What each collection showed when it was last run. */
  collectionRuns: Collection<Run>;
  /** Who spent the gateway's credits; a command's `gateway` is measured already, a job asks here for its own. */
  spending: Spending;
  /** Examines the services for an operator. */
  doctor: Doctor;
  /** Told by the jobs what came of each read, so that the operator hears of what is wrong. */
  health: Health;
  /** Who gets what is new in which source, where and when. */
  digests: Subscriptions<Digest>;
  /** Who is told of what is trending, how readily and where. */
  alerts: Subscriptions<Alert>;
  /** What one run of alerts leaves to the next. */
  alertState: AlertState;
  /** What was trending, as far back as it is kept. */
  samples: Samples;
  /** The stories that each channel was shown, whichever subscription brought them. */
  announced: AnnouncedStories;
  /** When articles came to the sources of digests. */
  arrivals: Arrivals;
  /** What one run of the digests' job leaves to the next. */
  digestJob: JobState;
  /** The time zone of schedules that name none, where Slack does not know the reader's. */
  timeZone: string;
  /** Who somebody in Slack is. */
  people: People;
  /** Who is in which channel, and how channels stand. */
  places: ChannelDirectory;
  /** Who changes what comes to a channel. */
  subscribing: "members" | "admins";
  /** What people said to each other. */
  threads: Threads;
  /** In which threads the bot answers without being mentioned. */
  following: Following;
  /** Whether a workspace still has the bot; jobs do nothing for one that took it out. */
  isInstalled: (team: string) => boolean;
  /** Posts where nobody has just asked, once under its key; rejects with SlackRefused. */
  post(to: PostTarget & { team: string }, message: Message): Promise<Posted>;
  /** Replaces what was posted so, at the pace of everything that is edited there; rejects with SlackRefused. */
  edit(team: string, posted: Posted, message: Message): Promise<void>;
  /** Which of the APIs an operator has set up. */
  configured: Configured;
  /** For the operator; what a reader should know goes into the reply. */
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
  /** Calls once after that many milliseconds; the result cancels. */
  after: (ms: number, call: () => void) => () => void;
}

/**
 * One verb, on every surface: a slash command of its own, after `/bellwether`, after a mention, in a direct message. What
 * it needs is an interface of its own with the two or three things that it uses.
 */
export interface Command<Needs = Services> {
  verb: string;
  /** What follows the verb: `QUERY`, `NAME | SYMBOL | ID`; empty where nothing does. */
  usage: string;
  /** One line of help. */
  summary: string;
  examples: string[];
  /** Its options: help lists them, and any other is refused. Left out where the command reads them in its own way. */
  options?: OptionTable;
  /** Has a slash command of its own; the others follow `/bellwether`. */
  isSlash: boolean;
  /** Services of which one at least has to be set up for it to do anything; none where missing. */
  needs?: Api[];
  /** Runs from buttons of ours; nobody has to know that it can be typed. */
  isHidden?: true;
  /** Shown while the answer takes more than a moment. */
  working: string;
  /** Whether the text after the verb can be meant for it; a mention that fits no command is a question. */
  fits?(text: string): boolean;
  run(ask: Ask, needs: Needs): Reply | Promise<Reply>;
}

/** The fields of a window, and how they become a line that is run as if it were typed. */
export interface Form {
  /** Its window says which form it holds. */
  name: string;
  /** Pure: Slack waits for what it says. */
  read(filled: Filled): FilledIn;
}

/** An entry in the menu of every message. */
export interface Shortcut {
  name: string;
  /** At most 24 characters. */
  title: string;
  summary: string;
  /** The window that it opens; pure, because Slack opens it within three seconds or not at all. */
  open(quoted: Quoted): Message;
}

/** Work that is done by the clock. */
export interface Job<Needs = Services> {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  /** Runs also when the bot starts, and when the clock has jumped: what became due meanwhile does not wait. */
  atOnce?: true;
  run: (needs: Needs) => Promise<void>;
}

/** Something the bot does: the folder's whole contribution, and what all of it needs together. */
export interface Feature<Needs = Services> {
  name: string;
  commands: Command<Needs>[];
  jobs?: Job<Needs>[];
  forms?: Form[];
  shortcuts?: Shortcut[];
  /** What a person sees on the bot's own page. */
  home?(person: { team: string; user: string }, needs: Needs): Promise<Block[]>;
  /** Told what happens to a channel that the bot may post in; Slack may tell it twice, or not at all. */
  channelChanged?(place: { team: string; channel: string }, change: ChannelChange, needs: Needs): Promise<void>;
}
