import { type Message, type Posted, pages } from "./message.ts";
import type { Lane, Pacer, Timer, Urgency } from "./pacer.ts";
import type { Place, Poster } from "./poster.ts";
import { type SlackRefused, refusalOf } from "./refusal.ts";

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
const tries = 8;

/**
 * Shows whole states as one message that is edited: the first at once, the newest as often as the workspace's budget
 * allows, and always the last, in further messages of the thread where it is too long for one. Resolves to the first
 * message, or to nothing where there was no state; rejects with SlackRefused where nothing could be posted.
 */
export async function showStates(
  states: AsyncIterable<Message>,
  place: Place,
  options: StreamOptions,
): Promise<Posted | undefined> {
  let answer: ReturnType<typeof createAnswer> | undefined;
  for await (const state of states) {
    if (answer) answer.set(state);
    else answer = createAnswer(state, place, options);
    if (answer.isLost()) break;
  }
  return answer?.finish();
}

/** One answer on the screen: knows what stands there and what should. */
function createAnswer(first: Message, place: Place, { poster, pacer, timer, onPosted, onRefused }: StreamOptions) {
  const posted: Posted[] = [];
  /** What stands in each of the posted messages. */
  const standing: string[] = [];
  let state = first;
  let shown: Message | undefined;
  let unseenSince = timer.now();
  let failures = 0;
  let lost: unknown;
  let lane: Lane | undefined;
  const finished = Promise.withResolvers<void>();
  let isFinishing = false;

  async function flush(target: Message): Promise<void> {
    for (const [index, page] of pages(target).entries()) {
      const content = JSON.stringify(page);
      if (standing[index] === content) continue;
      const at = posted[index];
      if (at) await poster.update(at, page);
      else
        posted.push(await poster.post({ channel: place.channel, thread: place.thread ?? posted[0]?.ts }, () => page));
      standing[index] = content;
    }
    shown = target;
  }

  async function edit(): Promise<{ retryAfterMs?: number }> {
    unseenSince = timer.now();
    try {
      await flush(state);
      failures = 0;
    } catch (error) {
      return react(refusalOf("chat.update", error));
    }
    ask();
    return {};
  }

  function react(refused: SlackRefused): { retryAfterMs?: number } {
    onRefused?.(refused);
    failures++;
    if (refused.reaction === "repost") standing.length = Math.max(0, posted.length - 1);
    if (refused.reaction === "repost") posted.pop();
    else if (refused.reaction !== "wait" && refused.reaction !== "look") failures = tries;
    if (refused.reaction === "look") timer.after(2 ** failures * 250, ask);
    else ask();
    return refused.reaction === "wait" ? { retryAfterMs: refused.retryAfterMs ?? 5_000 } : {};
  }

  /** Asks for the next edit where one is needed, or ends the answer. */
  function ask(): void {
    if (!lane) return;
    if (shown !== state && failures < tries) lane.want(urgency(), unseenSince);
    else if (isFinishing) finished.resolve();
  }

  function urgency(): Urgency {
    if (isFinishing) return "last";
    return shown?.progress && !state.progress ? "first" : "fresher";
  }

  /** The newest words at that moment ride on the post itself, so that the first sight of an answer costs no edit. */
  async function post(): Promise<void> {
    let carried = state;
    const newest = () => {
      carried = state;
      return pages(carried)[0] ?? carried;
    };
    posted.push(await poster.post(place, newest));
    const all = pages(carried);
    standing.push(JSON.stringify(all[0]));
    if (all.length === 1) shown = carried;
    onPosted?.(posted[0]);
    lane = pacer.open(edit);
    ask();
  }

  const posting = post().catch((error: unknown) => {
    lost = error;
    onPosted?.(undefined);
  });

  return {
    isLost: () => lost !== undefined,
    set(next: Message): void {
      if (shown === state) unseenSince = timer.now();
      state = next;
      ask();
    },
    /** Resolves when the last state stands, or when Slack will not have it. */
    async finish(): Promise<Posted | undefined> {
      await posting;
      if (lost !== undefined) throw refusalOf("chat.postMessage", lost);
      const [root] = posted;
      isFinishing = true;
      failures = 0;
      ask();
      await finished.promise;
      lane?.close();
      return root;
    },
  };
}
