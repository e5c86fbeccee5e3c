import type { Timer } from "./timer.ts";
import { createAsides } from "./asides.ts";
import type { Pace } from "./budget.ts";
import { rates } from "./text/limits.ts";
import { createShares } from "./shares.ts";

/** Why a call is wanted, most urgent first: the last state of an answer, its first words, or fresher words. */
export type Urgency = "last" | "first" | "fresher";

/** With which call: `chat.update`, or what adds to a native stream or ends it. */
export type Means = "edit" | "append" | "stop";

/** One answer's claim on the workspace's calls. */
export interface Lane {
  /** Asks for a call; the latest wish counts. `since` is when the oldest words came that are not visible yet. */
  want(urgency: Urgency, since: number, by?: Means): void;
  /** Gives up the claim and what was kept in reserve for it. */
  close(): void;
}

/** The claim of an answer that may begin as a native stream. */
export interface NativeLane extends Lane {
  /** To be told once, what the call came to that began it. */
  started(outcome: Outcome): void;
  /** Keeps an edit for it, because the end of the stream alone does not make it whole. */
  owe(): void;
}

/** Shows the newest state with at most one call, of that kind and no other; never rejects. */
type Act = (by: Means) => Promise<Outcome>;

interface Want {
  urgency: Urgency;
  since: number;
  by: Means;
}

export type Kind = "native" | "edits";

export interface Claim {
  want: Want | undefined;
  isBusy: boolean;
  isOpen: boolean;
  /** Whether it ends with `chat.stopStream` or with an edit. */
  kind: Kind;
  /** It has got so many edits between its first words and its last. */
  edits: number;
  /** An edit is due after its stream has ended. */
  owesEdit: boolean;
  openedAt: number;
  act: Act;
}

/** What a call came to. */
export interface Outcome {
  /** Slack asked us to wait that long: it holds every such call of the workspace. */
  retryAfterMs?: number | undefined;
  /** No call was sent, so none of the budget is used up. */
  isFree?: true;
}

interface PacerOptions {
  /** Edits a minute. */
  perMinute?: number;
  pace?: Pace;
}

const rank: Record<Urgency, number> = { last: 0, first: 1, fresher: 2 };

/**
 * Shares a workspace's calls among all answers that grow at the same time, so that Slack refuses none: one always kept
 * for the last state of each open answer, the rest spread over the time that the answers will probably last, to whoever
 * is most out of date, one at a time for each message.
 */
export function createPacer(timer: Timer, { perMinute = rates.updatesPerMinute, pace = "strict" }: PacerOptions = {}) {
  const claims = new Set<Claim>();
  const shares = createShares(timer, claims, { perMinute, pace });
  const { budgets, habits } = shares;
  const asides = createAsides(timer, {
    budget: budgets.edit,
    kept: () => shares.reserve(),
    isBusy: () => claims.size > 0,
    onDone: () => pump(),
  });
  const pump = createPump({ timer, claims, shares, asides });

  function enter(kind: Kind, act: Act): { claim: Claim; lane: Lane } {
    const openedAt = timer.now();
    const state = { want: undefined, isBusy: false, isOpen: true, edits: 0, owesEdit: false };
    const claim: Claim = { ...state, kind, openedAt, act };
    claims.add(claim);
    return { claim, lane: laneOf(claim, { timer, claims, habits, pump }) };
  }

  return {
    /**
     * Notes that an answer begins. Gives the milliseconds that its first words wait for more where no stream is begun
     * for it: some only while more begin together than there can be streams, since those may get nothing but their last.
     */
    arrive(): number {
      habits.arrive();
      return shares.holdMs();
    },
    /** Opens a lane for an answer that is edited. */
    open: (act: Act): Lane => enter("edits", act).lane,
    /** Opens a lane for an answer that is to begin as a native stream now; nothing where edits serve everybody better. */
    openNative(act: Act): NativeLane | undefined {
      if (!shares.favoursNative()) return undefined;
      const { claim, lane } = enter("native", act);
      budgets.start.begin();
      return {
        ...lane,
        started: (outcome) => budgets.start.end(outcome),
        owe() {
          claim.owesEdit = true;
        },
      };
    },
    /**
     * Lets one edit pass that belongs to no answer, when those that stream can spare it; `edit` makes one call of
     * `chat.update` and never rejects. Resolves when it is done.
     */
    edit(edit: () => Promise<Outcome>): Promise<void> {
      const done = asides.add(edit);
      pump();
      return done;
    },
  };
}

export type Pacer = ReturnType<typeof createPacer>;

interface PumpOptions {
  timer: Timer;
  claims: Set<Claim>;
  shares: ReturnType<typeof createShares>;
  asides: ReturnType<typeof createAsides>;
}

/** What lets everyone act whose turn it is, and comes back by itself when the next turn is. */
function createPump({ timer, claims, shares, asides }: PumpOptions): () => void {
  let cancelWake: (() => void) | undefined;

  function wakeAfter(ms: number): void {
    cancelWake?.();
    // Where nothing but the end of an answer can make room, that end pumps.
    cancelWake = Number.isFinite(ms) ? timer.after(ms, pump) : undefined;
  }

  function pump(): void {
    const before = asides.isOverdue() ? asides.serve() : Number.POSITIVE_INFINITY;
    wakeAfter(Math.min(before, serve(), asides.serve()));
  }

  /** Milliseconds until the next turn of an answer. */
  function serve(): number {
    const ages: { [by in Means]?: number | undefined } = {};
    let soonest = Number.POSITIVE_INFINITY;
    for (const claim of [...claims].filter((one) => one.want && !one.isBusy).toSorted(byUrgency)) {
      const { urgency = "last", since = 0, by = "edit" } = claim.want ?? {};
      const untilOld = urgency === "fresher" ? since + (ages[by] ??= shares.patience(by)) - timer.now() : 0;
      const wait = Math.max(shares.delay(by, urgency), Math.min(untilOld, shares.untilLost(by, since)));
      if (wait <= 0) {
        void run(claim, by);
        ages[by] = undefined;
      } else soonest = Math.min(soonest, wait);
    }
    return soonest;
  }

  async function run(claim: Claim, by: Means): Promise<void> {
    shares.budgets[by].begin();
    if (by === "edit" && claim.want?.urgency === "fresher") claim.edits++;
    claim.want = undefined;
    claim.isBusy = true;
    shares.budgets[by].end(await claim.act(by));
    claim.isBusy = false;
    if (!claim.isOpen) claims.delete(claim);
    pump();
  }

  return pump;
}

interface Around {
  timer: Timer;
  claims: Set<Claim>;
  habits: { learn: (ms: number) => void };
  pump: () => void;
}

function laneOf(claim: Claim, { timer, claims, habits, pump }: Around): Lane {
  return {
    want(urgency, since, by = "edit") {
      const known = claim.want;
      if (!claim.isOpen || (known?.urgency === urgency && known.since === since && known.by === by)) return;
      claim.want = { urgency, since, by };
      claim.kind = by === "edit" ? "edits" : "native";
      pump();
    },
    close() {
      if (claim.isOpen) habits.learn(timer.now() - claim.openedAt);
      claim.isOpen = false;
      claim.want = undefined;
      if (!claim.isBusy) claims.delete(claim);
      pump();
    },
  };
}

function byUrgency(one: Claim, other: Claim): number {
  if (!one.want || !other.want) return 0;
  return rank[one.want.urgency] - rank[other.want.urgency] || one.want.since - other.want.since;
}
