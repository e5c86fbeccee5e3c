import { section } from "./blocks.ts";
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
  const active = new Map<AbortController, Promise<void>>();
  let stopped: Error | undefined;

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

  async function answer(incoming: Incoming, ending: AbortController): Promise<void> {
    const since = timer.now();
    const { line, call, whisper, ...who } = incoming;
    const poster = posterOf(who.team, call);
    const posted = Promise.withResolvers<Posted | undefined>();
    const request: Request = { ...who, posted: posted.promise, signal: ending.signal };
    let outcome = "ok";
    const explain = (error: unknown, last?: Message) => {
      outcome = error instanceof Error ? error.name : "error";
      return explained(error, last);
    };
    let route: Route | undefined;
    const find = () => {
      route = routes.find(line, who.surface);
      return route.run(request);
    };
    const told = statesOf(find, explain, { signal: ending.signal, timer });
    const states = patient(told, () => route?.working ?? "", timer);
    const publish = (shown: AsyncIterable<Message>) =>
      showStates(shown, who, {
        poster,
        pacer: pacerOf(who.team),
        timer,
        onPosted: posted.resolve,
        onRefused: ({ method, code }) => log("slack.refused", { team: who.team, method, code }),
      });
    try {
      await deliver(states, whisper && shareable(whisper), publish);
    } catch (error) {
      ending.abort(error);
      const message = explain(error);
      undelivered(error);
      await (whisper ?? whisperTo(poster, who)).show(message).catch(undelivered);
    } finally {
      posted.resolve(undefined);
      const ms = timer.now() - since;
      log("answer", { route: route?.name, surface: who.surface, team: who.team, user: who.user, ms, outcome });
    }
  }

  function undelivered(error: unknown): void {
    log("slack.undelivered", { error: String(error), code: error instanceof SlackRefused ? error.code : undefined });
  }

  /** An explanation even where explaining fails: nobody is left with a sign of work that is over. */
  function explained(error: unknown, last?: Message): Message {
    try {
      return routes.explain(error, last);
    } catch (failure) {
      log("answer.unexplained", { error: String(error), failure: String(failure) });
      const words = "Something went wrong on my side. Try again in a minute.";
      if (!last) return { text: words, private: true };
      return { text: `${last.text}\n${words}`, blocks: [...(last.blocks ?? [section(last.text)]), section(words)] };
    }
  }

  function shareable(whisper: Whisper): Whisper {
    const offer = (message: Message) =>
      offerShare(message, shelf).catch((error: unknown) => {
        log("share.unavailable", { error: String(error) });
        return message;
      });
    return { ...whisper, show: async (message) => whisper.show(await offer(message)) };
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

/** What can be said to a person whose surface has no place for it, where even the answer could not be posted. */
function whisperTo(
  poster: Poster,
  who: { channel: string; thread?: string | undefined; user: string },
): Pick<Whisper, "show"> {
  return { show: (message) => poster.whisper(who, message) };
}
