import type { App } from "@slack/bolt";

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
/** A workspace without agents is asked again after this time. */
const unavailableMs = 60 * 60_000;

interface AgentStatusOptions {
  /** True if an answer is under way in a thread. */
  isAnswering: (session: AgentSession) => boolean;
  timer: Timer;
  log: Pick<Log, "warn">;
}

/**
 * Shows in Slack's agent view that the bot is at work in a thread: its status is `processing` while any answer in it is
 * under way, else `active`.
 */
export function createAgentStatus({ isAnswering, timer, log }: AgentStatusOptions) {
  const unavailableUntil = new Map<string, number>();
  const shown = new Set<Promise<void>>();

  /** Tells Slack the status of a thread as it is now. */
  async function update(session: AgentSession, call: Call): Promise<void> {
    const { team, channel, thread } = session;
    if ((unavailableUntil.get(team) ?? 0) > timer.now()) return;
    const status = isAnswering(session) ? "processing" : "active";
    try {
      await call("agents.sessions.setStatus", { channel_id: channel, thread_ts: thread, status });
    } catch (error) {
      const refused = refusalOf("agents.sessions.setStatus", error);
      if (concernsWorkspace(refused)) unavailableUntil.set(team, timer.now() + unavailableMs);
      log.warn("agent.status.failed", { team, status, code: refused.code });
    }
  }

  async function showWhile(session: AgentSession, call: Call, work: Promise<void>): Promise<void> {
    const isQuick = work.then(() => true);
    if (await withDeadline(timer, showAfterMs, isQuick, () => false)) return;
    await update(session, call);
    await work;
    await update(session, call);
  }

  return {
    /** Shows it while the work lasts, which never rejects; resolves when Slack knows that it has ended. */
    show(session: AgentSession, call: Call, work: Promise<void>): Promise<void> {
      const showing = showWhile(session, call, work).finally(() => shown.delete(showing));
      shown.add(showing);
      return showing;
    },
    update,
    /** Resolves when Slack knows that all work has ended, or when it takes too long. */
    async ended(): Promise<void> {
      await withDeadline<unknown>(timer, stopMs, Promise.all(shown), () => undefined);
    },
  };
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
