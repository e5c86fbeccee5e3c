import { randomUUID } from "node:crypto";
import { type Log, type LogFields, describe } from "../log.ts";
import type { UnfinishedAnswers } from "./answer/unfinished.ts";
import { createAside } from "./aside.ts";
import { type Ways, type Whisper, deliver } from "./deliver.ts";
import type { Poster } from "./delivery/post.ts";
import { SlackRefused, Unfinished } from "./delivery/refusal.ts";
import type { Call } from "./delivery/web-api.ts";
import { type Request, type Route, type Routes, Stopped, goingOn } from "./incoming/request.ts";
import { type Shelf, offerShare } from "./share.ts";
import { statesOf } from "./states.ts";
import { createStoppable } from "./stoppable.ts";
import { showStates } from "./stream.ts";
import { section } from "./text/blocks.ts";
import type { Message, Posted } from "./text/message.ts";
import type { Timer } from "./timer.ts";
import type { Workspaces } from "./workspaces.ts";

export interface AnswerOptions {
  routes: Routes;
  shelf: Shelf;
  unfinished: Pick<UnfinishedAnswers, "note" | "forget">;
  workspaceOf: Workspaces;
  timer: Timer;
  log: Log;
}

/** Longest time that answers get to end when the bot stops, and that it waits while none of them does. */
const stopMs = 8_000;
const stallMs = 2_000;

/** Something that a person asked, and the ways to reach them. */
export interface Incoming extends Omit<Request, "posted" | "signal" | "stopKey">, Ways {
  call: Call;
}

/** Answers what people ask: finds the route, shows its states where they belong, explains what goes wrong. */
export function createAnswers(options: AnswerOptions) {
  const { unfinished, workspaceOf, timer, log } = options;
  const active = new Map<AbortController, Promise<void>>();
  const stoppable = createStoppable();
  let stopped: Error | undefined;

  async function answer(incoming: Incoming, ending: AbortController): Promise<void> {
    const since = timer.now();
    const who = requestOf(incoming);
    const workspace = workspaceOf(who.team, incoming.call);
    const { stopKey, stands, leave } = stoppable.enter(who, ending);
    const posted = Promise.withResolvers<Posted | undefined>();
    const told = tell({ ...who, stopKey, posted: posted.promise, signal: ending.signal }, options);
    const key = randomUUID();
    let noted: Promise<void> | undefined;
    const publish = (shown: AsyncIterable<Message>) => {
      const { team, channel, thread, user } = who;
      const place = { team, channel, thread, user, key };
      const note = { ...place, line: told.again(), since };
      // Not waited for: it is written long before Slack has taken the message.
      noted = unfinished.note(note);
      return showWhole(shown, place, {
        ...workspace,
        signal: ending.signal,
        onPosted(at, how) {
          posted.resolve(at);
          if (!at) return;
          stands(at);
          noted = noted?.then(() => unfinished.note({ ...note, ...at, isStream: how?.isStream }));
        },
        onStopped: () => ending.abort(new Stopped("stopped in Slack")),
        onRefused: ({ method, code }) => log.warn("slack.refused", { team: who.team, method, code }),
      });
    };
    try {
      await deliver(told.states, waysOf(incoming, options), publish);
    } catch (error) {
      ending.abort(error);
      if (error !== stopped) logUndelivered(log, error);
      await tellAside(incoming, { poster: workspace.poster, log }, told.explain(error));
    } finally {
      leave();
      posted.resolve(undefined);
      await noted;
      if (noted) await unfinished.forget(key);
      report(log, { surface: who.surface, team: who.team, user: who.user, ms: timer.now() - since, ...told.summary() });
    }
  }

  return {
    /** Resolves when the answer stands or could not be given; never rejects. */
    begin(incoming: Incoming): Promise<void> {
      const ending = new AbortController();
      if (stopped) ending.abort(stopped);
      const work = answer(incoming, ending).catch((error: unknown) => logLost(log, error));
      active.set(ending, work);
      return work.finally(() => active.delete(ending));
    },
    ...stoppable.ways,
    /**
     * Ends every answer with the reason as its last line, or tells it to the asker alone where nothing is posted yet.
     * Resolves when they all stand, or when their time is up, and says whether they do.
     */
    async stop(reason: Error): Promise<boolean> {
      stopped = reason;
      for (const ending of active.keys()) ending.abort(reason);
      return ended(active, options);
    },
  };
}

/** Shows states as `showStates` does; rejects with Unfinished where the last of them does not stand. */
async function showWhole(...[states, place, options]: Parameters<typeof showStates>): Promise<Posted | undefined> {
  const refusals: SlackRefused[] = [];
  const posted = await showStates(states, place, { ...options, onUnshown: (refused) => refusals.push(refused) });
  for (const refused of refusals) throw new Unfinished(refused, place.channel);
  return posted;
}

