import { type Message, type Posted, pages } from "./message.ts";
import type { Lane, Outcome, Pacer, Timer, Urgency } from "./pacer.ts";
import type { Place, Poster } from "./poster.ts";
import { SlackRefused, refusalOf } from "./refusal.ts";

interface StreamOptions {
  poster: Poster;
  pacer: Pacer;
  timer: Timer;
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
 * message, or to nothing where there was no state; rejects with SlackRefused where nothing could be posted, and with
 * what the states throw once the newest of them stands.
 */
export async function showStates(
  states: AsyncIterable<Message>,
  place: Place,
  options: StreamOptions,
): Promise<Posted | undefined> {
  const iterator = states[Symbol.asyncIterator]();
  let answer: ReturnType<typeof createAnswer> | undefined;
  try {
    for (;;) {
      const step = await (answer ? Promise.race([iterator.next(), answer.lost]) : iterator.next());
      if (!step || step.done) break;
      if (answer) answer.set(step.value);
      else answer = createAnswer(step.value, place, options);
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

/** One message on the screen. */
interface Sheet {
  at: Posted | undefined;
  /** What stands there, as it was sent. */
  standing: string;
  /** What Slack found malformed: it is shown as plain text. */
  malformed: string;
  /** The next edit shows something rather than be refused once more. */
  isCautious: boolean;
}

function newSheet(): Sheet {
  return { at: undefined, standing: "", malformed: "", isCautious: false };
}

/** Tells whether two messages look the same. */
function contentOf({ text, blocks }: Message): string {
  return JSON.stringify([text, blocks]);
}

function asPlain(content: string): string {
  return `plain ${content}`;
}

/** A sheet that differs from what it should show. */
interface Step {
  sheet: Sheet;
  page: Message;
  content: string;
}

/** One answer on the screen: knows what stands there and what should. */
function createAnswer(first: Message, place: Place, { poster, pacer, timer, onPosted, onRefused }: StreamOptions) {
  const sheets: Sheet[] = [];
  let root: Posted | undefined;
  let state = first;
  /** The state that stands, and the one that Slack will not have in any form. */
  let shown: Message | undefined;
  let unshowable: Message | undefined;
  let unseenSince = timer.now();
  let failures = 0;
  let lane: Lane | undefined;
  let cancelPause: (() => void) | undefined;
  let isFinishing = false;
  const finished = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<undefined>();
  let loss: SlackRefused | undefined;

  function nextStep(target: Message): Step | undefined {
    for (const [index, page] of pages(target).entries()) {
      const sheet = (sheets[index] ??= newSheet());
      const content = contentOf(page);
      const wanted = sheet.malformed === content ? asPlain(content) : content;
      if (sheet.standing !== wanted) return { sheet, page, content };
    }
    return undefined;
  }

  async function edit(): Promise<Outcome> {
    const target = state;
    const since = timer.now();
    const step = nextStep(target);
    let outcome: Outcome = step?.sheet.at ? {} : { isFree: true };
    if (step) {
      try {
        await show(step);
        failures = 0;
      } catch (error) {
        outcome = { ...outcome, retryAfterMs: react(refusalOf("chat.update", error), step, target) };
      }
    }
    if (!nextStep(target)) {
      shown = target;
      unseenSince = since;
    }
    ask();
    return outcome;
  }

  async function show({ sheet, page, content }: Step): Promise<void> {
    const isPlain = sendsPlain(sheet, content);
    if (sheet.at) await poster.update(sheet.at, isPlain ? { text: page.text, blocks: [] } : page);
    else sheet.at = await poster.post({ channel: place.channel, thread: place.thread ?? root?.ts }, () => page);
    root ??= sheet.at;
    sheet.standing = isPlain ? asPlain(content) : content;
    sheet.isCautious = false;
  }

  /** The last state always gets the chance to be shown as it is meant. */
  function sendsPlain(sheet: Sheet, content: string): boolean {
    return sheet.at !== undefined && (sheet.malformed === content || (sheet.isCautious && !isFinishing));
  }

  /** Decides what follows from a refusal; says for how long all edits of the workspace have to wait. */
  function react(refused: SlackRefused, { sheet, content }: Step, target: Message): number | undefined {
    const wasPlain = sendsPlain(sheet, content);
    onRefused?.(refused);
    failures++;
    const { reaction, retryAfterMs = 5_000 } = refused;
    if (!sheet.at) {
      // The poster has tried all there is to try, and may not post twice; only its pace may have been too fast.
      if (reaction === "wait") pause(retryAfterMs);
      else unshowable = target;
    } else if (reaction === "wait") return retryAfterMs;
    else if (reaction === "look") pause(Math.min(2 ** failures * 250, longestPauseMs));
    else if (reaction === "repost") leave(sheet, refused);
    else if (reaction === "plainer" && wasPlain) unshowable = target;
    else if (reaction === "plainer") Object.assign(sheet, { malformed: content, isCautious: true });
    else failures = tries;
    return undefined;
  }

  /** Goes on in a new message with the whole of a page, because the one that shows it takes no more edits. */
  function leave(sheet: Sheet, { code }: SlackRefused): void {
    if (code === "message_not_found" && sheet.at?.ts === root?.ts) root = undefined;
    sheet.at = undefined;
    sheet.standing = "";
  }

  function pause(ms: number): void {
    cancelPause?.();
    if (failures >= tries) return;
    cancelPause = timer.after(ms, () => {
      cancelPause = undefined;
      ask();
    });
  }

  /** Asks for the next edit where one is needed, or ends the answer. */
  function ask(): void {
    if (!lane || cancelPause) return;
    const isHopeless = failures >= tries || unshowable === state;
    if (shown !== state && !isHopeless) lane.want(urgency(), unseenSince);
    else if (isFinishing) finished.resolve();
  }

  function urgency(): Urgency {
    if (isFinishing) return "last";
    return shown?.progress && !state.progress ? "first" : "fresher";
  }

  /** The newest words at that moment ride on the post itself, so that the first sight of an answer costs no edit. */
  async function post(): Promise<void> {
    let carried = state;
    let content = "";
    const newest = () => {
      carried = state;
      unseenSince = timer.now();
      const page = pages(carried)[0] ?? carried;
      content = contentOf(page);
      return page;
    };
    root = await poster.post(place, newest);
    sheets.push({ ...newSheet(), at: root, standing: content });
    if (!nextStep(carried)) shown = carried;
    onPosted?.(root);
    lane = pacer.open(edit);
    ask();
  }

  const posting = post().catch((error: unknown) => {
    loss = refusalOf("chat.postMessage", error);
    onPosted?.(undefined);
    lost.resolve(undefined);
  });

  return {
    /** Resolves when it is clear that nothing will ever stand. */
    lost: lost.promise,
    set(next: Message): void {
      if (shown === state) unseenSince = timer.now();
      state = next;
      ask();
    },
    /** Resolves when the last state stands, or when Slack will not have it. */
    async finish(): Promise<Posted | undefined> {
      await posting;
      if (loss) throw loss;
      const posted = root;
      isFinishing = true;
      failures = 0;
      cancelPause?.();
      cancelPause = undefined;
      ask();
      await finished.promise;
      lane?.close();
      return posted;
    },
  };
}
