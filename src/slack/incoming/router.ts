import type { App, BlockAction, ButtonAction } from "@slack/bolt";

import { describe } from "../../log.ts";
import { createAgent, onStopped } from "./agent-status.ts";
import { type AnswerOptions, createAnswers } from "../answer.ts";
import type { Audience } from "./audience.ts";
import { inThread } from "../deliver.ts";
import type { Desk } from "./desk.ts";
import { type Following, createEntrance } from "./entrance.ts";
import { onForm, onShortcut } from "./modals.ts";
import { createHome, onHome } from "./home.ts";
import { onMoves } from "../moves.ts";
import { onPress, onStop, threadOf } from "./buttons.ts";
import { onCommand, onDirectMessage, onGroupMention, onMention, onThreadReply } from "./messages.ts";
import { createLastingSeen, createSeen } from "./deduplicate.ts";
import { share, shareAction } from "../share.ts";
import { createTurns } from "../turns.ts";
import type { Calls } from "../web.ts";

/** Slack redelivers an event for up to an hour; its schedule ends after about six minutes. */
export const eventMemoryMs = 60 * 60_000;
/** A button that is pressed again within this time was meant once. */
const tapMemoryMs = 1_500;

interface RouterOptions extends AnswerOptions {
  audience: Audience;
  following: Following;
  /** Events that came already, as the store keeps them. */
  events: Parameters<typeof createLastingSeen>[2]["records"];
}

/** Connects everything that a person can do in Slack to what answers it. */
export function route(app: App, callOf: Calls, options: RouterOptions) {
  const answers = createAnswers(options);
  const { routes, shelf, workspaceOf, timer, log, following, events } = options;
  const agent = createAgent(options);
  const begin = createEntrance({ ...options, answers, agent });
  const seen = createLastingSeen(timer, eventMemoryMs, { records: events, log });
  const desk: Desk = {
    app,
    begin,
    async hear(said) {
      const { team, channel, asked } = said;
      if (!(await seen(`${team} ${channel} ${asked}`))) void begin(said);
    },
    isFresh: (ts) => timer.now() - Number(ts) * 1000 < eventMemoryMs,
    stopOne: (key, who) => answers.stopOne(key, who),
    stopThread: (place) => answers.stopThread(place),
    isOurThread: (thread) => following.isOurs({ ...thread, isAnswering: answers.isAnswering(thread) }),
    callOf,
    workspaceOf,
    seen,
    tapped: createSeen(timer, tapMemoryMs),
    turns: createTurns(),
  };
  const showHome = createHome(desk, options);
  for (const slash of routes.slashes) onCommand(desk, slash);
  onMention(desk);
  onDirectMessage(desk);
  onGroupMention(desk);
  onThreadReply(desk);
  onPress(desk, showHome);
  onStop(desk);
  onStopped(desk, agent);
  onForm(desk, options, showHome);
  onShortcut(desk, options);
  onHome(desk, showHome);
  onMoves(
    desk,
    (place, change) => routes.placeChanged(place, change),
    async (place, to) => {
      workspaceOf.renamed(place, to);
      await routes.placeRenamed(place, to);
    },
  );
  app.action<BlockAction<ButtonAction>>(shareAction, async ({ ack, action, body, respond }) => {
    await ack();
    await share(action.value ?? "", body.user.id, shelf, inThread(respond, threadOf(body)));
  });
  app.error(async (error) => log.error("slack.error", { error: describe(error) }));
  return {
    /** Ends every answer with the reason; resolves when they all stand, or when their time is up. */
    async stop(reason: Error): Promise<void> {
      // Slack that does not take an answer's last line is not worth waiting for.
      if (await answers.stop(reason)) await agent.ended();
    },
  };
}
