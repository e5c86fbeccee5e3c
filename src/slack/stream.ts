import type { Message, Posted } from "./message.ts";
import type { Lane, Outcome, Pacer, Timer, Urgency } from "./pacer.ts";
import type { Place, Poster } from "./poster.ts";
import { type SlackRefused, refusalOf } from "./refusal.ts";
import { type Step, createSheets } from "./sheets.ts";

interface StreamOptions {
  poster: Poster;
  pacer: Pacer;
  timer: Timer;
  /** Calls off the post while it waits for its turn. */
  signal?: AbortSignal;
  /** Told once: where the first message stands, or that it never will. */
  onPosted?: (posted: Posted | undefined) => void;
  /** Told of every edit that Slack refused. */
  onRefused?: (refused: SlackRefused) => void;
}

/** How often one edit is tried again while Slack is out of order; the pauses between add up to two minutes. */
const tries = 10;
const longestPauseMs = 30_000;

/**
 * Shows whole states as one message that is edited: the first at once, the newest as often as the workspace's budget
 * allows, and always the last, in further messages of the thread where it is too long for one. Resolves to the first
 * message, or to nothing where there was no state; rejects with SlackRefused where nothing could be posted, with the
 * signal's reason where it was called off, and with what the states throw once the newest of them stands.
 */
export async function showStates(
  states: AsyncIterable<Message>,
  place: Place,
  options: StreamOptions,
): Promise<Posted | undefined> {
  const iterator = states[Symbol.asyncIterator]();
  let answer: Answer | undefined;
  try {
    for (;;) {
      const step = await (answer ? Promise.race([iterator.next(), answer.lost]) : iterator.next());
      if (!step || step.done) break;
      if (answer) answer.set(step.value);
      else answer = new Answer(step.value, place, options);
    }
  } catch (error) {
    await answer?.finish();
    throw error;
  } finally {
    // Not awaited: a source that is waiting ends when its wait does, and the asker is told before.
    void iterator.return?.().catch(() => undefined);
  }
  return answer?.finish();
}

/** One answer on the screen, from its post to its last state. */
class Answer {
  /** Resolves when it is clear that nothing will ever stand. */
  readonly lost: Promise<undefined>;
  readonly #options: StreamOptions;
  readonly #sheets: ReturnType<typeof createSheets>;
  readonly #posting: Promise<Posted | Error>;
  readonly #finished = Promise.withResolvers<void>();
  #state: Message;
  /** The state that stands, and the one that Slack will not have in any form. */
  #shown: Message | undefined;
  #unshowable: Message | undefined;
  #unseenSince: number;
  #failures = 0;
  #lane: Lane | undefined;
  #cancelPause: (() => void) | undefined;
  #isFinishing = false;

  constructor(first: Message, place: Place, options: StreamOptions) {
    const lost = Promise.withResolvers<undefined>();
    this.lost = lost.promise;
    this.#options = options;
    this.#sheets = createSheets(options.poster, place);
    this.#state = first;
    this.#unseenSince = options.timer.now();
    this.#posting = this.#post().catch((error: unknown) => {
      options.onPosted?.(undefined);
      lost.resolve(undefined);
      const isCalledOff = error instanceof Error && error === options.signal?.reason;
      return isCalledOff ? error : refusalOf("chat.postMessage", error);
    });
  }

  set(next: Message): void {
    if (this.#shown === this.#state) this.#unseenSince = this.#options.timer.now();
    this.#state = next;
    this.#ask();
  }

  /** Resolves when the last state stands, or when Slack will not have it. */
  async finish(): Promise<Posted> {
    const posted = await this.#posting;
    if (posted instanceof Error) throw posted;
    this.#isFinishing = true;
    this.#failures = 0;
    this.#endPause();
    this.#ask();
    await this.#finished.promise;
    this.#lane?.close();
    return posted;
  }

  /** The newest words at that moment ride on the post itself, so that the first sight of an answer costs no edit. */
  async #post(): Promise<Posted> {
    const { pacer, timer, signal, onPosted } = this.#options;
    let carried = this.#state;
    const posted = await this.#sheets.open(() => {
      carried = this.#state;
      this.#unseenSince = timer.now();
      return carried;
    }, signal);
    if (!this.#sheets.next(carried, false)) this.#shown = carried;
    onPosted?.(posted);
    this.#lane = pacer.open(() => this.#edit());
    this.#ask();
    return posted;
  }

  async #edit(): Promise<Outcome> {
    const target = this.#state;
    const since = this.#options.timer.now();
    const step = this.#sheets.next(target, this.#isFinishing);
    const retryAfterMs = step && (await this.#take(step, target));
    if (!this.#sheets.next(target, this.#isFinishing)) {
      this.#shown = target;
      this.#unseenSince = since;
    }
    this.#ask();
    return step?.isEdit ? { retryAfterMs } : { isFree: true };
  }

  /** Does the next thing; says for how long all edits of the workspace have to wait. */
  async #take(step: Step, target: Message): Promise<number | undefined> {
    try {
      await this.#sheets.take(step);
      this.#failures = 0;
      return undefined;
    } catch (error) {
      const refused = refusalOf("chat.update", error);
      this.#options.onRefused?.(refused);
      this.#failures++;
      return this.#react(refused, step, target);
    }
  }

  #react(refused: SlackRefused, step: Step, target: Message): number | undefined {
    const { reaction, retryAfterMs = 5_000 } = refused;
    if (!step.isEdit) {
      // The poster has tried all there is to try, and may not post twice; only its pace may have been too fast.
      if (reaction === "wait") this.#pause(retryAfterMs);
      else this.#unshowable = target;
    } else if (reaction === "wait") return retryAfterMs;
    else if (reaction === "look") this.#pause(Math.min(2 ** this.#failures * 250, longestPauseMs));
    else if (reaction === "repost") this.#sheets.leave(step, refused);
    else if (reaction === "plainer" && step.isPlain) this.#unshowable = target;
    else if (reaction === "plainer") this.#sheets.simplify(step);
    else this.#failures = tries;
    return undefined;
  }

  #pause(ms: number): void {
    this.#endPause();
    if (this.#failures >= tries) return;
    this.#cancelPause = this.#options.timer.after(ms, () => {
      this.#cancelPause = undefined;
      this.#ask();
    });
  }

  #endPause(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
  }

  /** Asks for the next edit where one is needed, or ends the answer. */
  #ask(): void {
    if (!this.#lane || this.#cancelPause) return;
    const isHopeless = this.#failures >= tries || this.#unshowable === this.#state;
    if (this.#shown !== this.#state && !isHopeless) this.#lane.want(this.#urgency(), this.#unseenSince);
    else if (this.#isFinishing) this.#finished.resolve();
  }

  #urgency(): Urgency {
    if (this.#isFinishing) return "last";
    return this.#shown?.progress && !this.#state.progress ? "first" : "fresher";
  }
}
