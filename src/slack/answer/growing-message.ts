import type { Poster } from "../delivery/post.ts";
import { SlackRefused, refusalOf } from "../delivery/refusal.ts";
import { settledMarkdown } from "../text/close-markdown.ts";
import { limits } from "../text/limits.ts";
import type { Message, Posted } from "../text/message.ts";
import { plainTextOfMarkdown } from "../text/mrkdwn.ts";
import { isInLine } from "../incoming/request.ts";
import { continueFence, pages } from "../text/pages.ts";
import type { Timer } from "../timer.ts";
import type { CallOutcome } from "./method-limit.ts";
import type { EditBudget, EditLane, EditMethod } from "./edit-budget.ts";
import {
  type AnswerPlace,
  type NativeStreams,
  type StreamChunk,
  type Streamed,
  afterAppend,
  beginStream,
  blocksAtEnd,
  continueStream,
  markdownIn,
} from "./native-stream.ts";
import type { StatusLine } from "./status-line.ts";

interface GrowingContext {
  poster: Poster;
  editBudget: EditBudget;
  timer: Timer;
  /** Slack's own streams, if they may be used; the budget says which answers do. */
  streams?: NativeStreams | undefined;
  /** Says that the bot is at work while the post waits for words, because edits are scarce. */
  statusLine?: StatusLine | undefined;
  /** Calls off the post while it waits for its turn. */
  signal?: AbortSignal;
  /** Told where the first message stands, also if it had to be posted anew, or that it never will. */
  onPosted?: (posted: Posted | undefined, how?: { isStream: boolean }) => void;
  /** Told of every edit that Slack refused. */
  onRefused?: (refused: SlackRefused) => void;
  /** Told why the last state does not stand, if Slack would not have it. */
  onUnshown?: (refused: SlackRefused) => void;
  /** Told if the reader has stopped a native stream by Slack's own means: nothing more need be written. */
  onStopped?: () => void;
}

/**
 * Shows whole states as one message that grows: the first at once, the newest as often as the workspace's budget
 * allows, and always the last, in further messages of the thread if it is too long for one. Resolves to the first
 * message, or to nothing if there was no state; rejects with SlackRefused if nothing could be posted, with the signal's
 * reason if it was called off, and with what the states throw once the newest of them stands.
 */
