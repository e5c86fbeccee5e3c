import { randomUUID } from "node:crypto";

import type { App } from "@slack/bolt";

import { type Log, describe } from "../../log.ts";
import { type AnswerOptions, type Incoming, createAnswers } from "../answer/answer.ts";
import { createEphemeralReply } from "../answer/private-reply.ts";
import { listenForChannelChanges } from "../workspaces/channels.ts";
import { section } from "../text/blocks.ts";
import type { Calls } from "../delivery/web-api.ts";
import { createAgentStatus, listenForStoppedSessions } from "./agent-status.ts";
import { listenForButtons } from "./buttons.ts";
import { listenForCommands } from "./commands.ts";
import { type IsDuplicate, createEventDeduplicator } from "./deduplicate.ts";
import { createHome, listenForHome } from "./home.ts";
import { type ReplyDecision, type UnaskedReply, listenForMessages } from "./messages.ts";
import { listenForChoices, listenForForms, listenForPickers, listenForShortcuts } from "./modals.ts";
import { isTokenUnread } from "./process-event.ts";
import { listenForReactions } from "./reactions.ts";
import { goingOn, isInLine } from "./request.ts";
import { type CheckAccess, type RefusedAccess, refusals } from "../workspaces/people.ts";

/** A request as it arrives: who asks what and where, and the ways to reach them. */
export interface IncomingRequest extends Incoming {
  /** The workspace that they come from, if Slack says so. */
  homeTeam?: string | undefined;
}

/** The parts that a listener needs to answer what it hears. */
export interface Listening {
  /** The Web API of a workspace, with the token that came with an event. */
  callOf: Calls;
  isDuplicate: IsDuplicate;
  /** Answers a request of somebody whom the settings allow; resolves when the answer is complete, and never rejects. */
  answer: (request: IncomingRequest) => Promise<void>;
}

interface SlackThread {
  team: string;
  channel: string;
  thread: string;
}

/** Follows the threads in which the bot answers without being mentioned; nothing here rejects. */
export interface FollowedThreads {
  /** Called for everything that is asked in a thread; `isOwn` if a question to the bot began the thread. */
  enter(thread: SlackThread, isOwn: boolean): Promise<void>;
  /** Called for each answer that stands in a thread, with the person who asked. */
  answered(thread: SlackThread, user: string): Promise<void>;
  /** Decides on a reply that mentions nobody; an answer may be under way there. */
  decide(reply: UnaskedReply & { isAnswering: boolean }): Promise<ReplyDecision>;
}

interface IncomingOptions extends AnswerOptions {
  checkAccess: CheckAccess;
  following: FollowedThreads;
  /** Events that came already, as the store keeps them. */
  events: Parameters<typeof createEventDeduplicator>[0]["records"];
  log: Log;
}

function isChannel(id: string): boolean {
  return /^[CG]/.test(id);
}

