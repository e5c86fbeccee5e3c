import { type Whisper, deliver } from "./deliver.ts";
import type { Message, Posted } from "./message.ts";
import { createPacer, type Timer } from "./pacer.ts";
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
  log(event: string, fields: Record<string, string | number | undefined>): void;
}

/** Something that a person asked, and the ways to reach them. */
export interface Incoming extends Omit<Request, "posted" | "signal"> {
  line: string;
  call: Call;
  /** Present where the surface can show something to the asker alone. */
  whisper?: Whisper | undefined;
}

/** Answers what people ask: finds the route, shows its states where they belong, explains what goes wrong. */
export function createAnswers({ routes, shelf, timer, log }: AnswerOptions) {
  const pacers = new Map<string, ReturnType<typeof createPacer>>();
  const posters = new Map<string, { call: Call; poster: Poster }>();
  const active = new Set<Promise<void>>();
  const stopping = new AbortController();

  function pacerOf(team: string) {
    const pacer = pacers.get(team) ?? createPacer(timer);
    pacers.set(team, pacer);
    return pacer;
  }

  function posterOf(team: string, call: Call): Poster {
    const known = posters.get(team);
    if (known?.call === call) return known.poster;
    const poster = createPoster(call, timer);
    posters.set(team, { call, poster });
    return poster;
  }

  async function answer(incoming: Incoming): Promise<void> {
    const since = timer.now();
    const { line, call, whisper, ...who } = incoming;
    const poster = posterOf(who.team, call);
    const posted = Promise.withResolvers<Posted | undefined>();
    const request: Request = { ...who, posted: posted.promise, signal: stopping.signal };
    let outcome = "ok";
    const explain = (error: unknown, last?: Message) => {
      outcome = error instanceof Error ? error.name : "error";
      return routes.explain(error, last);
    };
    let route: Route | undefined;
    const find = () => {
      route = routes.find(line, who.surface);
      return route.run(request);
    };
    const states = patient(statesOf(find, explain), () => route?.working ?? "", timer);
    const publish = (shown: AsyncIterable<Message>) =>
      showStates(shown, who, {
        poster,
        pacer: pacerOf(who.team),
        timer,
        onPosted: posted.resolve,
        onRefused: (refused) => log("slack.refused", { method: refused.method, code: refused.code }),
      });
    try {
      await deliver(states, whisper && shareable(whisper), publish);
    } catch (error) {
      const message = explain(error);
      log("slack.undelivered", { error: String(error), code: error instanceof SlackRefused ? error.code : undefined });
      await whisper?.show(message).catch((failure: unknown) => log("slack.undelivered", { error: String(failure) }));
    } finally {
      posted.resolve(undefined);
      const ms = timer.now() - since;
      log("answer", { route: route?.name, surface: who.surface, team: who.team, user: who.user, ms, outcome });
    }
  }

  function shareable(whisper: Whisper): Whisper {
    return { ...whisper, show: async (message) => whisper.show(await offerShare(message, shelf)) };
  }

  return {
    /** Answers in the background; never rejects. */
    begin(incoming: Incoming): void {
      const work = answer(incoming).catch((error: unknown) => log("answer.lost", { error: String(error) }));
      active.add(work);
      void work.finally(() => active.delete(work));
    },
    /** Ends every answer with the reason as its last line; resolves when they all stand. */
    async stop(reason: Error): Promise<void> {
      stopping.abort(reason);
      await Promise.all(active);
    },
  };
}