export async function showGrowingMessage(
  states: AsyncIterable<Message>,
  place: AnswerPlace,
  context: GrowingContext,
): Promise<Posted | undefined> {
  const iterator = states[Symbol.asyncIterator]();
  let answer: GrowingMessage | undefined;
  try {
    for (;;) {
      const step = await (answer ? answer.unlessLost(iterator.next()) : iterator.next());
      if (!step || step.done) break;
      if (answer) answer.set(step.value);
      else answer = new GrowingMessage(step.value, place, context);
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

/** One message of the answer. */
interface Page {
  at: Posted | undefined;
  /** Its content, as it was sent; empty if that is not known. */
  content: string;
  /** The words of the answer up to its end, if it is known to show them. */
  words?: string | undefined;
  /** Nothing but a sign of work stands there. */
  isSign?: boolean;
  /** A message that Slack would not have as it is meant: it is shown as plain text. */
  malformed?: string | undefined;
  /** It was tried as plain text: it's edited again when it's whole, so that no refused state is tried again and again. */
  isOnHold?: boolean | undefined;
  /** Set while it is a native stream, which takes additions and no edits. */
  stream?: Streamed | undefined;
}

/** The next thing to do until a state stands. */
interface Change {
  page: Page;
  message: Message;
  content: string;
  isPlain: boolean;
  by: EditMethod | "post";
  chunks: StreamChunk[];
  words: string | undefined;
}

/** The longest time that a post waits for words, and that words wait for an edit of a sign of work. */
const wordsMostMs = 60_000;
const firstWordsMs = 1_000;
/** The pause after which a waiting state looks again whether it may be shown. */
const nextLookMs = 1_000;
/**
 * The time for which an edit is tried again while Slack is out, the pauses between, and the number of tries after other
 * refusals.
 */
const outMostMs = 10 * 60_000;
const shortestPauseMs = 500;
const longestPauseMs = 30_000;
const triesMost = 10;
/** Slack's errors for a stream that has ended. */
const streamEnded = new Set(["message_not_in_streaming_state", "stopped_by_user"]);

/** From the post to the last state. */
class GrowingMessage {
  readonly #place: AnswerPlace;
  readonly #context: GrowingContext;
  readonly #lane: EditLane;
  readonly #shown: Promise<Posted | Error>;
  readonly #pages: Page[] = [];
  #root: Posted | undefined;
  #state: Message;
  /** The newest sign of work, shown if words may not be shown yet. */
  #sign: Message;
  /** The state that rode on the post; the one that stands; and the one that Slack will not have in any form. */
  #carried: Message | undefined;
  #standing: Message | undefined;
  #unshowable: Message | undefined;
  /** The time at which the oldest words came that are not visible yet. */
  #unseenSince: number;
  /** Its last state is known. */
  #isWhole = false;
  #isLost = false;
  #onLost = (): void => undefined;
  /** Ends what is waited for: a new state, words, or the time until a retry. */
  #wake = (): void => undefined;
  /** It waits to try again, whatever else is to be shown; only the end cuts that short. */
  #isPausing = false;
  /** The method that the next call has to use, if that was only found when its turn came. */
  #needed: EditMethod | undefined;
  #refused: SlackRefused | undefined;
  #failures = 0;
  #outSince: number | undefined;
  /** Set once a message took no edits: the words that stand. Only the last state is still shown then, below them. */
  #frozenWords: string | undefined;

  constructor(first: Message, place: AnswerPlace, context: GrowingContext) {
    this.#place = place;
    this.#context = context;
    this.#state = this.#sign = first;
    this.#unseenSince = context.timer.now();
    this.#lane = context.editBudget.open();
    this.#shown = this.#show()
      .catch((error: unknown) => {
        context.onPosted?.(undefined);
        this.#isLost = true;
        this.#onLost();
        const isCalledOff = error instanceof Error && error === context.signal?.reason;
        return isCalledOff ? error : refusalOf("chat.postMessage", error);
      })
      .finally(() => this.#lane.close());
  }

  /**
   * The result of some work, or nothing once it is clear that nothing will ever stand. A race against one promise for
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
    const before = this.#urgency();
    if (this.#standing === this.#state) this.#unseenSince = this.#context.timer.now();
    this.#state = next;
    if (next.progress) this.#sign = next;
    if (!this.#isPausing) this.#wake();
    if (this.#urgency() !== before) this.#lane.hurry();
  }

  /** Resolves when the last state stands, or when Slack will not have it. */
  async finish(): Promise<Posted> {
    this.#isWhole = true;
    this.#resetRetries();
    // The last state may lack something that the one before it was not given, such as the end of a stream.
    if (this.#frozenWords !== undefined || this.#openStream()) this.#standing = undefined;
    this.#wake();
    this.#lane.hurry();
    const shown = await this.#shown;
    if (shown instanceof Error) throw shown;
    return shown;
  }

  async #show(): Promise<Posted> {
    const { onUnshown } = this.#context;
    await this.#waitForWords();
    const posted = (await this.#beginStream()) ?? (await this.#post());
    await this.#keepUp();
    if (this.#standing !== this.#state && this.#refused && !this.#hasAllWords()) onUnshown?.(this.#refused);
    return this.#root ?? posted;
  }

  /** True if an answer can be read to its end, and lacks no more than the blocks around its words. */
  #hasAllWords(): boolean {
    const last = this.#pages.at(-1);
    const words = markdownIn(this.#state).trimEnd();
    return !this.#state.failed && words !== "" && words === (last?.stream?.words ?? last?.words)?.trimEnd();
  }

  /** While edits are scarce, Slack's status line is the sign of work, so that the first words can ride on the post. */
  async #waitForWords(): Promise<void> {
    const { editBudget, statusLine, signal, timer } = this.#context;
    const isWaiting = () => this.#state.progress === true && !this.#isWhole && !signal?.aborted;
    const until = timer.now() + wordsMostMs;
    let shown = "";
    while (isWaiting() && timer.now() < until && (shown || editBudget.isScarce())) {
      const { text } = this.#state;
      if (text === shown) await this.#sleep(until - timer.now());
      else if (!(await statusLine?.show(this.#place, text))) return;
      shown = text;
    }
    while (!this.#state.progress && !this.#mayShow()) await this.#sleep(nextLookMs);
    if (signal?.aborted && shown) await statusLine?.clear(this.#place);
  }

  /**
   * True if the newest state may take the place of a sign of work: another sign not while edits are scarce, and words that
   * go on not before an edit is kept for the last of them, because one that stands still half-way is worse than one that waits.
   */
  #mayShow(): boolean {
    if (this.#isWhole || this.#context.signal?.aborted) return true;
    return this.#state.progress ? !this.#context.editBudget.isScarce() : this.#lane.keepEdit();
  }

  /** The newest words at the moment of the call ride on it, so that they cost no edit. */
  #newest(): Message {
    this.#unseenSince = this.#context.timer.now();
    return (this.#carried = this.#mayShow() ? this.#state : this.#sign);
  }

  /** Notes what the first message shows. */
  #stands(page: Page & { at: Posted }, isStream: boolean): Posted {
    this.#pages.push(page);
    this.#root = page.at;
    if (this.#carried && !this.#nextChange(this.#carried)) this.#standing = this.#carried;
    this.#context.onPosted?.(page.at, { isStream });
    return page.at;
  }

  async #post(place = this.#place): Promise<Posted> {
    const { poster, signal } = this.#context;
    // A sign of work, which may have become an answer by its turn, or a refusal would hold up answers that are there.
    const canWait = () => this.#state.progress === true || this.#state.failed === true;
    let shown: Omit<Page, "at"> = { content: "" };
    const first = () => {
      const state = this.#newest();
      const [message = state, ...further] = pages(state);
      const words = further.length === 0 ? markdownIn(state) : undefined;
      shown = { content: contentOf(message), isSign: isSign(message), words };
      return message;
    };
    const at = await poster.post(place, first, { signal, canWait });
    return this.#stands({ ...shown, at }, false);
  }

  /** Begins as a native stream if that serves everybody best; what is whole from the start needs none. */
  async #beginStream(): Promise<Posted | undefined> {
    const { streams, signal, onRefused } = this.#context;
    if (!streams?.isOffered() || !this.#place.thread || this.#state.private || signal?.aborted) return undefined;
    if (!this.#lane.mayStream()) return undefined;
    const first = this.#newest();
    const { chunks, streamed } = beginStream(pages(first)[0] ?? first);
    let at: Posted;
    try {
      at = await streams.start(this.#place, chunks);
    } catch (error) {
      const refused = refusalOf("chat.startStream", error);
      onRefused?.(refused);
      const retryAfterMs = refused.reaction === "wait" ? (refused.retryAfterMs ?? 5_000) : undefined;
      this.#lane.streamStarted({ retryAfterMs }, { isStream: false });
      return undefined;
    }
    this.#lane.streamStarted({}, { isStream: true, owesEdit: streamed.isPatched });
    return this.#stands({ at, content: "", stream: streamed }, true);
  }

  /** Shows the newest state whenever the budget allows, until the last one stands. */
  async #keepUp(): Promise<void> {
    for (;;) {
      const isHopeless = this.#isOver() || this.#unshowable === this.#state;
      if (this.#standing === this.#state || isHopeless) {
        if (this.#isWhole) return;
        await this.#sleep();
        continue;
      }
      if (this.#pages[0]?.isSign && !this.#mayShow()) {
        await this.#sleep(nextLookMs);
        continue;
      }
      if (await this.#repostSign()) continue;
      const by = await this.#lane.turn(() => ({
        by: this.#needed ?? this.#likelyMethod(),
        urgency: this.#urgency(),
        since: this.#unseenSince,
      }));
      const { pauseMs, ...outcome } = await this.#call(by);
      this.#lane.done(by, outcome);
      if (pauseMs === undefined || this.#isOver()) continue;
      this.#isPausing = true;
      await this.#sleep(pauseMs);
      this.#isPausing = false;
    }
  }

  /** Posts words anew in place of a sign of work, if so many answers grow that there is no edit for them. */
  async #repostSign(): Promise<boolean> {
    const { editBudget, poster, signal } = this.#context;
    const [page] = this.#pages;
    if (this.#state.progress || !page?.at || !page.isSign || page.stream || signal?.aborted) return false;
    if (editBudget.firstWordsDelayMs() <= firstWordsMs || !editBudget.mayRemove()) return false;
    if (!(await poster.remove(page.at))) return false;
    this.#pages.length = 0;
    await this.#post({ ...this.#place, key: undefined });
    return true;
  }

  /** Makes at most one call, and no other of those that are few than the one that there was a turn for. */
  async #call(by: EditMethod): Promise<CallOutcome & { pauseMs?: number | undefined }> {
    const target = this.#state;
    const since = this.#context.timer.now();
    const change = this.#nextChange(target);
    const isOther = change !== undefined && change.by !== by && change.by !== "post";
    this.#needed = isOther && change.by !== "post" ? change.by : undefined;
    const after = change && !isOther ? await this.#make(change, target) : {};
    if (!change || !this.#nextChange(target)) {
      this.#standing = target;
      this.#unseenSince = since;
    }
    return change?.by === by ? after : { pauseMs: after.pauseMs, isFree: true };
  }

  async #make(change: Change, target: Message): Promise<{ retryAfterMs?: number; pauseMs?: number }> {
    try {
      await this.#apply(change);
      this.#resetRetries();
      return {};
    } catch (error) {
      const refused = (this.#refused = refusalOf("chat.update", error));
      this.#context.onRefused?.(refused);
      if (refused.reaction === "wait" || refused.reaction === "lookUp") this.#outSince ??= this.#context.timer.now();
      else this.#failures++;
      const isStream = change.by === "append" || change.by === "stop";
      return isStream ? this.#afterStreamRefused(refused, change) : this.#afterRefused(refused, change, target);
    }
  }

  async #apply({ page, message, content, isPlain, by, chunks, words }: Change): Promise<void> {
    const { poster, streams, onPosted } = this.#context;
    if (by === "append" && page.at && page.stream) {
      await streams?.append(page.at, chunks);
      page.stream = afterAppend(page.stream, message, chunks);
      return;
    }
    if (by === "stop" && page.at && page.stream) {
      const blocks = blocksAtEnd(page.stream, message, chunks);
      await streams?.stop(page.at, { chunks, blocks: blocks ?? [] });
      page.stream = undefined;
      page.content = blocks ? content : "";
      return;
    }
    if (page.at) await poster.update(page.at, isPlain ? plainOf(message) : message);
    else page.at = await poster.post(this.#furtherPlace(), () => message);
    if (!this.#root) onPosted?.((this.#root = page.at));
    page.content = isPlain ? `plain ${content}` : content;
    page.isOnHold ||= isPlain;
    Object.assign(page, { isSign: isSign(message), words: isPlain ? undefined : words });
  }

  /** The place for the further messages of an answer. */
  #furtherPlace(): AnswerPlace {
    const { thread, channel: addressed } = this.#place;
    // A direct message is addressed by the person at first; it goes on in the channel that it turned out to be.
    const channel = this.#root?.channel ?? addressed;
    const below = isInLine({ channel, thread }) ? undefined : (thread ?? this.#root?.ts);
    return { channel, thread: below };
  }

  /**
   * Handles the refusal of a stream: ends it if it is still open, and lets edits take over, unless Slack only asks to
   * wait.
   */
  async #afterStreamRefused(refused: SlackRefused, { page, by }: Change) {
    const { code, reaction, retryAfterMs = 5_000 } = refused;
    if (code === "stopped_by_user") this.#context.onStopped?.();
    const mayEndPlainly = (reaction === "plainer" || reaction === "unknown") && !page.stream?.isSpoilt;
    const hasToEnd = !streamEnded.has(code) && (by === "append" || mayEndPlainly);
    if (reaction === "repost") await this.#freeze(page, code);
    else if (hasToEnd) spoilStream(page);
    else if (reaction === "lookUp") return { pauseMs: this.#nextPauseMs() };
    else if (reaction !== "wait") Object.assign(page, { stream: undefined, content: "" });
    return reaction === "wait" ? { retryAfterMs } : {};
  }

  async #afterRefused(refused: SlackRefused, { page, content, isPlain, by }: Change, target: Message) {
    const { code, reaction, retryAfterMs = 5_000 } = refused;
    if (by === "post") {
      // The poster has tried all there is to try, and may not post twice; only its pace may have been too fast.
      if (reaction === "wait") return { pauseMs: retryAfterMs };
      this.#unshowable = target;
      return {};
    }
    if (reaction === "wait") return { retryAfterMs };
    if (reaction === "lookUp") return { pauseMs: this.#nextPauseMs() };
    if (reaction === "repost") await this.#freeze(page, code);
    else if (code === "streaming_state_conflict" && !this.#isOver()) spoilStream(page);
    else if (reaction !== "plainer" && reaction !== "unknown") this.#failures = triesMost;
    else if (isPlain) {
      this.#unshowable = target;
      page.isOnHold = true;
    } else page.malformed = content;
    return {};
  }

  /** Leaves a message alone that takes no edits; a mere sign of work is taken away. */
  async #freeze(page: Page, code: string): Promise<void> {
    const isGone =
      code === "message_not_found" || (page.isSign && page.at && (await this.#context.poster.remove(page.at)));
    const words = page.stream?.words ?? page.words;
    this.#frozenWords = (isGone ? undefined : words) ?? this.#frozenWords ?? "";
    if (isGone && page.at?.ts === this.#root?.ts) this.#root = undefined;
    this.#pages.length = 0;
  }

  /** The next step until a state stands; nothing if it does, or if it cannot be made. */
  #nextChange(state: Message): Change | undefined {
    try {
      const messages = this.#pagesOf(state);
      for (const [index, message] of messages.entries()) {
        const page = (this.#pages[index] ??= { at: undefined, content: "" });
        const isEnd = index === messages.length - 1;
        const change = changeOf(page, message, this.#isWhole || !isEnd);
        if (change) return { ...change, words: isEnd ? markdownIn(state) : undefined };
      }
    } catch (error) {
      this.#context.onRefused?.(new SlackRefused("chat.update", "unmade", { cause: error }));
    }
    return undefined;
  }

  #pagesOf(state: Message): Message[] {
    if (this.#frozenWords === undefined) return pages(state);
    const rest = this.#isWhole ? restOf(state, this.#frozenWords) : undefined;
    return rest ? pages(rest) : [];
  }

  /** The method of the next call, as far as that can be told without making the state. */
  #likelyMethod(): EditMethod {
    const stream = this.#openStream();
    if (!stream) return "edit";
    return this.#isWhole || stream.isSpoilt ? "stop" : "append";
  }

  #openStream(): Streamed | undefined {
    return this.#pages.find(({ stream }) => stream)?.stream;
  }

  #urgency(): "last" | "first" | "fresher" {
    if (this.#isWhole) return "last";
    return this.#standing?.progress && !this.#state.progress ? "first" : "fresher";
  }

  #resetRetries(): void {
    this.#failures = 0;
    this.#outSince = undefined;
  }

  #outMs(): number {
    return this.#context.timer.now() - (this.#outSince ?? this.#context.timer.now());
  }

  #isOver(): boolean {
    return this.#failures >= triesMost || this.#outMs() >= outMostMs;
  }

  /** As long again as Slack has been out. */
  #nextPauseMs(): number {
    return Math.min(Math.max(this.#outMs(), shortestPauseMs), longestPauseMs);
  }

  /** Waits until something new is to be shown, or for so long. */
  async #sleep(ms?: number): Promise<void> {
    const { timer, signal } = this.#context;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = ms === undefined ? undefined : timer.after(ms, resolve);
    if (ms !== undefined) signal?.addEventListener("abort", this.#wake, { once: true });
    await promise;
    cancel?.();
    signal?.removeEventListener("abort", this.#wake);
  }
}

function spoilStream(page: Page): void {
  const stream = page.stream ?? { words: "", work: "", hasBlocks: false };
  page.stream = { ...stream, isPatched: true, isSpoilt: true };
}

/** The change that a page needs to show a message; nothing if it shows it already. */
function changeOf(page: Page, message: Message, isPageWhole: boolean): Omit<Change, "words"> | undefined {
  const content = contentOf(message);
  if (page.stream) {
    const lacking = continueStream(page.stream, message, isPageWhole);
    return lacking && { page, message, content, isPlain: false, ...lacking };
  }
  const isMalformed = page.malformed === content;
  if (page.content === (isMalformed ? `plain ${content}` : content)) return undefined;
  if (page.isOnHold && !isPageWhole) return undefined;
  const isPlain = isMalformed || (page.malformed !== undefined && !isPageWhole);
  return {
    page,
    message,
    content,
    isPlain: page.at !== undefined && isPlain,
    by: page.at ? "edit" : "post",
    chunks: [],
  };
}

/** A message as text alone, with the words in their block only if `text` would cut them. */
function plainOf({ text, blocks = [], fallbackBlocks }: Message): Message {
  const words = blocks.filter(({ type }) => type === "markdown");
  return { text, blocks: fallbackBlocks ?? (Buffer.byteLength(JSON.stringify(words)) > limits.textBytes ? words : []) };
}

/** Tells whether two messages look the same. */
function contentOf({ text, blocks }: Message): string {
  return JSON.stringify([text, blocks]);
}

function isSign(message: Message): boolean {
  return message.progress === true && !markdownIn(message);
}

/** A state without the words that stand already, and without what stands above them; nothing if nothing is left. */
export function restOf(state: Message, standing: string): Message | undefined {
  const { blocks = [] } = state;
  const at = blocks.findIndex(({ type }) => type === "markdown");
  if (standing === "" || at < 0) return state;
  const markdown = markdownIn(state);
  // The words that stand may have been closed for show.
  const shown = markdown.startsWith(standing) ? standing : settledMarkdown(commonStart(markdown, standing));
  const words = continueFence(shown, markdown.slice(shown.length));
  const below = blocks.slice(at + 1);
  if (words.trim())
    return { ...state, text: plainTextOfMarkdown(words), blocks: [{ type: "markdown", text: words }, ...below] };
  return below.length > 0 ? { ...state, text: "The answer stands above.", blocks: below } : undefined;
}

function commonStart(one: string, other: string): string {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end++;
  return one.slice(0, end);
}
