import { section } from "./blocks.ts";
import { type Whisper, deliver } from "./deliver.ts";
import type { Message, Posted } from "./message.ts";
import { type Pacer, type Timer, createPacer } from "./pacer.ts";
import { type Poster, createPoster } from "./poster.ts";
import { SlackRefused } from "./refusal.ts";
import type { Request, Route, Routes } from "./request.ts";
import { type Shelf, offerShare } from "./share.ts";
import { patient, statesOf } from "./states.ts";
import { showStates } from "./stream.ts";
import type { Call } from "./web.ts";

export interface AnswerOptions {
  routes: Routes;
  shelf: Shelf;
  timer: Timer;
  log: (event: string, fields: Record<string, string | number | undefined>) => void;
}

/** Something that a person asked, and the ways to reach them. */
export interface Incoming extends Omit<Request, "posted" | "signal"> {
  line: string;
  call: Call;
  /** Present where the surface can show something to the asker alone. */
  whisper?: Whisper | undefined;
}

/** Answers what people ask: finds the route, shows its states where they belong, explains what goes wrong. */
export function createAnswers(options: AnswerOptions) {
  const { timer, log } = options;
  const workspaceOf = createWorkspaces(timer);
  const active = new Map<AbortController, Promise<void>>();
  let stopped: Error | undefined;

  function undelivered(error: unknown): void {
    log("slack.undelivered", { error: String(error), code: error instanceof SlackRefused ? error.code : undefined });
  }

  async function answer(incoming: Incoming, ending: AbortController): Promise<void> {
    const since = timer.now();
    const { line, call, whisper, ...who } = incoming;
    const { poster, pacer } = workspaceOf(who.team, call);
    const posted = Promise.withResolvers<Posted | undefined>();
    const told = tell({ ...who, line, posted: posted.promise, signal: ending.signal }, options);
    const publish = (shown: AsyncIterable<Message>) =>
      showStates(shown, who, {
        poster,
        pacer,
        timer,
        onPosted: (at) => posted.resolve(at),
        onRefused: ({ method, code }) => log("slack.refused", { team: who.team, method, code }),
      });
    try {
      await deliver(told.states, whisper && sharing(whisper, options), publish);
    } catch (error) {
      ending.abort(error);
      undelivered(error);
      const message = told.explain(error);
      await (whisper ? whisper.show(message) : poster.whisper(who, message)).catch(undelivered);
    } finally {
      posted.resolve(undefined);
      const ms = timer.now() - since;
      log("answer", { ...told.summary(), surface: who.surface, team: who.team, user: who.user, ms });
    }
  }

  return {
    /** Answers in the background; never rejects. */
    begin(incoming: Incoming): void {
      const ending = new AbortController();
      if (stopped) ending.abort(stopped);
      const work = answer(incoming, ending).catch((error: unknown) => log("answer.lost", { error: String(error) }));
      active.set(ending, work);
      void work.finally(() => active.delete(ending));
    },
    /** Ends every answer with the reason as its last line; resolves when they all stand. */
    async stop(reason: Error): Promise<void> {
      stopped = reason;
      for (const ending of active.keys()) ending.abort(reason);
      await Promise.all(active.values());
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
  let outcome = "ok";
  let route: Route | undefined;
  const explain = (error: unknown, last?: Message) => {
    outcome = error instanceof Error ? error.name : "error";
    try {
      return routes.explain(error, last);
    } catch (failure) {
      log("answer.unexplained", { error: String(error), failure: String(failure) });
      return unexplained(last);
    }
  };
  const run = () => {
    route = routes.find(line, request.surface);
    return route.run(request);
  };
  const states = statesOf(run, explain, { signal: request.signal, timer });
  return {
    states: patient(states, () => route?.working ?? "", timer),
    explain,
    summary: () => ({ route: route?.name, outcome }),
  };
}

/** What stands in for an explanation that failed: nobody is left with a sign of work that is over. */
function unexplained(last?: Message): Message {
  const words = "Something went wrong on my side. Try again in a minute.";
  if (!last) return { text: words, private: true };
  return { text: `${last.text}\n${words}`, blocks: [...(last.blocks ?? [section(last.text)]), section(words)] };
}

/** A whisper that offers to share what is meant for it; without the offer where the shelf is out of order. */
function sharing(whisper: Whisper, { shelf, log }: AnswerOptions): Whisper {
  return {
    async show(message) {
      const offered = await offerShare(message, shelf).catch((error: unknown) => {
        log("share.unavailable", { error: String(error) });
        return message;
      });
      await whisper.show(offered);
    },
    clear: () => whisper.clear(),
  };
}
