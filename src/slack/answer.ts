import { type Fields, type Log, describe } from "../log.ts";
import { section } from "./blocks.ts";
import { type Whisper, deliver } from "./deliver.ts";
import type { Ledger } from "./leftovers.ts";
import type { Message, Posted } from "./message.ts";
import { type Pacer, type Timer, createPacer } from "./pacer.ts";
import { type Poster, createPoster } from "./poster.ts";
import { SlackRefused } from "./refusal.ts";
import type { Request, Route, Routes } from "./request.ts";
import { type Shelf, offerShare } from "./share.ts";
import { statesOf } from "./states.ts";
import { showStates } from "./stream.ts";
import type { Call } from "./web.ts";

export interface AnswerOptions {
  routes: Routes;
  shelf: Shelf;
  ledger: Ledger;
  timer: Timer;
  log: Log;
}

/** Longest time that answers get to end when the bot stops. */
const stopMs = 8_000;

/** Something that a person asked, and the ways to reach them. */
export interface Incoming extends Omit<Request, "posted" | "signal"> {
  line: string;
  call: Call;
  /** Nobody has answered in the thread yet: Slack shows nothing private in such a one. */
  isThreadNew?: boolean;
  /** Present where the surface can show something to the asker alone. */
  whisper?: Whisper | undefined;
}

/** Answers what people ask: finds the route, shows its states where they belong, explains what goes wrong. */
export function createAnswers(options: AnswerOptions) {
  const { ledger, timer, log } = options;
  const workspaceOf = createWorkspaces(timer);
  const active = new Map<AbortController, Promise<void>>();
  let stopped: Error | undefined;

  async function answer(incoming: Incoming, ending: AbortController): Promise<void> {
    const since = timer.now();
    const { line, call, whisper, isThreadNew: _, ...who } = incoming;
    const { poster, pacer } = workspaceOf(who.team, call);
    const place = createPlace(ledger, who);
    const told = tell({ ...who, line, posted: place.posted, signal: ending.signal }, options);
    const publish = (shown: AsyncIterable<Message>) =>
      showStates(shown, who, {
        poster,
        pacer,
        timer,
        signal: ending.signal,
        onPosted: (at) => place.settle(at),
        onRefused: ({ method, code }) => log.warn("slack.refused", { team: who.team, method, code }),
      });
    try {
      await deliver(told.states, whisper && sharing(whisper, options), publish);
    } catch (error) {
      ending.abort(error);
      if (error !== stopped) logUndelivered(log, error);
      await tellAside(incoming, poster, told.explain(error)).catch((failure: unknown) => logUndelivered(log, failure));
    } finally {
      await place.leave();
      const ms = timer.now() - since;
      report(log, { surface: who.surface, team: who.team, user: who.user, ms, ...told.summary() });
    }
  }

  return {
    /** Answers in the background; never rejects. */
    begin(incoming: Incoming): void {
      const ending = new AbortController();
      if (stopped) ending.abort(stopped);
      const work = answer(incoming, ending).catch((error: unknown) =>
        log.error("answer.lost", { error: describe(error) }),
      );
      active.set(ending, work);
      void work.finally(() => active.delete(ending));
    },
    /**
     * Ends every answer with the reason as its last line, or tells it to the asker alone where nothing is posted yet.
     * Resolves when they all stand, or when their time is up.
     */
    async stop(reason: Error): Promise<void> {
      stopped = reason;
      for (const ending of active.keys()) ending.abort(reason);
      await ended(active, timer);
      if (active.size > 0) log.warn("stop.unfinished", { answers: active.size });
    },
  };
}

/** Shows a message to the asker alone, by the way that is there. */
async function tellAside({ whisper, isThreadNew, ...who }: Incoming, poster: Poster, message: Message): Promise<void> {
  if (whisper) return whisper(message);
  const { channel, user } = who;
  return poster.whisper({ channel, user, thread: isThreadNew ? undefined : who.thread }, message);
}

