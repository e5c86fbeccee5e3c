import type { App } from "@slack/bolt";
import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import type { createAnswers } from "../answer/answer.ts";
import { concernsWorkspace, refusalOf } from "../delivery/refusal.ts";
import type { Call } from "../delivery/web-api.ts";
import type { Listening } from "./listen.ts";
import { teamOf } from "./payload.ts";
import { type Timer, withDeadline } from "../timer.ts";

/** A thread of somebody's direct message with the bot, which Slack's agent view shows as a session. */
interface AgentSession {
  team: string;
  channel: string;
  thread: string;
}

type AgentStatus = ReturnType<typeof createAgentStatus>;

/** Work that takes no longer needs no status. */
const showAfterMs = 300;
/** Longest time that the bot waits for Slack when it stops. */
const stopMs = 500;
const maxSessions = 10_000;
/** A workspace without agents is asked again after this time. */
const unavailableMs = 60 * 60_000;

/**
 * Shows in Slack's agent view that the bot is at work in a thread: its status is `processing` while any answer in it is
 * under way, else `active`.
 */
export function createAgentStatus({ timer, log }: { timer: Timer; log: Pick<Log, "warn"> }) {
  /** The number of answers under way in a thread, and the last call for it: Slack hears of changes in order. */
  const sessions = new LRUCache<string, { answers: number; last: Promise<void> }>({ max: maxSessions });
  const unavailableUntil = new Map<string, number>();
  const shown = new Set<Promise<void>>();

  async function send({ team, channel, thread }: AgentSession, call: Call, status: string): Promise<void> {
    if ((unavailableUntil.get(team) ?? 0) > timer.now()) return;
    try {
      await call("agents.sessions.setStatus", { channel_id: channel, thread_ts: thread, status });
    } catch (error) {
      const refused = refusalOf("agents.sessions.setStatus", error);
      if (concernsWorkspace(refused)) unavailableUntil.set(team, timer.now() + unavailableMs);
      log.warn("agent.status.failed", { team, status, code: refused.code });
    }
  }

  function findSession({ team, channel, thread }: AgentSession) {
    const key = `${team} ${channel} ${thread}`;
    const session = sessions.get(key) ?? { answers: 0, last: Promise.resolve() };
    sessions.set(key, session);
    return session;
  }

  function update(place: AgentSession, call: Call): Promise<void> {
    const session = findSession(place);
    // The status when its turn comes, not when it was asked for.
    session.last = session.last.then(() => send(place, call, session.answers > 0 ? "processing" : "active"));
    return session.last;
  }

  async function showWhile(place: AgentSession, call: Call, work: Promise<void>): Promise<void> {
    if (await isDoneWithin(showAfterMs, work, timer)) return;
    const session = findSession(place);
    session.answers++;
    if (session.answers === 1) void update(place, call);
    await work.catch(() => undefined);
    session.answers--;
    if (session.answers === 0) await update(place, call);
  }

  return {
    /** Shows it while the work lasts; neither delays the work nor fails. Resolves when Slack knows that it has ended. */
    show(session: AgentSession, call: Call, work: Promise<void>): Promise<void> {
      const showing = showWhile(session, call, work).finally(() => shown.delete(showing));
      shown.add(showing);
      return showing;
    },
    /** Tells Slack the status of a thread as it is now. */
    update,
    /** Resolves when Slack knows that all work has ended, or when it takes too long. */
    async ended(): Promise<void> {
      await isDoneWithin(stopMs, Promise.all(shown), timer);
    },
  };
}

/** Says whether work ends within a time, however it ends. */
function isDoneWithin(ms: number, work: Promise<unknown>, timer: Timer): Promise<boolean> {
  const done = Promise.allSettled([work]).then(() => true);
  return withDeadline(timer, ms, done, () => false);
}

interface SessionListening extends Pick<Listening, "callOf" | "isDuplicate"> {
  answers: Pick<ReturnType<typeof createAnswers>, "stopThread">;
  agentStatus: Pick<AgentStatus, "update">;
}

/** Stops the answers of a thread if somebody uses Slack's own way to stop them. */
export function listenForStoppedSessions(
  app: App,
  { callOf, isDuplicate, answers, agentStatus }: SessionListening,
): void {
  app.event("agent_session_stopped", async ({ event, body, context }) => {
    if (await isDuplicate(body.event_id)) return;
    const { channel, thread_ts: thread, user } = event;
    const session = { team: teamOf(context, body), channel, thread };
    // Slack leaves it to us to reset the status, also if no work is left.
    if (answers.stopThread({ ...session, user }) === 0) {
      await agentStatus.update(session, callOf(session.team, context.botToken));
    }
  });
}
