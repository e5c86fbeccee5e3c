import type { Timer } from "../timer.ts";
import type { Log } from "../../log.ts";
import type { Desk } from "./desk.ts";
import { refusalOf } from "../refusal.ts";
import type { Call } from "../web.ts";

/** A thread of somebody's direct message with the bot. */
interface Place {
  team: string;
  channel: string;
  thread: string;
}

/** Tells Slack that the bot is at work in a thread, which shows it there and offers to stop it. */
export interface Agent {
  /** For as long as the work lasts, and no longer; neither delays the work nor fails. Resolves when Slack knows. */
  show(place: Place, call: Call, work: Promise<void>): Promise<void>;
  /** Tells Slack how it stands in a thread now, such as one that an earlier process left at work. */
  settle(place: Place, call: Call): Promise<void>;
  /** Resolves when Slack knows that all work has ended, or when it takes too long to hear it. */
  ended(): Promise<void>;
}

/** What is done sooner needs no sign of work. */
const patienceMs = 300;
/** Longest time that the bot waits for Slack when it stops. */
const farewellMs = 500;
/** A workspace that has no agents is asked again after this time. */
const restMs = 60 * 60_000;

/** Shows the state of a session of Slack's agent view: `processing` while any answer in its thread is under way. */
export function createAgent({ timer, log }: { timer: Timer; log: Pick<Log, "warn"> }): Agent {
  const underway = new Map<string, number>();
  /** What was told of each thread last, so that Slack hears it in order. */
  const told = new Map<string, Promise<void>>();
  const restUntil = new Map<string, number>();
  const showing = new Set<Promise<void>>();

  async function tell({ team, channel, thread }: Place, call: Call, status: "processing" | "active"): Promise<void> {
    if ((restUntil.get(team) ?? 0) > timer.now()) return;
    try {
      await call("agents.sessions.setStatus", { channel_id: channel, thread_ts: thread, status });
    } catch (error) {
      const { code, reaction } = refusalOf("agents.sessions.setStatus", error);
      // What may pass or concerns this thread alone says nothing of the next one.
      const isPassing = reaction === "wait" || reaction === "look" || reaction === "destination";
      if (!isPassing) restUntil.set(team, timer.now() + restMs);
      log.warn("agent.status", { team, status, code });
    }
  }

  function tellInTurn(place: Place, call: Call): Promise<void> {
    const key = keyOf(place);
    const before = told.get(key) ?? Promise.resolve();
    // What is true when its turn comes, not what was when it was asked for.
    const telling = before.then(() => tell(place, call, underway.has(key) ? "processing" : "active"));
    told.set(key, telling);
    return telling.finally(() => {
      if (told.get(key) === telling) told.delete(key);
    });
  }

  async function showWhile(place: Place, call: Call, work: Promise<void>): Promise<void> {
    const key = keyOf(place);
    if (!(await isLong(work, timer))) return;
    const count = (underway.get(key) ?? 0) + 1;
    underway.set(key, count);
    const begun = count === 1 ? tellInTurn(place, call) : Promise.resolve();
    await work.catch(() => undefined);
    const left = (underway.get(key) ?? 1) - 1;
    if (left > 0) underway.set(key, left);
    else underway.delete(key);
    await begun;
    if (left === 0) await tellInTurn(place, call);
  }

  return {
    show(place, call, work) {
      const shown = showWhile(place, call, work).finally(() => showing.delete(shown));
      showing.add(shown);
      return shown;
    },
    settle: tellInTurn,
    async ended() {
      const late = Promise.withResolvers<void>();
      const cancel = timer.after(farewellMs, late.resolve);
      await Promise.race([Promise.all(showing), late.promise]);
      cancel();
    },
  };
}

/** Whether work takes longer than a reader would notice. */
async function isLong(work: Promise<void>, timer: Timer): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = timer.after(patienceMs, () => late.resolve(true));
  const done = work.then(
    () => false,
    () => false,
  );
  return Promise.race([done, late.promise]).finally(cancel);
}

function keyOf({ team, channel, thread }: Place): string {
  return `${team} ${channel} ${thread}`;
}

/** Ends the answers of a thread where somebody uses Slack's own way to stop them. */
export function onStopped({ app, seen, stopThread, callOf }: Desk, agent: Agent): void {
  app.event("agent_session_stopped", async ({ event, body, context }) => {
    if (await seen(body.event_id)) return;
    const { channel, thread_ts: thread, user } = event;
    const place = { team: context.teamId ?? body.team_id, channel, thread };
    // Slack leaves it to us to end the sign of work, also where no work is left.
    if (stopThread({ ...place, user }) === 0) await agent.settle(place, callOf(place.team, context.botToken));
  });
}
