import { randomUUID } from "node:crypto";

import { type Log, describe } from "../../log.ts";
import { createEphemeralReply, type ReplyTargets, type PrivateReply, deliverStates } from "./private-reply.ts";
import { type Request, type Route, type Routes, Stopped, goingOn, isInLine } from "../incoming/request.ts";
import { saysStop } from "../incoming/small-talk.ts";
import { SlackRefused, AnswerCutOff } from "../delivery/refusal.ts";
import { context } from "../text/blocks.ts";
import { type Message, type Posted, type Reply, grows } from "../text/message.ts";
import { type Timer, withDeadline } from "../timer.ts";
import type { Call } from "../delivery/web-api.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { showGrowingMessage } from "./growing-message.ts";
import type { Sharing } from "./share.ts";
import type { UnfinishedAnswers } from "./unfinished.ts";

export interface AnswerOptions {
  routes: Routes;
  sharing: Sharing;
  unfinished: Pick<UnfinishedAnswers, "note" | "forget">;
  workspaceOf: Workspaces;
  timer: Timer;
  log: Log;
  /** Told of each answer when it has ended: its command, what became of it, and how long it took. */
  onAnswered?: ((command: string, outcome: string, ms: number) => void) | undefined;
  /** Lets the log hold what people ask. */
  logsText?: boolean | undefined;
}

/** A line that a person sent, and the ways to reach them. */
export interface Incoming extends Omit<Request, "posted" | "signal" | "stopKey">, ReplyTargets {
  call: Call;
  /** The key under which it is written down already as unfinished, by whoever strikes it off. */
  key?: string | undefined;
}

/** Somebody who may stop answers of theirs. */
type Asker = Pick<Request, "team" | "user">;
type AskedIn = Pick<Request, "team" | "channel" | "thread">;
type AnswerThread = { channel: string; thread: string };

interface Underway extends Asker, AskedIn {
  ending: AbortController;
  ended: Promise<void>;
}

/**
 * All answers together get this long to end when the bot stops. Those that still wait for a turn to post by then, because
 * Slack takes one post a second in a channel, are left to the next start.
 */
const stopMs = 2_000;

/** Answers what people ask: finds the route, shows its states where they belong, explains what goes wrong. */
export function createAnswers(options: AnswerOptions) {
  const { timer, log } = options;
  /** By the key that a Stop button holds. */
  const underway = new Map<string, Underway>();
  let stopped: Error | undefined;

  /** The answers under way in a thread, or anywhere in a direct message if it is in line there. */
  const underwayIn = ({ team, channel, thread }: AskedIn) =>
    [...underway.values()].filter(
      (one) => one.team === team && one.channel === channel && (isInLine({ channel, thread }) || one.thread === thread),
    );

  /** Ends every answer in a thread that this person asked for, and says how many these were. */
  function stopThread(place: Asker & AskedIn): number {
    const found = underwayIn(place).filter(({ user }) => user === place.user);
    for (const { ending } of found) ending.abort(new Stopped("stopped by the asker"));
    return found.length;
  }

  return {
    /**
     * Resolves when the answer stands, with the thread that it was posted in or began, or when it could not be given or
     * went to the asker alone; never rejects.
     */
    async begin(incoming: Incoming): Promise<AnswerThread | undefined> {
      const { line, team, user, channel, thread, surface } = incoming;
      const isSaid = surface === "mention" || surface === "direct";
      if (isSaid && saysStop.test(line) && stopThread(incoming) > 0) return undefined;
      const ending = new AbortController();
      if (stopped) ending.abort(stopped);
      const stopKey = randomUUID();
      const ended = Promise.withResolvers<void>();
      const entry: Underway = { team, user, channel, thread, ending, ended: ended.promise };
      underway.set(stopKey, entry);
      let stands: AnswerThread | undefined;
      try {
        // A root begins a thread.
        const onPosted = (at: Posted) =>
          Object.assign(entry, (stands = { channel: at.channel, thread: thread ?? at.ts }));
        await giveAnswer(incoming, { ...options, stopKey, ending, onPosted });
      } catch (error) {
        log.error("answer.failed", { error: describe(error) });
      }
      underway.delete(stopKey);
      ended.resolve();
      return stands;
    },
    /** Ends one answer with what is written, for whoever asked; says whose it is, or nothing if it has ended. */
    stopOne(key: string, { team, user }: Asker): string | undefined {
      const found = underway.get(key);
      if (!found || found.team !== team) return undefined;
      if (found.user === user) found.ending.abort(new Stopped("stopped by the asker"));
      return found.user;
    },
    stopThread,
    /** The number of answers under way. */
    count: (): number => underway.size,
    /** True if an answer is under way in a workspace that fits. */
    isAnsweringFor: (fits: (team: string) => boolean): boolean => [...underway.values()].some(({ team }) => fits(team)),
    /** Ends the answers of workspaces that another process works for now. */
    abandon: (fits: (team: string) => boolean, reason: Error): void => {
      for (const { team, ending } of underway.values()) if (fits(team)) ending.abort(reason);
    },
    /** True if any answer is under way in a thread. */
    isAnswering: (place: AskedIn): boolean => underwayIn(place).length > 0,
    /**
     * Ends every answer with the reason as its last line, or tells it to the asker alone if nothing is posted yet.
     * Resolves when they all stand, or when their time is up, and says whether they do: the next start adds the others.
     */
    async stop(reason: Error): Promise<boolean> {
      stopped = reason;
      for (const { ending } of underway.values()) ending.abort(reason);
      const allEnded = async () => {
        // Also those that begin meanwhile.
        for (const { ended } of underway.values()) await ended;
      };
      await withDeadline(timer, stopMs, allEnded(), () => undefined);
      if (underway.size > 0) log.warn("answers.stop.failed", { answers: underway.size });
      return underway.size === 0;
    },
  };
}

