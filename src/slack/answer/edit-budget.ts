import { type Poster, sendPlainerEachTime } from "../delivery/post.ts";
import { type CallOutcome, createMethodLimit } from "./method-limit.ts";
import { type SlackRefused, refusalOf } from "../delivery/refusal.ts";
import { rates } from "../text/limits.ts";
import type { Message, Posted } from "../text/message.ts";
import type { Timer } from "../timer.ts";

/**
 * Shares a workspace's calls among all answers that grow at the same time. Ours, because no rate limiter keeps a reserve
 * for last states; measured against editors that pace each answer alone by `npm run bench answers`.
 */
export type EditBudget = ReturnType<typeof createEditBudget>;

/** With which call: `chat.update`, or what adds to a native stream or ends it. */
export type EditMethod = "edit" | "append" | "stop";

interface WantedEdit {
  by: EditMethod;
  /** Why, most urgent first: the last state of an answer, its first words, or fresher words. */
  urgency: "last" | "first" | "fresher";
  /** The time at which the oldest words came that are not visible yet. */
  since: number;
}

/** One answer's place in the budget. */
export type EditLane = ReturnType<EditBudget["open"]>;

interface Claim {
  /** Set while it waits for a turn. */
  waiting: { want: () => WantedEdit; grant: (by: EditMethod) => void } | undefined;
  /** It ends with `chat.stopStream` rather than with an edit. */
  isStream: boolean;
  /** An edit is due after its stream has ended. */
  owesEdit: boolean;
  /** An edit is kept for its last state, because words of it stand. */
  keepsEdit: boolean;
}

const urgencies = ["last", "first", "fresher"];
/** The budget is spread over this time, which is about how long answers last. */
const horizonMs = 26_000;
/** Calls that can be made within this time count as well. */
const returningMs = 20_000;
/** Edits that an answer has to expect for itself; with fewer, they are scarce. */
const fewEdits = 12;
/** The time between edits of other messages while answers grow. */
const otherGapMs = 5_000;

