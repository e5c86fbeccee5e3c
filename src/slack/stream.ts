import type { Poster } from "./delivery/post.ts";
import { SlackRefused, refusalOf } from "./delivery/refusal.ts";
import type { Native, NativePlace } from "./native.ts";
import type { Lane, Means, Outcome, Pacer, Urgency } from "./pacer.ts";
import { createRetry } from "./retry.ts";
import { type Step, createSheets, endStream, simplify, spoilStream } from "./sheets.ts";
import type { Message, Posted } from "./text/message.ts";
import type { Timer } from "./timer.ts";

interface StreamOptions {
  poster: Poster;
  pacer: Pacer;
  timer: Timer;
  /** Slack's own streams, where they may be used; the pacer says which answers do. */
  native?: Native | undefined;
  /** Calls off the post while it waits for its turn. */
  signal?: AbortSignal;
  /** Told where the first message stands, also where it had to be posted anew, or that it never will. */
  onPosted?: (posted: Posted | undefined, how?: { isStream: boolean }) => void;
  /** Told of every edit that Slack refused. */
  onRefused?: (refused: SlackRefused) => void;
  /** Told why the last state does not stand, where Slack would not have it. */
  onUnshown?: (refused: SlackRefused) => void;
  /** Told where the reader has stopped the stream by Slack's own means: nothing more need be written. */
  onStopped?: () => void;
}

/** What Slack says of a stream that has ended. */
const hasEnded = new Set(["message_not_in_streaming_state", "stopped_by_user"]);

/**
 * Shows whole states as one message that is edited: the first at once, the newest as often as the workspace's budget
 * allows, and always the last, in further messages of the thread where it is too long for one. Resolves to the first
 * message, or to nothing where there was no state; rejects with SlackRefused where nothing could be posted, with the
 * signal's reason where it was called off, and with what the states throw once the newest of them stands.
 */