interface AnswerContext extends AnswerOptions {
  stopKey: string;
  /** Ends the answer with its reason. */
  ending: AbortController;
  onPosted: (at: Posted) => void;
}

/** One answer, from the route that is found for the line to the last state or the explanation that stands. */
async function giveAnswer(incoming: Incoming, answering: AnswerContext): Promise<void> {
  const { unfinished, workspaceOf, timer, log, stopKey, ending, onPosted } = answering;
  const {
    call,
    replyPrivately,
    replace,
    showInPlace,
    window,
    answeringElsewhere,
    isShared,
    failsInLine,
    key = randomUUID(),
    ...asked
  } = incoming;
  const { team, channel, thread, user, surface } = asked;
  const since = timer.now();
  const workspace = workspaceOf(team, call);
  const posted = Promise.withResolvers<Posted | undefined>();
  const reply = runRoute({ ...asked, stopKey, posted: posted.promise, signal: ending.signal }, answering);
  let noted: Promise<void> | undefined;
  const ephemeral = createEphemeralReply(incoming, { user, poster: workspace.poster });

  /** Shows states to everybody; rejects with AnswerCutOff if the last of them does not stand. */
  async function publish(states: AsyncIterable<Message>): Promise<void> {
    const place = { team, channel, thread, user, key };
    const note = { ...place, line: reply.line(), since };
    let unshown: SlackRefused | undefined;
    // Not waited for: it is written long before Slack has taken the message.
    noted = unfinished.note(note);
    await showGrowingMessage(states, place, {
      ...workspace,
      signal: ending.signal,
      onPosted(at, how) {
        posted.resolve(at);
        if (!at) return;
        onPosted(at);
        noted = noted?.then(() => unfinished.note({ ...note, ...at, isStream: how?.isStream }));
      },
      onStopped: () => ending.abort(new Stopped("stopped in Slack")),
      onRefused: ({ method, code }) => log.warn("slack.refused", { team, method, code }),
      onUnshown: (refused) => (unshown = refused),
    });
    if (unshown) throw new AnswerCutOff(unshown, channel);
  }

  /** Shows a message to the asker alone, by the way that is there or in Slack itself; never rejects. */
  async function tellAsker(message: Message): Promise<void> {
    try {
      await (replyPrivately ? replyPrivately(message).catch(() => ephemeral(message)) : ephemeral(message));
    } catch (error) {
      logUndelivered(log, error);
    }
  }

  try {
    const offering = (way: PrivateReply | undefined) => (way && !isShared ? withShareOffer(way, answering) : way);
    await deliverStates(
      reply.states,
      {
        replyPrivately: offering(replyPrivately),
        ephemeral,
        replace: offering(replace),
        showInPlace,
        window,
        answeringElsewhere,
        failsInLine,
      },
      publish,
    );
  } catch (error) {
    const isStopping = error === ending.signal.reason && !(error instanceof Stopped);
    ending.abort(error);
    if (!isStopping) logUndelivered(log, error);
    await tellAsker(reply.explain(error));
  } finally {
    posted.resolve(undefined);
    await noted;
    if (noted && incoming.key === undefined) await unfinished.forget(key);
    const summary = reply.summary();
    const ms = timer.now() - since;
    answering.onAnswered?.(summary.route ?? "none", summary.outcome, ms);
    const fields = { surface, team, user, ms, ...(answering.logsText && { text: incoming.line }), ...summary };
    // A failure of ours is a warning.
    if ("error" in fields) log.warn("answer", fields);
    else log.info("answer", fields);
  }
}