function requestOf(incoming: Incoming) {
  const { line, team, user, channel, thread, isThreadNew, asked, isUnasked, surface, replacesPublic } = incoming;
  return { line, team, user, channel, thread, isThreadNew, asked, isUnasked, surface, replacesPublic };
}

/** The ways to the asker, which offer to share what is shown to them alone. */
function waysOf({ whisper, replace, window, away, isShared }: Incoming, options: AnswerOptions): Ways {
  const offering = (way: Whisper | undefined) => (way && !isShared ? sharing(way, options) : way);
  return { whisper: offering(whisper), replace: offering(replace), window, away };
}

interface Telling {
  poster: Poster;
  log: Log;
}

/** Shows a message to the asker alone, by the way that is there or in Slack itself; never rejects. */
async function tellAside(incoming: Incoming, { poster, log }: Telling, message: Message): Promise<void> {
  const { whisper, user } = incoming;
  try {
    const aside = createAside(incoming, { user, poster });
    await (whisper ? whisper(message).catch(() => aside(message)) : aside(message));
  } catch (error) {
    logUndelivered(log, error);
  }
}

function logLost(log: Log, error: unknown): void {
  log.error("answer.lost", { error: describe(error) });
}

function logUndelivered(log: Log, error: unknown): void {
  const refused = error instanceof Unfinished ? error.refused : error;
  const code = refused instanceof SlackRefused ? refused.code : undefined;
  log.error("slack.undelivered", { error: describe(error), code });
}

/**
 * Resolves when no answer is under way, also of those that begin meanwhile, or when their time is up, and says which:
 * where Slack takes no last line for a while, as without a name server, it will not take the others, and the next start
 * adds them.
 */
async function ended(
  active: ReadonlyMap<unknown, Promise<void>>,
  { timer, log }: Pick<AnswerOptions, "timer" | "log">,
): Promise<boolean> {
  const end = timer.now() + stopMs;
  let isStalled = false;
  while (active.size > 0 && timer.now() < end && !isStalled) {
    const stalled = Promise.withResolvers<true>();
    const cancel = timer.after(Math.min(stallMs, end - timer.now()), () => stalled.resolve(true));
    isStalled = (await Promise.race([...active.values(), stalled.promise])) === true;
    cancel();
  }
  if (active.size > 0) log.warn("stop.unfinished", { answers: active.size });
  return active.size === 0;
}

/** The states of what a line asks for, and what became of it. */
function tell(request: Request, { routes, timer, log }: AnswerOptions) {
  let failure: { error: unknown } | undefined;
  let route: Route | undefined;
  const again = () => route?.line ?? request.line;
  const explain = (error: unknown, last?: Message): Message => {
    failure = { error };
    try {
      return { ...routes.explain(error, last, { line: again(), user: request.user }), failed: true };
    } catch (reason) {
      log.error("answer.unexplained", { error: describe(error), failure: describe(reason) });
      return unexplained(last);
    }
  };
  const run = () => {
    route = routes.find(request.line, request.surface, goingOn(request));
    return route.run(request);
  };
  const working = () => route?.working ?? "";
  return {
    states: statesOf(run, { explain, working, signal: request.signal, timer }),
    explain,
    again,
    summary: () => ({ route: route?.name, ...outcomeOf(failure) }),
  };
}

/** What the log says of how an answer ended; what the asker alone can put right is no failure of ours. */
function outcomeOf(failure: { error: unknown } | undefined): { outcome: string; error?: string } {
  if (!failure) return { outcome: "ok" };
  const { error } = failure;
  const outcome = error instanceof Error ? error.name : "error";
  return outcome === "UsageError" || outcome === "Stopped" ? { outcome } : { outcome, error: describe(error) };
}

/** One line per answer; a failure of ours is a warning. */
function report(log: Log, fields: LogFields): void {
  if (fields["error"] === undefined) log.info("answer", fields);
  else log.warn("answer", fields);
}

/** What stands in for an explanation that failed: nobody is left with a sign of work that is over. */
function unexplained(last?: Message): Message {
  const words = "Something went wrong on my side. Try again in a minute.";
  if (!last) return { text: words, private: true, failed: true };
  return { text: `${last.text}\n${words}`, blocks: [...(last.blocks ?? [section(last.text)]), section(words)] };
}

/** A way to the asker that offers to share what is meant for it; without the offer where the shelf is out of order. */
function sharing(way: Whisper, { shelf, log }: AnswerOptions): Whisper {
  return async (message) => {
    const offered = await offerShare(message, shelf).catch((error: unknown) => {
      log.warn("share.unavailable", { error: describe(error) });
      return message;
    });
    await way(offered);
  };
}