export async function showStates(
  states: AsyncIterable<Message>,
  place: NativePlace,
  options: StreamOptions,
): Promise<Posted | undefined> {
  const iterator = states[Symbol.asyncIterator]();
  let answer: Answer | undefined;
  try {
    for (;;) {
      const step = await (answer ? answer.unlessLost(iterator.next()) : iterator.next());
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
  #isLost = false;
  #onLost: (() => void) | undefined;
  readonly #options: StreamOptions;
  readonly #place: NativePlace;
  readonly #sheets: ReturnType<typeof createSheets>;
  readonly #retry: ReturnType<typeof createRetry>;
  readonly #posting: Promise<Posted | Error>;
  readonly #finished = Promise.withResolvers<void>();
  #state: Message;
  /** The state that stands, and the one that Slack will not have in any form. */
  #shown: Message | undefined;
  #unshowable: Message | undefined;
  #unseenSince: number;
  #refused: SlackRefused | undefined;
  #lane: Lane | undefined;
  #cancelPause: (() => void) | undefined;
  #endHold = (): void => undefined;
  /** Its last state is known. */
  #isWhole = false;
  /** Its last state is due. */
  #isFinishing = false;
  /** What the next call has to be, where that was only found when its turn came. */
  #means: Means | undefined;

  constructor(first: Message, place: NativePlace, options: StreamOptions) {
    this.#options = options;
    this.#place = place;
    this.#sheets = createSheets({ ...options, place });
    this.#retry = createRetry(options.timer);
    this.#state = first;
    this.#unseenSince = options.timer.now();
    this.#posting = this.#post().catch((error: unknown) => {
      options.onPosted?.(undefined);
      this.#isLost = true;
      this.#onLost?.();
      const isCalledOff = error instanceof Error && error === options.signal?.reason;
      return isCalledOff ? error : refusalOf("chat.postMessage", error);
    });
  }

  /**
   * What some work comes to, or nothing once it is clear that nothing will ever stand. A race against one promise for
   * all of them would keep every state until the answer ends.
   */
  unlessLost<T>(work: Promise<T>): Promise<T | undefined> {
    const first = Promise.withResolvers<T | undefined>();
    this.#onLost = () => first.resolve(undefined);
    if (this.#isLost) this.#onLost();
    work.then(first.resolve, first.reject);
    return first.promise;
  }

  set(next: Message): void {
    if (this.#shown === this.#state) this.#unseenSince = this.#options.timer.now();
    this.#state = next;
    this.#ask();
  }

  /** Resolves when the last state stands, or when Slack will not have it. */
  async finish(): Promise<Posted> {
    this.#isWhole = true;
    this.#endHold();
    const posted = await this.#posting;
    if (posted instanceof Error) throw posted;
    this.#isFinishing = true;
    this.#retry.reset();
    // A stream that shows all that there is still has to be ended.
    if (this.#sheets.isBehind()) this.#shown = undefined;
    this.#endPause();
    this.#ask();
    await this.#finished.promise;
    this.#lane?.close();
    if (this.#shown !== this.#state && this.#refused) this.#options.onUnshown?.(this.#refused);
    return this.#sheets.root() ?? posted;
  }

  /** The newest words at that moment ride on the post itself, so that the first sight of an answer costs no edit. */
  async #post(): Promise<Posted> {
    const { pacer, timer, signal, onPosted } = this.#options;
    let carried = this.#state;
    const newest = () => {
      carried = this.#state;
      this.#unseenSince = timer.now();
      return carried;
    };
    const holdMs = pacer.arrive();
    const begun = await this.#begin(newest);
    if (!begun) await this.#hold(holdMs);
    // A sign of work, which may have become an answer by its turn, or a refusal would hold up answers that are there.
    const canWait = () => this.#state.progress === true || this.#state.failed === true;
    const posted = begun ?? (await this.#sheets.open(newest, { signal, canWait }));
    if (!this.#sheets.next(carried, false)) this.#shown = carried;
    onPosted?.(posted, { isStream: begun !== undefined });
    this.#lane ??= pacer.open((by) => this.#act(by));
    this.#ask();
    return posted;
  }

  /** Waits for more words, unless there are no more to come or the post is called off. */
  async #hold(ms: number): Promise<void> {
    const { timer, signal } = this.#options;
    if (ms <= 0 || this.#isWhole || signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endHold = resolve;
    const cancel = timer.after(ms, resolve);
    signal?.addEventListener("abort", this.#endHold, { once: true });
    await promise;
    signal?.removeEventListener("abort", this.#endHold);
    cancel();
  }

  /** Begins as a native stream where that serves everybody best; what is whole from the start needs none. */
  async #begin(newest: () => Message): Promise<Posted | undefined> {
    const { native, pacer, onRefused, signal } = this.#options;
    if (!native?.isOffered() || !this.#place.thread || this.#state.private || signal?.aborted) return undefined;
    const lane = pacer.openNative((by) => this.#act(by));
    if (!lane) return undefined;
    try {
      const posted = await this.#sheets.begin(native, newest());
      lane.started({});
      if (this.#sheets.isPatched()) lane.owe();
      this.#lane = lane;
      return posted;
    } catch (error) {
      const refused = refusalOf("chat.startStream", error);
      onRefused?.(refused);
      lane.started(refused.reaction === "wait" ? { retryAfterMs: refused.retryAfterMs ?? 5_000 } : {});
      lane.close();
      return undefined;
    }
  }

  async #act(by: Means): Promise<Outcome> {
    const target = this.#state;
    const since = this.#options.timer.now();
    const step = this.#stepTo(target);
    const isOther = step && step.by !== by && step.by !== "post";
    this.#means = isOther && step.by !== "post" ? step.by : undefined;
    const retryAfterMs = step && !isOther ? await this.#take(step, target) : undefined;
    if (!step || !this.#stepTo(target)) {
      this.#shown = target;
      this.#unseenSince = since;
    }
    this.#ask();
    return step?.by === by ? { retryAfterMs } : { isFree: true };
  }

  /** What is to be done until a state stands; nothing where it does, or where it cannot be made. */
  #stepTo(target: Message): Step | undefined {
    try {
      return this.#sheets.next(target, this.#isFinishing);
    } catch (error) {
      this.#options.onRefused?.(new SlackRefused("chat.update", "unmade", { cause: error }));
      return undefined;
    }
  }

  /** Does the next thing; says for how long all such calls of the workspace have to wait. */
  async #take(step: Step, target: Message): Promise<number | undefined> {
    try {
      await this.#sheets.take(step);
      this.#retry.reset();
      return undefined;
    } catch (error) {
      const refused = (this.#refused = refusalOf("chat.update", error));
      this.#options.onRefused?.(refused);
      this.#retry.failed(refused);
      if (step.by === "append" || step.by === "stop") return this.#reactToStream(refused, step);
      return this.#react(refused, step, target);
    }
  }

  /** Whatever a stream is refused, edits take over; it has to be ended before, unless it has. */
  async #reactToStream(refused: SlackRefused, step: Step): Promise<number | undefined> {
    const { code, reaction, retryAfterMs = 5_000 } = refused;
    if (code === "stopped_by_user") this.#options.onStopped?.();
    if (reaction === "repost") await this.#sheets.leave(step, refused);
    else if (step.by === "append" && !hasEnded.has(code)) spoilStream(step);
    else if (reaction === "look") this.#pause(this.#retry.pauseMs());
    else if (reaction === "plainer") spoilStream(step);
    else if (reaction !== "wait") endStream(step);
    return reaction === "wait" ? retryAfterMs : undefined;
  }

  async #react(refused: SlackRefused, step: Step, target: Message): Promise<number | undefined> {
    const { reaction, retryAfterMs = 5_000 } = refused;
    if (step.by === "post") {
      // The poster has tried all there is to try, and may not post twice; only its pace may have been too fast.
      if (reaction === "wait") this.#pause(retryAfterMs);
      else this.#unshowable = target;
    } else if (reaction === "wait") return retryAfterMs;
    else if (reaction === "look") this.#pause(this.#retry.pauseMs());
    else if (reaction === "repost") await this.#sheets.leave(step, refused);
    else if (refused.code === "streaming_state_conflict" && !this.#retry.isOver()) spoilStream(step);
    else if (reaction === "plainer" && step.isPlain) this.#unshowable = target;
    else if (reaction === "plainer") simplify(step);
    else this.#retry.giveUp();
    return undefined;
  }

  #pause(ms: number): void {
    this.#endPause();
    if (this.#retry.isOver()) return;
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
    const isHopeless = this.#retry.isOver() || this.#unshowable === this.#state;
    if (this.#shown !== this.#state && !isHopeless) {
      const by = this.#means ?? this.#sheets.means(this.#isFinishing);
      this.#lane.want(this.#urgency(), this.#unseenSince, by);
    } else if (this.#isFinishing) this.#finished.resolve();
  }

  #urgency(): Urgency {
    if (this.#isFinishing) return "last";
    return this.#shown?.progress && !this.#state.progress ? "first" : "fresher";
  }
}
