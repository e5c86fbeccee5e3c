import { rates } from "./limits.ts";

/** The time and a way to wait, handed in. */
export interface Timer {
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** Why an edit is wanted, most urgent first: the last state of an answer, its first words, or fresher words. */
export type Urgency = "last" | "first" | "fresher";

/** One answer's claim on the workspace's edits. */
export interface Lane {
  /** Asks for an edit; the latest call counts. `since` is when the oldest words came that are not visible yet. */
  want(urgency: Urgency, since: number): void;
  /** Gives up the claim and the edit that was kept in reserve. */
  close(): void;
}

interface Claim {
  want: { urgency: Urgency; since: number } | undefined;
  isBusy: boolean;
  isOpen: boolean;
  edit: () => Promise<Outcome>;
}

/** What an edit came to. */
export interface Outcome {
  /** Slack asked us to wait that long: it holds every edit of the workspace. */
  retryAfterMs?: number | undefined;
  /** No edit was sent, so none of the budget is used up. */
  isFree?: true;
}

const rank: Record<Urgency, number> = { last: 0, first: 1, fresher: 2 };

/** Time over which unused edits are spent: long enough that a long answer is as fresh at its end as at its start. */
const spendingMs = 25_000;
/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;
/** What is kept for last states while more answers are open than a minute has edits. */
const crowdedShare = 0.9;

/**
 * Shares a workspace's edits among all answers that grow at the same time, so that Slack refuses none: at most
 * `perMinute` in any 60 seconds, one always kept for the last state of each open answer, the rest to whoever is most
 * out of date, one at a time for each message.
 */
export function createPacer(timer: Timer, perMinute: number = rates.updatesPerMinute) {
  const claims = new Set<Claim>();
  const budget = createBudget(timer, perMinute);
  let cancelWake: (() => void) | undefined;

  function pump(): void {
    cancelWake?.();
    cancelWake = undefined;
    for (let next = mostUrgent(claims); next; next = mostUrgent(claims)) {
      const open = [...claims].filter((claim) => claim.isOpen).length;
      const wait = budget.delay(next.want?.urgency ?? "fresher", open);
      if (wait > 0) {
        // Where nothing but the end of an answer can make room, that end pumps.
        if (Number.isFinite(wait)) cancelWake = timer.after(wait, pump);
        return;
      }
      void run(next);
    }
  }

  async function run(claim: Claim): Promise<void> {
    budget.begin(claim.want?.urgency);
    claim.want = undefined;
    claim.isBusy = true;
    budget.end(await claim.edit());
    claim.isBusy = false;
    if (!claim.isOpen) claims.delete(claim);
    pump();
  }

  return {
    /** Opens a lane; `edit` shows the newest state with at most one call of `chat.update`, and never rejects. */
    open(edit: Claim["edit"]): Lane {
      if (claims.size === 0) budget.rest();
      const claim: Claim = { want: undefined, isBusy: false, isOpen: true, edit };
      claims.add(claim);
      return {
        want(urgency, since) {
          if (!claim.isOpen) return;
          claim.want = { urgency, since };
          pump();
        },
        close() {
          claim.isOpen = false;
          claim.want = undefined;
          if (!claim.isBusy) claims.delete(claim);
          pump();
        },
      };
    },
  };
}

/** Counts edits, and says when the next one may be sent. */
function createBudget(timer: Timer, perMinute: number) {
  /** When the edits of the last minute were answered, oldest first. */
  const spent: number[] = [];
  let underway = 0;
  let heldUntil = 0;
  let freshenedAt = Number.NEGATIVE_INFINITY;

  /** Edits that open answers still need for their last state; with too many to serve within a minute, a few are spent. */
  const reserve = (open: number) => (open > perMinute ? Math.floor(perMinute * crowdedShare) : open);

  return {
    /** Milliseconds until Slack surely takes one more edit of this urgency, while so many answers are open; 0 is now. */
    delay(urgency: Urgency, open: number): number {
      const now = timer.now();
      while (spent[0] !== undefined && spent[0] <= now - windowMs) spent.shift();
      if (now < heldUntil) return heldUntil - now;
      const spare = perMinute - underway - spent.length - (urgency === "last" ? 0 : reserve(open));
      if (spare <= 0) return spent[0] === undefined ? Number.POSITIVE_INFINITY : Math.max(1, spent[0] + windowMs - now);
      return urgency === "fresher" ? Math.max(0, freshenedAt + spendingMs / spare - now) : 0;
    },
    begin(urgency: Urgency | undefined): void {
      underway++;
      if (urgency === "fresher") freshenedAt = timer.now();
    },
    end({ retryAfterMs = 0, isFree }: Outcome): void {
      const now = timer.now();
      underway--;
      if (!isFree) spent.push(now);
      heldUntil = Math.max(heldUntil, now + retryAfterMs);
    },
    /** Answers come in flocks: the first of one spends nothing before it is clear how many there are. */
    rest(): void {
      freshenedAt = timer.now();
    },
  };
}

function mostUrgent(claims: Iterable<Claim>): Claim | undefined {
  const ready = [...claims].filter((claim) => claim.want && !claim.isBusy);
  return ready.reduce<Claim | undefined>((best, claim) => (best && precedes(best, claim) ? best : claim), undefined);
}

export type Pacer = ReturnType<typeof createPacer>;

function precedes(one: Claim, other: Claim): boolean {
  if (!one.want || !other.want) return Boolean(one.want);
  const order = rank[one.want.urgency] - rank[other.want.urgency];
  return order < 0 || (order === 0 && one.want.since <= other.want.since);
}