/** Connects everything that a person can do in Slack to what answers it. */
export function listenToSlack(app: App, callOf: Calls, options: IncomingOptions) {
  const { routes, sharing, unfinished, workspaceOf, checkAccess, following, events, timer, log } = options;
  const answers = createAnswers(options);
  const agentStatus = createAgentStatus({ isAnswering: answers.isAnswering, timer, log });
  const isDuplicate = createEventDeduplicator({ records: events, timer, log });
  /** The messages to the bot that have not got their answer yet, or a word instead. */
  const expected = new Set<{ team: string }>();

  async function answer(request: IncomingRequest): Promise<void> {
    const { homeTeam, ...incoming } = request;
    const { team, user, channel, thread, surface, call } = incoming;
    const access = await checkAccess({ team, user, homeTeam });
    if (access !== "allowed") return refuse(request, access);
    if (thread && isChannel(channel)) void following.enter({ team, channel, thread }, incoming.isThreadNew === true);
    const work = answers.begin(incoming).then((at) => {
      if (at && isChannel(at.channel)) void following.answered({ team, ...at }, user);
    });
    if (thread && surface === "direct") void agentStatus.show({ team, channel, thread }, call, work);
    return work;
  }

  async function expect(said: IncomingRequest): Promise<() => void> {
    const { team, channel, user, surface } = said;
    const key = randomUUID();
    const entry = { team };
    expected.add(entry);
    const { line, isQuestion } = routes.find(said.line, surface, goingOn(said));
    // In a direct message a question begins a thread, which is what Slack calls a session; all else is answered in line.
    const begun = isQuestion && isInLine(said) && { thread: said.asked, isThreadNew: true, failsInLine: true };
    const request = { ...said, ...begun };
    const { thread } = request;
    await unfinished.note({ team, channel, thread, user, line, key, since: timer.now() });
    return () =>
      void answer({ ...request, key }).finally(async () => {
        await unfinished.forget(key);
        expected.delete(entry);
      });
  }

  async function refuse(request: IncomingRequest, access: RefusedAccess): Promise<void> {
    const { team, user, surface, isUnasked } = request;
    log.info("answer", { surface, team, user, outcome: access });
    // Guests and strangers who did not mention the bot are told nothing; somebody unknown may be a member who waits.
    if (!isUnasked || access === "unknown") await tellAlone(request, refusals[access]);
  }

  async function tellToMention(request: IncomingRequest): Promise<() => void> {
    const tell = () => tellAlone(request, "I answer here when I’m mentioned.");
    return () => void checkAccess(request).then((access) => (access === "allowed" ? tell() : undefined));
  }

  async function tellAlone(request: IncomingRequest, text: string): Promise<void> {
    const { team, user, replyPrivately, call } = request;
    const show = replyPrivately ?? createEphemeralReply(request, { user, poster: workspaceOf(team, call).poster });
    await show({ text, blocks: [section(text)] }).catch((error: unknown) =>
      log.error("answer.post.failed", { error: describe(error) }),
    );
  }

  const showHome = createHome({ routes, checkAccess, log });
  const decide = (reply: UnaskedReply) => following.decide({ ...reply, isAnswering: answers.isAnswering(reply) });

  const listening: Listening = { callOf, isDuplicate, answer };
  const { stopThread } = answers;
  listenForMessages(app, { ...listening, expect, decide, tellToMention, stopThread, timer });
  listenForCommands(app, { ...listening, slashes: routes.slashes });
  listenForButtons(app, { ...listening, answers, showHome, workspaceOf, sharing, timer });
  listenForForms(app, { ...listening, routes, showHome, workspaceOf, timer, log });
  listenForChoices(app, { callOf, routes, log });
  listenForPickers(app, { routes, checkAccess, timer, log });
  listenForShortcuts(app, { callOf, routes, log });
  listenForHome(app, { ...listening, showHome });
  listenForStoppedSessions(app, { ...listening, answers, agentStatus });
  listenForReactions(app, { isDuplicate, checkAccess, routes, log });
  listenForChannelChanges(app, (place, change) => routes.channelChanged(place, change));
  app.error(async (error) => {
    log.error("slack.error", { error: describe(error) });
    // Bolt would acknowledge what nobody has heard.
    if (isTokenUnread(error)) throw error;
  });

  return {
    /** The number of answers under way. */
    count: answers.count,
    /** An answer is under way, or about to begin, in a workspace that fits. */
    isAnsweringFor: (fits: (team: string) => boolean): boolean =>
      answers.isAnsweringFor(fits) || [...expected].some(({ team }) => fits(team)),
    abandon: answers.abandon,
    /** Ends every answer with the reason; resolves when they are all complete, or when their time is up. */
    async stop(reason: Error): Promise<void> {
      // If Slack does not take an answer's last line, its status is not worth waiting for.
      if (await answers.stop(reason)) await agentStatus.ended();
    },
  };
}