function logUndelivered(log: Log, error: unknown): void {
  const code = error instanceof SlackRefused ? error.code : undefined;
  log.error("slack.undelivered", { error: describe(error), code });
}

/** Resolves when no answer is under way, also of those that begin meanwhile, or when their time is up. */
async function ended(active: ReadonlyMap<unknown, Promise<void>>, timer: Timer): Promise<void> {
  const end = timer.now() + stopMs;
  const late = Promise.withResolvers<void>();
  const cancel = timer.after(stopMs, late.resolve);
  while (active.size > 0 && timer.now() < end) await Promise.race([Promise.all(active.values()), late.promise]);
  cancel();
}

/** Where an answer stands, known once it is posted, and noted down until it has ended. */
function createPlace(ledger: Ledger, { team, thread }: Pick<Incoming, "team" | "thread">) {
  const posted = Promise.withResolvers<Posted | undefined>();
  let noted: Promise<void> | undefined;
  return {
    posted: posted.promise,
    settle(at: Posted | undefined): void {
      posted.resolve(at);
      if (at) noted = ledger.begin({ ...at, team, thread });
    },
    async leave(): Promise<void> {
      posted.resolve(undefined);
      const at = await posted.promise;
      await noted;
      if (at) await ledger.end({ ...at, team });
    },
  };
}

/** What each workspace has to itself: the budget of its edits, and the lanes of its posts. */
function createWorkspaces(timer: Timer): (team: string, call: Call) => { poster: Poster; pacer: Pacer } {
  const workspaces = new Map<string, { call: Call; poster: Poster; pacer: Pacer }>();
  return (team, call) => {
    const known = workspaces.get(team);
    if (known?.call === call) return known;
    const workspace = { call, poster: createPoster(call, timer), pacer: known?.pacer ?? createPacer(timer) };
    workspaces.set(team, workspace);
    return workspace;
  };
}

/** The states of what a line asks for, and what became of it. */
function tell({ line, ...request }: Request & { line: string }, { routes, timer, log }: AnswerOptions) {
  let failure: { error: unknown } | undefined;
  let route: Route | undefined;
  const explain = (error: unknown, last?: Message) => {
    failure = { error };
    try {
      return routes.explain(error, last);
    } catch (reason) {
      log.error("answer.unexplained", { error: describe(error), failure: describe(reason) });
      return unexplained(last);
    }
  };
  const run = () => {
    route = routes.find(line, request.surface);
    return route.run(request);
  };
  const working = () => route?.working ?? "";
  return {
    states: statesOf(run, { explain, working, signal: request.signal, timer }),
    explain,
    summary: () => ({ route: route?.name, ...outcomeOf(failure) }),
  };
}

/** What the log says of how an answer ended; what the asker alone can put right is no failure of ours. */
function outcomeOf(failure: { error: unknown } | undefined): { outcome: string; error?: string } {
  if (!failure) return { outcome: "ok" };
  const { error } = failure;
  const outcome = error instanceof Error ? error.name : "error";
  return outcome === "UsageError" ? { outcome } : { outcome, error: describe(error) };
}

/** One line per answer; a failure of ours is a warning. */
function report(log: Log, fields: Fields): void {
  if (fields["error"] === undefined) log.info("answer", fields);
  else log.warn("answer", fields);
}

/** What stands in for an explanation that failed: nobody is left with a sign of work that is over. */
function unexplained(last?: Message): Message {
  const words = "Something went wrong on my side. Try again in a minute.";
  if (!last) return { text: words, private: true };
  return { text: `${last.text}\n${words}`, blocks: [...(last.blocks ?? [section(last.text)]), section(words)] };
}

/** A whisper that offers to share what is meant for it; without the offer where the shelf is out of order. */
function sharing(whisper: Whisper, { shelf, log }: AnswerOptions): Whisper {
  return async (message) => {
    const offered = await offerShare(message, shelf).catch((error: unknown) => {
      log.warn("share.unavailable", { error: describe(error) });
      return message;
    });
    await whisper(offered);
  };
}