export function createEditBudget(timer: Timer) {
  const learning = { from: Number.NEGATIVE_INFINITY };
  const limits = {
    edit: createMethodLimit(timer, rates.updatesPerMinute, learning),
    append: createMethodLimit(timer, rates.appendsPerMinute, learning),
    stop: createMethodLimit(timer, rates.stopsPerMinute, learning),
    start: createMethodLimit(timer, rates.startsPerMinute, learning),
    remove: createMethodLimit(timer, rates.removalsPerMinute, learning),
  };
  const claims = new Set<Claim>();
  /** Edits of messages that are no answers, as of cards and alerts. */
  const others: (() => void)[] = [];
  let otherAt = Number.NEGATIVE_INFINITY;
  let cancelWake: (() => void) | undefined;

  const count = (isStream: boolean) => [...claims].filter((claim) => claim.isStream === isStream).length;

  const needing = () => [...claims].filter(({ isStream, owesEdit }) => !isStream || owesEdit);
  const kept = () => needing().filter(({ keepsEdit }) => keepsEdit).length;
  /** Edits that open answers need for their last state; with too many to serve within a minute, those that are kept. */
  const reserved = () => (needing().length > rates.updatesPerMinute ? kept() : needing().length);
  const keepEdit = (claim: Claim) => (claim.keepsEdit ||= limits.edit.spare(returningMs) > kept());

  function spare(by: "edit" | "append", withinMs = 0): number {
    return limits[by].spare(withinMs) - (by === "edit" ? reserved() : 0);
  }

  /** The age that unseen words reach before they are shown, so that the calls last as long as the answers. */
  function refreshAge(by: EditMethod): number {
    if (by === "stop") return 0;
    const open = count(by === "append");
    // The last state of each answer freshens it, too.
    return (open * horizonMs) / Math.max(1, spare(by, returningMs) + open);
  }

  /** Lets everyone call whose turn it is, and comes back by itself when the next turn is. */
  function serve(): void {
    cancelWake?.();
    const soonest = Math.min(serveAnswers(), serveOthers());
    // If nothing but the end of a call can make room, that end serves.
    cancelWake = Number.isFinite(soonest) ? timer.after(soonest, serve) : undefined;
  }

  /** Milliseconds until the next turn of an answer: the most urgent first, then the one most out of date. */
  function serveAnswers(): number {
    let soonest = Number.POSITIVE_INFINITY;
    const waiting = [...claims].flatMap((claim) => (claim.waiting ? [{ claim, ...claim.waiting.want() }] : []));
    waiting.sort(
      (one, other) => urgencies.indexOf(one.urgency) - urgencies.indexOf(other.urgency) || one.since - other.since,
    );
    for (const { claim, by, urgency, since } of waiting) {
      claim.isStream = by !== "edit";
      claim.keepsEdit ||= urgency !== "fresher";
      const untilOld = urgency === "fresher" ? since + refreshAge(by) - timer.now() : 0;
      const wait = Math.max(limits[by].delay(by === "edit" && urgency !== "last" ? reserved() : 0), untilOld);
      if (wait > 0) soonest = Math.min(soonest, wait);
      else {
        limits[by].begin();
        claim.waiting?.grant(by);
        claim.waiting = undefined;
      }
    }
    return soonest;
  }

  /** Milliseconds until the next turn of another edit: first come, first served, with what answers leave. */
  function serveOthers(): number {
    for (let [next] = others; next; [next] = others) {
      const gap = claims.size > 0 ? otherAt + otherGapMs - timer.now() : 0;
      const wait = Math.max(limits.edit.delay(reserved()), gap);
      if (wait > 0) return wait;
      others.shift();
      otherAt = timer.now();
      limits.edit.begin();
      next();
    }
    return Number.POSITIVE_INFINITY;
  }

  function done(by: EditMethod, outcome: CallOutcome): void {
    limits[by].end(outcome);
    serve();
  }

  return {
    /** True if so many answers grow that a post should wait for words rather than cost an edit for them. */
    isScarce: () => limits.edit.spare() < fewEdits * claims.size,
    /** Milliseconds until first words can be shown by an edit. */
    firstWordsDelayMs: () => limits.edit.delay(reserved()),
    /** True if a message may be taken away, and counts that as done. */
    mayRemove(): boolean {
      if (limits.remove.delay(0) > 0) return false;
      limits.remove.begin();
      limits.remove.end({});
      return true;
    },
    /** Opens the lane of an answer. */
    open() {
      const claim: Claim = { waiting: undefined, isStream: false, owesEdit: false, keepsEdit: false };
      claims.add(claim);
      return {
        /** Resolves when the next call may be made, to its kind; `want` is asked whenever that is decided. */
        turn(want: () => WantedEdit): Promise<EditMethod> {
          const turn = Promise.withResolvers<EditMethod>();
          claim.waiting = { want, grant: turn.resolve };
          serve();
          return turn.promise;
        },
        /** To be told of each call that was given a turn, when it is over. */
        done,
        /** True if an edit is kept for its last state from now on, so that earlier words may be shown. */
        keepEdit: () => keepEdit(claim),
        /** Has the budget ask again, because what is wanted has become more urgent. */
        hurry: serve,
        /** True if it is to begin as a native stream; `streamStarted` then has to be told the outcome. */
        mayStream(): boolean {
          const streams = count(true);
          const canBe = limits.start.delay(0) <= 0 && limits.stop.delay(streams) <= 0;
          // With n answers and c calls, the words of all of them together are n²/c old.
          const isBetter = (2 * streams + 1) * (spare("edit") + 1) <= (2 * count(false) - 1) * spare("append");
          if (!canBe || !isBetter || !keepEdit(claim)) return false;
          limits.start.begin();
          claim.isStream = true;
          return true;
        },
        streamStarted(
          outcome: CallOutcome,
          { isStream, owesEdit = false }: { isStream: boolean; owesEdit?: boolean },
        ): void {
          limits.start.end(outcome);
          Object.assign(claim, { isStream, owesEdit });
          serve();
        },
        /** Gives up the place and what was kept in reserve for it. */
        close(): void {
          claims.delete(claim);
          serve();
        },
      };
    },
    /** Lets one edit pass of a message that is no answer; `edit` makes one call and never rejects. */
    async editOther(edit: () => Promise<CallOutcome>): Promise<void> {
      const turn = Promise.withResolvers<void>();
      others.push(turn.resolve);
      serve();
      // Done from here, it is done as part of what asked for it, whoever gave it its turn.
      await turn.promise;
      done("edit", await edit());
    },
  };
}

interface EditContext {
  editBudget: Pick<EditBudget, "editOther">;
  poster: Pick<Poster, "update">;
}

/**
 * Replaces a message that is no answer, when the answers that grow can spare an edit, and plainer if Slack finds it
 * malformed. Rejects with SlackRefused.
 */
export async function editMessage(
  { editBudget, poster }: EditContext,
  posted: Posted,
  message: Message,
): Promise<void> {
  await sendPlainerEachTime(
    message,
    async (body) => {
      let refused: SlackRefused | undefined;
      await editBudget.editOther(async () => {
        await poster.update(posted, body).catch((error: unknown) => (refused = refusalOf("chat.update", error)));
        return { retryAfterMs: refused?.retryAfterMs };
      });
      if (refused) throw refused;
    },
    (error) => refusalOf("chat.update", error).reaction === "plainer",
  );
}