/** The states of what a line asks for, and what became of it. */
function runRoute(request: Request, { routes, timer }: AnswerOptions) {
  let failure: { error: unknown } | undefined;
  let route: Route | undefined;
  const line = () => route?.line ?? request.line;

  function explain(error: unknown, last?: Message): Message {
    failure = { error };
    return { ...routes.explain(error, last, { line: line(), user: request.user }), failed: true };
  }

  const run = () => {
    route = routes.find(request.line, request.surface, goingOn(request));
    return route.run(request);
  };
  const working = () => route?.working ?? "";
  const isPrivate = () => route?.isPrivate === true;
  return {
    states: statesOf(run, { explain, working, isPrivate, signal: request.signal, timer }),
    explain,
    /** The line that asks the same again. */
    line,
    /** The fields of the log that say how it ended; a fault that only the asker can put right is no failure of ours. */
    summary() {
      if (!failure) return { route: route?.name, outcome: "ok" };
      const { error } = failure;
      const outcome = error instanceof Error ? error.name : "error";
      const isOurs = outcome !== "UsageError" && outcome !== "Stopped";
      return { route: route?.name, outcome, ...(isOurs && { error: describe(error) }) };
    },
  };
}

/** The time that a reader waits before being told that the bot is at work. */
const patienceMs = 700;
/** The time that a source has for an end of its own once it is told to stop. */
const graceMs = 1_000;

interface StatesContext {
  explain: (error: unknown, last?: Message) => Message;
  /** Says what is going on; nothing if the reader may wait without. */
  working: () => string;
  /** True if the reply may be for its asker alone: then nobody else sees the sign of work before it either. */
  isPrivate: () => boolean;
  /** Ends the states, with its reason as the last one. */
  signal: AbortSignal;
  timer: Timer;
}

/**
 * A reply as states that never fail: an error becomes the last state. If it takes more than a moment, a sign of work
 * leads it: private while it is not clear whether the reply grows, the first state of the reply itself if it does. The
 * only `try` around what a command does.
 */
async function* statesOf(run: () => Reply | Promise<Reply>, states: StatesContext): AsyncGenerator<Message> {
  const { explain, working, isPrivate, timer } = states;
  let last: Message | undefined;
  let source: AsyncIterator<Message> | undefined;
  const privateSign = (): Message => ({
    ...signSaying(working()),
    private: true,
    ...(isPrivate() && { isPrivate: true }),
  });
  try {
    const replying = untilEnded(async () => run(), states);
    const reply = yield* signOfWork(replying, privateSign, timer);
    if (!grows(reply)) {
      yield { ...reply, private: true };
      return;
    }
    const growing = reply[Symbol.asyncIterator]();
    source = growing;
    let step = yield* signOfWork(
      untilEnded(() => growing.next(), states),
      () => signSaying(working()),
      timer,
    );
    while (!step.done) {
      last = step.value;
      yield last;
      step = await untilEnded(() => growing.next(), states);
    }
    if (!last || last.progress) throw new Error("the answer ended before it began");
  } catch (error) {
    yield explain(error, last?.progress ? undefined : last);
  } finally {
    // Not awaited: a source that does not notice that it is to end would keep its reader waiting.
    void source?.return?.().catch(() => undefined);
  }
}

/** The result of the work; rejects with the signal's reason if that is first and the work takes no notice. */
async function untilEnded<T>(work: () => Promise<T>, { signal, timer }: StatesContext): Promise<T> {
  // An answer that its asker stopped may still say how it ends.
  if (!(signal.reason instanceof Stopped)) signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = timer.after(graceMs, () => ended.reject(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancel?.();
  }
}

/** The result of the work, led by a sign of it if it takes more than a moment. */
async function* signOfWork<T>(work: Promise<T>, sign: () => Message, timer: Timer): AsyncGenerator<Message, T> {
  const isLate = await withDeadline(
    timer,
    patienceMs,
    work.then(() => false),
    () => true,
  );
  const shown = sign();
  if (isLate && shown.text) yield shown;
  return await work;
}

function signSaying(text: string): Message {
  return { text, blocks: [context(text)], progress: true };
}

/** A way to the asker that offers to share what is meant for it; without the offer if that cannot be stored. */
function withShareOffer(way: PrivateReply, { sharing, log }: AnswerOptions): PrivateReply {
  return async (message) => {
    const offered = await sharing.offer(message).catch((error: unknown) => {
      log.warn("share.store.failed", { error: describe(error) });
      return message;
    });
    await way(offered);
  };
}

function logUndelivered(log: Log, error: unknown): void {
  const refused = error instanceof AnswerCutOff ? error.refused : error;
  const code = refused instanceof SlackRefused ? refused.code : undefined;
  // Another replica works for the workspace and says below the answer that it was cut off.
  log[code === "not_served" ? "info" : "error"]("answer.post.failed", { error: describe(error), code });
}
